// SPDX-License-Identifier: Apache-2.0
#include "vj/decompressor.h"

#include <cstring>
#include <optional>

#include "mutants.h"
#include "vj/wire/changes.h"

namespace headroom::vj {
namespace {

using wire::load16;
using wire::load32;
using wire::store16;
using wire::store32;

void add16(std::uint8_t* at, std::uint32_t value) noexcept { store16(at, load16(at) + value); }
void add32(std::uint8_t* at, std::uint32_t value) noexcept { store32(at, load32(at) + value); }

// Applies the changes to the saved header, in the order of 3.2.4.
void apply(const wire::Changes& c, std::size_t data, SavedHeader& saved) noexcept {
  using namespace wire;
  std::uint8_t* const tcp = saved.tcp_header();
  const std::uint16_t last_data = saved.data();
  store16(tcp + kTcpChecksum, c.checksum);
  const std::uint8_t cleared_push = mutant("vj-push-stays") ? 0 : kPsh;
  tcp[kFlags] = static_cast<std::uint8_t>((tcp[kFlags] & ~cleared_push) | ((c.mask & kP) != 0 ? kPsh : 0));
  if (c.special()) {
    add32(tcp + kSequence, last_data);
    if (c.sawu() == kEchoed && !mutant("vj-echo-not-acknowledged")) add32(tcp + kAcknowledgement, last_data);
    // What the special masks stand for has no urgent data (3.2.2: "no window change or URG").
    tcp[kFlags] = static_cast<std::uint8_t>(tcp[kFlags] & ~kUrg);
  } else {
    const bool urgent = (c.mask & kU) != 0;
    const std::uint8_t cleared_urgent = mutant("vj-urgent-stays") ? 0 : kUrg;
    tcp[kFlags] = static_cast<std::uint8_t>((tcp[kFlags] & ~cleared_urgent) | (urgent ? kUrg : 0));
    if (urgent) store16(tcp + kUrgentPointer, c.urgent);
    add16(tcp + kWindow, mutant("vj-window-only-grows") ? c.window & 0x7FFFU : c.window);
    add32(tcp + kAcknowledgement, c.acknowledgement);
    add32(tcp + kSequence, c.sequence);
  }
  std::uint8_t* const ip = saved.octets.data();
  add16(ip + kIdentification, mutant("vj-packet-id-not-counted") && c.packet_id == 1 ? 0U : c.packet_id);
  store16(ip + kTotalLength, static_cast<std::uint32_t>(saved.length() + data));
  store16(ip + kIpChecksum, 0);
  store16(ip + kIpChecksum, static_cast<std::uint16_t>(~sum_of(ip, saved.ip)));
}

}  // namespace

Decompressor::Decompressor(const Config& config)
    : lines_(config.channels, Line{std::vector<SavedHeader>(config.slots), 0, true}) {}

std::int32_t Decompressor::decompress(headroom_packet& p, headroom_detail* detail) noexcept {
  Line& line = lines_[p.channel];
  switch (p.in_type) {
    case kTypeCompressed:
      return take_compressed(line, p, detail);
    case kTypeUncompressed:
      return take_uncompressed(line, p, detail);
    case kTypeIp:
      return pass_ip(p, detail);
    case HEADROOM_TYPE_LOST:
      return refuse(line, counters_.errors, HEADROOM_NOTHING);
    default:
      return refuse(line, counters_.malformed, HEADROOM_ERR_MALFORMED);
  }
}

std::int32_t Decompressor::refuse(Line& line, std::uint64_t& counter, std::int32_t status) noexcept {
  line.toss = line.toss || !mutant("vj-nothing-tossed");
  ++counter;
  return status;
}

std::int32_t Decompressor::pass_ip(headroom_packet& p, headroom_detail* detail) noexcept {
  if (p.in_length == 0) {
    ++counters_.malformed;
    return HEADROOM_ERR_MALFORMED;
  }
  if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, p.in, p.in_length);
  p.out_length = p.in_length;
  ++counters_.ip;
  if (mutant("vj-ip-ends-tossing")) lines_[p.channel].toss = false;
  if (detail != nullptr) detail->packet_type = static_cast<std::uint8_t>(PacketType::ip);
  return HEADROOM_OK;
}

