// SPDX-License-Identifier: Apache-2.0
#include "node/stream_channel.h"

#include <algorithm>

#include "link/slots.h"

namespace headroom::node {
namespace {

constexpr std::uint8_t kProtocolUdp = 17;
constexpr std::uint32_t kIpv4HeaderOctets = 20, kUdpHeaderOctets = 8;
constexpr std::uint32_t kHeaders = kHeader + kIpv4HeaderOctets + kUdpHeaderOctets;
// A worker that has not run for so long does not make up for it: a modulator's buffer is no larger.
constexpr std::uint64_t kMostBehindNs = 100'000'000;

}  // namespace

StreamChannel::StreamChannel(const Job& job, const MacAddress& plain_mac, const MacAddress& link_mac, FrameStore& store,
                             Statistics& statistics)
    : stream_(*job.stream),
      cells_(*job.framing->cells),
      idle_(job.framing->idle),
      plain_mtu_(job.plain_mtu),
      link_mtu_(job.link_mtu),
      plain_mac_(plain_mac),
      link_mac_(link_mac),
      store_(store),
      statistics_(statistics) {
  const std::uint32_t longest = job.plain_mtu + kLargestHeader;
  if (job.compressor) {
    compressor_ = std::make_unique<Codec>(*job.compressor, HEADROOM_COMPRESSOR, job.burst, longest);
    // Without a rate the queue is empty after each burst. What one burst may bring is bounded all the same.
    capacity_ = std::max(stream_.send->queue_packets, stream_.send->packets);
    queue_.resize(std::size_t{capacity_} * cells_.octets);
    waits_ = compressor_->has_deadlines() || stream_.send->rate_bps != 0;
  }
  if (job.decompressor) {
    const auto most = static_cast<std::uint32_t>(job.link_mtu / cells_.octets + 1);  // of a datagram
    decompressor_ = std::make_unique<Codec>(*job.decompressor, HEADROOM_DECOMPRESSOR, most, longest);
    waits_ = waits_ || decompressor_->has_deadlines();
  }
}

// ------------------------------------------------------------------------------------------------ plain to link

void StreamChannel::to_link(std::span<Frame> frames, std::uint64_t now_ns, Outbox& link) {
  std::uint64_t octets = 0;
  for (const Frame& frame : frames) octets += frame.length;
  statistics_.plain.received.add(frames.size(), octets);
  if (compressor_) compressor_->clear();
  for (const Frame& frame : frames) {
    if (!add_plain(frame)) statistics_.stream.uncarried.add();
  }
  if (compressor_ && compressor_->count() != 0) {
    compressor_->process(now_ns);
    take_outputs();
  }
  for (const Frame& frame : frames) store_.give_back(frame);
  if (stream_.send && stream_.send->rate_bps == 0) {
    while (count_ != 0) send_datagram(link);
  }
}

bool StreamChannel::add_plain(const Frame& frame) noexcept {
  if (!compressor_) return false;
  const FrameParts parts = find_parts(frame.view());
  if (frame.length < kHeader || parts.packet > plain_mtu_) return false;
  if (stream_.frames) {
    compressor_->add(frame.view(), kEtherTypeFrame);
    return true;
  }
  if (parts.carries != Carries::ip) return false;
  const OctetView packet = frame.view().subspan(parts.payload_at, parts.packet);
  compressor_->add(packet, *type_of_ip(packet));
  return true;
}

void StreamChannel::take_outputs() noexcept {
  for (std::uint32_t i = 0; i < compressor_->count(); ++i) {
    const std::int32_t status = compressor_->status(i);
    if (status < 0) {
      statistics_.compressor.add(status);
      continue;
    }
    statistics_.compressed.add();
    if (status == HEADROOM_OK) queue(compressor_->output(i));
    for (const Codec::Output& output : compressor_->more(i)) queue(compressor_->octets_of(output));
  }
}

void StreamChannel::queue(OctetView packet) noexcept {
  if (packet.size() != cells_.octets) return statistics_.malformed.add();
  if (count_ == capacity_) return statistics_.stream.queue_full.add();
  const std::size_t place = (first_ + count_++) % capacity_;
  std::copy(packet.begin(), packet.end(), queue_.begin() + static_cast<std::ptrdiff_t>(place * cells_.octets));
}

void StreamChannel::act(std::uint64_t now_ns, Outbox& plain, Outbox& link) {
  if (compressor_ && compressor_->next_deadline() <= now_ns) {
    for (const Codec::Output& output : compressor_->drain_due(now_ns)) queue(compressor_->octets_of(output));
  }
  if (decompressor_ && decompressor_->next_deadline() <= now_ns) {
    for (const Codec::Output& output : decompressor_->drain_due(now_ns))
      put_plain(decompressor_->octets_of(output), output.type, plain);
  }
  if (!stream_.send) return;
  if (stream_.send->rate_bps != 0) return send_by_rate(now_ns, link);
  while (count_ != 0) send_datagram(link);
}

void StreamChannel::send_by_rate(std::uint64_t now_ns, Outbox& link) noexcept {
  const std::uint64_t bits = std::uint64_t{stream_.send->packets} * cells_.octets * 8;
  const auto due_ns = [&] { return began_ns_ + time_of_bits(sent_ * bits, stream_.send->rate_bps); };
  if (began_ns_ == 0) began_ns_ = now_ns;
  if (now_ns > due_ns() + kMostBehindNs) {
    statistics_.stream.late.add();
    began_ns_ = now_ns;
    sent_ = 0;
  }
  for (; due_ns() <= now_ns; ++sent_) send_datagram(link);
}

void StreamChannel::send_datagram(Outbox& link) noexcept {
  const bool is_filled = stream_.send->rate_bps != 0;
  const std::uint32_t carried = std::min(count_, stream_.send->packets);
  const std::uint32_t packets = is_filled ? stream_.send->packets : carried;
  const auto payload = static_cast<std::uint32_t>(packets * cells_.octets);
  Frame frame;
  const bool has_frame = store_.take(frame);
  if (has_frame && frame.room >= kHeaders + payload) {
    write_header(frame.octets, payload);
    std::uint8_t* at = frame.octets + kHeaders;
    for (std::uint32_t i = 0; i < packets; ++i) {
      const std::uint8_t* const from = i < carried ? &queue_[(first_ + i) % capacity_ * cells_.octets] : idle_.data();
      at = std::copy_n(from, cells_.octets, at);
    }
    const std::uint32_t sum = checksum_add(0, {frame.octets + kHeader + 12, 8});  // UDP's pseudo header, RFC 768
    std::uint8_t* const udp = frame.octets + kHeader + kIpv4HeaderOctets;
    const std::uint32_t length = kUdpHeaderOctets + payload;
    const std::uint16_t checksum = checksum_finish(checksum_add(sum + kProtocolUdp + length, {udp, length}));
    store16(udp + 6, checksum == 0 ? 0xFFFF : checksum);
    frame.length = kHeaders + payload;
    link.put(frame);
    statistics_.stream.datagrams_sent.add();
    statistics_.stream.packets_sent.add(packets);
    statistics_.stream.idle_sent.add(packets - carried);
  } else {
    if (has_frame) store_.give_back(frame);
    statistics_.no_memory.add();
  }
  first_ = (first_ + carried) % capacity_;
  count_ -= carried;
}

void StreamChannel::write_header(std::uint8_t* frame, std::uint32_t payload) noexcept {
  const StreamJob::Send& send = *stream_.send;
  std::copy(send.mac.begin(), send.mac.end(), frame);
  std::copy(link_mac_.begin(), link_mac_.end(), frame + send.mac.size());
  store16(frame + kMacs, kEtherTypeIpv4);
  std::uint8_t* const ip = frame + kHeader;
  const std::array<std::uint8_t, 12> begin = {0x45, 0, 0, 0, 0, 0, 0x40 /* DF */, 0, send.ttl, kProtocolUdp, 0, 0};
  std::copy(begin.begin(), begin.end(), ip);
  store16(ip + 2, kIpv4HeaderOctets + kUdpHeaderOctets + payload);
  store16(ip + 4, identification_++);
  std::copy(send.source.begin(), send.source.end(), ip + 12);
  std::copy(send.destination.begin(), send.destination.end(), ip + 16);
  store16(ip + 10, checksum_finish(checksum_add(0, {ip, kIpv4HeaderOctets})));
  std::uint8_t* const udp = ip + kIpv4HeaderOctets;
  store16(udp, send.source_port);
  store16(udp + 2, send.destination_port);
  store16(udp + 4, kUdpHeaderOctets + payload);
  store16(udp + 6, 0);
}

// ------------------------------------------------------------------------------------------------ link to plain

void StreamChannel::to_plain(std::span<Frame> frames, std::uint64_t now_ns, Outbox& plain, Outbox&) {
  std::uint64_t octets = 0;
  for (const Frame& frame : frames) {
    octets += frame.length;
    const OctetView payload = datagram_in(frame);
    if (!payload.empty()) decompress(payload, now_ns, plain);
    store_.give_back(frame);
  }
  statistics_.link.received.add(frames.size(), octets);
}

// The packets of a datagram of the stream; empty if the frame carries none, which has been counted then.
OctetView StreamChannel::datagram_in(const Frame& frame) noexcept {
  const FrameParts parts = find_parts(frame.view());
  const OctetView packet = frame.view().subspan(std::min(parts.payload_at, frame.length));
  const std::size_t header = packet.empty() ? 0 : std::size_t{4} * (packet[0] & 0x0F);
  const auto other = [&] {
    statistics_.stream.other_frames.add();
    return OctetView();
  };
  if (!stream_.receive || parts.carries != Carries::ip || packet[0] >> 4 != 4) return other();
  const OctetView ip = packet.first(parts.packet);
  const bool is_fragment = (load16(&ip[6]) & 0x3FFF) != 0;  // MF and Fragment Offset, RFC 791 3.1
  if (header < kIpv4HeaderOctets || ip.size() < header + kUdpHeaderOctets || ip[9] != kProtocolUdp || is_fragment)
    return other();
  const std::uint8_t* const udp = &ip[header];
  if (!std::equal(stream_.receive->address.begin(), stream_.receive->address.end(), &ip[16]) ||
      load16(udp + 2) != stream_.receive->port) {
    return other();
  }
  const std::size_t length = load16(udp + 4);
  if (parts.packet > link_mtu_) {
    statistics_.too_long.add();
    return {};
  }
  if (length <= kUdpHeaderOctets || length > ip.size() - header || (length - kUdpHeaderOctets) % cells_.octets != 0) {
    statistics_.stream.wrong_length.add();
    return {};
  }
  const OctetView payload = ip.subspan(header + kUdpHeaderOctets, length - kUdpHeaderOctets);
  for (std::size_t at = 0; at < payload.size(); at += cells_.octets) {
    if (payload[at] == cells_.first) continue;
    statistics_.stream.lost_sync.add();
    return {};
  }
  statistics_.stream.datagrams_received.add();
  return payload;
}

void StreamChannel::decompress(OctetView payload, std::uint64_t now_ns, Outbox& plain) {
  decompressor_->clear();
  for (; !payload.empty(); payload = payload.subspan(cells_.octets)) decompressor_->add(payload.first(cells_.octets));
  statistics_.stream.packets_received.add(decompressor_->count());
  decompressor_->process(now_ns);
  for (std::uint32_t i = 0; i < decompressor_->count(); ++i) {
    const std::int32_t status = decompressor_->status(i);
    if (status < 0) {
      statistics_.decompressor.add(status);
      continue;
    }
    if (status == HEADROOM_OK) put_plain(decompressor_->output(i), decompressor_->type(i), plain);
    for (const Codec::Output& output : decompressor_->more(i))
      put_plain(decompressor_->octets_of(output), output.type, plain);
  }
}

void StreamChannel::put_plain(OctetView packet, std::uint16_t type, Outbox& plain) noexcept {
  if (type == HEADROOM_TYPE_DEFAULT) type = type_of_ip(packet).value_or(0);
  const bool is_frame = type == kEtherTypeFrame;
  if (!is_frame && type != kEtherTypeIpv4 && type != kEtherTypeIpv6) return statistics_.stream.other_types.add();
  statistics_.decompressed.add();
  const std::uint32_t header = is_frame ? 0 : kHeader;
  const bool fits =
      is_frame ? packet.size() >= kHeader && find_parts(packet).packet <= plain_mtu_ : packet.size() <= plain_mtu_;
  if (!fits) return statistics_.too_long.add();
  Frame frame;
  if (!store_.take(frame)) return statistics_.no_memory.add();
  if (frame.room < header + packet.size()) {
    store_.give_back(frame);
    return statistics_.too_long.add();
  }
  if (!is_frame) {
    std::copy(stream_.plain_destination.begin(), stream_.plain_destination.end(), frame.octets);
    std::copy(plain_mac_.begin(), plain_mac_.end(), frame.octets + stream_.plain_destination.size());
    store16(frame.octets + kMacs, type);
  }
  std::copy(packet.begin(), packet.end(), frame.octets + header);
  frame.length = static_cast<std::uint32_t>(header + packet.size());
  plain.put(frame);
}

}  // namespace headroom::node
