// SPDX-License-Identifier: Apache-2.0
#include "node/shaper.h"

#include <algorithm>
#include <utility>

#include "link/slots.h"
#include "node/link_packet.h"

namespace headroom::node {

std::size_t octets_on_link(OctetView frame, const LinkFraming& framing) noexcept {
  const FrameParts parts = find_parts(frame, link_type_of(framing));
  if (parts.carries != Carries::link) return parts.packet;
  const auto packet = read_link_packet(frame.subspan(parts.payload_at, parts.packet), framing);
  return packet ? packet->octets.size() : parts.packet;
}

std::uint64_t Shaper::Meter::end() noexcept {
  flush();
  return std::exchange(octets_, 0);
}

void Shaper::Meter::send(std::span<const Frame> frames) noexcept {
  for (const Frame& frame : frames) {
    octets_ += octets_on_link(frame.view(), framing_);
    link_->put(frame);
  }
}

Shaper::Shaper(const ShaperJob& job, const LinkFraming& framing, std::unique_ptr<Forwarder> channel, FrameStore& store,
               Statistics& statistics)
    : rate_bps_(job.rate_bps),
      channel_(std::move(channel)),
      store_(store),
      statistics_(statistics),
      meter_(framing),
      queue_(job.queue_packets) {}

void Shaper::to_link(std::span<Frame> frames, std::uint64_t now_ns, Outbox& link) {
  for (const Frame& frame : frames) {
    send(now_ns, link);
    const std::size_t on_its_way = busy_until_ns_ > now_ns ? 1 : 0;
    if (count_ + on_its_way >= queue_.size()) {
      statistics_.shaper.queue_full.add();
      store_.give_back(frame);
      continue;
    }
    queue_[(first_ + count_++) % queue_.size()] = {frame, now_ns};
  }
  send(now_ns, link);
}

void Shaper::to_plain(std::span<Frame> frames, std::uint64_t now_ns, Outbox& plain, Outbox& link) {
  meter_.begin(link);
  channel_->to_plain(frames, now_ns, plain, meter_);
  occupy(std::max(busy_until_ns_, now_ns));
}

void Shaper::act(std::uint64_t now_ns, Outbox& plain, Outbox& link) {
  if (channel_->waits()) {
    meter_.begin(link);
    channel_->act(now_ns, plain, meter_);
    occupy(std::max(busy_until_ns_, now_ns));
  }
  send(now_ns, link);
}

// A frame that waited takes the link at the very moment at which it became free, however late the worker comes.
void Shaper::send(std::uint64_t now_ns, Outbox& link) {
  while (count_ != 0 && busy_until_ns_ <= now_ns) {
    Waiting& next = queue_[first_];
    first_ = (first_ + 1) % queue_.size();
    --count_;
    meter_.begin(link);
    channel_->to_link({&next.frame, 1}, now_ns, meter_);
    occupy(std::max(busy_until_ns_, next.since_ns));
  }
}

void Shaper::occupy(std::uint64_t begin_ns) noexcept {
  const std::uint64_t octets = meter_.end();
  if (octets == 0) return;
  statistics_.shaper.octets.add(octets);
  busy_until_ns_ = begin_ns + time_of_bits(octets * 8, rate_bps_);
}

}  // namespace headroom::node
