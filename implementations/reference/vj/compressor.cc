// SPDX-License-Identifier: Apache-2.0
#include "vj/compressor.h"

#include <cstring>
#include <optional>

#include "mutants.h"

namespace headroom::vj {
namespace {

using wire::load16;
using wire::load32;

// Returns the header lengths of a packet that "makes it through the above checks" (3.2.3): a whole TCP packet that is
// no fragment, with ACK and without SYN, FIN and RST. Returns nothing for other packets, and for a packet with a wrong
// header checksum, because the decompressor would correct it.
std::optional<wire::Lengths> compressible(wire::Octets packet) noexcept {
  const std::optional<wire::Lengths> lengths = wire::lengths_of(packet);
  if (!lengths || packet[wire::kProtocol] != wire::kProtocolTcp) return std::nullopt;
  constexpr std::uint16_t kMoreFragmentsOrOffset = 0x3FFF;
  if ((load16(&packet[wire::kFragment]) & kMoreFragmentsOrOffset) != 0 && !mutant("vj-fragments-compressed"))
    return std::nullopt;
  const std::uint8_t flags = packet[lengths->ip + wire::kFlags];
  if ((flags & (wire::kSyn | wire::kFin | wire::kRst | wire::kAck)) != wire::kAck &&
      !mutant("vj-syn-and-fin-compressed"))
    return std::nullopt;
  if (wire::sum_of(packet.data(), lengths->ip) != 0xFFFF) return std::nullopt;
  return lengths;
}

// Options are rare, and a call to compare none costs as much as all the rest.
bool same(const std::uint8_t* a, const std::uint8_t* b, std::size_t octets) noexcept {
  return octets == 0 || std::memcmp(a, b, octets) == 0;
}

// True if all fields agree that a compressed header cannot change: "protocol version, header length, type of service,
// don't fragment, time-to-live, data offset, IP options (if any) and TCP options (if any)"; and what RFC 793 reserves.
bool same_unchanging(const SavedHeader& saved, const std::uint8_t* packet, const wire::Lengths& lengths) noexcept {
  if (saved.ip != lengths.ip || saved.tcp != lengths.tcp) return false;
  const std::uint8_t* const before = saved.octets.data();
  const std::uint8_t* const tcp = packet + lengths.ip;
  const std::uint8_t* const tcp_before = saved.tcp_header();
  constexpr std::size_t kTimeToLive = 8;
  constexpr std::uint8_t kMayChange = wire::kPsh | wire::kUrg;
  return load16(packet) == load16(before) && load16(packet + wire::kFragment) == load16(before + wire::kFragment) &&
         (packet[kTimeToLive] == before[kTimeToLive] || mutant("vj-ttl-not-compared")) &&
         tcp[wire::kDataOffset] == tcp_before[wire::kDataOffset] &&
         ((tcp[wire::kFlags] ^ tcp_before[wire::kFlags]) & ~kMayChange) == 0 &&
         same(packet + wire::kIpHeader, before + wire::kIpHeader, lengths.ip - wire::kIpHeader) &&
         (same(tcp + wire::kTcpHeader, tcp_before + wire::kTcpHeader, lengths.tcp - wire::kTcpHeader) ||
          mutant("vj-options-not-compared"));
}

enum class Decision : std::uint8_t { compress, refuse, resynchronise };

// Fills in what has changed since the saved packet, without C. Not `compress`: an UNCOMPRESSED_TCP packet is to be
// sent.
Decision changes_since(const SavedHeader& saved, const std::uint8_t* packet, const wire::Lengths& lengths,
                       std::size_t data, wire::Changes& c) noexcept {
  using namespace wire;
  const std::uint8_t* const tcp = packet + lengths.ip;
  const std::uint8_t* const before = saved.tcp_header();
  if ((tcp[kFlags] & kUrg) != 0) {
    c.urgent = load16(tcp + kUrgentPointer);
    c.mask |= kU;
  } else if (load16(tcp + kUrgentPointer) != load16(before + kUrgentPointer) &&
             !mutant("vj-urgent-pointer-not-compared")) {
    return Decision::refuse;
  }
  c.window = static_cast<std::uint16_t>(load16(tcp + kWindow) - load16(before + kWindow));
  if (c.window != 0) c.mask |= kW;
  const std::uint32_t acknowledged = load32(tcp + kAcknowledgement) - load32(before + kAcknowledgement);
  const std::uint32_t sent = load32(tcp + kSequence) - load32(before + kSequence);
  if (acknowledged > 0xFFFF) return Decision::refuse;
  if (sent > 0xFFFF) return Decision::resynchronise;  // "probably indicates a retransmission" (note 20)
  c.acknowledgement = static_cast<std::uint16_t>(acknowledged);
  c.sequence = static_cast<std::uint16_t>(sent);
  if (acknowledged != 0) c.mask |= kA;
  if (sent != 0) c.mask |= kS;

  const std::uint16_t last_data = saved.data();
  // Read literally, 3.2.4 clears URG only where no special mask stands, and decompressors exist that do no more than
  // that: after an urgent packet there are none.
  const bool may_be_special = (before[kFlags] & kUrg) == 0 && !mutant("vj-no-special-masks");
  switch (c.sawu()) {
    case kEchoed:
    case kUnidirectional:
      if (!mutant("vj-special-masks-taken")) return Decision::refuse;  // the masks that stand for the special cases
      break;
    case kS:
      if (may_be_special && c.sequence == last_data) c.mask |= kUnidirectional;
      break;
    case kS | kA:
      if (may_be_special && c.sequence == last_data && c.acknowledgement == last_data)
        c.mask = static_cast<std::uint8_t>((c.mask & ~kSawu) | kEchoed);
      break;
    case 0:
      // A repeated acknowledgement or a window probe; or the packet before, once more (4.2).
      if ((data == 0 || last_data != 0) && !mutant("vj-retransmissions-compressed")) return Decision::resynchronise;
      break;
    default:
      break;
  }
  c.packet_id = static_cast<std::uint16_t>(load16(packet + kIdentification) - load16(&saved.octets[kIdentification]));
  if (c.packet_id != 1 || mutant("vj-packet-id-always")) c.mask |= kI;
  if ((tcp[kFlags] & kPsh) != 0) c.mask |= kP;
  c.checksum = load16(tcp + kTcpChecksum);
  return Decision::compress;
}

}  // namespace

Compressor::Compressor(const Config& config) : config_(config) {
  lines_.reserve(config.channels);
  for (std::uint32_t i = 0; i < config.channels; ++i) lines_.push_back({SlotTable(config.slots)});
}

std::int32_t Compressor::compress(headroom_packet& p, headroom_detail* detail) noexcept {
  const std::optional<wire::Lengths> lengths = compressible({p.in, p.in_length});
  if (!lengths) return send_ip(p, detail);
  Line& line = lines_[p.channel];
  const Connection connection = Connection::of(p.in, *lengths);
  // Mostly the packet is of the same connection as the one before.
  const std::uint32_t slot = line.slots.is_of(line.last, connection) ? line.last : line.slots.find(connection);
  if (slot == SlotTable::kNone) {
    if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
    const std::uint32_t reclaimed = line.slots.reclaim(connection);
    ++counters_.new_connections;
    if (!line.slots.header(reclaimed).empty()) ++counters_.replaced_connections;
    return send_uncompressed(p, detail, line, reclaimed, *lengths);
  }
  SavedHeader& saved = line.slots.header(slot);
  wire::Changes changes;
  const std::size_t data = p.in_length - lengths->both();
  const Decision decision =
      same_unchanging(saved, p.in, *lengths) ? changes_since(saved, p.in, *lengths, data, changes) : Decision::refuse;
  if (decision != Decision::compress) {
    if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
    if (decision == Decision::resynchronise) ++counters_.resynchronised;
    return send_uncompressed(p, detail, line, slot, *lengths);
  }
  if ((slot != line.last && !mutant("vj-connection-number-left-out")) ||
      (!config_.compress_slot_id && !mutant("vj-slot-ids-always-compressed"))) {
    changes.mask |= wire::kC;
    changes.connection = static_cast<std::uint8_t>(slot);
  }
  std::uint8_t header[wire::kLongestHeader];
  // With ample room, as the engine promises, the header is written where it belongs.
  const bool ample = p.out_capacity >= wire::kLongestHeader + data;
  const std::size_t length = wire::write(changes, ample ? p.out : header);
  if (p.out_capacity < length + data) return HEADROOM_ERR_NO_SPACE;
  if (!ample) std::memcpy(p.out, header, length);
  if (data != 0) std::memcpy(p.out + length, p.in + lengths->both(), data);
  saved.save(p.in, *lengths);
  line.slots.touch(slot);
  line.last = slot;
  p.out_length = static_cast<std::uint32_t>(length + data);
  p.out_type = kTypeCompressed;
  ++counters_.compressed;
  if (detail != nullptr) {
    detail->cid = slot;
    detail->packet_type = static_cast<std::uint8_t>(PacketType::compressed);
    detail->plain_header = static_cast<std::uint16_t>(lengths->both());
    detail->compressed_header = static_cast<std::uint16_t>(length);
  }
  return HEADROOM_OK;
}

std::int32_t Compressor::send_ip(headroom_packet& p, headroom_detail* detail) noexcept {
  if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, p.in, p.in_length);
  p.out_length = p.in_length;
  p.out_type = kTypeIp;
  ++counters_.ip;
  if (detail != nullptr) detail->packet_type = static_cast<std::uint8_t>(PacketType::ip);
  return HEADROOM_OK;
}

