// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "base/no_processes.h"
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

}  // namespace
}  // namespace headroom
