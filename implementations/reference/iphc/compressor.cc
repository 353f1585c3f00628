// SPDX-License-Identifier: Apache-2.0
#include "iphc/compressor.h"

#include <algorithm>
#include <cstring>

#include "iphc/wire/context_state.h"
#include "iphc/wire/non_tcp.h"
#include "iphc/wire/packet_number.h"
#include "iphc/wire/tcp.h"
#include "mutants.h"

namespace headroom::iphc {
namespace {

using wire::Chain;
using wire::Class;
using wire::Kind;

// A context whose last full header is so many packets back has reached the decompressor, or its header request would
// have come: what a request asks for after that are the fields that change.
constexpr std::uint32_t kSurelyEstablished = 32;

// Writes the RANDOM fields of the subheaders, TCP left out, "in the same order as they occur in the full header".
// `identification`: also that of an IPv4 header in front of TCP, which is RANDOM without differential coding (7.12.2).
std::uint8_t* write_random(const Chain& chain, const std::uint8_t* packet, bool identification,
                           std::uint8_t* at) noexcept {
  for (std::size_t i = 0; i < chain.count; ++i) {
    const Kind kind = chain.parts[i].kind;
    if (kind == Kind::tcp || (kind == Kind::ipv4_of_tcp && !identification)) continue;
    const std::uint8_t* const h = packet + chain.parts[i].at;
    if (mutant("iphc-zero-udp-checksum-random") && kind == Kind::udp && wire::load16(h + 6) == 0) {
      wire::store16(at, 0);
      at += 2;
    }
    wire::for_each_field(kind, h, chain.length_of(i),
                         [&](Class of, std::size_t field, std::size_t octets) HEADROOM_VISIT {
                           const bool is_identification = kind == Kind::ipv4_of_tcp && field == wire::kIdentification;
                           if (of == Class::random || is_identification) {
                             std::memcpy(at, h + field, octets);
                             at += octets;
                           }
                           return true;
                         });
  }
  return at;
}

}  // namespace

Compressor::Compressor(const Config& config) : config_(config), scratch_{} {
  links_.reserve(config.channels);
  for (std::uint32_t i = 0; i < config.channels; ++i)
    links_.push_back({ContextTable(config.tcp_space + 1),
                      ContextTable(std::min(config.non_tcp_space, wire::kMostSmallCid) + 1),
                      ContextTable(std::max(config.non_tcp_space, wire::kMostSmallCid) - wire::kMostSmallCid)});
}

std::int32_t Compressor::compress(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail) {
  booted_at_ = std::min(booted_at_, now_ns);
  const wire::Octets packet{p.in, p.in_length};
  Link& link = links_[p.channel];
  const std::uint32_t guess = link.tcp.guess(packet);
  if (guess != ContextTable::kNone && continues(link.tcp[guess], packet)) {
    const Chain& chain = link.tcp[guess].chain;
    const bool is_compressible = has_compressible_flags(chain, p.in) && wire::is_inferable(chain, packet);
    return is_compressible ? continue_tcp(p, detail, link, guess, chain, true) : send_regular(p, detail);
  }
  Chain chain;
  wire::parse(packet, config_.max_header, chain);
  if (!wire::is_inferable(chain, packet)) return send_regular(p, detail);
  if (!chain.has_tcp()) return compress_non_tcp(p, now_ns, detail, link, chain);
  if (!config_.compress_tcp || !has_compressible_flags(chain, p.in)) return send_regular(p, detail);
  std::uint32_t cid = link.tcp.find(chain, p.in);
  if (cid == ContextTable::kNone) {
    if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
    cid = link.tcp.reclaim();
    ++counters_.new_streams;
    if (!link.tcp[cid].is_empty()) ++counters_.replaced_streams;
    return send_full_tcp(p, detail, link, cid, chain);
  }
  link.tcp.remember(packet, cid);
  return continue_tcp(p, detail, link, cid, chain, same_unchanging(link.tcp[cid], chain, p.in));
}

std::int32_t Compressor::continue_tcp(headroom_packet& p, headroom_detail* detail, Link& link, std::uint32_t cid,
                                      const Chain& chain, bool same) noexcept {
  const CompressorContext& context = link.tcp[cid];
  wire::Changes changes;
  TcpForm form = same ? tcp_form(context, chain, p.in, p.in_length, changes) : TcpForm::full;
  if (!context.is_valid && form != TcpForm::full && form != TcpForm::repair) {
    const bool r_bits =
        ((wire::r_octet_of(chain, p.in) ^ wire::r_octet_of(context.chain, context.header.data())) & 3) != 0;
    form = context.since_full < kSurelyEstablished || r_bits ? TcpForm::full : TcpForm::no_delta;
  }
  switch (form) {
    case TcpForm::compressed:
      changes.cid = static_cast<std::uint8_t>(cid);
      changes.number = mutant("iphc-number-zero-used") ? static_cast<std::uint16_t>(context.number + 1)
                                                       : wire::next_number(context.number);
      return send_compressed_tcp(p, detail, link, cid, chain, changes);
    case TcpForm::no_delta:
      if (config_.no_delta && !config_.reordering) return send_no_delta(p, detail, link, cid, chain);
      break;
    case TcpForm::repair:
      ++counters_.resynchronised;
      break;
    case TcpForm::full:
      break;
  }
  return send_full_tcp(p, detail, link, cid, chain);
}

std::int32_t Compressor::send_regular(headroom_packet& p, headroom_detail* detail) noexcept {
  if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, p.in, p.in_length);
  p.out_length = p.in_length;
  p.out_type = p.in[0] >> 4 == 6 ? kTypeIpv6 : kTypeIpv4;
  ++counters_.regular;
  if (detail != nullptr) detail->packet_type = static_cast<std::uint8_t>(PacketType::regular);
  return HEADROOM_OK;
}

