// SPDX-License-Identifier: Apache-2.0
//
// StreamChannel is a channel whose link side is UDP datagrams with several link packets of a fixed length, such as TS
// packets, as modulators and tools for transport streams use them. At a constant bit rate each datagram has the same
// number of packets, filled up with idle ones; otherwise packets leave with the burst that completed them. No
// allocation, no lock, no system call.
#ifndef HEADROOM_NODE_STREAM_CHANNEL_H
#define HEADROOM_NODE_STREAM_CHANNEL_H

#include <memory>
#include <vector>

#include "node/codec.h"
#include "node/forwarder.h"
#include "node/job.h"
#include "node/outbox.h"
#include "node/statistics.h"

namespace headroom::node {

class StreamChannel final : public Forwarder {
 public:
  // The addresses are the ports' addresses. Throws Error(adapter). REQUIRES: job.stream is set; the references outlive
  // this object.
  StreamChannel(const Job& job, const MacAddress& plain_mac, const MacAddress& link_mac, FrameStore& store,
                Statistics& statistics);

  void to_link(std::span<Frame> frames, std::uint64_t now_ns, Outbox& link) override;
  void to_plain(std::span<Frame> frames, std::uint64_t now_ns, Outbox& plain, Outbox& link) override;
  [[nodiscard]] bool waits() const noexcept override { return waits_; }
  void act(std::uint64_t now_ns, Outbox& plain, Outbox& link) override;

  [[nodiscard]] const Instance* compressor() const noexcept override { return instance_of(compressor_); }
  [[nodiscard]] const Instance* decompressor() const noexcept override { return instance_of(decompressor_); }

 private:
  [[nodiscard]] static const Instance* instance_of(const std::unique_ptr<Codec>& codec) noexcept {
    return codec ? &codec->instance() : nullptr;
  }

  // Plain to link.
  [[nodiscard]] bool add_plain(const Frame& frame) noexcept;
  void take_outputs() noexcept;
  void queue(OctetView packet) noexcept;
  void send_by_rate(std::uint64_t now_ns, Outbox& link) noexcept;
  // Sends a datagram of up to `StreamJob::Send::packets` packets of the queue, filled up with idle packets at a
  // constant rate.
  void send_datagram(Outbox& link) noexcept;
  void write_header(std::uint8_t* frame, std::uint32_t payload) noexcept;
  // Link to plain.
  [[nodiscard]] OctetView datagram_in(const Frame& frame) noexcept;
  void decompress(OctetView payload, std::uint64_t now_ns, Outbox& plain);
  void put_plain(OctetView packet, std::uint16_t type, Outbox& plain) noexcept;

  const StreamJob stream_;
  const CellFraming cells_;
  const OctetView idle_;
  const std::uint32_t plain_mtu_, link_mtu_;
  const MacAddress plain_mac_, link_mac_;
  FrameStore& store_;
  Statistics& statistics_;
  std::unique_ptr<Codec> compressor_, decompressor_;
  bool waits_ = false;
  std::vector<std::uint8_t> queue_;  // a ring of link packets
  std::uint32_t capacity_ = 0, first_ = 0, count_ = 0;
  std::uint64_t began_ns_ = 0;  // start of the constant rate; 0: not started
  std::uint64_t sent_ = 0;      // datagrams since the start
  std::uint16_t identification_ = 0;
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_STREAM_CHANNEL_H
