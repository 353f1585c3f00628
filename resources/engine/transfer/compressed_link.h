// SPDX-License-Identifier: Apache-2.0
//
// One direction of the link between router and mobile host: what passes is compressed after the queue, goes through
// the pipe, and is read at the other end as TCP reads it. Without a codec sizes alone pass.
#ifndef HEADROOM_TRANSFER_COMPRESSED_LINK_H
#define HEADROOM_TRANSFER_COMPRESSED_LINK_H

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "adapter/checked.h"
#include "sim/hop.h"
#include "transfer/job.h"
#include "transfer/pipe.h"
#include "transfer/segments.h"

namespace headroom::transfer {

struct LinkDirectionCounts {
  PipeCounts pipe;
  std::uint64_t header_octets = 0;  // on the link, of all packets
  std::uint64_t uncompressed = 0;   // packets that went with a header as long as their own, or longer
  std::uint64_t discarded = 0;      // packets that arrived and went no further than the decompressor or TCP
  std::uint64_t wrong = 0;          // packets that TCP took and no host had sent
  std::uint64_t feedback = 0, feedback_octets = 0;
};

struct LinkDirectionConfig {
  PipeConfig pipe;
  const Codec* codec = nullptr;
  std::optional<std::uint32_t> compressed_header;
  bool has_feedback = true;
  sim::LineConfig feedback;  // of the codec
  std::uint64_t seed = 0;
};

// `Plain` is Segment or Answer.
template <typename Plain>
class CompressedLink {
 public:
  using Receiver = std::function<void(const Plain& plain)>;

  // `format` outlives it.
  CompressedLink(sim::Simulation& simulation, LinkDirectionConfig config, const SegmentFormat& format,
                 Receiver receiver)
      : simulation_(simulation),
        format_(format),
        compressed_header_(config.compressed_header),
        receiver_(std::move(receiver)),
        pipe_(simulation, config.pipe, config.seed, [this](Load& load) { arrive(load); }) {
    if (config.codec == nullptr) return;
    adapters_ = std::make_unique<Adapters>(*config.codec);
    sim::HopConfig hop;
    hop.compressor = &adapters_->compressor;
    hop.decompressor = &adapters_->decompressor;
    hop.carry = [this](LinkPacket packet) { carry(std::move(packet)); };
    hop.path = config.has_feedback ? sim::FeedbackPath::own : sim::FeedbackPath::none;
    hop.feedback = std::move(config.feedback);
    hop.receiver = [this](std::span<PacketOutput> packets) { take(packets); };
    hop_ = std::make_unique<sim::Hop>(simulation, std::move(hop));
    simulation.add(*hop_);
  }
  CompressedLink(const CompressedLink&) = delete;
  CompressedLink& operator=(const CompressedLink&) = delete;

  void send(const Plain& plain) {
    if (!pipe_.has_room()) return pipe_.refuse();
    if (!hop_) {
      const std::size_t length = format_.length_of(plain), header = format_.header_of(plain);
      const std::size_t on_link = compressed_header_.value_or(header);
      counts_.header_octets += on_link;
      return pipe_.send({plain, {}}, length - header + on_link);
    }
    format_.write(plain, sent_);
    sim::HopPacket packet;
    packet.octets = sent_;
    packet.header_length = static_cast<std::uint32_t>(format_.header_of(plain));
    header_ = packet.header_length;
    hop_->send(std::array{packet});
  }

  // Nothing is sent or arrives any more.
  void close() {
    pipe_.close();
    if (hop_) hop_->close();
  }

  [[nodiscard]] LinkDirectionCounts counts() const {
    LinkDirectionCounts counts = counts_;
    counts.pipe = pipe_.counts();
    if (hop_) {
      counts.feedback = hop_->feedback().messages;
      counts.feedback_octets = hop_->feedback().octets;
    }
    return counts;
  }

 private:
  struct Load {
    Plain plain{};      // without a codec
    LinkPacket packet;  // with one
  };
  struct Adapters {
    explicit Adapters(const Codec& codec)
        : compressor_instance(codec.compressor, HEADROOM_COMPRESSOR),
          decompressor_instance(codec.decompressor, HEADROOM_DECOMPRESSOR),
          compressor(compressor_instance),
          decompressor(decompressor_instance, decompressor_instance.expansion()) {}
    Instance compressor_instance, decompressor_instance;
    Checked compressor, decompressor;
  };

  void carry(LinkPacket packet) {
    const std::size_t payload = packet.octets.size() - packet.header_length;
    std::size_t header = packet.header_length;
    if (header >= header_) {
      ++counts_.uncompressed;
    } else if (compressed_header_) {
      header = *compressed_header_;
    }
    counts_.header_octets += header;
    pipe_.send({{}, std::move(packet)}, payload + header);
  }

  void arrive(Load& load) {
    if (!hop_) return receiver_(load.plain);
    std::array<Delivery, 1> delivery;
    delivery[0].time_ns = simulation_.now_ns();
    delivery[0].packet = std::move(load.packet);
    const std::uint64_t before = taken_;
    hop_->receive(delivery);
    if (taken_ == before) ++counts_.discarded;
  }

  void take(std::span<const PacketOutput> packets) {
    for (const PacketOutput& packet : packets) {
      const std::optional<Reading<Plain>> reading = format_.template read<Plain>(packet.octets, near_, expected_);
      if (!reading) continue;
      ++taken_;
      near_ = SegmentFormat::number_of(reading->plain);
      if (reading->is_wrong) ++counts_.wrong;
      receiver_(reading->plain);
    }
  }

  sim::Simulation& simulation_;
  const SegmentFormat& format_;
  std::optional<std::uint32_t> compressed_header_;
  Receiver receiver_;
  Pipe<Load> pipe_;
  std::unique_ptr<Adapters> adapters_;
  std::unique_ptr<sim::Hop> hop_;
  LinkDirectionCounts counts_;
  Octets sent_, expected_;    // packets, and memory for the next
  std::uint32_t header_ = 0;  // of the packet that is being compressed
  std::uint64_t taken_ = 0;   // packets, by TCP
  std::uint64_t near_ = 0;    // the number in the last of them
};

}  // namespace headroom::transfer

#endif  // HEADROOM_TRANSFER_COMPRESSED_LINK_H
