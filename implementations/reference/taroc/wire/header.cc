// SPDX-License-Identifier: Apache-2.0
#include "taroc/wire/header.h"

#include <bit>

namespace headroom::taroc::wire {

// Sums up words of the machine; the order of octets is mended at the end (RFC 1071, 2 (B)).
std::uint64_t sum_of(const std::uint8_t* octets, std::size_t count) noexcept {
  std::uint64_t sum = 0;
  std::size_t at = 0;
  for (; at + 4 <= count; at += 4) {
    std::uint32_t word;
    std::memcpy(&word, octets + at, sizeof word);
    sum += word;
  }
  if (at < count) {
    std::uint32_t word = 0;
    std::memcpy(&word, octets + at, count - at);
    sum += word;
  }
  const std::uint16_t all = folded(sum);
  if constexpr (std::endian::native == std::endian::big) return all;
  return static_cast<std::uint16_t>(all << 8 | all >> 8);
}

bool tcp_checksum_is_right(const std::uint8_t* header, const Lengths& lengths, Octets data) noexcept {
  const std::uint64_t addresses = lengths.is_ipv4() ? sum_of(header + ipv4::kAddresses, ipv4::kAddressOctets)
                                                    : sum_of(header + ipv6::kAddresses, ipv6::kAddressOctets);
  const std::uint64_t pseudo = addresses + kProtocolTcp + lengths.tcp + data.size();
  return folded(pseudo + sum_of(header + lengths.ip, lengths.tcp) + sum_of(data.data(), data.size())) == 0xFFFF;
}

}  // namespace headroom::taroc::wire
