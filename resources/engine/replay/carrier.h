// SPDX-License-Identifier: Apache-2.0
//
// Carrier carries the link packets of an inner hop as packets of a hop of another scheme: they are PDUs for its
// compressor, its link packets travel on the link, and its decompressor's output goes to the inner decompressor. Each
// output is matched with an inner link packet by its octets, in order for each channel.
#ifndef HEADROOM_REPLAY_CARRIER_H
#define HEADROOM_REPLAY_CARRIER_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adapter/checked.h"
#include "replay/carrier_job.h"
#include "replay/context.h"
#include "replay/packed.h"
#include "replay/statistics.h"
#include "sim/hop.h"

namespace headroom::replay {

// All functions that call an adapter throw PromiseBroken.
class Carrier final : private sim::HopObserver {
 public:
  // Takes inner link packets that come out at one moment.
  using Deliver = std::function<void(std::span<Delivery>)>;

  // `line` is the link, on which the decompressor gets `burst` packets at a time.
  Carrier(const CarrierJob& job, RunContext& run, sim::LineConfig line, std::size_t burst, Deliver deliver);
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  void carry(LinkPacket inner);
  [[nodiscard]] sim::Hop& hop() noexcept { return *hop_; }
  [[nodiscard]] const sim::Hop& hop() const noexcept { return *hop_; }

  // An inner link packet that never came out: the tag of its packet, and its place among those with the same tag.
  struct Missing {
    std::uint64_t tag;
    std::size_t part;
  };
  // Returns the missing inner link packets, at the end of the replay. Without a decompressor: those that the link may
  // have lost.
  [[nodiscard]] std::vector<Missing> missing() const;

  // The carrier as the inner link packets see it.
  [[nodiscard]] LinkCounts carried_counts() const;
  [[nodiscard]] Json result(std::uint64_t duration_ns, bool ask_adapters) const;

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

  void on_compressed(const sim::HopPacket& packet, const PacketOutput* output, const sim::Compressed& made) override;
  void on_leaving(const LinkPacket& packet, bool on_feedback_line) override;
  void on_sent(const sim::SentPacket& sent, const LinkOutcome& outcome) override;
  void on_arrival(const Delivery& delivery, const PacketOutput& output) override;
  void receive(std::span<PacketOutput> pdus);
  // The inner link packet that has arrived in `octets`.
  [[nodiscard]] Delivery found(std::uint32_t channel, Octets octets);
  // The inner link packet in a PDU; nothing if the PDU carries another type.
  [[nodiscard]] std::optional<Octets> open(PacketOutput output) const;

  RunContext& run_;
  std::uint16_t type_;
  bool ethernet_;
  Side compressor_;
  std::unique_ptr<Side> decompressor_;
  Deliver deliver_;
  std::optional<sim::Hop> hop_;
  std::vector<SourcePacket> pdus_;  // that were handed to the compressor, without a frame's header
  std::vector<Carried> carried_;    // what each of them is
  Packed packed_{pdus_};
  LinkCounts counts_;
  std::uint64_t refused_ = 0, delivered_ = 0, again_ = 0, damaged_ = 0, unknown_ = 0, other_types_ = 0;
};

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_CARRIER_H
