// SPDX-License-Identifier: Apache-2.0
//
// Channel is one channel of a node (RFC 5795, 5.1.1): a compressor for packets from the plain side, a decompressor for
// packets from the link, and the feedback that they exchange with the far end. No allocation, no lock, no system call.
#ifndef HEADROOM_NODE_CHANNEL_H
#define HEADROOM_NODE_CHANNEL_H

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "node/codec.h"
#include "node/feedback.h"
#include "node/forwarder.h"
#include "node/frame.h"
#include "node/job.h"
#include "node/outbox.h"
#include "node/statistics.h"

namespace headroom::node {

class Channel final : public Forwarder {
 public:
  // Makes the job's channel `number`; `mac` is the link port's address. Throws Error(adapter). REQUIRES: the references
  // outlive the channel.
  Channel(const Job& job, std::uint16_t number, const MacAddress& mac, FrameStore& store, Statistics& statistics);

  void to_link(std::span<Frame> frames, std::uint64_t now_ns, Outbox& link) override;
  void to_plain(std::span<Frame> frames, std::uint64_t now_ns, Outbox& plain, Outbox& link) override;
  [[nodiscard]] bool waits() const noexcept override {
    return !waiting_.empty() || (compressor_ && compressor_->has_deadlines());
  }
  void act(std::uint64_t now_ns, Outbox& plain, Outbox& link) override;

  [[nodiscard]] const Instance* compressor() const noexcept override { return instance_of(compressor_); }
  [[nodiscard]] const Instance* decompressor() const noexcept override { return instance_of(decompressor_); }

 private:
  // The outcome planned for a frame of a burst.
  enum class Way : std::uint8_t { codec, pass, lost };

  [[nodiscard]] static const Instance* instance_of(const std::unique_ptr<Codec>& codec) noexcept {
    return codec ? &codec->instance() : nullptr;
  }

  // Plain to link.
  [[nodiscard]] Way gather_plain(const Frame& frame, const FrameParts& parts);
  void offer_feedback(std::uint64_t now_ns);
  void put_compressed(Frame& frame, const FrameParts& parts, std::uint32_t i, Outbox& link);
  void put_segments(Frame& frame, const FrameParts& parts, std::uint32_t i, Outbox& link);
  // Link to plain.
  [[nodiscard]] Way gather_link(Frame& frame, FrameParts& parts);
  void put_decompressed(Frame& frame, const FrameParts& parts, std::uint32_t i, Outbox& plain);
  // Feedback.
  void carry_feedback(std::uint64_t now_ns, Outbox& link);
  void keep_feedback(OctetView message, std::uint64_t now_ns, Outbox& link);
  void send_feedback(Outbox& link);
  // Sends a link packet in a frame of its own to the far end of the link. Returns false if the packet is lost.
  bool send_alone(OctetView packet, std::uint16_t type, Outbox& link);

  [[nodiscard]] std::uint32_t padded(std::size_t length) const noexcept {
    return static_cast<std::uint32_t>(pad_ && length < kSmallestPayload ? kSmallestPayload : length);
  }
  [[nodiscard]] bool write_link_packet(Frame& frame, const FrameParts& parts, OctetView packet,
                                       std::uint16_t type) noexcept;
  void pass(const Frame& frame, const FrameParts& parts, std::uint32_t mtu, Outbox& out) noexcept;
  void lose(const Frame& frame, io::Counter& cause) noexcept;

  const ChannelTags tags_;
  const std::uint16_t number_;
  const std::uint32_t plain_mtu_, link_mtu_;
  const Feedback feedback_;
  const LinkFraming& framing_;
  const std::uint16_t link_type_;  // Ethernet type
  const bool pad_;                 // True if link packets that are too short begin with padding
  const MacAddress mac_;
  MacAddress far_end_;  // address of the link's far end
  FrameStore& store_;
  Statistics& statistics_;
  std::unique_ptr<Codec> compressor_, decompressor_;
  std::vector<FrameParts> parts_;
  std::vector<Way> ways_;
  WaitingFeedback waiting_;
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_CHANNEL_H
