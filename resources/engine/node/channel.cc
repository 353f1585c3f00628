// SPDX-License-Identifier: Apache-2.0
#include "node/channel.h"

#include <algorithm>
#include <cstring>

#include "node/link_packet.h"

namespace headroom::node {
namespace {

// Fills the statistics of frames that came from one side.
void count_received(std::span<const Frame> frames, Traffic& received) noexcept {
  std::uint64_t octets = 0;
  for (const Frame& frame : frames) octets += frame.length;
  received.add(frames.size(), octets);
}

OctetView ip_packet(const Frame& frame, const FrameParts& parts) noexcept {
  return {frame.octets + parts.payload_at, parts.packet};
}

}  // namespace

Channel::Channel(const Job& job, std::uint16_t number, const MacAddress& mac, FrameStore& store, Statistics& statistics)
    : tags_(job.tags()),
      number_(number),
      plain_mtu_(job.plain_mtu),
      link_mtu_(job.link_mtu),
      feedback_(job.feedback),
      framing_(*job.framing),
      link_type_(link_type_of(framing_)),
      pad_(job.pad),
      mac_(mac),
      store_(store),
      statistics_(statistics),
      parts_(job.burst),
      ways_(job.burst) {
  far_end_.fill(0xFF);
  if (job.compressor)
    compressor_ = std::make_unique<Codec>(*job.compressor, HEADROOM_COMPRESSOR, job.burst, job.plain_mtu);
  if (job.decompressor)
    decompressor_ = std::make_unique<Codec>(*job.decompressor, HEADROOM_DECOMPRESSOR, job.burst, job.link_mtu);
}

// ------------------------------------------------------------------------------------------------ plain to link

void Channel::to_link(std::span<Frame> frames, std::uint64_t now_ns, Outbox& link) {
  count_received(frames, statistics_.plain.received);
  if (compressor_) compressor_->clear();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    parts_[i] = find_parts(frames[i].view(), link_type_);
    ways_[i] = gather_plain(frames[i], parts_[i]);
  }
  if (compressor_ && compressor_->count() != 0) {
    if (!waiting_.empty()) offer_feedback(now_ns);
    compressor_->process(now_ns);
  }
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (ways_[i] == Way::codec) {
      put_compressed(frames[i], parts_[i], next++, link);
    } else if (ways_[i] == Way::pass) {
      pass(frames[i], parts_[i], link_mtu_, link);
    }
  }
}

Channel::Way Channel::gather_plain(const Frame& frame, const FrameParts& parts) {
  if (parts.packet > plain_mtu_) {
    lose(frame, statistics_.too_long);
    return Way::lost;
  }
  if (!compressor_) return Way::pass;
  if (parts.carries == Carries::link) {  // it would be taken for a packet of this channel
    lose(frame, statistics_.malformed);
    return Way::lost;
  }
  if (parts.carries != Carries::ip) return Way::pass;
  compressor_->add(ip_packet(frame, parts));
  return Way::codec;
}

void Channel::put_compressed(Frame& frame, const FrameParts& parts, std::uint32_t i, Outbox& link) {
  const std::int32_t status = compressor_->status(i);
  if (status == HEADROOM_OK && !compressor_->more(i).empty()) [[unlikely]] {
    put_segments(frame, parts, i, link);
  } else if (status == HEADROOM_OK) [[likely]] {
    if (write_link_packet(frame, parts, compressor_->output(i), compressor_->type(i))) {
      statistics_.compressed.add();
      link.put(frame);
    } else {
      statistics_.passed_too_long.add();
      pass(frame, parts, link_mtu_, link);
    }
  } else if (status == HEADROOM_NOTHING) {
    lose(frame, statistics_.consumed);
  } else {
    statistics_.compressor.add(status);
    pass(frame, parts, link_mtu_, link);
  }
}

