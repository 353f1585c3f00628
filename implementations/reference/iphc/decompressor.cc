// SPDX-License-Identifier: Apache-2.0
#include "iphc/decompressor.h"

#include <algorithm>
#include <cstring>

#include "iphc/wire/non_tcp.h"
#include "iphc/wire/packet_number.h"
#include "iphc/wire/tcp.h"
#include "mutants.h"

namespace headroom::iphc {
namespace {

using wire::Chain;
using wire::Class;
using wire::Kind;
using wire::Reader;

// Packets of a link that are held at most: a delay of 32 segments is that of 50 ms at 2.6 Mbit/s.
constexpr std::size_t kMostHeld = 32;

// A subheader that a compressed header has as it is (7.13 b): its length is its own.
bool read_as_is(Reader& reader, Kind kind, std::uint8_t* header, std::size_t room, std::size_t& length) noexcept {
  const wire::Octets rest = reader.rest();
  if (rest.size() < wire::kIpv4Header || rest[0] >> 4 != 4) return false;
  length = std::size_t{rest[0] & 0x0Fu} * 4;
  constexpr std::uint16_t kMoreFragmentsOrOffset = 0x3FFF;
  const bool is_fragment = (wire::load16(&rest[wire::kFragmentField]) & kMoreFragmentsOrOffset) != 0;
  if (is_fragment != (kind == Kind::ipv4_fragment) || (!is_fragment && length == wire::kIpv4Header)) return false;
  if (length < wire::kIpv4Header || length > room) return false;
  const std::uint8_t* const at = reader.take(length);
  if (at != nullptr) std::memcpy(header, at, length);
  return at != nullptr;
}

// Restores the subheaders in front of TCP, or all of a non-TCP chain: constant fields are the context's, RANDOM ones
// those of the packet. `identification`: as in the compressor. False: the packet cannot be of this context.
bool restore_front(Reader& reader, const Context& context, std::size_t max_header, bool identification, Chain& chain,
                   std::uint8_t* header) noexcept {
  chain.assign(context.chain);
  if (chain.is_unit() && !identification) {
    wire::copy_header(header, context.header.data(), chain.length());
    return true;
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < chain.count; ++i) {
    const Kind kind = context.chain.parts[i].kind;
    const std::uint8_t* const saved = context.header.data() + context.chain.parts[i].at;
    std::uint8_t* const h = header + at;
    chain.parts[i].at = static_cast<std::uint16_t>(at);
    std::size_t length = context.chain.length_of(i);
    if (wire::is_as_is(kind)) {
      if (!read_as_is(reader, kind, h, max_header - at, length)) return false;
      const bool is_last = i + 1u == chain.count;
      if (!is_last && h[wire::kProtocol] != saved[wire::kProtocol]) return false;
    } else {
      if (at + length > max_header) return false;
      std::memcpy(h, saved, length);
      const bool whole = wire::for_each_field(
          kind, saved, length, [&](Class of, std::size_t field, std::size_t octets) HEADROOM_VISIT {
            const bool is_identification =
                identification && kind == Kind::ipv4_of_tcp && of == Class::unit && field == wire::kIdentification;
            if (of != Class::random && !is_identification) return true;
            const std::uint8_t* const found = reader.take(octets);
            if (found != nullptr) std::memcpy(h + field, found, octets);
            return found != nullptr;
          });
      if (!whole) return false;
    }
    at += length;
  }
  chain.parts[chain.count].at = static_cast<std::uint16_t>(at);
  return true;
}

// What the changes of a compressed header add to the fields of TCP, and to the identification of IPv4.
struct Increments {
  std::uint32_t sequence, acknowledgement;
  std::uint16_t window, identification;

