// SPDX-License-Identifier: Apache-2.0
#include "base/crash.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/sanitizer.h"

namespace headroom {
namespace {

constexpr unsigned kPatienceS = 2;        // for finding out; one that never ends would be taken for a hang
constexpr std::size_t kStack = 1u << 16;  // of its own, for a thread that has used up the usual one
constexpr std::array kDeadly = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

volatile std::sig_atomic_t dying_from = 0;

const char* name_of_library(const Dl_info& info) noexcept {
  const char* const slash = std::strrchr(info.dli_fname, '/');
  return slash != nullptr ? slash + 1 : info.dli_fname;
}

// Libraries of the system, which a crash is not blamed on; the kernel's own page is among them.
bool is_of_the_system(const char* library) noexcept {
  for (const char* name :
       {"libc.", "libstdc++.", "libc++", "libgcc_s.", "libm.", "libpthread.", "ld-linux", "linux-"}) {
    if (std::strncmp(library, name, std::strlen(name)) == 0) return true;
  }
  return false;
}

// Writes the line, from the frames of the stack: first the handler's, then the kernel's way into it, which is in the C
// library or in a page of the kernel's, then those of what was interrupted.
void tell(void* const* frames, int count) noexcept {
  std::array<char, 512> line;
  int length = 0;
  bool interrupted = false;
  Dl_info own{};
  (void)dladdr(reinterpret_cast<void*>(&tell_where_it_dies), &own);
  for (int i = 0; i < count && length == 0; ++i) {
    Dl_info info{};
    const bool known = dladdr(frames[i], &info) != 0 && info.dli_fname != nullptr;
    if (!known || is_of_the_system(name_of_library(info))) {
      interrupted = true;
    } else if (interrupted && info.dli_fbase == own.dli_fbase) {
      length = std::snprintf(line.data(), line.size(), "%sthe engine's own code.\n", kDiedIn);
    } else if (interrupted) {
      const auto offset =
          reinterpret_cast<std::uintptr_t>(frames[i]) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
      const bool named = info.dli_sname != nullptr;
      length = std::snprintf(line.data(), line.size(), "%s%s, %s%sat offset 0x%zx.\n", kDiedIn, name_of_library(info),
                             named ? info.dli_sname : "", named ? ", " : "", static_cast<std::size_t>(offset));
    }
  }
  if (length <= 0) length = std::snprintf(line.data(), line.size(), "%sno library's code.\n", kDiedIn);
  (void)!write(STDERR_FILENO, line.data(), std::min(static_cast<std::size_t>(length), line.size() - 1));
}

void on_deadly_signal(int number) {
  dying_from = number;
  alarm(kPatienceS);
  std::array<void*, 64> frames;
  tell(frames.data(), backtrace(frames.data(), static_cast<int>(frames.size())));
  // The handler is gone by now (SA_RESETHAND): the signal comes again as soon as it is let through.
  (void)std::raise(number);
}

}  // namespace

void tell_where_it_dies() {
  if (kAddressSanitizer) return;
  std::array<void*, 1> frames;
  (void)backtrace(frames.data(), 1);  // loads what it needs: a process that dies from its heap cannot
  static std::array<char, kStack> stack;
  const stack_t other = {.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  (void)sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_handler = on_deadly_signal;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int number : kDeadly) (void)sigaction(number, &action, nullptr);
  // Beforehand: no handler may be set where adapters are measured. The status is as a shell says it.
  (void)std::signal(SIGALRM, [](int) { _exit(128 + (dying_from != 0 ? dying_from : SIGALRM)); });
}

}  // namespace headroom