void Channel::put_segments(Frame& frame, const FrameParts& parts, std::uint32_t i, Outbox& link) {
  const OctetView first = compressor_->output(i);
  const std::span<const Codec::Output> more = compressor_->more(i);
  const bool fit = first.size() <= link_mtu_ &&
                   std::ranges::all_of(more, [this](const Codec::Output& one) { return one.length <= link_mtu_; });
  if (!fit) {
    statistics_.passed_too_long.add();
    pass(frame, parts, link_mtu_, link);
    return;
  }
  statistics_.compressed.add();
  // False if there is no frame: the rest of the packet is of no use any more.
  const auto put = [&](OctetView segment, std::uint16_t type) {
    Frame piece;
    if (!store_.take(piece)) {
      statistics_.no_memory.add();
      return false;
    }
    std::memcpy(piece.octets, frame.octets, parts.payload_at);
    if (write_link_packet(piece, parts, segment, type)) {
      link.put(piece);
    } else {
      lose(piece, statistics_.too_long);
    }
    return true;
  };
  if (put(first, compressor_->type(i)))
    (void)std::ranges::all_of(more,
                              [&](const Codec::Output& one) { return put(compressor_->octets_of(one), one.type); });
  store_.give_back(frame);
}

// Makes `packet` what the frame carries, with padding and the channel's tag. False, and the frame as it was, when that
// is more than the link takes.
bool Channel::write_link_packet(Frame& frame, const FrameParts& parts, OctetView packet, std::uint16_t type) noexcept {
  const std::uint32_t header = framing_.typed ? kPppoeHeader : 0;
  const std::uint32_t length = header + padded(packet.size());
  if (length > link_mtu_ || parts.payload_at + length > frame.room || frame.front < kTag) return false;
  const std::size_t padding = length - header - packet.size();
  store16(frame.octets + parts.type_at, link_type_);
  if (framing_.typed) write_pppoe(frame.octets + parts.payload_at, type, packet.size());
  std::uint8_t* const payload = frame.octets + parts.payload_at + header;
  if (padding != 0) std::memset(payload, *framing_.padding, padding);
  std::memcpy(payload + padding, packet.data(), packet.size());
  frame.length = parts.payload_at + length;
  return !tags_.used() || insert_tag(frame, tags_, number_);
}

// ------------------------------------------------------------------------------------------------ link to plain

void Channel::to_plain(std::span<Frame> frames, std::uint64_t now_ns, Outbox& plain, Outbox& link) {
  count_received(frames, statistics_.link.received);
  if (decompressor_) decompressor_->clear();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    parts_[i] = find_parts(frames[i].view(), link_type_);
    ways_[i] = gather_link(frames[i], parts_[i]);
  }
  if (decompressor_ && decompressor_->count() != 0) decompressor_->process(now_ns);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (ways_[i] == Way::codec) {
      put_decompressed(frames[i], parts_[i], next++, plain);
    } else if (ways_[i] == Way::pass) {
      pass(frames[i], parts_[i], plain_mtu_, plain);
    }
  }
  if (decompressor_) carry_feedback(now_ns, link);
}

Channel::Way Channel::gather_link(Frame& frame, FrameParts& parts) {
  const auto lost = [&](io::Counter& cause) {
    lose(frame, cause);
    return Way::lost;
  };
  if (parts.packet > link_mtu_) return lost(statistics_.too_long);
  if (frame.length >= kMacs) std::copy_n(frame.octets + far_end_.size(), far_end_.size(), far_end_.begin());
  if (parts.carries != Carries::link || !decompressor_) return Way::pass;
  if (tags_.used()) {
    if (channel_of(frame.view(), tags_) != number_) return lost(statistics_.malformed);
    remove_tag(frame);
    parts.type_at = static_cast<std::uint16_t>(parts.type_at - kTag);
    parts.payload_at -= kTag;
  }
  const std::optional<PppPacket> packet = read_link_packet(ip_packet(frame, parts), framing_);
  if (!packet) return lost(statistics_.malformed);
  decompressor_->add(packet->octets, packet->protocol);
  return Way::codec;
}

void Channel::put_decompressed(Frame& frame, const FrameParts& parts, std::uint32_t i, Outbox& plain) {
  const std::int32_t status = decompressor_->status(i);
  if (status == HEADROOM_NOTHING) return lose(frame, statistics_.consumed);
  if (status != HEADROOM_OK) [[unlikely]] {
    statistics_.decompressor.add(status);
    return store_.give_back(frame);
  }
  const OctetView packet = decompressor_->output(i);
  const auto type = type_of_ip(packet);
  if (!type) return lose(frame, statistics_.malformed);
  if (packet.size() > plain_mtu_ || parts.payload_at + packet.size() > frame.room)
    return lose(frame, statistics_.too_long);
  statistics_.decompressed.add();
  store16(frame.octets + parts.type_at, *type);
  std::memcpy(frame.octets + parts.payload_at, packet.data(), packet.size());
  frame.length = parts.payload_at + static_cast<std::uint32_t>(packet.size());
  plain.put(frame);
}