// "We can use the length fields in full headers to pass the values of the CID and the generation" (5.3).
template <typename Put>
std::int32_t Compressor::send_full(headroom_packet& p, headroom_detail* detail, CompressorContext& context,
                                   std::uint32_t cid, const Chain& chain, Put&& put) noexcept {
  if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, p.in, p.in_length);
  put(wire::length_fields(chain), p.out);
  p.out_length = p.in_length;
  p.out_type = kTypeFull;
  context.save(chain, p.in, p.in_length);
  context.is_valid = true;
  context.since_full = 0;
  ++counters_.full;
  if (detail != nullptr) {
    detail->cid = cid;
    detail->packet_type = static_cast<std::uint8_t>(PacketType::full);
    detail->plain_header = detail->compressed_header = static_cast<std::uint16_t>(chain.length());
  }
  return HEADROOM_OK;
}

std::int32_t Compressor::send_full_tcp(headroom_packet& p, headroom_detail* detail, Link& link, std::uint32_t cid,
                                       const Chain& chain) noexcept {
  CompressorContext& context = link.tcp[cid];
  const std::uint16_t number = config_.reordering ? wire::next_number(context.number) : std::uint16_t{0};
  const std::int32_t status = send_full(p, detail, context, cid, chain, [&](const auto& fields, std::uint8_t* packet) {
    wire::store16(packet + fields.first, (number & 0xFFu) << 8 | cid);
    if (fields.second != 0 && !mutant("iphc-second-length-field-kept"))
      wire::store16(packet + fields.second, number & 0xFF00u);
  });
  if (status != HEADROOM_OK) return status;
  context.number = number;
  link.tcp.touch(cid);
  return status;
}