std::int32_t Decompressor::take_uncompressed(Line& line, headroom_packet& p, headroom_detail* detail) noexcept {
  const std::optional<wire::Lengths> lengths = wire::lengths_of({p.in, p.in_length});
  if (!lengths) return refuse(line, counters_.malformed, HEADROOM_ERR_MALFORMED);
  const std::uint8_t slot = p.in[wire::kProtocol];
  if (slot >= line.slots.size()) return refuse(line, counters_.bad_slot, HEADROOM_ERR_MALFORMED);
  // "The receiver can check the header checksum when the header is actually sent" (3.1). It was made for protocol 6.
  SavedHeader arrived;
  arrived.save(p.in, *lengths);
  arrived.octets[wire::kProtocol] = wire::kProtocolTcp;
  if (wire::sum_of(arrived.octets.data(), lengths->ip) != 0xFFFF)
    return refuse(line, counters_.malformed, HEADROOM_ERR_CRC);
  line.slots[slot] = arrived;
  if (!mutant("vj-uncompressed-names-no-connection")) line.last = slot;
  line.toss = false;
  if (detail != nullptr) {
    detail->cid = slot;
    detail->packet_type = static_cast<std::uint8_t>(PacketType::uncompressed);
    detail->plain_header = detail->compressed_header = static_cast<std::uint16_t>(lengths->both());
  }
  if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, p.in, p.in_length);
  p.out[wire::kProtocol] = wire::kProtocolTcp;
  p.out_length = p.in_length;
  ++counters_.uncompressed;
  return HEADROOM_OK;
}

std::int32_t Decompressor::take_compressed(Line& line, headroom_packet& p, headroom_detail* detail) noexcept {
  const std::optional<wire::Parsed> parsed = wire::parse({p.in, p.in_length});
  if (!parsed) return refuse(line, counters_.malformed, HEADROOM_ERR_MALFORMED);
  const wire::Changes& changes = parsed->changes;
  std::uint8_t slot = line.last;
  if ((changes.mask & wire::kC) != 0) {
    slot = changes.connection;
    if (slot >= line.slots.size()) return refuse(line, counters_.bad_slot, HEADROOM_ERR_MALFORMED);
  } else if (line.toss) {
    ++counters_.tossed;
    return HEADROOM_ERR_STATE;
  }
  SavedHeader& saved = line.slots[slot];
  if (saved.empty()) return refuse(line, counters_.no_context, HEADROOM_ERR_NO_CONTEXT);
  const std::size_t data = p.in_length - parsed->length;
  if (saved.length() + data > 0xFFFF) return refuse(line, counters_.malformed, HEADROOM_ERR_MALFORMED);
  line.last = slot;
  line.toss = false;
  apply(changes, data, saved);
  if (detail != nullptr) {
    detail->cid = slot;
    detail->packet_type = static_cast<std::uint8_t>(PacketType::compressed);
    detail->plain_header = static_cast<std::uint16_t>(saved.length());
    detail->compressed_header = static_cast<std::uint16_t>(parsed->length);
  }
  // Without room the packet is lost, but its changes count: those of the next packet build on them.
  if (p.out_capacity < saved.length() + data) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, saved.octets.data(), saved.length());
  if (data != 0) std::memcpy(p.out + saved.length(), p.in + parsed->length, data);
  p.out_length = static_cast<std::uint32_t>(saved.length() + data);
  ++counters_.compressed;
  return HEADROOM_OK;
}

std::size_t Decompressor::contexts_in_use() const noexcept {
  std::size_t sum = 0;
  for (const Line& line : lines_) {
    for (const SavedHeader& slot : line.slots) sum += slot.empty() ? 0u : 1u;
  }
  return sum;
}

std::size_t Decompressor::memory_bytes() const noexcept {
  std::size_t sum = sizeof *this;
  for (const Line& line : lines_) sum += sizeof line + line.slots.capacity() * sizeof(SavedHeader);
  return sum;
}

}  // namespace headroom::vj
