// SPDX-License-Identifier: Apache-2.0
#include "taroc/decompressor.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "mutants.h"
#include "taroc/wire/compressed.h"

namespace headroom::taroc {
namespace {

using wire::load16;
using wire::load32;
using wire::Octets;
using wire::store16;
using wire::store32;

// Reads the Options field into values, of which the time stamps are the reference's and the others the context's so
// far. The octets that it takes; nothing if it cannot be one for this form.
std::optional<std::size_t> read_field(Octets octets, const OptionForm& form, std::uint32_t acknowledgement,
                                      OptionValues& values) noexcept {
  const auto parsed = wire::parse_options(octets);
  if (!parsed) return std::nullopt;
  const wire::Options& o = parsed->part;
  const std::size_t others = form.others_length();
  if ((o.has_value || o.has_echo) && form.timestamps == 0) return std::nullopt;
  if (octets.size() - parsed->length < others) return std::nullopt;
  if (o.has_value) values.ts_value = wire::closest(values.ts_value, o.value.value, o.value.bits);
  if (o.has_echo) values.ts_echo = wire::closest(values.ts_echo, o.echo.value, o.echo.bits);
  values.sack_blocks = o.blocks;
  std::uint32_t edge = acknowledgement;
  for (std::size_t i = 0; i < o.blocks; ++i) {
    edge = (mutant("taroc-sack-chained") ? edge : acknowledgement) + o.block[i].offset;
    values.sack[i] = {edge, edge + o.block[i].size};
  }
  std::copy_n(octets.begin() + static_cast<std::ptrdiff_t>(parsed->length), others, values.others.begin());
  return parsed->length + others;
}

// Puts the fields of a compressed header into a TCP/IP header that is a copy of the context's, without its options.
void apply(const wire::Header& h, const wire::Lengths& lengths, const Values& values, std::size_t packet,
           std::uint8_t* header) noexcept {
  using namespace wire::tcp;
  std::uint8_t* const tcp = header + lengths.ip;
  if ((h.flags & wire::kR) != 0) {
    const std::uint8_t ecn = h.r_octet & 3;
    if (lengths.is_ipv4()) {
      header[wire::ipv4::kTos] = static_cast<std::uint8_t>((header[wire::ipv4::kTos] & ~3U) | ecn);
    } else {
      header[1] = static_cast<std::uint8_t>((header[1] & ~0x30U) | static_cast<unsigned>(ecn << 4));
    }
    tcp[kDataOffset] = h.r_octet >> 4;
    tcp[kFlags] = static_cast<std::uint8_t>(h.r_octet >> 2 << 6);
  } else {
    tcp[kDataOffset] &= 0x0F;
    tcp[kFlags] &= 0xC0;
  }
  tcp[kDataOffset] = static_cast<std::uint8_t>(tcp[kDataOffset] | lengths.tcp / 4 << 4);
  tcp[kFlags] = static_cast<std::uint8_t>(tcp[kFlags] | kAck | ((h.flags & wire::kP) != 0 ? kPsh : 0) |
                                          ((h.flags & wire::kU) != 0 ? kUrg : 0));
  if ((h.flags & wire::kU) != 0) store16(tcp + kUrgentPointer, h.urgent);
  store32(tcp + wire::tcp::kSequence, values[taroc::kSequence]);
  store32(tcp + wire::tcp::kAcknowledgement, values[taroc::kAcknowledgement]);
  store16(tcp + kWindow, values[kWindowField]);
  store16(tcp + kChecksum, h.checksum);
  store16(header + lengths.first_length_field(), static_cast<std::uint32_t>(wire::length_field_of(lengths, packet)));
  if (!lengths.is_ipv4()) return;
  store16(header + wire::ipv4::kIdentification, values[kPacketId]);
  store16(header + wire::ipv4::kChecksum, wire::ipv4_checksum(header));
}

}  // namespace

Decompressor::Decompressor(const Config& config)
    : count_(config.contexts), contexts_(std::size_t{config.channels} * config.contexts) {}

std::int32_t Decompressor::decompress(headroom_packet& p, headroom_detail* detail) noexcept {
  switch (p.in_type) {
    case kTypeCompressed:
      return take_compressed(p, detail);
    case kTypeUncompressed:
      return take_uncompressed(p, detail);
    case kTypeIp:
    case kTypeIpv6:
      return pass_ip(p, detail);
    case HEADROOM_TYPE_LOST:
      return refuse(counters_.errors, HEADROOM_NOTHING);
    default:
      return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  }
}

std::int32_t Decompressor::pass_ip(headroom_packet& p, headroom_detail* detail) noexcept {
  if (p.in_length == 0) return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, p.in, p.in_length);
  p.out_length = p.in_length;
  ++counters_.ip;
  if (detail != nullptr) detail->packet_type = static_cast<std::uint8_t>(PacketType::ip);
  return HEADROOM_OK;
}