// ----------------------------------------------------------------------------------------------------- feedback

// What waits goes in front of the first packet of the burst, unless the two might be too long for the link together:
// feedback in front of a packet that then has to go uncompressed would be lost.
void Channel::offer_feedback(std::uint64_t now_ns) {
  if (compressor_->first_length() + waiting_.octets() + kSmallestPayload > link_mtu_) return;
  statistics_.feedback.piggybacked.add(waiting_.offer(
      [&](OctetView message) { return compressor_->give_reverse(message, HEADROOM_REVERSE_FAR, now_ns); }));
}

void Channel::carry_feedback(std::uint64_t now_ns, Outbox& link) {
  constexpr unsigned kMostABurst = 4096;  // an adapter that never stops must not hang the node
  for (unsigned taken = 0;; ++taken) {
    const std::optional<Codec::Reverse> packet = decompressor_->take_reverse(now_ns);
    if (!packet) break;
    if (taken == kMostABurst)
      throw PromiseBroken(decompressor_->instance(), "take_reverse", "it never stops returning packets.");
    if (packet->type == HEADROOM_REVERSE_FAR) {
      keep_feedback(packet->octets, now_ns, link);
      continue;
    }
    statistics_.feedback.received.add();
    if (compressor_) {
      compressor_->give_reverse(packet->octets, HEADROOM_REVERSE_NEAR, now_ns);
    } else {
      statistics_.feedback.discarded.add();
    }
  }
  if (feedback_ == Feedback::own || !compressor_) send_feedback(link);
}

void Channel::keep_feedback(OctetView message, std::uint64_t now_ns, Outbox& link) {
  if (feedback_ == Feedback::none || message.size() > link_mtu_) return statistics_.feedback.discarded.add();
  if (!waiting_.fits(message) || waiting_.octets() + message.size() > link_mtu_) send_feedback(link);
  waiting_.put(message, now_ns);
}

// A packet of feedback alone (RFC 5795 5.2.1 and 5.2.4.1), in a frame of its own.
void Channel::send_feedback(Outbox& link) {
  if (waiting_.empty()) return;
  (send_alone(waiting_.all(), HEADROOM_TYPE_DEFAULT, link) ? statistics_.feedback.sent : statistics_.feedback.discarded)
      .add(waiting_.messages());
  waiting_.clear();
}

bool Channel::send_alone(OctetView packet, std::uint16_t type, Outbox& link) {
  Frame frame;
  if (!store_.take(frame)) {
    statistics_.no_memory.add();
    return false;
  }
  std::copy(far_end_.begin(), far_end_.end(), frame.octets);
  std::copy(mac_.begin(), mac_.end(), frame.octets + far_end_.size());
  const FrameParts parts = {Carries::link, kMacs, kHeader, static_cast<std::uint32_t>(packet.size())};
  if (write_link_packet(frame, parts, packet, type)) {
    link.put(frame);
    return true;
  }
  lose(frame, statistics_.too_long);
  return false;
}

void Channel::act(std::uint64_t now_ns, Outbox&, Outbox& link) {
  constexpr std::uint64_t kLongestWaitNs = 10'000'000;
  if (!waiting_.empty() && now_ns - waiting_.since_ns() >= kLongestWaitNs) send_feedback(link);
  if (!compressor_ || compressor_->next_deadline() > now_ns) return;
  for (const Codec::Output& output : compressor_->drain_due(now_ns))
    (void)send_alone(compressor_->octets_of(output), output.type, link);
}

// ------------------------------------------------------------------------------------------------------- frames

void Channel::pass(const Frame& frame, const FrameParts& parts, std::uint32_t mtu, Outbox& out) noexcept {
  if (parts.packet > mtu) return lose(frame, statistics_.too_long);
  statistics_.passed.add();
  out.put(frame);
}

void Channel::lose(const Frame& frame, io::Counter& cause) noexcept {
  cause.add();
  store_.give_back(frame);
}

}  // namespace headroom::node
