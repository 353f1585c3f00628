// SPDX-License-Identifier: Apache-2.0
//
// Functions that process IP and TCP headers in whole words, for the fast paths. All functions REQUIRE headers of at
// least 40 octets, a multiple of 4.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "rohc/framework/wire/crc.h"
#include "rohc/tcp/wire/headers.h"

namespace headroom::rohc::tcp {

template <typename Word>
[[nodiscard]] inline Word load_word(const std::uint8_t* p) noexcept {
  Word v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

inline void copy_words(std::uint8_t* to, const std::uint8_t* from, std::size_t length) noexcept {
  for (std::size_t at = 0; at + 8 <= length; at += 8) std::memcpy(to + at, from + at, 8);
  std::memcpy(to + length - 8, from + length - 8, 8);
}

// Returns the CRC-3 of whole words by folding (framework/wire/crc.h): x^64 is x modulo x^7 + 1, so each word is rotated
// one place further to the left than the word before.
[[nodiscard]] inline std::uint8_t crc3_of_words(const std::uint8_t* p, std::size_t length) noexcept {
  const auto left = [](std::uint64_t v) { return v << 1 ^ (v >> 62 & 2); };  // bit 63 is bit 0 modulo 63
  std::uint64_t sum = length % 8 == 0 ? 0 : wire::load_little32(p + length - 4);
  for (std::size_t at = length & ~std::size_t{7}; at != 0;) {
    at -= 8;
    sum = left(sum) ^ wire::load_little64(p + at);
  }
  sum ^= wire::kCrc3Initial;
  const std::uint64_t folded = (sum ^ sum >> 63) & 0x7fffffffffffffff;
  const unsigned shift = wire::Crc3Fold::shift_for(static_cast<unsigned>(length * 8));
  return wire::Crc3Fold::finish((folded << shift | folded >> (63 - shift)) & 0x7fffffffffffffff);
}

// Returns the ones' complement sum of an IPv4 header in the machine's byte order.
[[nodiscard]] inline std::uint16_t ipv4_native_sum(const std::uint8_t* p) noexcept {
  std::uint64_t sum = load_word<std::uint32_t>(p + 16);
  for (std::size_t at = 0; at < 16; at += 4) sum += load_word<std::uint32_t>(p + at);
  sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>((sum & 0xffff) + (sum >> 16));
}
// True if the header checksum equals the checksum that infer_fields() writes.
[[nodiscard]] inline bool ipv4_checksum_is_inferred(const std::uint8_t* p) noexcept {
  return ipv4_native_sum(p) == 0xffff && load_word<std::uint16_t>(p + ipv4::kChecksum) != 0xffff;
}

// Stores eight octets at once, so that later word-sized loads need not wait for several stores.
inline void store64(std::uint8_t* p, std::uint64_t v) noexcept {
  if constexpr (std::endian::native == std::endian::little) v = __builtin_bswap64(v);
  std::memcpy(p, &v, sizeof v);
}

// Writes total length and IP-ID of an IPv4 header, and updates the checksum of the previous header `old` (RFC 1624, 3).
inline void set_ipv4_fields(std::uint8_t* p, const std::uint8_t* old, std::uint16_t length, std::uint16_t id) noexcept {
  std::uint32_t sum = (load16(old + ipv4::kChecksum) ^ 0xffffU) + (load16(old + ipv4::kTotalLength) ^ 0xffffU) +
                      length + (load16(old + ipv4::kId) ^ 0xffffU) + id;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  store64(p, std::uint64_t{load16(old)} << 48 | std::uint64_t{length} << 32 | std::uint64_t{id} << 16 |
                 load16(old + ipv4::kFragment));
  store64(p + 8, std::uint64_t{load16(old + ipv4::kTtl)} << 48 | std::uint64_t{sum ^ 0xffffU} << 32 |
                     load32(old + ipv4::kAddresses));
}

}  // namespace headroom::rohc::tcp
