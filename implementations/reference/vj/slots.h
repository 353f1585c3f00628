// SPDX-License-Identifier: Apache-2.0
//
// The saved headers of a line. The compressor finds them by connection and reclaims the least recently used first (RFC
// 1144, 3.2.3); the decompressor finds them by number.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cid_table.h"
#include "mutants.h"
#include "vj/config.h"
#include "vj/wire/header.h"

namespace headroom::vj {

// "The header from the last packet it saw" (3.1) of a connection.
struct SavedHeader {
  std::array<std::uint8_t, wire::kLongestPlainHeader> octets{};
  std::uint8_t ip = 0, tcp = 0;  // lengths in octets; 0: no packet has come

  [[nodiscard]] bool empty() const noexcept { return ip == 0; }
  [[nodiscard]] std::size_t length() const noexcept { return std::size_t{ip} + tcp; }
  [[nodiscard]] std::uint8_t* tcp_header() noexcept { return octets.data() + ip; }
  [[nodiscard]] const std::uint8_t* tcp_header() const noexcept { return octets.data() + ip; }
  // Returns the octets of user data in the last packet, modulo 2^16 like the total length.
  [[nodiscard]] std::uint16_t data() const noexcept {
    return static_cast<std::uint16_t>(wire::load16(&octets[wire::kTotalLength]) - length());
  }
  void save(const std::uint8_t* packet, const wire::Lengths& lengths) noexcept {
    ip = static_cast<std::uint8_t>(lengths.ip);
    tcp = static_cast<std::uint8_t>(lengths.tcp);
    // The length of headers without options, nearly all headers, is a compile-time constant.
    constexpr std::size_t kShortest = wire::kIpHeader + wire::kTcpHeader;
    if (lengths.both() == kShortest) [[likely]] {
      std::memcpy(octets.data(), packet, kShortest);
    } else {
      std::memcpy(octets.data(), packet, lengths.both());
    }
  }
};

// "The 96-bit tuple <src address, dst address, src port, dst port> uniquely identifies a TCP connection" (note 8).
struct Connection {
  std::uint64_t addresses = 0;
  std::uint32_t ports = 0;

  static Connection of(const std::uint8_t* packet, const wire::Lengths& lengths) noexcept {
    Connection c;
    std::memcpy(&c.addresses, packet + wire::kAddresses, sizeof c.addresses);
    std::memcpy(&c.ports, packet + lengths.ip + wire::kPorts, sizeof c.ports);
    return c;
  }
  [[nodiscard]] std::uint32_t hash() const noexcept {
    return static_cast<std::uint32_t>((addresses ^ std::uint64_t{ports} << 16) * 0x9E3779B97F4A7C15 >> 32);
  }
  friend bool operator==(const Connection&, const Connection&) = default;
};

// The slots of a compressor. All memory is allocated by the constructor.
class SlotTable {
 public:
  static constexpr std::uint32_t kNone = CidTable<Connection>::kNone;

  explicit SlotTable(std::uint32_t slots) : cids_(slots), headers_(slots) { cids_.reserve(); }

  // Returns the slot of a connection, or kNone.
  [[nodiscard]] std::uint32_t find(const Connection& connection) const noexcept { return cids_.find(connection); }
  [[nodiscard]] bool is_of(std::uint32_t slot, const Connection& connection) const noexcept {
    return slot != kNone && cids_.key_of(slot) == connection;
  }
  // Assigns the least recently used slot to a connection without a slot. The slot's header is still the header of the
  // former connection.
  [[nodiscard]] std::uint32_t reclaim(const Connection& connection) noexcept {
    const bool takes_newest = mutant("vj-newest-slot-reclaimed") && cids_.size() != 0;
    const std::uint32_t slot = takes_newest ? cids_.newest() : cids_.next();
    cids_.assign(slot, connection);
    touch(slot);
    return slot;
  }
  // Marks the slot as the most recently used.
  void touch(std::uint32_t slot) noexcept { cids_.touch(slot); }

  [[nodiscard]] SavedHeader& header(std::uint32_t slot) noexcept { return headers_[slot]; }
  [[nodiscard]] std::size_t in_use() const noexcept { return cids_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return sizeof *this + cids_.memory_bytes() + headers_.capacity() * sizeof(SavedHeader);
  }

 private:
  CidTable<Connection> cids_;
  std::vector<SavedHeader> headers_;  // by slot
};

}  // namespace headroom::vj