  [[nodiscard]] Increments times(std::uint32_t n) const noexcept {
    return {sequence * n, acknowledgement * n, static_cast<std::uint16_t>(window * n),
            static_cast<std::uint16_t>(identification * n)};
  }
};

// Which of sequence number, acknowledgement number and window change: not 0.
std::uint32_t changed_by(const Increments& n) noexcept {
  return 8U | (n.sequence != 0 ? 1U : 0U) | (n.acknowledgement != 0 ? 2U : 0U) | (n.window != 0 ? 4U : 0U);
}

// True if all headers so far changed the same fields. A lost segment that changed another field by as much has the same
// checksum, so a repair cannot be verified in a stream whose changing fields vary.
bool is_regular(std::uint32_t changed, std::uint32_t now) noexcept {
  for (; changed != 0; changed >>= 4) {
    if ((changed & 15U) != now) return false;
  }
  return true;
}

Increments increments_of(const wire::Changes& c, const Context& context) noexcept {
  Increments n{c.sequence, c.acknowledgement, c.window, c.identification};
  if (c.is_special()) {
    n.sequence = context.data;
    n.acknowledgement = c.sawu() == wire::kEchoed && !mutant("iphc-echo-not-acknowledged") ? context.data : 0;
    n.window = 0;
  }
  return n;
}

void add(const Increments& n, const Chain& chain, std::uint8_t* header) noexcept {
  std::uint8_t* const tcp = header + chain.tcp_at();
  wire::add32(tcp + wire::kSequence, n.sequence);
  wire::add32(tcp + wire::kAcknowledgement, n.acknowledgement);
  wire::add16(tcp + wire::kWindow, n.window);
  const auto [kind, at] = chain.parts[chain.count - 2u];
  if (kind == Kind::ipv4_of_tcp) wire::add16(header + at + wire::kIdentification, n.identification);
}

// True if the receiving TCP accepts the packet. `data_sum` is the sum of what follows the header.
bool is_right(const Chain& chain, const std::uint8_t* header, std::size_t total, std::uint64_t data_sum) noexcept {
  const std::uint64_t sum = wire::pseudo_header_sum(chain, header, total) +
                            wire::sum_of(header + chain.tcp_at(), chain.length() - chain.tcp_at()) + data_sum;
  return wire::folded(sum) == 0xFFFF;
}

}  // namespace

Decompressor::Decompressor(const Config& config) : config_(config), links_(config.channels), chain_{}, header_{} {
  if (!config.reordering) return;
  for (Link& link : links_) link.held.resize(kMostHeld);
}

std::int32_t Decompressor::decompress(headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail) {
  Link& link = links_[p.channel];
  if (config_.reordering && take_by_number(link, p, now_ns, detail)) return p.status;
  return take(link, p, now_ns, detail);
}

std::int32_t Decompressor::take(Link& link, headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail) {
  switch (p.in_type) {
    case kTypeTcp:
      return take_tcp(link, p, now_ns, detail);
    case kTypeTcpNoDelta:
      return take_no_delta(link, p, now_ns, detail);
    case kTypeNonTcp:
      return take_non_tcp(link, p, detail);
    case kTypeFull:
      return take_full(link, p, detail);
    case kTypeIpv4:
    case kTypeIpv6:
      return pass_regular(p, detail);
    case HEADROOM_TYPE_LOST:  // "it cannot say what packet stream it belonged to" (section 3)
      return refuse(counters_.errors, HEADROOM_NOTHING);
    default:
      return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  }
}

std::int32_t Decompressor::pass_regular(headroom_packet& p, headroom_detail* detail) noexcept {
  if (p.in_length == 0) return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  if (p.out_capacity < p.in_length) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, p.in, p.in_length);
  p.out_length = p.in_length;
  ++counters_.regular;
  if (detail != nullptr) detail->packet_type = static_cast<std::uint8_t>(PacketType::regular);
  return HEADROOM_OK;
}

