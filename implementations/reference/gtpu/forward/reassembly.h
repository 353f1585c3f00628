// SPDX-License-Identifier: Apache-2.0
//
// Reassembly joins fragments of packets between tunnel endpoints (RFC 791, 3.2; RFC 8200, 4.5), within fixed limits:
// the oldest packet is dropped if there are too many.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "gtpu/wire/ip.h"

namespace headroom::gtpu {

class Reassembly {
 public:
  static constexpr std::uint64_t kTimeoutNs = 30'000'000'000;  // between RFC 791's 15 s and RFC 8200's 60 s
  static constexpr std::size_t kMostPackets = 64;
  static constexpr std::size_t kMostParts = 64;  // of one packet

  // Adds a fragment. Returns the packet that the fragment completes, or an empty span. A packet with overlapping
  // fragments is dropped (RFC 8200, 4.5). The result is valid until the next call.
  std::span<const std::uint8_t> add(std::span<const std::uint8_t> packet, std::uint64_t now_ns);

 private:
  struct Part {
    std::uint32_t offset;
    std::vector<std::uint8_t> octets;
  };
  struct Packet {
    std::array<std::uint8_t, 32> addresses{};
    std::uint32_t id = 0;
    std::uint8_t protocol = 0;
    bool ipv6 = false;
    std::uint64_t first_ns = 0;
    std::uint32_t length = 0;            // length of the whole packet once its last fragment is there; 0 before
    std::vector<std::uint8_t> header{};  // header of the first fragment, as it is in the whole packet
    std::vector<Part> parts{};           // by offset
  };

  bool insert(Packet& packet, const Fragment& fragment, std::span<const std::uint8_t> octets);
  std::span<const std::uint8_t> complete(const Packet& packet);

  std::deque<Packet> packets_{};  // the oldest first
  std::vector<std::uint8_t> whole_{};
};

}  // namespace headroom::gtpu
