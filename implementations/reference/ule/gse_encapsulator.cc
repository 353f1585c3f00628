// SPDX-License-Identifier: Apache-2.0
#include "ule/gse_encapsulator.h"

#include <algorithm>
#include <cstring>

#include "ule/pdu.h"

namespace headroom::ule {

using namespace wire;

namespace {

constexpr std::size_t kWholeHeader = kGseFixed + kProtocolType;                           // and a label
constexpr std::size_t kFirstHeader = kGseFixed + kFragId + kTotalLength + kProtocolType;  // and a label
constexpr std::size_t kLaterHeader = kGseFixed + kFragId;

}  // namespace

GseEncapsulator::GseEncapsulator(const Config& config)
    : config_(config), channels_(config.channels), pdu_(kLargestTotalLength + kCrcOctets) {
  for (Channel& channel : channels_) channel.data.resize(capacity());
}

std::span<const std::uint8_t> GseEncapsulator::label() const noexcept {
  return config_.address ? std::span<const std::uint8_t>(npa_) : std::span<const std::uint8_t>();
}

std::int32_t GseEncapsulator::encapsulate(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail) {
  if (p.out_capacity < config_.frame_octets) return HEADROOM_ERR_NO_SPACE;
  const std::uint16_t type = ether_type_of(p);
  if (type == 0 || p.in_length > kLargestTotalLength - kProtocolType - label().size()) {
    ++counters_.refused;
    return HEADROOM_ERR_UNSUPPORTED;
  }
  type_ = type;
  npa_ = npa_of(type, {p.in, p.in_length}, config_.npa, config_.broadcasts);
  std::memcpy(pdu_.data(), p.in, p.in_length);
  length_ = p.in_length;
  sent_ = 0;
  sending_ = p.channel;
  channels_[p.channel].is_used = true;
  ++counters_.pdus;
  if (detail != nullptr) {
    detail->cid = p.channel;
    detail->packet_type = packet_type_of(type);
    detail->plain_header = 0;
    detail->compressed_header = static_cast<std::uint16_t>(kWholeHeader + label().size());
  }
  if (!next_frame(p.out, now_ns)) return HEADROOM_NOTHING;
  p.out_length = config_.frame_octets;
  p.more = sending_ != kNoChannel ? 1 : 0;
  return HEADROOM_OK;
}

bool GseEncapsulator::drain(headroom_packet& p, std::uint64_t now_ns) noexcept {
  const bool has_room = p.out_capacity >= config_.frame_octets;
  std::uint8_t nowhere[kLargestFrame];
  std::uint8_t* const out = has_room ? p.out : nowhere;
  if (sending_ != kNoChannel) p.channel = sending_;
  if (sending_ == kNoChannel || !next_frame(out, now_ns)) {
    if (waiting_.deadline(channels_) > now_ns) return false;
    p.channel = waiting_.first();
    ++counters_.thresholds;
    put_out(out, p.channel);
  }
  p.status = has_room ? HEADROOM_OK : HEADROOM_ERR_NO_SPACE;
  p.out_length = has_room ? config_.frame_octets : 0;
  return true;
}

// Goes on with the PDU that is being sent. True if a BBFRAME is in `out`; else the BBFRAME waits for more.
bool GseEncapsulator::next_frame(std::uint8_t* out, std::uint64_t now_ns) noexcept {
  const std::uint32_t number = sending_;
  Channel& channel = channels_[number];
  const bool is_done = add(channel);
  if (is_done) sending_ = kNoChannel;
  const bool has_room = capacity() - channel.used > kWholeHeader + label().size();
  if (is_done && has_room && config_.packing) {
    waiting_.push(channels_, number, now_ns + std::uint64_t{config_.threshold_us} * 1000);
    return false;
  }
  put_out(out, number);
  return true;
}

// Puts as much of the PDU into the BBFRAME as fits. True if that is all of it.
bool GseEncapsulator::add(Channel& channel) noexcept {
  const std::size_t space = capacity() - channel.used;
  const std::size_t rest = length_ - sent_;
  const std::uint8_t* const from = pdu_.data() + sent_;
  const LabelType label_type = config_.address ? LabelType::six_octets : LabelType::broadcast;
  if (sent_ == 0) {
    if (kWholeHeader + label().size() + rest <= space) {
      write(channel, {true, true, label_type, 0, 0, type_, label(), {from, rest}});
      return true;
    }
    if (const std::size_t header = kFirstHeader + label().size(); header < space && rest > 1)
      begin_fragments(channel, std::min(space - header, rest - 1));
    return false;
  }
  GsePacket packet{.frag_id = channel.frag_id};
  packet.end = kLaterHeader + rest + kCrcOctets <= space;
  // The last fragment has an octet of the PDU, and the whole CRC-32.
  const std::size_t octets = packet.end ? rest : std::min(space - kLaterHeader, rest - 1);
  if (packet.end) {
    write32(pdu_.data() + length_, crc_);
    ++channel.frag_id;
  }
  packet.data = {from, octets + (packet.end ? kCrcOctets : 0)};
  write(channel, packet);
  sent_ += octets;
  return packet.end;
}

// The first fragment. The CRC-32 after the last one covers Total Length, Protocol Type, label and PDU.
void GseEncapsulator::begin_fragments(Channel& channel, std::size_t octets) noexcept {
  const LabelType label_type = config_.address ? LabelType::six_octets : LabelType::broadcast;
  GsePacket packet{.start = true, .label_type = label_type, .frag_id = channel.frag_id, .type = type_};
  packet.total_length = static_cast<std::uint16_t>(kProtocolType + label().size() + length_);
  packet.label = label();
  packet.data = {pdu_.data(), octets};
  const std::uint8_t* const covered = channel.data.data() + channel.used + kGseFixed + kFragId;
  write(channel, packet);
  crc_ = crc32(config_.crc, {covered, kTotalLength + kProtocolType + label().size()});
  crc_ = crc32(config_.crc, {pdu_.data(), length_}, crc_);
  sent_ = octets;
  ++counters_.fragmented;
}

void GseEncapsulator::write(Channel& channel, const GsePacket& packet) noexcept {
  std::uint8_t* const at = write_gse_header(channel.data.data() + channel.used, packet);
  std::memcpy(at, packet.data.data(), packet.data.size());
  channel.used = static_cast<std::size_t>(at - channel.data.data()) + packet.data.size();
  ++counters_.gse_packets;
}

// A BBFRAME with what is in its data field, and zeros after it.
void GseEncapsulator::put_out(std::uint8_t* out, std::uint32_t number) noexcept {
  Channel& channel = channels_[number];
  const std::size_t fill = capacity() - channel.used;
  write_bb_header(out, channel.used,
                  channels_.size() > 1 ? std::optional(static_cast<std::uint8_t>(number)) : std::nullopt);
  std::memcpy(out + kBbHeader, channel.data.data(), channel.used);
  std::memset(out + kBbHeader + channel.used, 0, fill);
  ++counters_.frames;
  counters_.fill += fill;
  channel.used = 0;
  waiting_.remove(channels_, number);
}

std::size_t GseEncapsulator::channels_in_use() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(channels_.begin(), channels_.end(), [](const Channel& channel) { return channel.is_used; }));
}

std::size_t GseEncapsulator::memory_bytes() const noexcept {
  return sizeof *this + channels_.size() * (sizeof(Channel) + capacity()) + pdu_.capacity();
}

}  // namespace headroom::ule