std::int32_t Decompressor::take_uncompressed(headroom_packet& p, headroom_detail* detail) noexcept {
  const std::optional<wire::Lengths> lengths = wire::lengths_of({p.in, p.in_length});
  if (!lengths) return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  const std::size_t field = wire::length_field_of(*lengths, p.in_length);
  if (field > 0xFFFF) return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  const std::uint8_t cid = p.in[lengths->first_length_field() + 1];
  if (cid >= count_) return refuse(counters_.bad_cid, HEADROOM_ERR_MALFORMED);
  std::array<std::uint8_t, wire::kLongestPlainHeader> header;
  std::memcpy(header.data(), p.in, lengths->both());
  store16(&header[lengths->first_length_field()], static_cast<std::uint32_t>(field));
  if (lengths->is_ipv4() && load16(&header[wire::ipv4::kChecksum]) != wire::ipv4_checksum(header.data()))
    return refuse(counters_.wrong_checksum, HEADROOM_ERR_CRC);
  const Octets data = Octets(p.in, p.in_length).subspan(lengths->both());
  Context& c = context(p.channel, cid);
  const std::uint8_t* const tcp = header.data() + lengths->ip;
  const bool ignored = mutant("taroc-older-uncompressed-ignored") && c.lengths.ip != 0 &&
                       wire::distance(c.reference[kSequence], load32(tcp + wire::tcp::kSequence)) < 0;
  if (wire::tcp_checksum_is_right(header.data(), *lengths, data) && !ignored) {
    const PacketOptions options = read_options(tcp + wire::kTcpHeader, lengths->options());
    c.header = header;
    c.lengths = *lengths;
    c.form = options.form;
    c.others = options.values.others;
    c.reference = {load32(tcp + wire::tcp::kSequence),
                   load32(tcp + wire::tcp::kAcknowledgement),
                   load16(&header[wire::ipv4::kIdentification]),
                   load16(tcp + wire::tcp::kWindow),
                   options.values.ts_value,
                   options.values.ts_echo};
  } else {
    ++counters_.unverified;
  }
  if (detail != nullptr) {
    detail->cid = cid;
    detail->packet_type = static_cast<std::uint8_t>(PacketType::uncompressed);
    detail->plain_header = detail->compressed_header = static_cast<std::uint16_t>(lengths->both());
  }
  if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, header.data(), lengths->both());
  if (!data.empty()) std::memcpy(p.out + lengths->both(), data.data(), data.size());
  p.out_length = p.in_length;
  ++counters_.uncompressed;
  return HEADROOM_OK;
}

