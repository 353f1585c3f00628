// SPDX-License-Identifier: Apache-2.0
//
// Shaper is a router's queue in front of a compressor: uncompressed frames wait until the link is free, and frames that
// find the queue full are dropped. The link is busy for the length of the octets that leave the channel, so compression
// makes room on it. A frame leaves when its time on the link begins. No allocation, no lock, no system call.
#ifndef HEADROOM_NODE_SHAPER_H
#define HEADROOM_NODE_SHAPER_H

#include <cstdint>
#include <memory>
#include <vector>

#include "capture/link_framing.h"
#include "node/forwarder.h"
#include "node/job.h"
#include "node/outbox.h"
#include "node/statistics.h"

namespace headroom::node {

// Returns the octets of a frame on a link with neither Ethernet nor PPPoE: the link packet or IP packet without
// padding, or else everything after the Ethernet type.
[[nodiscard]] std::size_t octets_on_link(OctetView frame, const LinkFraming& framing) noexcept;

class Shaper final : public Forwarder {
 public:
  // Makes a shaper in front of `channel`. `framing` is the framing of its link packets. REQUIRES: the references
  // outlive the shaper.
  Shaper(const ShaperJob& job, const LinkFraming& framing, std::unique_ptr<Forwarder> channel, FrameStore& store,
         Statistics& statistics);

  void to_link(std::span<Frame> frames, std::uint64_t now_ns, Outbox& link) override;
  void to_plain(std::span<Frame> frames, std::uint64_t now_ns, Outbox& plain, Outbox& link) override;
  [[nodiscard]] bool waits() const noexcept override { return count_ != 0 || channel_->waits(); }
  void act(std::uint64_t now_ns, Outbox& plain, Outbox& link) override;

  [[nodiscard]] const Instance* compressor() const noexcept override { return channel_->compressor(); }
  [[nodiscard]] const Instance* decompressor() const noexcept override { return channel_->decompressor(); }
  [[nodiscard]] const Instance* endpoint() const noexcept override { return channel_->endpoint(); }

 private:
  struct Waiting {
    Frame frame;
    std::uint64_t since_ns = 0;
  };

  // Counts the octets of frames on their way out.
  class Meter final : public Outbox {
   public:
    explicit Meter(const LinkFraming& framing) : framing_(framing) {}
    void begin(Outbox& link) noexcept { link_ = &link; }
    // Returns the octets since the last call.
    [[nodiscard]] std::uint64_t end() noexcept;

   private:
    void send(std::span<const Frame> frames) noexcept override;

    const LinkFraming& framing_;
    Outbox* link_ = nullptr;
    std::uint64_t octets_ = 0;
  };

  // Sends waiting frames as long as the link is free.
  void send(std::uint64_t now_ns, Outbox& link);
  // Marks the link as busy from `begin_ns` on, with the octets that the meter has counted.
  void occupy(std::uint64_t begin_ns) noexcept;

  const std::uint64_t rate_bps_;
  const std::unique_ptr<Forwarder> channel_;
  FrameStore& store_;
  Statistics& statistics_;
  Meter meter_;
  std::vector<Waiting> queue_;  // a ring, `count_` frames from `first_` on
  std::size_t first_ = 0, count_ = 0;
  std::uint64_t busy_until_ns_ = 0;
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_SHAPER_H