// "Identical to the input packet except the IP protocol field (byte 9) is changed … to a connection number." REQUIRES:
// there is room.
std::int32_t Compressor::send_uncompressed(headroom_packet& p, headroom_detail* detail, Line& line, std::uint32_t slot,
                                           const wire::Lengths& lengths) noexcept {
  std::memcpy(p.out, p.in, p.in_length);
  p.out[wire::kProtocol] = static_cast<std::uint8_t>(slot);
  p.out_length = p.in_length;
  p.out_type = kTypeUncompressed;
  line.slots.header(slot).save(p.in, lengths);
  line.slots.touch(slot);
  line.last = slot;
  ++counters_.uncompressed;
  if (detail != nullptr) {
    detail->cid = slot;
    detail->packet_type = static_cast<std::uint8_t>(PacketType::uncompressed);
    detail->plain_header = detail->compressed_header = static_cast<std::uint16_t>(lengths.both());
  }
  return HEADROOM_OK;
}

std::size_t Compressor::contexts_in_use() const noexcept {
  std::size_t sum = 0;
  for (const Line& line : lines_) sum += line.slots.in_use();
  return sum;
}

std::size_t Compressor::memory_bytes() const noexcept {
  std::size_t sum = sizeof *this;
  for (const Line& line : lines_) sum += line.slots.memory_bytes();
  return sum;
}

}  // namespace headroom::vj
