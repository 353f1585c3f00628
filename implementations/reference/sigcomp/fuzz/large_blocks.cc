// SPDX-License-Identifier: Apache-2.0
//
// Memory for fuzz targets that make endpoints with each input: large blocks, which an endpoint has a dozen of, are kept
// and used again. Otherwise each input has them mapped and cleared anew, which takes longer than its messages. Unused
// blocks are poisoned, so that AddressSanitizer still reports use after free and reads beyond their ends.
#include <malloc.h>
#include <sanitizer/asan_interface.h>

#include <array>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kLarge = 16384;  // octets

// Unused blocks of one size.
struct Shelf {
  std::size_t size = 0;
  std::size_t count = 0;
  std::array<void*, 16> blocks{};
};
std::array<Shelf, 64> shelves;

// Of blocks of `size` octets; nullptr where there are too many sizes, or they are small.
Shelf* shelf_of(std::size_t size) noexcept {
  if (size < kLarge) return nullptr;
  for (Shelf& shelf : shelves) {
    if (shelf.size == 0) shelf.size = size;
    if (shelf.size == size) return &shelf;
  }
  return nullptr;
}

}  // namespace

void* operator new(std::size_t size) {
  if (Shelf* const shelf = shelf_of(size); shelf != nullptr && shelf->count > 0) {
    void* const block = shelf->blocks[--shelf->count];
    ASAN_UNPOISON_MEMORY_REGION(block, size);
    return block;
  }
  if (void* const block = std::malloc(size); block != nullptr) return block;
  throw std::bad_alloc();
}

void operator delete(void* block) noexcept {
  const std::size_t size = block != nullptr ? malloc_usable_size(block) : 0;
  Shelf* const shelf = shelf_of(size);
  if (shelf == nullptr || shelf->count == shelf->blocks.size()) return std::free(block);
  shelf->blocks[shelf->count++] = block;
  ASAN_POISON_MEMORY_REGION(block, size);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete[](void* block) noexcept { operator delete(block); }
void operator delete[](void* block, std::size_t) noexcept { operator delete(block); }

// libFuzzer's own part of the program has some of its memory from here, and some from AddressSanitizer's `new`.
extern "C" const char* __asan_default_options() {
  return "alloc_dealloc_mismatch=0:quarantine_size_mb=16:malloc_context_size=8";
}
