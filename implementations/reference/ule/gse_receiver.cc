// SPDX-License-Identifier: Apache-2.0
#include "ule/gse_receiver.h"

#include <algorithm>
#include <cstring>

namespace headroom::ule {

using namespace wire;

GseReceiver::GseReceiver(const Config& config)
    : config_(config), channels_(config.streams == Streams::all ? kMostStreams : config.channels) {
  kept_.reserve(kLargestBbFrame);
}

std::int32_t GseReceiver::receive(headroom_packet& p, headroom_detail* detail) {
  if (const std::int32_t status = open(p); status != HEADROOM_OK) return status;
  Unit unit;
  put_out(next_outcome(unit), unit, number_, p, detail);
  if (p.status == HEADROOM_OK) ++counters_.delivered;
  p.more = rest_.empty() ? 0 : 1;
  return p.status;
}

bool GseReceiver::drain(headroom_packet& p, headroom_detail* detail) {
  Unit unit;
  const std::int32_t status = next_outcome(unit);
  if (status == HEADROOM_NOTHING) return false;
  p.channel = number_;
  put_out(status, unit, number_, p, detail);
  if (p.status == HEADROOM_OK) ++counters_.delivered;
  return true;
}

// Checks the BBHEADER. HEADROOM_OK: the data field is in rest_, a copy of which the caller knows nothing.
std::int32_t GseReceiver::open(const headroom_packet& p) {
  rest_ = {};
  ++counters_.frames;
  const std::span<const std::uint8_t> frame(p.in, p.in_length);
  const std::optional<BbHeader> header = read_bb_header(frame);
  if (!header) {
    ++counters_.header_crc_errors;
    return HEADROOM_ERR_CRC;
  }
  if (!header->is_gse || frame.size() > kLargestBbFrame) {
    ++counters_.unsupported_frames;
    return HEADROOM_ERR_UNSUPPORTED;
  }
  if (!takes(header->stream, p.channel)) {
    ++counters_.other_streams;
    return HEADROOM_NOTHING;
  }
  const auto data = frame.subspan(kBbHeader, header->data_octets);
  kept_.assign(data.begin(), data.end());
  rest_ = kept_;
  number_ = p.channel;
  place_ = config_.streams == Streams::all ? header->stream.value_or(0) : number_;
  last_label_ = LastLabel::none;
  ++channels_[place_].frames;
  return HEADROOM_OK;
}

bool GseReceiver::takes(std::optional<std::uint8_t> stream, std::uint32_t channel) const noexcept {
  switch (config_.streams) {
    case Streams::all:
      return true;
    case Streams::one:
      return stream == config_.stream;
    case Streams::usual:
      break;
  }
  return channels_.size() > 1 ? stream == channel : stream.value_or(0) == 0;
}

// Reads on until there is something to pass on or to say. HEADROOM_NOTHING: the BBFRAME has been read.
std::int32_t GseReceiver::next_outcome(Unit& unit) {
  while (!rest_.empty()) {
    const std::optional<GsePacket> packet = next_gse_packet(rest_);
    if (!packet) {
      if (rest_.empty()) break;
      // Where the next packet begins is not known.
      rest_ = {};
      ++counters_.length_errors;
      return HEADROOM_ERR_MALFORMED;
    }
    ++counters_.gse_packets;
    if (const std::int32_t status = take(*packet, unit); status != HEADROOM_NOTHING) return status;
  }
  return HEADROOM_NOTHING;
}

std::int32_t GseReceiver::take(const GsePacket& packet, Unit& unit) {
  Channel& channel = channels_[place_];
  bool is_for_us = false;
  if (packet.start) {
    if (!packet.end) forget(channel, packet.frag_id);
    if (const std::int32_t status = read_label(packet, is_for_us); status != HEADROOM_OK) return status;
    if (packet.end) {
      if (is_for_us) return unpack(packet.type, packet.data, unit);
      ++counters_.unmatched_addresses;
      return HEADROOM_NOTHING;
    }
    if (is_for_us) return begin(channel, packet);
    ++counters_.unmatched_addresses;
    channel.others.set(packet.frag_id);
    return HEADROOM_NOTHING;
  }
  if (channel.others.test(packet.frag_id)) {
    if (packet.end) channel.others.reset(packet.frag_id);
    return HEADROOM_NOTHING;
  }
  const auto found = std::find_if(channel.parts.begin(), channel.parts.end(), [&](const Part& part) {
    return !part.octets.empty() && part.frag_id == packet.frag_id;
  });
  if (found == channel.parts.end()) {
    ++counters_.orphans;
    return HEADROOM_NOTHING;
  }
  Part& part = *found;
  const bool is_too_old = channel.frames - part.begun >= kLongestReassembly;
  const std::size_t crc = packet.end ? std::min(packet.data.size(), kCrcOctets) : 0;
  const auto octets = packet.data.first(packet.data.size() - crc);
  if (is_too_old || octets.size() > part.needed - part.octets.size()) {
    part.octets.clear();
    ++(is_too_old ? counters_.discarded : counters_.length_errors);
    return is_too_old ? HEADROOM_NOTHING : HEADROOM_ERR_MALFORMED;
  }
  part.octets.insert(part.octets.end(), octets.begin(), octets.end());
  return packet.end ? finish(part, packet.data.last(crc), unit) : HEADROOM_NOTHING;
}

// HEADROOM_OK where the label is one; `is_for_us` says then whether PDUs with it are passed on.
std::int32_t GseReceiver::read_label(const GsePacket& packet, bool& is_for_us) noexcept {
  switch (packet.label_type) {
    case LabelType::six_octets: {
      Npa npa{};
      std::copy(packet.label.begin(), packet.label.end(), npa.begin());
      is_for_us = config_.takes(npa);
      last_label_ = is_for_us ? LastLabel::ours : LastLabel::others;
      return HEADROOM_OK;
    }
    case LabelType::broadcast:
      is_for_us = true;
      last_label_ = LastLabel::none;  // there is no label to be used again
      return HEADROOM_OK;
    case LabelType::re_use:
      is_for_us = last_label_ == LastLabel::ours;
      if (last_label_ != LastLabel::none) return HEADROOM_OK;
      break;
    case LabelType::three_octets:
      last_label_ = LastLabel::others;
      break;
  }
  ++counters_.label_errors;
  return HEADROOM_ERR_UNSUPPORTED;
}

// A first fragment ends what went before with its Fragment ID, even where it is refused itself.
void GseReceiver::forget(Channel& channel, std::uint8_t frag_id) noexcept {
  channel.others.reset(frag_id);
  for (Part& part : channel.parts) {
    if (part.octets.empty() || part.frag_id != frag_id) continue;
    part.octets.clear();
    ++counters_.discarded;
  }
}

// Begins to put a PDU together, in place of none, or of the oldest one.
std::int32_t GseReceiver::begin(Channel& channel, const GsePacket& packet) {
  const std::size_t needed = kTotalLength + packet.total_length;
  const std::size_t header = kTotalLength + kProtocolType + packet.label.size();
  if (needed < header + packet.data.size()) {
    ++counters_.length_errors;
    return HEADROOM_ERR_MALFORMED;
  }
  const auto rank = [](const Part& part) { return part.octets.empty() ? 0 : 1 + part.begun; };
  Part& part = *std::min_element(channel.parts.begin(), channel.parts.end(),
                                 [&](const Part& a, const Part& b) { return rank(a) < rank(b); });
  if (!part.octets.empty()) ++counters_.discarded;
  part.needed = needed;
  part.label_octets = packet.label.size();
  part.begun = channel.frames;
  part.frag_id = packet.frag_id;
  part.octets.resize(header);
  write16(part.octets.data(), packet.total_length);
  write16(part.octets.data() + kTotalLength, packet.type);
  std::copy(packet.label.begin(), packet.label.end(), part.octets.begin() + kTotalLength + kProtocolType);
  part.octets.insert(part.octets.end(), packet.data.begin(), packet.data.end());
  return HEADROOM_NOTHING;
}

std::int32_t GseReceiver::finish(Part& part, std::span<const std::uint8_t> crc, Unit& unit) {
  pdu_.swap(part.octets);  // until the next one is whole
  part.octets.clear();
  if (pdu_.size() != part.needed || crc.size() != kCrcOctets) {
    ++counters_.length_errors;
    return HEADROOM_ERR_MALFORMED;
  }
  const std::uint32_t sent = std::uint32_t{read16(crc.data())} << 16 | read16(crc.data() + 2);
  if (sent != crc32(config_.crc, pdu_)) {
    ++counters_.crc_errors;
    return HEADROOM_ERR_CRC;
  }
  const std::span<const std::uint8_t> octets(pdu_);
  return unpack(read16(pdu_.data() + kTotalLength), octets.subspan(kTotalLength + kProtocolType + part.label_octets),
                unit);
}

// After Protocol Type and label: extension headers are those of ULE.
std::int32_t GseReceiver::unpack(std::uint16_t type, std::span<const std::uint8_t> octets, Unit& unit) {
  const Content content = content_of(type, octets);
  if (content.kind == Content::Kind::too_short || (content.kind == Content::Kind::pdu && content.octets.empty())) {
    ++counters_.length_errors;
    return HEADROOM_ERR_MALFORMED;
  }
  if (content.kind != Content::Kind::pdu) {
    ++counters_.type_errors;
    return HEADROOM_ERR_UNSUPPORTED;
  }
  unit = {content.type, packet_type_of(content.type), content.octets};
  return HEADROOM_OK;
}

std::size_t GseReceiver::channels_in_use() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(channels_.begin(), channels_.end(), [](const Channel& channel) { return channel.frames != 0; }));
}

std::size_t GseReceiver::memory_bytes() const noexcept {
  std::size_t octets = sizeof *this + channels_.size() * sizeof(Channel) + kept_.capacity() + pdu_.capacity();
  for (const Channel& channel : channels_) {
    for (const Part& part : channel.parts) octets += part.octets.capacity();
  }
  return octets;
}

}  // namespace headroom::ule