std::int32_t Decompressor::take_full(Link& link, headroom_packet& p, headroom_detail* detail, bool late) {
  const wire::Octets packet{p.in, p.in_length};
  wire::parse(packet, config_.max_header, chain_);
  const auto fields = wire::length_fields(chain_);
  if (fields.first == 0 || chain_.jumbo) return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  std::memcpy(header_.data(), p.in, chain_.length());
  if (!wire::infer(chain_, header_.data(), p.in_length, wire::Behind::full_header))
    return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  if (!wire::has_right_checksums(chain_, header_.data())) return refuse(counters_.malformed, HEADROOM_ERR_CRC);
  std::uint32_t cid = p.in[fields.first + 1];
  if (chain_.has_tcp()) {
    if (!is_tcp_cid(cid)) return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
    if (!late) link.tcp.make(cid).save(chain_, header_.data(), p.in_length);
    link.wanted.reset(cid);
  } else {
    wire::NonTcpFront front;
    if (!wire::read_non_tcp_fields(p.in, fields, front) || !config_.compress_non_tcp ||
        front.cid > config_.non_tcp_space)
      return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
    cid = front.cid;
    DecompressorContext& context = link.non_tcp.make(cid);
    context.save(chain_, header_.data(), p.in_length);
    context.generation = front.generation;
    context.is_current = true;
  }
  const std::int32_t status = pass_on(p, detail, cid, chain_.length(), PacketType::full);
  if (status == HEADROOM_OK) ++counters_.full;
  return status;
}

// "The header must not be decompressed using the current context when … the context for C has a generation other than
// G": discarded immediately (section 9).
std::int32_t Decompressor::take_non_tcp(Link& link, headroom_packet& p, headroom_detail* detail) noexcept {
  Reader reader({p.in, p.in_length});
  wire::NonTcpFront front;
  if (!wire::read_non_tcp_front(reader, front) || front.cid > config_.non_tcp_space)
    return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  const DecompressorContext* const context = link.non_tcp.find(front.cid);
  if (context == nullptr) return refuse(counters_.no_context, HEADROOM_ERR_NO_CONTEXT);
  if (!context->is_current || (context->generation != front.generation && !mutant("iphc-generation-ignored")))
    return refuse(counters_.obsolete, HEADROOM_ERR_STATE);
  if (!restore_front(reader, *context, config_.max_header, false, chain_, header_.data()) ||
      !wire::infer(chain_, header_.data(), chain_.length() + reader.rest().size(), wire::Behind::compressed_header))
    return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  const std::int32_t status = pass_on(p, detail, front.cid, reader.position(), PacketType::non_tcp);
  if (status == HEADROOM_OK) ++counters_.non_tcp;
  return status;
}

void Decompressor::link_was_down() noexcept {
  for (Link& link : links_) link.non_tcp.make_obsolete();
}

