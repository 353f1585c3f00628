// SPDX-License-Identifier: Apache-2.0
//
// Carrier carries the link packets of one scheme as packets of another: they are PDUs for the compressor of the other
// scheme, whose link packets travel on the link, and what its decompressor puts out goes to the inner decompressor.
// What comes out is found again by its octets, in order for each channel.
#ifndef HEADROOM_REPLAY_CARRIER_H
#define HEADROOM_REPLAY_CARRIER_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adapter/checked.h"
#include "link/link.h"
#include "replay/packed.h"
#include "replay/statistics.h"

namespace headroom::replay {

struct CarrierJob {
  AdapterJob compressor;
  std::optional<AdapterJob> decompressor;  // where the job has an inner one
  std::uint16_t type = 0;                  // of the PDUs: the Ethernet type of inner link packets
  bool ethernet = false;                   // PDUs are whole Ethernet frames with that type
};

// Reads {"compressor", "decompressor", "type", "ethernet"}. `ether_type` is that of the inner scheme, 0 where there is
// none.
[[nodiscard]] CarrierJob read_carrier(const Value& value, std::uint16_t ether_type);

// All functions that call an adapter throw PromiseBroken.
class Carrier {
 public:
  explicit Carrier(const CarrierJob& job);
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  // Link packets that the carrier puts out because of an inner one, and at its compressor's deadline.
  [[nodiscard]] std::vector<LinkPacket> take(const LinkPacket& inner, std::uint64_t now_ns);
  [[nodiscard]] std::vector<LinkPacket> take_due(std::uint64_t now_ns);
  // What the link did to one of them. REQUIRES: called for each, in order.
  void note_sent(const LinkPacket& sent, const LinkOutcome& outcome, bool at_deadline);

  // Inner link packets that come out because of what has arrived, and at the decompressor's deadline.
  [[nodiscard]] std::vector<Delivery> receive(std::span<const Delivery> burst, std::uint64_t now_ns);
  [[nodiscard]] std::vector<Delivery> receive_due(std::uint64_t now_ns);

  // An inner link packet that never came out: the tag of its packet, and its place among those with the same tag.
  struct Missing {
    std::uint64_t tag;
    std::size_t part;
  };
  // At the end. Without a decompressor: those that the link may have lost.
  [[nodiscard]] std::vector<Missing> missing() const;

  // The carrier as the inner link packets see it.
  [[nodiscard]] LinkCounts carried_counts() const;
  // `link` is what carries the carrier's link packets.
  [[nodiscard]] Json result(const LinkCounts& link, std::uint64_t duration_ns, bool ask_adapters) const;

  [[nodiscard]] Checked& compressor() noexcept { return compressor_.checked; }
  [[nodiscard]] Checked* decompressor() noexcept { return decompressor_ ? &decompressor_->checked : nullptr; }

 private:
  struct Side {
    Side(const AdapterJob& job, headroom_role role)
        : instance(job, role), checked(instance), statistics(instance.names(), role, instance.packs()) {}
    [[nodiscard]] Json json(bool ask_adapter) const;

    Instance instance;
    Checked checked;
    SideStatistics statistics;
  };
  struct Carried {
    std::uint64_t tag;
    std::size_t part;
    std::uint32_t header_length;
    std::uint16_t type;
    bool delivered = false;
  };

  [[nodiscard]] static LinkPacket link_packet(const PacketOutput& output, std::uint64_t tag, std::uint32_t channel);
  void note_output(std::uint64_t now_ns, std::uint32_t channel, const PacketOutput& output,
                   std::vector<Delivery>& deliveries);
  // The inner link packet in a PDU; nothing when the PDU carries another type.
  [[nodiscard]] std::optional<OctetView> open(const PacketOutput& output) const;

  std::uint16_t type_;
  bool ethernet_;
  Side compressor_;
  std::unique_ptr<Side> decompressor_;
  std::vector<SourcePacket> pdus_;  // that were handed to the compressor, without a frame's header
  std::vector<Carried> carried_;    // what each of them is
  Packed packed_{pdus_};
  LinkCounts counts_;
  std::uint64_t refused_ = 0, delivered_ = 0, again_ = 0, damaged_ = 0, unknown_ = 0, other_types_ = 0;
};

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_CARRIER_H
