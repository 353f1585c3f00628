// SPDX-License-Identifier: Apache-2.0
//
// The CIDs of a compressor's channel, found by connection; the least recently used CID is reused first.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "cid_table.h"
#include "taroc/config.h"
#include "taroc/wire/header.h"

namespace headroom::taroc {

// Addresses and ports, which "uniquely identify a TCP connection" (RFC 1144, note 8). IPv4 addresses are padded with
// zeros.
struct Connection {
  std::array<std::uint64_t, 5> words{};

  static Connection of(const std::uint8_t* packet, const wire::Lengths& lengths) noexcept {
    Connection c;
    if (lengths.is_ipv4()) {
      std::memcpy(c.words.data(), packet + wire::ipv4::kAddresses, wire::ipv4::kAddressOctets);
    } else {
      std::memcpy(c.words.data(), packet + wire::ipv6::kAddresses, wire::ipv6::kAddressOctets);
    }
    std::array<std::uint8_t, sizeof(std::uint64_t)> last{};
    std::memcpy(last.data(), packet + lengths.ip + wire::tcp::kPorts, wire::tcp::kPortOctets);
    last[wire::tcp::kPortOctets] = lengths.ip;  // IPv6 addresses may equal padded IPv4 addresses
    std::memcpy(&c.words[4], last.data(), last.size());
    return c;
  }
  [[nodiscard]] std::uint32_t hash() const noexcept {
    std::uint64_t mixed = 0;
    for (const std::uint64_t word : words) mixed = (mixed ^ word) * 0x9E3779B97F4A7C15;
    return static_cast<std::uint32_t>(mixed >> 32);
  }
  friend bool operator==(const Connection&, const Connection&) = default;
};

using ContextTable = CidTable<Connection>;

}  // namespace headroom::taroc