std::int32_t Decompressor::take_tcp(Link& link, headroom_packet& p, std::uint64_t now_ns,
                                    headroom_detail* detail) noexcept {
  Reader reader({p.in, p.in_length});
  wire::Changes changes;
  if (!wire::read_front(reader, config_.reordering, changes) || !is_tcp_cid(changes.cid))
    return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  DecompressorContext* const known = link.tcp.find(changes.cid);
  if (known == nullptr)
    return refuse_context(link, p, changes.cid, now_ns, counters_.no_context, HEADROOM_ERR_NO_CONTEXT);
  DecompressorContext& context = *known;
  std::uint8_t* const header = header_.data();
  if (!restore_front(reader, context, config_.max_header, false, chain_, header) ||
      !wire::read_changes(reader, changes))
    return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  const std::size_t options = chain_.length_of(chain_.count - 1u) - wire::kTcpHeader;
  std::uint8_t* const tcp = header + chain_.tcp_at();
  if ((changes.flags & wire::kO) != 0) {
    const std::uint8_t* const found = reader.take(options);
    if (found == nullptr) return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
    std::memcpy(tcp + wire::kTcpHeader, found, options);
  }
  // "The I flag is zero unless an IPv4 header immediately precedes the TCP header."
  if ((changes.flags & wire::kI) != 0 && chain_.parts[chain_.count - 2u].kind != Kind::ipv4_of_tcp)
    return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  const wire::Octets data = reader.rest();
  const std::size_t total = chain_.length() + data.size();

  const Increments increments = increments_of(changes, context);
  add(increments, chain_, header);
  wire::store16(tcp + wire::kTcpChecksum, changes.checksum);
  const bool is_urgent = (changes.flags & wire::kU) != 0 && !changes.is_special();
  if (is_urgent) wire::store16(tcp + wire::kUrgentPointer, changes.urgent);
  const std::uint8_t kept_flags = mutant("iphc-push-stays") ? wire::kPsh : std::uint8_t{0};
  tcp[wire::kFlags] =
      static_cast<std::uint8_t>((tcp[wire::kFlags] & (wire::kReservedInFlags | kept_flags)) | wire::kAck |
                                ((changes.flags & wire::kP) != 0 ? wire::kPsh : 0) | (is_urgent ? wire::kUrg : 0));
  const std::uint8_t kept = wire::r_octet_of(context.chain, context.header.data());
  if ((changes.flags & wire::kR) != 0) wire::put_r_octet(chain_, header, changes.r_octet);
  if (!wire::infer(chain_, header, total, wire::Behind::compressed_header))
    return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  const std::uint32_t changed = context.changed;
  context.changed = (changed << 4) | changed_by(increments);

  bool right = config_.repair == Repair::none;
  if (!right) {
    const std::uint64_t data_sum = wire::sum_of(data.data(), data.size());
    right = is_right(chain_, header, total, data_sum);
    if (!right && config_.repair == Repair::twice && is_regular(changed, changed_by(increments))) {
      // "The delta of the current segment is then added to the context again … or if the delta should be applied once
      // more." Without success the context has it once, as the compressor's has.
      const std::uint32_t most = mutant("iphc-repaired-once") ? 1 : config_.twice;
      for (std::uint32_t again = 0; again < most && !right; ++again) {
        add(increments, chain_, header);
        right = is_right(chain_, header, total, data_sum);
      }
      if (right) {
        ++counters_.repaired;
        if (detail != nullptr) detail->event = static_cast<std::uint8_t>(Event::repaired);
      } else {
        add(increments.times(0 - most), chain_, header);
      }
      (void)wire::infer(chain_, header, total, wire::Behind::compressed_header);
    }
  }
  context.save(chain_, header, total);
  // "The octet passed with the R flag MUST NOT update the context."
  if ((changes.flags & wire::kR) != 0 && !mutant("iphc-r-octet-kept"))
    wire::put_r_octet(context.chain, context.header.data(), kept);
  if (!right) return refuse_context(link, p, changes.cid, now_ns, counters_.wrong_checksum, HEADROOM_ERR_CRC);
  link.wanted.reset(changes.cid);
  const std::int32_t status = pass_on(p, detail, changes.cid, reader.position(), PacketType::tcp);
  if (status == HEADROOM_OK) ++counters_.tcp;
  return status;
}

std::int32_t Decompressor::take_no_delta(Link& link, headroom_packet& p, std::uint64_t now_ns,
                                         headroom_detail* detail) noexcept {
  Reader reader({p.in, p.in_length});
  const std::uint8_t* const cid = reader.take(1);
  // It has no packet sequence number, whose place 11.2 leaves open.
  if (cid == nullptr || !is_tcp_cid(*cid) || config_.reordering)
    return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  Context* const context = link.tcp.find(*cid);
  if (context == nullptr) return refuse_context(link, p, *cid, now_ns, counters_.no_context, HEADROOM_ERR_NO_CONTEXT);
  std::uint8_t* const header = header_.data();
  if (!restore_front(reader, *context, config_.max_header, true, chain_, header))
    return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  // The whole TCP header but for its port numbers, which says itself how long it is.
  constexpr std::size_t kPortNumbers = 4;
  const wire::Octets rest = reader.rest();
  const std::size_t offset_at = wire::kDataOffset - kPortNumbers;
  const std::size_t length = rest.size() > offset_at ? static_cast<std::size_t>(rest[offset_at] >> 4) * 4 : 0;
  const std::uint8_t* const found = length < wire::kTcpHeader ? nullptr : reader.take(length - kPortNumbers);
  if (found == nullptr || chain_.tcp_at() + length > config_.max_header)
    return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  std::memcpy(header + chain_.tcp_at() + kPortNumbers, found, length - kPortNumbers);
  chain_.parts[chain_.count].at = static_cast<std::uint16_t>(chain_.tcp_at() + length);
  const wire::Octets data = reader.rest();
  const std::size_t total = chain_.length() + data.size();
  if (!wire::infer(chain_, header, total, wire::Behind::compressed_header))
    return refuse(counters_.malformed, HEADROOM_ERR_MALFORMED);
  // "The header MUST be saved as context" (7.12.2).
  if (!mutant("iphc-no-delta-not-saved")) context->save(chain_, header, total);
  if (config_.repair != Repair::none && !is_right(chain_, header, total, wire::sum_of(data.data(), data.size())))
    return refuse_context(link, p, *cid, now_ns, counters_.wrong_checksum, HEADROOM_ERR_CRC);
  link.wanted.reset(*cid);
  const std::int32_t status = pass_on(p, detail, *cid, reader.position(), PacketType::tcp_no_delta);
  if (status == HEADROOM_OK) ++counters_.tcp_no_delta;
  return status;
}

