// SPDX-License-Identifier: Apache-2.0
//
// Remembers which PDR the packets of a flow match. A table of fixed size, in which a new flow takes the place of an
// older one; a change of rules changes their generation, and so what was remembered is not found any more.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>

#include "gtpu/rules/rule_set.h"

namespace headroom::gtpu {

// FlowKey has all that a PDR can look at, so that packets with equal keys match the same PDR.
struct FlowKey {
  std::uint64_t source[2] = {};
  std::uint64_t destination[2] = {};
  std::uint64_t generation = 0;  // of the rules, which names the session, too
  std::uint32_t teid = 0;
  std::uint32_t ports_or_spi = 0;
  std::uint32_t label_and_kind = 0;  // flow label, and whether there are ports or an SPI, IP version, address
  std::uint8_t protocol = 0;
  std::uint8_t traffic_class = 0;
  std::uint8_t qfi = 0;
  std::uint8_t spare = 0;

  // The generation is filled in later: the place in the table is known before the rules are.
  static FlowKey of(const PacketFields& p, const Tunnel& tunnel) noexcept {
    FlowKey key;
    const std::size_t octets = p.version == 4 ? 4 : 16;
    std::memcpy(key.source, p.source, octets);
    std::memcpy(key.destination, p.destination, octets);
    key.teid = tunnel.teid;
    key.ports_or_spi = p.has_spi ? p.spi : static_cast<std::uint32_t>(p.source_port) << 16 | p.destination_port;
    key.label_and_kind = p.flow_label << 12 | static_cast<std::uint32_t>(tunnel.address) << 8 |
                         static_cast<std::uint32_t>(p.has_ports) << 5 | static_cast<std::uint32_t>(p.has_spi) << 4 |
                         p.version;
    key.protocol = p.protocol;
    key.traffic_class = p.traffic_class;
    key.qfi = tunnel.qfi;
    return key;
  }
  // Of all but the generation.
  [[nodiscard]] std::uint64_t hash() const noexcept {
    std::uint64_t h = (source[0] ^ std::rotl(destination[0], 32)) * 0x9E3779B97F4A7C15U;
    h ^= (source[1] ^ std::rotl(destination[1], 32)) * 0xC2B2AE3D27D4EB4FU;
    h ^= (static_cast<std::uint64_t>(ports_or_spi) << 32 | (teid ^ protocol)) * 0x165667B19E3779F9U;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9U;
    return h ^ h >> 32;
  }
  friend bool operator==(const FlowKey&, const FlowKey&) = default;
};

class FlowTable {
 public:
  struct alignas(64) Entry {
    FlowKey key{};
    std::uint16_t match = 0;  // place in the rule set
    bool drop = false;        // by a predefined rule
  };

  // REQUIRES: entries > 0.
  explicit FlowTable(std::size_t entries)
      : mask_(std::bit_ceil(entries < kWays ? kWays : entries) - 1),
        memory_(allocate_large((mask_ + 1) * sizeof(Entry))),
        entries_(static_cast<Entry*>(memory_.get())) {
    std::uninitialized_value_construct_n(entries_, mask_ + 1);
  }

  void prefetch(std::uint64_t hash) const noexcept {
    __builtin_prefetch(&entries_[place(hash)]);
    __builtin_prefetch(&entries_[place(hash) + 1]);
  }

  // Returns the flow's entry, or nullptr.
  [[nodiscard]] const Entry* find(std::uint64_t hash, const FlowKey& key) const noexcept {
    const Entry* const set = &entries_[place(hash)];
    for (std::size_t way = 0; way < kWays; ++way) {
      if (set[way].key == key) return set + way;
    }
    return nullptr;
  }
  // The older of the two entries goes: the second of a set, where the newer one stands first.
  void insert(std::uint64_t hash, const FlowKey& key, std::uint16_t match, bool drop) noexcept {
    Entry* const set = &entries_[place(hash)];
    set[1] = set[0];
    set[0] = {key, match, drop};
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