// The rules of 3.3.3.
std::int32_t Compressor::compress_non_tcp(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail, Link& link,
                                          const Chain& chain) {
  // A header that is sent as it is would only become longer.
  const bool is_worthwhile = chain.count > 1 || !wire::is_as_is(chain.parts[0].kind);
  const bool waits = now_ns - booted_at_ < config_.boot_wait_ns && !mutant("iphc-no-wait");
  if (!config_.compress_non_tcp || !is_worthwhile || waits) return send_regular(p, detail);
  if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
  const bool is_large = config_.non_tcp_space > wire::kMostSmallCid && wire::length_fields(chain).second != 0;
  ContextTable& contexts = is_large ? link.large : link.non_tcp;
  std::uint32_t slot = contexts.find(chain, p.in);
  const bool is_new = slot == ContextTable::kNone;
  if (is_new) slot = contexts.reclaim();
  CompressorContext& context = contexts[slot];
  const std::uint32_t cid = is_large ? slot + wire::kMostSmallCid + 1 : slot;
  const bool is_unused = context.is_empty();
  const bool changes = is_new || !same_unchanging(context, chain, p.in);
  // "A compressor MUST increment the generation value by one when using the CID for a new non-TCP packet stream"
  // (section 8). "Instead of reusing a generation value too soon, a compressor may … send regular headers" (3.3).
  if (changes && !is_unused && !mutant("iphc-generation-stays") && !context.increment_generation(now_ns)) {
    ++counters_.wraps_avoided;
    return send_regular(p, detail);
  }
  contexts.touch(slot);
  const std::uint64_t most_time_ns = std::uint64_t{config_.f_max_time} * 1'000'000'000;
  bool is_full = changes;
  if (changes) {
    context.period = 1;
    if (is_new) ++counters_.new_streams;
    if (is_new && !is_unused) ++counters_.replaced_streams;
  } else if (context.since_full >= context.period) {
    constexpr std::uint32_t kInfinite = 1u << 30;
    if (!mutant("iphc-period-not-doubled")) context.period *= 2;
    context.period = std::min(context.period, config_.f_max_period != 0 ? config_.f_max_period : kInfinite);
    is_full = true;
  } else if (most_time_ns != 0 && now_ns > context.full_at + most_time_ns) {
    is_full = true;
  }
  const wire::NonTcpFront front{cid, context.generation};
  if (is_full) {
    context.full_at = now_ns;
    return send_full(p, detail, context, cid, chain, [&](const auto& fields, std::uint8_t* packet) {
      wire::write_non_tcp_fields(front, fields, packet);
    });
  }
  std::uint8_t* const at = write_random(chain, p.in, false, wire::write_non_tcp_front(front, scratch_.data()));
  const std::int32_t status = finish(p, detail, cid, chain, scratch_.data(),
                                     static_cast<std::size_t>(at - scratch_.data()), PacketType::non_tcp);
  if (status != HEADROOM_OK) return status;
  ++context.since_full;
  ++counters_.non_tcp;
  return status;
}

std::int32_t Compressor::send_compressed_tcp(headroom_packet& p, headroom_detail* detail, Link& link, std::uint32_t cid,
                                             const Chain& chain, const wire::Changes& changes) noexcept {
  // With ample room, as the engine promises, the header is written where it belongs.
  const std::size_t data = p.in_length - chain.length();
  std::uint8_t* const header = p.out_capacity >= scratch_.size() + data ? p.out : scratch_.data();
  std::uint8_t* at = wire::write_front(changes, config_.reordering, header);
  if (!chain.is_unit()) at = write_random(chain, p.in, false, at);
  at = wire::write_changes(changes, at);
  if ((changes.flags & wire::kO) != 0) {
    const std::size_t options = chain.length_of(chain.count - 1u) - wire::kTcpHeader;
    std::memcpy(at, p.in + chain.tcp_at() + wire::kTcpHeader, options);
    at += options;
  }
  const std::int32_t status =
      finish(p, detail, cid, chain, header, static_cast<std::size_t>(at - header), PacketType::tcp);
  if (status != HEADROOM_OK) return status;
  CompressorContext& context = link.tcp[cid];
  // "The octet passed with the R flag MUST NOT update the context."
  const bool has_r = (changes.flags & wire::kR) != 0;
  const std::uint8_t kept = has_r ? wire::r_octet_of(context.chain, context.header.data()) : std::uint8_t{0};
  context.save(chain, p.in, p.in_length);
  context.number = changes.number;
  if (has_r && !mutant("iphc-r-octet-updates-context")) wire::put_r_octet(context.chain, context.header.data(), kept);
  ++context.since_full;
  link.tcp.touch(cid);
  ++counters_.tcp;
  return HEADROOM_OK;
}

