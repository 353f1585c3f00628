// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <thread>

#include "base/no_processes.h"
#include "base/process.h"
#include "base/sanitizer.h"

namespace headroom {
namespace {

// Exit status of a process after start_no_processes(): the first of what should not be.
int tried() {
  start_no_processes();
  if (fork() != -1 || errno != EPERM) return 1;
#ifdef SYS_fork
  if (syscall(SYS_fork) != -1 || syscall(SYS_vfork) != -1) return 2;
#endif
  bool ran = false;
  std::thread([&ran] { ran = true; }).join();
  return ran ? 0 : 3;
}

TEST(NoProcesses, ThreadsStartAndProcessesDoNot) {
  if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "sanitizers start processes";
  const pid_t child = fork();
  if (child == 0) _exit(tried());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Exit status of a process after take_no_filters(): the first of what should not be.
int tried_filters() {
  take_no_filters();
  sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  const sock_fprog program = {1, &allow};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 1;
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != -1 || errno != EPERM) return 2;
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, nullptr) != -1 || errno != EPERM) return 3;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != -1 || errno != EPERM) return 4;
  handle_no_signals();
  return std::signal(SIGUSR1, SIG_IGN) == SIG_ERR ? 0 : 5;
}

TEST(NoProcesses, OnlyTheEngineFiltersItsCalls) {
  const pid_t child = fork();
  if (child == 0) _exit(tried_filters());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

bool moves() {
  cpu_set_t cores;
  sched_getaffinity(0, sizeof cores, &cores);
  return sched_setaffinity(0, sizeof cores, &cores) == 0;
}

TEST(NoProcesses, ThreadsStayOnTheirCores) {
  EXPECT_TRUE(moves());
  bool moved = true, their_own_moved = true;
  std::thread([&] {
    const unsigned core = current_core();
    pin_to_core(core, "/core");
    stay_on_core();
    moved = moves();
    std::thread([&] { their_own_moved = moves(); }).join();
    pin_to_core(core, "/core");  // where it is
  }).join();
  EXPECT_FALSE(moved);
  EXPECT_FALSE(their_own_moved);
  EXPECT_TRUE(moves()) << "other threads may";
}

TEST(NoProcesses, ThreadsSetNoHandlersOfSignals) {
  bool set = true;
  std::thread([&] {
    handle_no_signals();
    set = std::signal(SIGUSR1, SIG_IGN) != SIG_ERR;
  }).join();
  EXPECT_FALSE(set);
  const auto before = std::signal(SIGUSR1, SIG_IGN);
  EXPECT_NE(before, SIG_ERR) << "other threads may";
  (void)std::signal(SIGUSR1, before);
}

// The helper wakes up on the same core, again and again, with hardly any processor time.
TEST(ProcessorTimes, DifferByWhatOtherThreadsHad) {
  const ProcessorTimes before = processor_times();
  std::thread([] {
    const std::clock_t until = std::clock() + CLOCKS_PER_SEC / 20;
    while (std::clock() < until) {
    }
  }).join();
  const ProcessorTimes after = processor_times();
  const std::uint64_t all = after.process - before.process, own = after.thread - before.thread;
  EXPECT_GE(all - own, 45'000'000u) << "the other thread worked for 50 ms of the process's time";
  EXPECT_LT(own, all / 2) << "the calling one waited";
}

TEST(Switches, AreNotThoseOfOtherThreads) {
  long all = 0, counted = 0;
  std::thread([&] {
    pin_to_core(current_core(), "/core");
    rusage before{}, after{};
    getrusage(RUSAGE_THREAD, &before);
    const Switches switches;
    std::atomic<bool> over = false;
    std::thread helper([&over] {
      for (int i = 0; i < 300; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      over = true;
    });
    while (!over) {
    }
    counted = static_cast<long>(switches.by_other_processes());
    getrusage(RUSAGE_THREAD, &after);
    helper.join();
    all = after.ru_nivcsw - before.ru_nivcsw;
  }).join();
  EXPECT_GE(all, 100) << "the helper takes the core";
  EXPECT_LE(counted, all - 100);
}

}  // namespace
}  // namespace headroom
