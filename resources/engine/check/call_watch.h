// SPDX-License-Identifier: Apache-2.0
//
// Notices calls of allocators and locks by the libraries loaded into this process, the C library and the program itself
// excepted: their entries for those functions, and their variables that point to them, are pointed at counting ones.
// What a library calls inside itself, or through a pointer that it took earlier, escapes.
#ifndef HEADROOM_CHECK_CALL_WATCH_H
#define HEADROOM_CHECK_CALL_WATCH_H

#include <cstdint>

namespace headroom::check {

// Redirects the calls of every library that is loaded by now. Returns how many entries were found: 0 if nothing can
// be watched.
unsigned watch_calls();

// The calls since the last forget_calls, and the name of the first of them (nullptr if there was none).
struct WatchedCalls {
  std::uint64_t count = 0;
  const char* first = nullptr;
};
[[nodiscard]] WatchedCalls watched_calls() noexcept;
void forget_calls() noexcept;

}  // namespace headroom::check

#endif  // HEADROOM_CHECK_CALL_WATCH_H