bool Decompressor::take_by_number(Link& link, headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail) {
  std::uint8_t cid = 0;
  std::uint16_t number = 0;
  const bool is_full = p.in_type == kTypeFull;
  if (is_full) {
    wire::parse({p.in, p.in_length}, config_.max_header, chain_);
    const auto [first, second] = wire::length_fields(chain_);
    if (first == 0 || !chain_.has_tcp()) return false;
    cid = p.in[first + 1];
    const Context* const context = link.tcp.find(cid);
    number = second != 0          ? static_cast<std::uint16_t>(p.in[second] << 8 | p.in[first])
             : context != nullptr ? wire::nearest_number(context->number, p.in[first])
                                  : p.in[first];
  } else {
    Reader reader({p.in, p.in_length});
    wire::Changes changes;
    if (p.in_type != kTypeTcp || !wire::read_front(reader, true, changes) || changes.number == 0) return false;
    cid = changes.cid;
    number = changes.number;
  }
  Context* const context = link.tcp.find(cid);
  const std::int32_t ahead = context == nullptr ? 1 : wire::distance(context->number, number);
  constexpr std::int32_t kBehindInFullHeaders = 128;  // half of the numbers of an octet
  if (ahead <= 0 && is_full && -ahead < kBehindInFullHeaders) {
    p.status = take_full(link, p, detail, true);
    return true;
  }
  if (ahead <= 0 && !is_full) {
    p.status = refuse(counters_.late, HEADROOM_ERR_STATE);
    return true;
  }
  if (ahead > 1 && static_cast<std::size_t>(ahead) <= kMostHeld) {
    const auto free = std::find_if(link.held.begin(), link.held.end(), [](const Held& h) { return h.octets.empty(); });
    if (free != link.held.end()) {
      free->octets.assign(p.in, p.in + p.in_length);
      free->since_ns = now_ns;
      free->number = number;
      free->type = p.in_type;
      free->cid = cid;
      p.status = refuse(counters_.held, HEADROOM_NOTHING);
      return true;
    }
  }
  p.status = take(link, p, now_ns, detail);
  if (Context* const now = link.tcp.find(cid); now != nullptr) now->number = number;
  p.more = next_held(link, now_ns) != nullptr ? 1 : 0;
  return true;
}

Decompressor::Held* Decompressor::next_held(Link& link, std::uint64_t now_ns) noexcept {
  Held* over = nullptr;
  for (Held& h : link.held) {
    const Context* const context = h.octets.empty() ? nullptr : link.tcp.find(h.cid);
    if (context == nullptr) continue;
    if (wire::distance(context->number, h.number) <= 1) return &h;
    if (now_ns - h.since_ns >= config_.hold_ns) over = &h;
  }
  if (over == nullptr) return nullptr;
  // What was missing does not count any more: the stream goes on from its lowest number.
  Held* lowest = over;
  for (Held& h : link.held) {
    if (!h.octets.empty() && h.cid == over->cid && wire::distance(lowest->number, h.number) < 0) lowest = &h;
  }
  return lowest;
}

