// SPDX-License-Identifier: Apache-2.0
//
// Address resolution of a node with a user plane: ARP (RFC 826) and, for IPv6, Neighbor Solicitation and Advertisement
// (RFC 4861, 4.3 and 4.4). IPv4 addresses stand after ::ffff:0:0/96.
#ifndef HEADROOM_SCHEMES_GTPU_PORTS_NEIGHBOURS_H
#define HEADROOM_SCHEMES_GTPU_PORTS_NEIGHBOURS_H

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/octets.h"
#include "node/frame.h"

namespace headroom::gtpu::ports {

using Address = std::array<std::uint8_t, 16>;

[[nodiscard]] bool is_ipv4(const Address& address) noexcept;
// Returns the Address for an address of 4 or 16 octets.
[[nodiscard]] Address address_of(const std::uint8_t* octets, bool is_v6) noexcept;
// Return source and destination of an IP packet. REQUIRES: node::find_parts finds the packet to be IP.
[[nodiscard]] Address source_of(OctetView packet) noexcept;
[[nodiscard]] Address destination_of(OctetView packet) noexcept;

// Returns the sender of a frame. REQUIRES: an Ethernet header.
[[nodiscard]] MacAddress mac_of_sender(const node::Frame& frame) noexcept;

// Neighbours holds the MAC addresses on one side, shared by all workers, who may learn and find addresses at any time
// without a lock. Addresses stay in the table; an address that moves gets its new MAC address. A group MAC address is
// not learned (RFC 1812, 3.3.2), nor is any new address once the table is full.
class Neighbours {
 public:
  Neighbours();
  void learn(const Address& address, const MacAddress& mac) noexcept;
  [[nodiscard]] std::optional<MacAddress> find(const Address& address) const noexcept;

 private:
  static constexpr std::size_t kPlaces = 1 << 14;  // far more than base stations on a segment
  static constexpr std::size_t kMostProbes = 16;
  enum State : std::uint32_t { kEmpty, kClaimed, kReady };
  struct Entry {
    std::atomic<std::uint32_t> state = kEmpty;
    Address address{};
    std::atomic<std::uint64_t> mac = 0;
  };
  [[nodiscard]] static std::size_t place_of(const Address& address) noexcept;
  std::unique_ptr<std::array<Entry, kPlaces>> entries_;
};

// Processes a frame of address resolution: learns its sender, and turns a request for an address in `own` into the
// answer.
enum class Resolution : std::uint8_t {
  none,      // not a frame of address resolution
  answered,  // the frame now is the answer, to be sent back to the sender
  consumed,
};
[[nodiscard]] Resolution resolve(node::Frame& frame, std::span<const Address> own, const MacAddress& mac,
                                 Neighbours& neighbours) noexcept;

// Writes a request for `wanted` into an empty frame. REQUIRES: both addresses are of the same family; room for 86
// octets.
void write_request(node::Frame& frame, const Address& own, const MacAddress& mac, const Address& wanted) noexcept;

}  // namespace headroom::gtpu::ports

#endif  // HEADROOM_SCHEMES_GTPU_PORTS_NEIGHBOURS_H
