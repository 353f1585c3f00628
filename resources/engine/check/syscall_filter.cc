// SPDX-License-Identifier: Apache-2.0
#include "check/syscall_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/sanitizer.h"
#include "check/caller.h"
#include "check/child.h"

namespace headroom::check {
namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__i386__)
constexpr unsigned kArchitecture = AUDIT_ARCH_I386;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = 0;
#endif

struct NamedCall {
  int number;
  const char* name;
};

// The calls that adapters make most often when they should not; others are told by their number.
constexpr NamedCall kNames[] = {
    {SYS_read, "read"},
    {SYS_openat, "openat"},
    {SYS_close, "close"},
    {SYS_mmap, "mmap"},
    {SYS_munmap, "munmap"},
    {SYS_brk, "brk (malloc)"},
    {SYS_futex, "futex (a lock)"},
    {SYS_getpid, "getpid"},
    {SYS_getppid, "getppid"},
    {SYS_madvise, "madvise"},
    {SYS_mprotect, "mprotect"},
    {SYS_clock_gettime, "clock_gettime"},
    {SYS_gettimeofday, "gettimeofday"},
    {SYS_getrandom, "getrandom"},
    {SYS_writev, "writev"},
    {SYS_clone, "clone"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
#ifdef SYS_time
    {SYS_time, "time"},
#endif
#ifdef SYS_clock_gettime64
    {SYS_clock_gettime64, "clock_gettime64"},
#endif
#ifdef SYS_mmap2
    {SYS_mmap2, "mmap2"},
#endif
};

const char* forbidden_for = "";  // what the calls were forbidden for, in half a sentence

void on_forbidden_call(int, siginfo_t* info, void*) {
  char reason[256];
  const char* name = nullptr;
  for (const NamedCall& call : kNames) {
    if (call.number == info->si_syscall && info->si_arch == kArchitecture) name = call.name;
  }
  if (name != nullptr) {
    std::snprintf(reason, sizeof reason, "it makes the system call %s %s.", name, forbidden_for);
  } else {
    std::snprintf(reason, sizeof reason, "it makes the system call number %d %s.", info->si_syscall, forbidden_for);
  }
  end_child(Verdict::fail, reason);
}

#if defined(__x86_64__) || defined(__i386__)

// RDTSC is 0F 31 and RDTSCP 0F 01 F9.
bool is_reading_of_tsc(const void* context) {
#if defined(__x86_64__)
  constexpr int kInstructionPointer = REG_RIP;
#else
  constexpr int kInstructionPointer = REG_EIP;
#endif
  const auto* at = reinterpret_cast<const unsigned char*>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[kInstructionPointer]);
  return at[0] == 0x0F && (at[1] == 0x31 || (at[1] == 0x01 && at[2] == 0xF9));
}

// Pages in which the kernel keeps the time: time() and the coarse clocks read it there, and need no counter.
std::uintptr_t kernels_time = 0, kernels_time_end = 0;

void forbid_kernels_time() {
  if (kAddressSanitizer) return;  // which reads it when a thread begins
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (!line.ends_with("[vvar]") || std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2) continue;
    // A kernel may seal them; then such readings go unnoticed.
    if (mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_NONE) == 0)
      kernels_time = begin, kernels_time_end = end;
  }
}

void on_fault(int signal_number, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (address >= kernels_time && address < kernels_time_end) {
    end_child(Verdict::fail, "it reads the time in the kernel's pages, as time() does; time comes in through now_ns.");
  }
  // A forbidden reading has no address; a fault that has one is an ordinary one, and the instruction may not be
  // readable either.
  if (info->si_addr == nullptr && info->si_code == SI_KERNEL && is_reading_of_tsc(context)) {
    end_child(Verdict::fail, "it reads the time-stamp counter, as clocks do; time comes in through now_ns.");
  }
  std::signal(signal_number, SIG_DFL);
  raise(signal_number);
}

bool trap_tsc() {
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  forbid_kernels_time();
  return prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0;
}

#else

bool trap_tsc() { return false; }

#endif

// Installs a filter that traps `forbidden`, or with `allow_listed` everything but those.
void install(const std::vector<int>& listed, bool allow_listed) {
  if (kArchitecture == 0) throw LacksHere("system calls are not watched on this processor.");
  struct sigaction action = {};
  action.sa_sigaction = on_forbidden_call;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSYS, &action, nullptr);

  const auto statement = [](unsigned code, unsigned k) {
    return sock_filter{static_cast<unsigned short>(code), 0, 0, k};
  };
  const auto jump_if_equal = [](unsigned k, unsigned equal, unsigned other) {
    return sock_filter{BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned char>(equal), static_cast<unsigned char>(other),
                       k};
  };
  std::vector<sock_filter> filter;
  filter.push_back(statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)));
  filter.push_back(jump_if_equal(kArchitecture, 1, 0));
  // Another calling convention, such as int 0x80, has other numbers: a call, but not known which.
  filter.push_back(statement(BPF_RET | BPF_K, allow_listed ? SECCOMP_RET_TRAP : SECCOMP_RET_ALLOW));
  filter.push_back(statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (const int number : listed) {
    filter.push_back(jump_if_equal(static_cast<unsigned>(number), 0, 1));
    filter.push_back(statement(BPF_RET | BPF_K, allow_listed ? SECCOMP_RET_ALLOW : SECCOMP_RET_TRAP));
  }
  filter.push_back(statement(BPF_RET | BPF_K, allow_listed ? SECCOMP_RET_TRAP : SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    throw LacksHere(std::string("this kernel does not let system calls be watched: ") + std::strerror(errno) + ".");
  }
  expect_another_filter();
}

}  // namespace

void forbid_system_calls() {
  forbidden_for = "for a packet, although the flow's first packets have passed";
  std::vector<int> allowed = {SYS_write, SYS_exit, SYS_exit_group, SYS_rt_sigreturn};
  if (kAddressSanitizer) allowed.push_back(SYS_sigaltstack);  // it asks in front of every function that does not return
  install(allowed, true);
}

void forbid_clock_and_randomness() {
  forbidden_for = "itself; time comes in through now_ns and randomness through the seed";
  if (!trap_tsc()) throw LacksHere("readings of the clock that need no system call are not watched on this processor.");
  std::vector<int> forbidden = {SYS_clock_gettime, SYS_gettimeofday, SYS_getrandom};
#ifdef SYS_time
  forbidden.push_back(SYS_time);
#endif
#ifdef SYS_clock_gettime64
  forbidden.push_back(SYS_clock_gettime64);
#endif
  install(forbidden, false);
}

}  // namespace headroom::check
