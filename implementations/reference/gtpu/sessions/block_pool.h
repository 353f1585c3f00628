// SPDX-License-Identifier: Apache-2.0
//
// BlockPool is memory for many objects of few sizes that one thread makes and frees. Blocks consist of whole cache
// lines and are cut from large pieces, which the kernel is asked to map with large pages: workers that read many blocks
// at random then have fewer TLB misses.
#pragma once

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace headroom::gtpu {

struct FreeMemory {
  void operator()(void* memory) const noexcept { std::free(memory); }
};

// Returns memory that is aligned to a cache line, in large pages if `octets` is a large page or more. Throws
// std::bad_alloc.
[[nodiscard]] inline std::unique_ptr<void, FreeMemory> allocate_large(std::size_t octets) {
  constexpr std::size_t kLine = 64, kLargePage = std::size_t{2} << 20;
  const std::size_t boundary = octets < kLargePage ? kLine : kLargePage;
  const std::size_t rounded = (octets + boundary - 1) / boundary * boundary;
  std::unique_ptr<void, FreeMemory> memory(std::aligned_alloc(boundary, rounded));
  if (!memory) throw std::bad_alloc();
  if (boundary == kLargePage) (void)madvise(memory.get(), rounded, MADV_HUGEPAGE);  // or without, says the kernel
  return memory;
}

class BlockPool {
 public:
  static constexpr std::size_t kLine = 64;

  void* allocate(std::size_t octets) {
    const std::size_t lines = (octets + kLine - 1) / kLine;
    if (lines >= free_.size()) return ::operator new (lines* kLine, std::align_val_t{kLine});
    std::vector<void*>& blocks = free_[lines];
    if (!blocks.empty()) {
      void* const block = blocks.back();
      blocks.pop_back();
      return block;
    }
    if (left_ < lines * kLine) {
      pieces_.push_back(allocate_large(kPiece));
      next_ = static_cast<std::uint8_t*>(pieces_.back().get());
      left_ = kPiece;
    }
    void* const block = next_;
    next_ += lines * kLine;
    left_ -= lines * kLine;
    return block;
  }

  void free(void* block, std::size_t octets) {
    const std::size_t lines = (octets + kLine - 1) / kLine;
    if (lines >= free_.size()) return ::operator delete (block, std::align_val_t{kLine});
    free_[lines].push_back(block);
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{2} << 20;

  std::vector<std::unique_ptr<void, FreeMemory>> pieces_{};
  std::uint8_t* next_ = nullptr;
  std::size_t left_ = 0;
  std::array<std::vector<void*>, 64> free_{};  // free blocks, by the number of their cache lines
};

}  // namespace headroom::gtpu
