// SPDX-License-Identifier: Apache-2.0
//
// Functions that the fast paths of compressor and decompressor share.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "rohc/framework/wire/crc.h"
#include "rohc/framework/wire/octets.h"
#include "rohc/v1/header/chain.h"
#include "rohc/v1/header/layout.h"

namespace headroom::rohc {

// The CRC-DYNAMIC fields of the innermost headers in the packet, read with the first octet least significant.
struct DynamicOctets {
  std::uint32_t ip = 0;           // IPv4 Total Length and Identification, or IPv6 Payload Length
  std::uint16_t ip_checksum = 0;  // IPv4
  std::uint32_t udp = 0;          // Length and Checksum
  std::uint64_t rtp = 0;          // 7 octets: M and PT, SN, TS; the last four also stand for the ESP Sequence Number
};

// Returns the 3-bit CRC over headers; `crc3_static` is the state of the register after their CRC-STATIC octets (RFC
// 3095 5.9.2). Fields that the layout lacks may have any value.
[[nodiscard]] inline std::uint8_t crc3_of(const Layout& l, std::uint8_t crc3_static, const DynamicOctets& d) noexcept {
  std::uint64_t folded = d.rtp & l.fold_sn_mask;
  folded ^= std::uint64_t{d.udp & l.udp_mask} << l.fold_udp;
  folded ^= std::uint64_t{d.ip_checksum & l.ipv4_mask} << l.fold_ip_checksum;
  folded ^= std::uint64_t{(d.ip & l.fold_ip_mask) ^ crc3_static} << l.fold_ip;
  return wire::Crc3Fold::finish(folded);
}

// Returns the 7-bit CRC over headers; `crc7_static` is the state after their CRC-STATIC octets. REQUIRES: l.has_rtp().
[[nodiscard]] inline std::uint8_t crc7_of(const Layout& l, std::uint8_t crc7_static, const DynamicOctets& d) noexcept {
  std::array<std::uint8_t, 18> octets;  // 17 at most
  std::uint8_t* end = octets.data();
  wire::store_little32(end, d.ip);
  end += l.is_ipv4() ? 4 : 2;
  if (l.is_ipv4()) {
    *end++ = static_cast<std::uint8_t>(d.ip_checksum);
    *end++ = static_cast<std::uint8_t>(d.ip_checksum >> 8);
  }
  wire::store_little32(end, d.udp);
  wire::store_little32(end + 4, static_cast<std::uint32_t>(d.rtp));
  wire::store_little32(end + 7, static_cast<std::uint32_t>(d.rtp >> 24));
  end += 4 + 7;
  return wire::crc7({octets.data(), static_cast<std::size_t>(end - octets.data())}, crc7_static);
}

// Returns the IPv4 header checksum, read with the first octet least significant; `pattern_sum` is the sum of the header
// without length, IP-ID and checksum.
[[nodiscard]] inline std::uint16_t ipv4_checksum(std::uint16_t pattern_sum, std::uint16_t length,
                                                 std::uint16_t id) noexcept {
  return static_cast<std::uint16_t>(~fold_sum(std::uint32_t{pattern_sum} + length + id));
}

// Rotates `v` by `rotation` bits, which must be 0 or 8.
[[nodiscard]] inline std::uint16_t rotate16(std::uint16_t v, unsigned rotation) noexcept {
  return static_cast<std::uint16_t>(v << rotation | v >> (16U - rotation));
}

// Copies a payload. Most payloads are short, so a call to memcpy would cost more than the copy.
inline void copy_payload(std::uint8_t* to, const std::uint8_t* from, std::size_t octets) noexcept {
  if (octets >= 16) {
    if (octets > 256) {
      std::memcpy(to, from, octets);
      return;
    }
    std::size_t at = 0;
    for (; at + 32 <= octets; at += 32) std::memcpy(to + at, from + at, 32);
    // Copies the remaining octets, fewer than 32, with two copies that may overlap.
    const std::size_t rest = octets - at;
    if (rest >= 16) std::memcpy(to + at, from + at, 16);
    std::memcpy(to + octets - 16, from + octets - 16, 16);
  } else if (octets >= 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + octets - 8, from + octets - 8, 8);
  } else if (octets >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + octets - 4, from + octets - 4, 4);
  } else {
    for (std::size_t i = 0; i < octets; ++i) to[i] = from[i];
  }
}

}  // namespace headroom::rohc