std::int32_t Decompressor::take_compressed(headroom_packet& p, headroom_detail* detail) noexcept {
  const Octets packet(p.in, p.in_length);
  const auto parsed = wire::parse_header(packet);
  if (!parsed) return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  const wire::Header& h = parsed->part;
  if (h.cid >= count_) return refuse(counters_.bad_cid, HEADROOM_ERR_MALFORMED);
  Context& c = context(p.channel, h.cid);
  if (c.lengths.ip == 0) return refuse(counters_.no_context, HEADROOM_ERR_NO_CONTEXT);
  const bool ipv4 = c.lengths.is_ipv4();
  if (!c.form.is_readable || (!ipv4 && (h.flags & wire::kI) != 0))
    return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);

  Values v = c.reference;
  const wire::WasiLengths& bits = wire::kWasiLengths[h.pt];
  if ((h.flags & wire::kW) != 0) v[kWindowField] = wire::closest(v[kWindowField], h.window, bits.window) & 0xFFFF;
  if ((h.flags & wire::kA) != 0)
    v[kAcknowledgement] = wire::closest(v[kAcknowledgement], h.acknowledgement, bits.acknowledgement);
  if ((h.flags & wire::kS) != 0) v[kSequence] = wire::closest(v[kSequence], h.sequence, bits.sequence);
  if ((h.flags & wire::kI) != 0) v[kPacketId] = wire::closest(v[kPacketId], h.packet_id, bits.packet_id) & 0xFFFF;

  std::size_t header_length = parsed->length;
  OptionValues options{v[kTsValue], v[kTsEcho], 0, {}, c.others};
  if ((h.flags & wire::kO) != 0) {
    const auto field = read_field(packet.subspan(header_length), c.form, v[kAcknowledgement], options);
    if (!field) return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
    header_length += *field;
    v[kTsValue] = options.ts_value;
    v[kTsEcho] = options.ts_echo;
  }
  const std::optional<std::size_t> option_octets = length_of(c.form, options.sack_blocks);
  if (!option_octets) return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  const wire::Lengths lengths{c.lengths.ip, static_cast<std::uint8_t>(wire::kTcpHeader + *option_octets)};
  const Octets data = packet.subspan(header_length);
  const std::size_t length = lengths.both() + data.size();
  if (wire::length_field_of(lengths, length) > 0xFFFF) return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);

  std::array<std::uint8_t, wire::kLongestPlainHeader> header;
  std::memcpy(header.data(), c.header.data(), lengths.ip + wire::kTcpHeader);
  apply(h, lengths, v, length, header.data());
  write_options(c.form, options, &header[lengths.ip + wire::kTcpHeader]);
  // "The decompressor MUST verify the decompressed packet by the TCP checksum."
  if (!wire::tcp_checksum_is_right(header.data(), lengths, data) && !mutant("taroc-checksum-not-verified"))
    return refuse(counters_.wrong_checksum, HEADROOM_ERR_CRC);
  if (mutant("taroc-r-octet-updates-context"))
    std::memcpy(c.header.data(), header.data(), lengths.ip + wire::kTcpHeader);
  // "… as the reference value if this packet is not older than the current reference packet": by sequence number, and
  // by acknowledgement number where there is no data.
  const Field age = data.empty() ? kAcknowledgement : kSequence;
  if (wire::distance(c.reference[age], v[age]) >= 0 || mutant("taroc-older-packet-becomes-reference")) {
    c.reference = v;
  } else {
    ++counters_.older;
  }
  if (detail != nullptr) {
    detail->cid = h.cid;
    detail->packet_type = static_cast<std::uint8_t>(PacketType::compressed);
    detail->plain_header = static_cast<std::uint16_t>(lengths.both());
    detail->compressed_header = static_cast<std::uint16_t>(header_length);
  }
  if (p.out_capacity < length) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, header.data(), lengths.both());
  if (!data.empty()) std::memcpy(p.out + lengths.both(), data.data(), data.size());
  p.out_length = static_cast<std::uint32_t>(length);
  ++counters_.compressed;
  return HEADROOM_OK;
}

std::size_t Decompressor::contexts_in_use() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(contexts_.begin(), contexts_.end(), [](const Context& c) { return c.lengths.ip != 0; }));
}

std::size_t Decompressor::memory_bytes() const noexcept {
  return sizeof *this + contexts_.capacity() * sizeof(Context);
}

}  // namespace headroom::taroc
