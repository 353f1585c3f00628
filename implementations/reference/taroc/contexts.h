// SPDX-License-Identifier: Apache-2.0
//
// CIDs of a compressor's channel, found by connection; the one that was used longest ago is given away first.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "taroc/config.h"
#include "taroc/wire/header.h"

namespace headroom::taroc {

// Addresses and ports, which "uniquely identify a TCP connection" (RFC 1144, note 8). Those of IPv4 are followed by 0.
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
    last[wire::tcp::kPortOctets] = lengths.ip;  // IPv6 addresses may be those of IPv4 and zeros
    std::memcpy(&c.words[4], last.data(), last.size());
    return c;
  }
  friend bool operator==(const Connection&, const Connection&) = default;
};

class ContextTable {
 public:
  static constexpr std::uint16_t kNone = 0xFFFF;

  explicit ContextTable(std::uint32_t contexts);

  // The CID of a connection, or kNone.
  [[nodiscard]] std::uint16_t find(const Connection& connection) const noexcept;
  // The CID that was used longest ago, and is assigned next.
  [[nodiscard]] std::uint16_t oldest() const noexcept { return oldest_; }
  // Gives it to a connection, which has none.
  std::uint16_t assign(const Connection& connection) noexcept;
  // Makes a CID the one that was used last.
  void touch(std::uint16_t cid) noexcept;

  [[nodiscard]] bool is_of(std::uint16_t cid, const Connection& connection) const noexcept {
    return entries_[cid].used && entries_[cid].connection == connection;
  }
  [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return entries_.capacity() * sizeof(Entry); }

 private:
  struct Entry {
    Connection connection;
    std::uint16_t chain = kNone;                 // next of the bucket
    std::uint16_t newer = kNone, older = kNone;  // by use
    bool used = false;
  };
  static constexpr std::size_t kBuckets = 2 * kMostContexts;
  [[nodiscard]] static std::size_t bucket_of(const Connection& connection) noexcept;

  std::vector<Entry> entries_;
  std::array<std::uint16_t, kBuckets> buckets_;
  std::uint16_t newest_, oldest_ = 0;
  std::size_t in_use_ = 0;
};

}  // namespace headroom::taroc
