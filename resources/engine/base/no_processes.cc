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
#include <cstdint>

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
                         kSet = BPF_JMP | BPF_JSET, kAbove = BPF_JMP | BPF_JGT;

// In all filters, where a jump goes to is counted from the instruction behind it, and calls of i386 are refused.
using Refusal = std::array<sock_filter, 8>;
constexpr Refusal refusal(unsigned number) {
  return {{
      {kLoad, 0, 0, offsetof(seccomp_data, arch)},
      {kEqual, 0, 4, kArchitecture},
      {kLoad, 0, 0, offsetof(seccomp_data, nr)},
      {kSet, 3, 0, kX32},
      {kEqual, 1, 0, number},
      {kReturn, 0, 0, SECCOMP_RET_ALLOW},
      {kReturn, 0, 0, kRefuse},
      {kReturn, 0, 0, kMissing},
  }};
}

constexpr Refusal kNoCores = refusal(SYS_sched_setaffinity), kNoHandlers = refusal(SYS_rt_sigaction);
constexpr std::array<sock_filter, 13> kNoProcesses = {{
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

template <std::size_t instructions>
constexpr sock_fprog program(const std::array<sock_filter, instructions>& filter) {
  return {instructions, const_cast<sock_filter*>(filter.data())};
}

// take_no_filters() tells them from an adapter's by their places in memory.
constexpr sock_fprog kStayOnCore = program(kNoCores), kHandleNoSignals = program(kNoHandlers),
                     kStartNoProcesses = program(kNoProcesses);

// The halves of a word of 64 bits, and the places of those of the third argument of a call.
unsigned low(const sock_fprog& own) noexcept { return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(&own)); }
unsigned high(const sock_fprog& own) noexcept {
  return static_cast<unsigned>(std::uint64_t{reinterpret_cast<std::uintptr_t>(&own)} >> 32);
}
constexpr unsigned kThird = offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t);
constexpr unsigned kThirdLow = kThird, kThirdHigh = kThird + sizeof(std::uint32_t);  // both machines: low half first

// For the calling thread, and those that it starts.
void install(const sock_fprog& filter) noexcept {
  if (kArchitecture == 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  // Speculation stays as it is: without it all code would be slower on kernels before 5.16.
  (void)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter);
}

}  // namespace

void take_no_filters() noexcept {
  std::array<sock_filter, 19> filter = {{
      {kLoad, 0, 0, offsetof(seccomp_data, arch)},
      {kEqual, 0, 16, kArchitecture},
      {kLoad, 0, 0, offsetof(seccomp_data, nr)},
      {kSet, 14, 0, kX32},
      {kEqual, 3, 0, SYS_seccomp},
      {kEqual, 0, 10, SYS_prctl},
      {kLoad, 0, 0, offsetof(seccomp_data, args)},
      {kEqual, 9, 8, PR_SET_SECCOMP},
      {kLoad, 0, 0, offsetof(seccomp_data, args)},
      {kAbove, 6, 0, SECCOMP_SET_MODE_FILTER},  // questions about filters
      {kLoad, 0, 0, kThirdHigh},
      {kEqual, 0, 5, high(kStayOnCore)},
      {kLoad, 0, 0, kThirdLow},
      {kEqual, 2, 0, low(kStayOnCore)},
      {kEqual, 1, 0, low(kHandleNoSignals)},
      {kEqual, 0, 1, low(kStartNoProcesses)},
      {kReturn, 0, 0, SECCOMP_RET_ALLOW},
      {kReturn, 0, 0, kRefuse},
      {kReturn, 0, 0, kMissing},
  }};
  install(program(filter));
}

void start_no_processes() noexcept {
  if (!kAddressSanitizer && !kThreadSanitizer) install(kStartNoProcesses);
}

void stay_on_core() noexcept { install(kStayOnCore); }

void handle_no_signals() noexcept { install(kHandleNoSignals); }

}  // namespace headroom
