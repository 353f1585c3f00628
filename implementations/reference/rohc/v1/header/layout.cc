// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/header/layout.h"

#include <cstring>

#include "rohc/v1/header/describe_layout.h"

namespace headroom::rohc {
constexpr std::array<Layout, kShapeCount> kLayouts = layout::describe_all();

namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

std::uint64_t word_at(const std::uint8_t* p) noexcept {
  std::uint64_t v;
  std::memcpy(&v, p, kWord);
  return v;
}

}  // namespace

// Both go by words; headers are a multiple of four octets long, so that at most half a word is left.
void masked_copy(const std::uint8_t* header, const Image& mask, std::size_t size, Image& image) noexcept {
  image = {};
  std::size_t i = 0;
  for (; i + kWord <= size; i += kWord) {
    const std::uint64_t v = word_at(header + i) & word_at(mask.data() + i);
    std::memcpy(image.data() + i, &v, kWord);
  }
  for (; i < size; ++i) image[i] = static_cast<std::uint8_t>(header[i] & mask[i]);
}

bool masked_equal(const std::uint8_t* header, const Image& mask, const Image& image, std::size_t size) noexcept {
  std::uint64_t difference = 0;
  std::size_t i = 0;
  for (; i + kWord <= size; i += kWord) {
    difference |= (word_at(header + i) ^ word_at(image.data() + i)) & word_at(mask.data() + i);
  }
  for (; i < size; ++i) difference |= static_cast<unsigned>(header[i] ^ image[i]) & mask[i];
  return difference == 0;
}

}  // namespace headroom::rohc
