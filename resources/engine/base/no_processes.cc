// SPDX-License-Identifier: Apache-2.0
#include "base/no_processes.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "base/sanitizer.h"

namespace headroom {
namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64, kFork = SYS_fork, kVfork = SYS_vfork;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64, kFork = SYS_clone3, kVfork = SYS_clone3;  // it has neither
#else
constexpr unsigned kArchitecture = 0, kFork = 0, kVfork = 0;
#endif
constexpr unsigned kX32 = 0x4000'0000;  // bit of calls of a third kind on x86-64

constexpr unsigned kRefuse = SECCOMP_RET_ERRNO | EPERM, kMissing = SECCOMP_RET_ERRNO | ENOSYS;
constexpr unsigned short kLoad = BPF_LD | BPF_W | BPF_ABS, kReturn = BPF_RET | BPF_K, kEqual = BPF_JMP | BPF_JEQ,
                         kSet = BPF_JMP | BPF_JSET;

// For the calling thread, and those that it starts.
template <std::size_t instructions>
void install(std::array<sock_filter, instructions>& filter) noexcept {
  const sock_fprog program{instructions, filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  // Speculation stays as it is: without it all code would be slower on kernels before 5.16.
  (void)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
}

// In all filters, where a jump goes to is counted from the instruction behind it, and calls of i386 are refused.
void refuse(unsigned number) noexcept {
  if (kArchitecture == 0) return;
  std::array<sock_filter, 8> filter = {{
      {kLoad, 0, 0, offsetof(seccomp_data, arch)},
      {kEqual, 0, 4, kArchitecture},
      {kLoad, 0, 0, offsetof(seccomp_data, nr)},
      {kSet, 3, 0, kX32},
      {kEqual, 1, 0, number},
      {kReturn, 0, 0, SECCOMP_RET_ALLOW},
      {kReturn, 0, 0, kRefuse},
      {kReturn, 0, 0, kMissing},
  }};
  install(filter);
}

}  // namespace

void start_no_processes() noexcept {
  if (kArchitecture == 0 || kAddressSanitizer || kThreadSanitizer) return;
  std::array<sock_filter, 13> filter = {{
      {kLoad, 0, 0, offsetof(seccomp_data, arch)},
      {kEqual, 0, 9, kArchitecture},
      {kLoad, 0, 0, offsetof(seccomp_data, nr)},
      {kSet, 7, 0, kX32},
      {kEqual, 7, 0, SYS_clone3},  // its flags are in memory: libraries then use clone
      {kEqual, 5, 0, kFork},
      {kEqual, 4, 0, kVfork},
      {kEqual, 0, 2, SYS_clone},
      {kLoad, 0, 0, offsetof(seccomp_data, args)},
      {kSet, 0, 1, CLONE_THREAD},
      {kReturn, 0, 0, SECCOMP_RET_ALLOW},
      {kReturn, 0, 0, kRefuse},
      {kReturn, 0, 0, kMissing},
  }};
  install(filter);
}

void stay_on_core() noexcept { refuse(SYS_sched_setaffinity); }

void handle_no_signals() noexcept { refuse(SYS_rt_sigaction); }

}  // namespace headroom
