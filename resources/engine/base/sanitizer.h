// SPDX-License-Identifier: Apache-2.0
//
// The presence of AddressSanitizer or ThreadSanitizer in this build, and the heap memory in use.
#ifndef HEADROOM_BASE_SANITIZER_H
#define HEADROOM_BASE_SANITIZER_H

#include <malloc.h>

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define HEADROOM_ADDRESS_SANITIZER 1
#elif defined(__SANITIZE_THREAD__)
#define HEADROOM_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEADROOM_ADDRESS_SANITIZER 1
#elif __has_feature(thread_sanitizer)
#define HEADROOM_THREAD_SANITIZER 1
#endif
#endif

#ifdef HEADROOM_ADDRESS_SANITIZER
#include <sanitizer/allocator_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace headroom {

#ifdef HEADROOM_THREAD_SANITIZER
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#ifdef HEADROOM_ADDRESS_SANITIZER
inline constexpr bool kAddressSanitizer = true;
[[nodiscard]] inline std::size_t heap_in_use() { return __sanitizer_get_current_allocated_bytes(); }
// Makes the sanitizers of this process write their reports to a file descriptor.
inline void report_into(std::intptr_t descriptor) { __sanitizer_set_report_fd(reinterpret_cast<void*>(descriptor)); }
#else
inline constexpr bool kAddressSanitizer = false;
inline void report_into(std::intptr_t /*descriptor*/) {}
[[nodiscard]] inline std::size_t heap_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;  // in arenas and in separate mappings
}
#endif

}  // namespace headroom

#endif  // HEADROOM_BASE_SANITIZER_H
