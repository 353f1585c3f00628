// SPDX-License-Identifier: Apache-2.0
#include "taroc/compressor.h"

#include <cstring>
#include <new>
#include <optional>

#include "mutants.h"
#include "taroc/flow.h"

namespace headroom::taroc {
namespace {

// Returns the header lengths of a packet that is compressible "(also see [2, 3])": a whole TCP packet that is no
// fragment, with ACK and without SYN, FIN and RST (RFC 1144, 3.2.3). Returns nothing for other packets, and for a
// packet with a wrong length or a wrong checksum of its IP header, because the decompressor would correct it.
std::optional<wire::Lengths> compressible(wire::Octets packet) noexcept {
  const std::optional<wire::Lengths> lengths = wire::lengths_of(packet);
  if (!lengths) return std::nullopt;
  using namespace wire::tcp;
  const std::uint8_t flags = packet[lengths->ip + kFlags];
  if ((flags & (kSyn | kFin | kRst | kAck)) != kAck && !mutant("taroc-syn-and-fin-compressed")) return std::nullopt;
  if (wire::load16(&packet[lengths->first_length_field()]) != wire::length_field_of(*lengths, packet.size()))
    return std::nullopt;
  if (lengths->is_ipv4() && wire::load16(&packet[wire::ipv4::kChecksum]) != wire::ipv4_checksum(packet.data()))
    return std::nullopt;
  return lengths;
}

}  // namespace

Compressor::Line::Line(std::uint32_t count) : contexts(count), flows(count) { contexts.reserve(); }

Compressor::Compressor(const Config& config) : config_(config) {
  lines_.reserve(config.channels);
  for (std::uint32_t i = 0; i < config.channels; ++i) lines_.emplace_back(config.contexts);
}

Compressor::~Compressor() = default;

std::int32_t Compressor::compress(headroom_packet& p, headroom_detail* detail) noexcept {
  const std::optional<wire::Lengths> lengths = compressible({p.in, p.in_length});
  if (!lengths) return send_ip(p, detail);
  Line& line = lines_[p.channel];
  const Connection connection = Connection::of(p.in, *lengths);
  // Mostly the packet is of the same connection as the one before.
  std::uint32_t cid = line.contexts.newest();
  if (cid == ContextTable::kNone || line.contexts.key_of(cid) != connection) cid = line.contexts.find(connection);
  const bool is_new = cid == ContextTable::kNone;
  if (is_new) {
    if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
    std::unique_ptr<Flow>& slot = line.flows[line.contexts.next()];
    if (slot) {
      ++counters_.replaced_contexts;
      *slot = Flow(config_, p.in, *lengths);
    } else {
      slot.reset(new (std::nothrow) Flow(config_, p.in, *lengths));
      if (!slot) return send_ip(p, detail);
    }
    cid = line.contexts.next();
    line.contexts.assign(cid, connection);
    line.contexts.touch(cid);
    ++counters_.new_contexts;
  }
  Flow& flow = *line.flows[cid];
  const Segment segment = flow.read(p.in, p.in_length, *lengths);
  Decision decision = flow.decide(segment, config_.rescue);
  std::size_t header_length = lengths->both();
  if (decision.reason != Reason::none) {
    if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
    std::memcpy(p.out, p.in, p.in_length);
    // "The LSB of the length field is replaced by the CID number"; that of the packet number is not used.
    wire::store16(p.out + lengths->first_length_field(), cid);
    p.out_length = p.in_length;
    p.out_type = kTypeUncompressed;
    flow.sent_uncompressed(config_, segment, decision.reason);
    count(decision.reason);
  } else {
    decision.header.cid = static_cast<std::uint8_t>(cid);
    std::uint8_t header[wire::kLongestHeader];
    const std::size_t data = segment.data;
    // With ample room, as the engine promises, the header is written where it belongs.
    const bool ample = p.out_capacity >= wire::kLongestHeader + data;
    std::uint8_t* const begin = ample ? p.out : header;
    header_length = static_cast<std::size_t>(flow.write(segment, decision, begin) - begin);
    if (p.out_capacity < header_length + data) return HEADROOM_ERR_NO_SPACE;
    if (!ample) std::memcpy(p.out, header, header_length);
    if (data != 0) std::memcpy(p.out + header_length, p.in + lengths->both(), data);
    p.out_length = static_cast<std::uint32_t>(header_length + data);
    p.out_type = kTypeCompressed;
    flow.sent_compressed(config_, segment);
    ++counters_.compressed;
  }
  line.contexts.touch(cid);
  if (detail != nullptr) {
    detail->cid = cid;
    detail->packet_type =
        static_cast<std::uint8_t>(decision.reason == Reason::none ? PacketType::compressed : PacketType::uncompressed);
    detail->state = static_cast<std::uint8_t>(flow.state());
    detail->plain_header = static_cast<std::uint16_t>(lengths->both());
    detail->compressed_header = static_cast<std::uint16_t>(header_length);
  }
  return HEADROOM_OK;
}

void Compressor::count(Reason reason) noexcept {
  ++counters_.uncompressed;
  switch (reason) {
    case Reason::slow_start:
      ++counters_.slow_start;
      break;
    case Reason::repeated:
      ++counters_.repeated;
      break;
    case Reason::changed:
      ++counters_.changed;
      break;
    case Reason::fell_behind:
      ++counters_.fell_behind;
      break;
    case Reason::none:
    case Reason::new_context:
      break;
  }
}

std::int32_t Compressor::send_ip(headroom_packet& p, headroom_detail* detail) noexcept {
  if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, p.in, p.in_length);
  p.out_length = p.in_length;
  p.out_type = p.in[0] >> 4 == 6 ? kTypeIpv6 : kTypeIp;
  ++counters_.ip;
  if (detail != nullptr) detail->packet_type = static_cast<std::uint8_t>(PacketType::ip);
  return HEADROOM_OK;
}

std::size_t Compressor::contexts_in_use() const noexcept {
  std::size_t sum = 0;
  for (const Line& line : lines_) sum += line.contexts.size();
  return sum;
}

std::size_t Compressor::memory_bytes() const noexcept {
  std::size_t sum = sizeof *this + contexts_in_use() * sizeof(Flow);
  for (const Line& line : lines_)
    sum += sizeof line + line.contexts.memory_bytes() + line.flows.capacity() * sizeof line.flows[0];
  return sum;
}

}  // namespace headroom::taroc