// "CID, RANDOM fields, whole TCP header except for Port Numbers" (6 b).
std::int32_t Compressor::send_no_delta(headroom_packet& p, headroom_detail* detail, Link& link, std::uint32_t cid,
                                       const Chain& chain) noexcept {
  std::uint8_t* at = scratch_.data();
  *at++ = static_cast<std::uint8_t>(cid);
  at = write_random(chain, p.in, true, at);
  constexpr std::size_t kPortNumbers = 4;
  const std::size_t rest = chain.length_of(chain.count - 1u) - kPortNumbers;
  std::memcpy(at, p.in + chain.tcp_at() + kPortNumbers, rest);
  at += rest;
  const std::int32_t status = finish(p, detail, cid, chain, scratch_.data(),
                                     static_cast<std::size_t>(at - scratch_.data()), PacketType::tcp_no_delta);
  if (status != HEADROOM_OK) return status;
  CompressorContext& context = link.tcp[cid];
  context.save(chain, p.in, p.in_length);
  // A second request of the same kind is answered by a full header.
  if (!context.is_valid) context.since_full = 0;
  context.is_valid = true;
  link.tcp.touch(cid);
  ++counters_.tcp_no_delta;
  return HEADROOM_OK;
}

std::int32_t Compressor::finish(headroom_packet& p, headroom_detail* detail, std::uint32_t cid, const Chain& chain,
                                const std::uint8_t* header, std::size_t length, PacketType type) noexcept {
  const std::size_t data = p.in_length - chain.length();
  if (p.out_capacity < length + data) return HEADROOM_ERR_NO_SPACE;
  if (header != p.out) std::memcpy(p.out, header, length);
  if (data != 0) std::memcpy(p.out + length, p.in + chain.length(), data);
  p.out_length = static_cast<std::uint32_t>(length + data);
  p.out_type = type == PacketType::tcp ? kTypeTcp : type == PacketType::tcp_no_delta ? kTypeTcpNoDelta : kTypeNonTcp;
  if (detail != nullptr) {
    detail->cid = cid;
    detail->packet_type = static_cast<std::uint8_t>(type);
    detail->plain_header = static_cast<std::uint16_t>(chain.length());
    detail->compressed_header = static_cast<std::uint16_t>(length);
  }
  return HEADROOM_OK;
}

std::int32_t Compressor::take_context_state(std::uint32_t channel, wire::Octets packet) noexcept {
  const std::optional<wire::Octets> cids = wire::requested_cids(packet);
  if (!cids) {
    ++counters_.bad_requests;
    const bool is_other_type = !packet.empty() && packet[0] != wire::kTcpHeaderRequest;
    return is_other_type ? HEADROOM_ERR_UNSUPPORTED : HEADROOM_ERR_MALFORMED;
  }
  ContextTable& contexts = links_[channel].tcp;
  for (const std::uint8_t cid : *cids) {
    if (cid >= contexts.size()) continue;  // of no stream: there is nothing to refresh
    contexts[cid].is_valid = mutant("iphc-requests-ignored");
    ++counters_.requested;
  }
  return HEADROOM_OK;
}

std::size_t Compressor::contexts_in_use() const noexcept {
  std::size_t sum = 0;
  for (const Link& link : links_) sum += link.tcp.size() + link.non_tcp.size() + link.large.size();
  return sum;
}

std::size_t Compressor::memory_bytes() const noexcept {
  std::size_t sum = sizeof *this;
  for (const Link& link : links_)
    sum += link.tcp.memory_bytes() + link.non_tcp.memory_bytes() + link.large.memory_bytes();
  return sum;
}

}  // namespace headroom::iphc
