// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores in network byte order, the checksum of IP, TCP and UDP, and a bounded reader.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace headroom::iphc::wire {

using Octets = std::span<const std::uint8_t>;

// Converts a number from or to network byte order.
template <typename Number>
[[nodiscard]] constexpr Number in_network_order(Number value) noexcept {
  if constexpr (std::endian::native == std::endian::big) return value;
  if constexpr (sizeof(Number) == 2) return __builtin_bswap16(value);
  return static_cast<Number>(__builtin_bswap32(value));
}
[[nodiscard]] inline std::uint16_t load16(const std::uint8_t* at) noexcept {
  std::uint16_t value;
  std::memcpy(&value, at, sizeof value);
  return in_network_order(value);
}
[[nodiscard]] inline std::uint32_t load32(const std::uint8_t* at) noexcept {
  std::uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return in_network_order(value);
}
inline void store16(std::uint8_t* at, std::uint32_t value) noexcept {
  const std::uint16_t octets = in_network_order(static_cast<std::uint16_t>(value));
  std::memcpy(at, &octets, sizeof octets);
}
inline void store32(std::uint8_t* at, std::uint32_t value) noexcept {
  const std::uint32_t octets = in_network_order(value);
  std::memcpy(at, &octets, sizeof octets);
}
inline void add16(std::uint8_t* at, std::uint32_t value) noexcept { store16(at, load16(at) + value); }
inline void add32(std::uint8_t* at, std::uint32_t value) noexcept { store32(at, load32(at) + value); }

// Returns the one's complement sum of 16-bit words (RFC 1071) in the machine's byte order. Sums of several parts are
// added before calling `folded`. An odd last octet is the first octet of a word.
[[nodiscard]] inline std::uint64_t sum_of(const std::uint8_t* at, std::size_t octets) noexcept {
  const auto word = [&at](std::size_t offset) {
    std::uint32_t found;
    std::memcpy(&found, at + offset, sizeof found);
    return std::uint64_t{found};
  };
  std::uint64_t sum = 0, other = 0;
  for (; octets >= 16; at += 16, octets -= 16) {
    sum += word(0) + word(4);
    other += word(8) + word(12);
  }
  for (; octets >= 4; at += 4, octets -= 4) sum += word(0);
  if (octets == 0) return sum + other;
  std::uint32_t rest = 0;
  std::memcpy(&rest, at, octets);
  return sum + other + rest;
}

// Returns the sum folded to 16 bits, in network byte order; 0xFFFF if the sum includes a right checksum.
[[nodiscard]] inline std::uint16_t folded(std::uint64_t sum) noexcept {
  sum = (sum >> 32) + (sum & 0xFFFFFFFF);
  sum = (sum >> 32) + (sum & 0xFFFFFFFF);
  sum = (sum >> 16) + (sum & 0xFFFF);
  sum = (sum >> 16) + (sum & 0xFFFF);
  return in_network_order(static_cast<std::uint16_t>((sum >> 16) + sum));
}

// Reads octets in order. A read beyond the end and all later reads return nullptr.
class Reader {
 public:
  explicit Reader(Octets octets) noexcept : octets_(octets) {}

  [[nodiscard]] const std::uint8_t* take(std::size_t count) noexcept {
    if (failed_ || octets_.size() - at_ < count) {
      failed_ = true;
      return nullptr;
    }
    const std::uint8_t* const found = octets_.data() + at_;
    at_ += count;
    return found;
  }
  // Returns the remaining octets without consuming them.
  [[nodiscard]] Octets rest() const noexcept { return octets_.subspan(at_); }
  [[nodiscard]] std::size_t position() const noexcept { return at_; }

 private:
  Octets octets_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace headroom::iphc::wire