std::size_t Decompressor::drain(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                                headroom_detail* details) {
  std::size_t filled = 0;
  for (std::uint32_t channel = 0; channel < links_.size(); ++channel) {
    Link& link = links_[channel];
    while (filled < count) {
      Held* const held = next_held(link, now_ns);
      if (held == nullptr) break;
      headroom_packet p = packets[filled];
      headroom_detail* const detail = details != nullptr ? details + filled : nullptr;
      packets[filled].channel = p.channel = channel;
      p.in = held->octets.data();
      p.in_length = static_cast<std::uint32_t>(held->octets.size());
      p.in_type = held->type;
      Context& context = *link.tcp.find(held->cid);
      if (wire::distance(context.number, held->number) > 0) {
        p.status = take(link, p, now_ns, detail);
        context.number = held->number;
      } else {
        p.status = refuse(counters_.late, HEADROOM_ERR_STATE);
      }
      packets[filled].status = p.status;
      packets[filled].out_length = p.out_length;
      held->octets.clear();
      ++filled;
    }
  }
  return filled;
}

std::uint64_t Decompressor::next_deadline() const noexcept {
  std::uint64_t earliest = HEADROOM_NO_DEADLINE;
  for (const Link& link : links_) {
    for (const Held& h : link.held) {
      if (!h.octets.empty()) earliest = std::min(earliest, h.since_ns + config_.hold_ns);
    }
  }
  return earliest;
}

// "A CONTEXT_STATE packet can indicate that several contexts are out of date, this technique SHOULD be used instead of
// sending several separate packets"; "should limit the rate of transmission" (10.2).
std::int32_t Decompressor::refuse_context(Link& link, const headroom_packet& p, std::uint8_t cid, std::uint64_t now_ns,
                                          std::uint64_t& counter, std::int32_t status) noexcept {
  ++counter;
  if (!config_.feedback) return status;
  link.wanted.set(cid);
  if (now_ns < link.next_request_ns && !mutant("iphc-requests-for-each")) return status;
  link.next_request_ns = now_ns + config_.request_interval_ns;
  std::array<std::uint8_t, wire::kLongestContextState> packet;
  std::size_t count = 0;
  for (std::size_t one = 0; one <= config_.tcp_space && count < wire::kMostRequests; ++one) {
    if (!link.wanted.test(one)) continue;
    link.wanted.reset(one);
    packet[2 + count++] = static_cast<std::uint8_t>(one);
  }
  packet[0] = wire::kTcpHeaderRequest;
  packet[1] = static_cast<std::uint8_t>(count);
  counters_.requests += count;
  reverse_.put(p.channel, {packet.data(), 2 + count});
  return status;
}

std::int32_t Decompressor::pass_on(headroom_packet& p, headroom_detail* detail, std::uint32_t cid,
                                   std::size_t compressed, PacketType type) noexcept {
  const std::size_t length = chain_.length(), data = p.in_length - compressed;
  if (detail != nullptr) {
    detail->cid = cid;
    detail->packet_type = static_cast<std::uint8_t>(type);
    detail->plain_header = static_cast<std::uint16_t>(length);
    detail->compressed_header = static_cast<std::uint16_t>(compressed);
  }
  // Without room the packet is lost, but its changes count: those of the next packet build on them.
  if (p.out_capacity < length + data) return HEADROOM_ERR_NO_SPACE;
  wire::copy_header(p.out, header_.data(), length);
  if (data != 0) std::memcpy(p.out + length, p.in + compressed, data);
  p.out_length = static_cast<std::uint32_t>(length + data);
  return HEADROOM_OK;
}

std::size_t Decompressor::contexts_in_use() const noexcept {
  std::size_t sum = 0;
  for (const Link& link : links_) sum += link.tcp.in_use() + link.non_tcp.in_use();
  return sum;
}

std::size_t Decompressor::memory_bytes() const noexcept {
  std::size_t sum = sizeof *this;
  for (const Link& link : links_) sum += sizeof link + link.tcp.memory_bytes() + link.non_tcp.memory_bytes();
  return sum;
}

}  // namespace headroom::iphc
