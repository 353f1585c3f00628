// SPDX-License-Identifier: Apache-2.0
//
// Pages is memory for arrays with random access: aligned to pages, zeroed, and in huge pages if the kernel provides
// them.
#ifndef HEADROOM_LOAD_PAGES_H
#define HEADROOM_LOAD_PAGES_H

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace headroom::load {

inline constexpr std::size_t kCacheLine = 64;

// Prefetches a cache line that will be used soon. On x86 it does not use the compiler's builtin: GCC 12 takes a
// function that does nothing else for one without effect and removes the call.
inline void prefetch_line(const void* at) noexcept {
#if defined(__x86_64__) || defined(__i386__)
  asm volatile("prefetcht0 %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

// Returns the octets of `count` objects of `size` octets each. Throws std::bad_alloc if they exceed the address space,
// as 16 million flows do with 32 bits.
[[nodiscard]] inline std::size_t octets_of(std::uint64_t count, std::size_t size) {
  if (count > static_cast<std::uint64_t>(PTRDIFF_MAX) / size) throw std::bad_alloc();
  return static_cast<std::size_t>(count) * size;
}

class Pages {
 public:
  explicit Pages(std::size_t octets) : octets_(octets), size_((octets + 2 * kHugePage - 1) / kHugePage * kHugePage) {
    // Maps one huge page more than needed, so that the array can begin at a huge page.
    void* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    (void)madvise(mapped, size_, MADV_HUGEPAGE);  // optional: without huge pages the array is only slower
    mapped_ = mapped;
    data_ = reinterpret_cast<std::uint8_t*>((reinterpret_cast<std::uintptr_t>(mapped) + kHugePage - 1) / kHugePage *
                                            kHugePage);
  }
  ~Pages() { munmap(mapped_, size_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  [[nodiscard]] std::uint8_t* data() const noexcept { return data_; }
  // Makes the kernel provide the memory now, so that it is not charged to an adapter later.
  void take() noexcept { std::memset(data_, 0, octets_); }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  std::size_t octets_;
  std::size_t size_;
  void* mapped_;
  std::uint8_t* data_;
};

}  // namespace headroom::load

#endif  // HEADROOM_LOAD_PAGES_H
