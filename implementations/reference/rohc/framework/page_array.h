// SPDX-License-Identifier: Apache-2.0
//
// A fixed array of zeroed objects in memory pages of its own. A page costs memory once it is first touched. Large
// arrays request huge pages, because contexts are visited in random order and each visit would otherwise miss in the
// TLB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

namespace headroom::rohc {

// The page size to request. kSmall is for large objects of which few are in use: each used object would cost a whole
// huge page.
enum class Pages : std::uint8_t { kHuge, kSmall };

// REQUIRES of T: all octets zero is a valid object.
template <typename T>
class PageArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  // Throws std::bad_alloc if the address space is exhausted or too small for `count` objects.
  explicit PageArray(std::size_t count, Pages pages_wanted = Pages::kHuge)
      : count_(count), bytes_(rounded(octets_of(count))) {
    void* pages =
        mmap(nullptr, bytes_ + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    mapping_ = pages;
    void* aligned = pages;
    std::size_t space = bytes_ + kHuge;
    if (bytes_ % kHuge == 0) {
      aligned = std::align(kHuge, bytes_, aligned, space);
      // The kernel may ignore this advice, so its result is not checked.
      madvise(aligned, bytes_, pages_wanted == Pages::kHuge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    }
    first_ = static_cast<T*>(aligned);
  }
  PageArray(const PageArray&) = delete;
  PageArray& operator=(const PageArray&) = delete;
  ~PageArray() { munmap(mapping_, bytes_ + kHuge); }

  [[nodiscard]] T& operator[](std::size_t i) noexcept { return first_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return first_[i]; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  static constexpr std::size_t kHuge = std::size_t{2} << 20;
  static constexpr std::size_t kPage = 4096;
  // Returns the octets of `count` objects; throws if rounding up and aligning to a huge page would overflow.
  static constexpr std::size_t octets_of(std::size_t count) {
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() - 2 * kHuge;
    if (count > kMost / sizeof(T)) throw std::bad_alloc();
    return count * sizeof(T);
  }
  // Rounds up to whole pages: huge pages if the objects fill at least a quarter of one.
  static constexpr std::size_t rounded(std::size_t bytes) noexcept {
    const std::size_t page = bytes >= kHuge / 4 ? kHuge : kPage;
    return (bytes + page - 1) / page * page;
  }

  std::size_t count_;
  std::size_t bytes_;
  void* mapping_;
  T* first_;
};

}  // namespace headroom::rohc
