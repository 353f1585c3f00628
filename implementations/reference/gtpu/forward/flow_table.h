// SPDX-License-Identifier: Apache-2.0
//
// FlowTable remembers which PDRs the packets of a flow match, in both directions. It has a fixed size; a new flow
// replaces an older one. A change of rules changes their generation, which invalidates older entries.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>

#include "gtpu/rules/rule_set.h"

namespace headroom::gtpu {

// FlowKey identifies a flow: packets of both directions have the same key.
struct FlowKey {
  std::uint64_t user[2] = {};    // the user's address; IPv4 as IPv4-mapped IPv6
  std::uint64_t remote[2] = {};  // the address of the remote end
  std::uint32_t ports_or_spi = 0;
  std::uint32_t protocol = 0;

  static FlowKey of(const PacketFields& p, bool uplink) noexcept {
    FlowKey key;
    put_address(uplink ? p.source : p.destination, p.version, key.user);
    put_address(uplink ? p.destination : p.source, p.version, key.remote);
    const std::uint32_t ports = std::uint32_t{p.source_port} << 16 | p.destination_port;
    key.ports_or_spi = p.has_spi ? p.spi : uplink ? ports : std::rotl(ports, 16);
    key.protocol = p.protocol;
    return key;
  }
  [[nodiscard]] std::uint64_t hash() const noexcept {
    std::uint64_t h = (user[0] ^ std::rotl(remote[0], 32)) * 0x9E3779B97F4A7C15U;
    h ^= (user[1] ^ std::rotl(remote[1], 32)) * 0xC2B2AE3D27D4EB4FU;
    h ^= (std::uint64_t{ports_or_spi} << 32 | protocol) * 0x165667B19E3779F9U;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9U;
    return h ^ h >> 32;
  }
  friend bool operator==(const FlowKey&, const FlowKey&) = default;

 private:
  static void put_address(const std::uint8_t* octets, std::uint8_t version, std::uint64_t* to) noexcept {
    to[0] = version == 4 ? 0 : read64(octets);
    to[1] = version == 4 ? 0xFFFF'0000'0000U | read32(octets) : read64(octets + 8);
  }
};

// FlowPath has all other fields of a packet that a PDR can compare, for the packets of one direction.
struct FlowPath {
  std::uint32_t teid = 0;
  std::uint32_t marks = 0;  // flow label, traffic class, own address, and flags for ports and SPI
  std::uint8_t qfi = 0;

  static FlowPath of(const PacketFields& p, const Tunnel& tunnel) noexcept {
    return {tunnel.teid,
            p.flow_label << 12 | std::uint32_t{p.traffic_class} << 4 | std::uint32_t{tunnel.address} << 2 |
                std::uint32_t{p.has_ports} << 1 | std::uint32_t{p.has_spi},
            tunnel.qfi};
  }
};
static_assert(LocalAddresses::kMost <= 4);

class FlowTable {
 public:
  // A match is an index into the PDRs of the rule set, plus kDrop if a predefined rule drops the packet; or kUnknown.
  static constexpr std::uint16_t kDrop = 0x8000, kUnknown = 0xFFFF;
  static constexpr std::uint8_t kInspected = 0xFF;  // value of `inspected`: no further packet is inspected

  // Entry is a flow. It fills one cache line.
  struct alignas(64) Entry {
    std::uint64_t user[2] = {};
    std::uint64_t remote[2] = {};
    std::uint32_t ports_or_spi = 0;
    std::uint32_t generation = 0;  // lower half of the rules' generation: no flow outlasts 2^32 changes
    std::uint32_t teids[2] = {};   // by direction, as are the following arrays
    std::uint32_t marks[2] = {};
    std::uint16_t matches[2] = {kUnknown, kUnknown};
    std::uint8_t qfis[2] = {};
    std::uint8_t protocol = 0;
    std::uint8_t inspected = 0;  // number of inspected packets, or kInspected

    [[nodiscard]] bool is_of(const FlowKey& key) const noexcept {
      return ports_or_spi == key.ports_or_spi && remote[1] == key.remote[1] && user[1] == key.user[1] &&
             remote[0] == key.remote[0] && user[0] == key.user[0] && protocol == key.protocol;
    }
    // Returns the match of packets with this path, or kUnknown.
    [[nodiscard]] std::uint16_t find(const FlowPath& path, bool uplink, std::uint64_t rules) const noexcept {
      return generation == static_cast<std::uint32_t>(rules) && teids[uplink] == path.teid &&
                     marks[uplink] == path.marks && qfis[uplink] == path.qfi
                 ? matches[uplink]
                 : kUnknown;
    }
    void keep(const FlowPath& path, bool uplink, std::uint64_t rules, std::uint16_t match) noexcept {
      if (generation != static_cast<std::uint32_t>(rules)) matches[!uplink] = kUnknown;
      generation = static_cast<std::uint32_t>(rules);
      teids[uplink] = path.teid;
      marks[uplink] = path.marks;
      qfis[uplink] = path.qfi;
      matches[uplink] = match;
    }
  };
  static_assert(sizeof(Entry) == BlockPool::kLine);

  // Makes room for about `flows` flows. They use a quarter of the table; nine of a hundred flows then share a set with
  // two or more others and are replaced again and again.
  // REQUIRES: flows > 0.
  explicit FlowTable(std::size_t flows)
      : mask_(std::bit_ceil(4 * flows) - 1),
        memory_(allocate_large((mask_ + 1) * sizeof(Entry))),
        entries_(static_cast<Entry*>(memory_.get())) {
    std::uninitialized_value_construct_n(entries_, mask_ + 1);
  }

  void prefetch(std::uint64_t hash) const noexcept {
    __builtin_prefetch(&entries_[place(hash)]);
    __builtin_prefetch(&entries_[place(hash) + 1]);
  }

  // Returns the flow's entry, or nullptr. The entry is valid until the next `insert`.
  [[nodiscard]] Entry* find(std::uint64_t hash, const FlowKey& key) const noexcept {
    Entry* const set = &entries_[place(hash)];
    return set[0].is_of(key) ? set : set[1].is_of(key) ? set + 1 : nullptr;
  }
  // Returns a new entry for a flow. Of the two entries of a set, the newer one is first, and the second one is dropped.
  // REQUIRES: the flow has no entry.
  [[nodiscard]] Entry& insert(std::uint64_t hash, const FlowKey& key) noexcept {
    Entry* const set = &entries_[place(hash)];
    set[1] = set[0];
    set[0] = {};
    std::ranges::copy(key.user, set->user);
    std::ranges::copy(key.remote, set->remote);
    set->ports_or_spi = key.ports_or_spi;
    set->protocol = static_cast<std::uint8_t>(key.protocol);
    return *set;
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return (mask_ + 1) * sizeof(Entry); }

 private:
  static constexpr std::size_t kWays = 2;
  [[nodiscard]] std::size_t place(std::uint64_t hash) const noexcept { return hash & mask_ & ~(kWays - 1); }

  std::size_t mask_;
  std::unique_ptr<void, FreeMemory> memory_;
  Entry* entries_;
};

}  // namespace headroom::gtpu
