// SPDX-License-Identifier: Apache-2.0
#include "rohc/tcp/decompressor/context.h"

#include <bit>
#include <cstring>

#include "mutants.h"
#include "rohc/framework/wire/cid.h"
#include "rohc/framework/wire/crc.h"

namespace headroom::rohc::tcp {
namespace {

constexpr std::size_t kLargestPacket =
    65535;  // IPv4's total length; a larger payload length of IPv6 needs its header, too

// CRC-8 of an IR header, which ends at `length`; its CRC field counts as zero (RFC 5795, 5.3.1.1).
std::uint8_t header_crc(Octets octets, std::size_t crc_place, std::size_t length) noexcept {
  constexpr std::uint8_t kZero = 0;
  const std::uint8_t state = wire::crc8({&kZero, 1}, wire::crc8(octets.first(crc_place)));
  return wire::crc8(octets.subspan(crc_place + 1, length - crc_place - 1), state);
}

Status status_of(ChainStatus s) noexcept {
  switch (s) {
    case ChainStatus::kOk:
      return Status::kOk;
    case ChainStatus::kTooLong:
      return Status::kTooLong;
    case ChainStatus::kUnknownItem:
      return Status::kUnknownItem;
    case ChainStatus::kMalformed:
      break;
  }
  return Status::kMalformed;
}

bool is_too_long(const Layout& layout, std::size_t payload) noexcept {
  const std::size_t before = layout.headers[0].kind == HeaderKind::kIpv6 ? kIpv6Length : 0;
  return layout.octets + payload - before > kLargestPacket;
}

}  // namespace

bool DecompressorContext::is_ir_cr(const LinkPacket& p) noexcept {
  return p.octets.size() > p.type_place() && p.octets[p.type_place()] == kIrCrOctet;
}

std::optional<BaseReference> DecompressorContext::base_of(const LinkPacket& p) noexcept {
  if (p.octets.size() < p.rest_place() + 3) return std::nullopt;
  wire::Reader in(p.octets.subspan(p.rest_place() + 2));
  if (in.octet() >> 7 == 0) return BaseReference{};
  if (p.large_cids) {
    const auto cid = wire::read_large_cid(in);
    if (!cid) return std::nullopt;
    return BaseReference{false, *cid};
  }
  const std::uint8_t octet = in.octet();
  if (!in.ok() || octet >> 4 != 0) return std::nullopt;
  return BaseReference{false, octet};
}

Decompressed DecompressorContext::decompress(const LinkPacket& p, std::span<std::uint8_t> out,
                                             const DecompressorContext* base) noexcept {
  Decompressed result;
  if (p.octets.size() < p.rest_place()) return result;
  const std::uint8_t first = p.octets[p.type_place()];
  if (first == kIrOctet) return decompress_ir(p, out, false);
  if (first == kIrCrOctet) return decompress_ir_cr(p, out, base);
  if (first == kIrDynOctet) return decompress_ir(p, out, true);
  if (state_ == State::kNoContext) return fail(result, Status::kNoContext, false);
  const Format format = format_of(first, is_sequential(layout_.inner().ip_id));
  if (format == Format::kNone) return result;
  result.type = type_of(format);
  if (is_fast_ && decompress_fast(p, out, format, result)) return result;
  if (state_ == State::kStaticContext && !has_crc7(format) && !mutant("tcp-crc3-in-static-context")) {
    result.status = Status::kNoContext;
    result.due_feedback = DueFeedback::kNack;
    return result;
  }
  return decompress_co(p, out, format);
}

Decompressed DecompressorContext::decompress_ir(const LinkPacket& p, std::span<std::uint8_t> out,
                                                bool dynamic) noexcept {
  Decompressed result;
  result.type = dynamic ? PacketType::kIrDyn : PacketType::kIr;
  if (p.octets.size() < p.rest_place() + 2 || p.octets[p.rest_place()] != kProfileOctet)
    return fail(result, Status::kMalformed, true);
  if (dynamic && state_ == State::kNoContext) return fail(result, Status::kNoContext, true);
  const std::size_t crc_place = p.rest_place() + 1;
  wire::Reader in(p.octets.subspan(crc_place + 1));
  Rebuilt r;
  r.has_list = true;
  r.control = control_;
  ChainStatus status = ChainStatus::kOk;
  if (dynamic) {
    r.layout = layout_;
    std::memcpy(spare(), reference(), layout_.octets);
  } else {
    status = read_static_chain(in, r.layout, spare());
  }
  if (status == ChainStatus::kOk) status = read_dynamic_chain(in, r.layout, spare(), r.control, r.received, r.list);
  if (status != ChainStatus::kOk) return fail(result, status_of(status), true);
  const std::size_t header = p.octets.size() - in.remaining();
  if (header_crc(p.octets, crc_place, header) != p.octets[crc_place]) return fail(result, Status::kCrc, true);
  const Octets payload = in.rest();
  if (is_too_long(r.layout, payload.size())) return fail(result, Status::kMalformed, true);
  infer_fields(r.layout, spare(), r.layout.octets + payload.size());
  // The CRC of an IR-DYN packet does not cover static fields, which may be those of another flow.
  if (dynamic && config_.verify_checksum && !tcp_checksum_is_right(r.layout, spare(), payload))
    return fail(result, Status::kChecksum, true);
  result.compressed_header = static_cast<std::uint16_t>(header);
  result.due_feedback = DueFeedback::kAck;
  result = deliver(r, payload, out, result);
  if (result.status == Status::kOk) adopt(r, r.control.msn, payload.size());
  return result;
}

Decompressed DecompressorContext::decompress_ir_cr(const LinkPacket& p, std::span<std::uint8_t> out,
                                                   const DecompressorContext* base) noexcept {
  Decompressed result;
  result.type = PacketType::kIrCr;
  const auto reference_cid = base_of(p);
  if (!reference_cid || p.octets[p.rest_place()] != kProfileOctet) return fail(result, Status::kMalformed, true);
  if (reference_cid->is_own) base = this;
  if (base == nullptr || base->state_ == State::kNoContext) return fail(result, Status::kNoBase, true);
  const std::size_t crc_place = p.rest_place() + 1;
  wire::Reader in(p.octets.subspan(crc_place + 1));
  const std::uint8_t crc = in.octet() & 0x7f;
  if (!reference_cid->is_own) (void)(p.large_cids ? wire::read_sdvl(in).value : in.octet());
  Rebuilt r;
  r.control = base->control_;
  const ChainStatus status = read_replicate_chain(in, base->layout_, base->reference(), base->options(), r.layout,
                                                  spare(), r.control, r.has_list, r.received, r.list);
  if (status != ChainStatus::kOk) return fail(result, status_of(status), true);
  const std::size_t header = p.octets.size() - in.remaining();
  const Octets payload = in.rest();
  if (is_too_long(r.layout, payload.size())) return fail(result, Status::kMalformed, true);
  infer_fields(r.layout, spare(), r.layout.octets + payload.size());
  // Two CRCs: over the packet's header, and over the original one (RFC 4164, 3.5.1).
  const bool is_right = wire::crc7({spare(), r.layout.octets}) == crc || mutant("tcp-replica-not-verified");
  if (header_crc(p.octets, crc_place, header) != p.octets[crc_place] || !is_right)
    return fail(result, Status::kCrc, true);
  if (config_.verify_checksum && !tcp_checksum_is_right(r.layout, spare(), payload))
    return fail(result, Status::kChecksum, true);
  result.compressed_header = static_cast<std::uint16_t>(header);
  result.due_feedback = DueFeedback::kAck;
  result = deliver(r, payload, out, result);
  if (result.status != Status::kOk) return result;
  if (base != this) {
    save_items(table_ = base->table_, base->list_, base->options().options);
    list_ = OptionList{};
  }
  adopt(r, r.control.msn, payload.size());
  return result;
}

Status DecompressorContext::parse_co(const LinkPacket& p, Format format, Rebuilt& r, Octets& payload) noexcept {
  const std::size_t fixed = fixed_length(format);
  std::uint8_t head[8] = {p.octets[p.type_place()]};
  wire::Reader in(p.octets.subspan(p.rest_place()));
  const std::uint8_t* rest = in.take(fixed - 1);
  if (rest == nullptr) return Status::kMalformed;
  std::memcpy(head + 1, rest, fixed - 1);
  Values& v = r.values;
  for (unsigned i = 0; i < kReferences; ++i) v[i] = references_[i];
  r.layout = layout_;
  r.control = control_;
  Header& inner = r.layout.inner();
  const bool v4 = inner.kind == HeaderKind::kIpv4;
  at(v, Field::kRsf) = 0;
  at(v, Field::kListPresent) = 0;
  at(v, Field::kEcnUsed) = control_.ecn_used ? 1 : 0;
  at(v, Field::kAckFlag) = 1;
  at(v, Field::kUrgFlag) = 0;
  at(v, Field::kOuterTtl) = 0;
  if (!read_fixed(format, head, references_, v)) return Status::kMalformed;
  if (format == Format::kCommon) {
    if (!read_common_rest(in, references_, v)) return Status::kMalformed;
    const auto behaviour = static_cast<IpIdBehaviour>(at(v, Field::kBehaviour));
    if (!v4 && (behaviour != IpIdBehaviour::kRandom || at(v, Field::kDf) != 0)) return Status::kMalformed;
    inner.ip_id = behaviour;
    if (at(v, Field::kStrideIndicator) != 0) r.control.ack_stride = static_cast<std::uint16_t>(at(v, Field::kStride));
    if (at(v, Field::kIpIdIndicator) != 0 && is_sequential(behaviour)) {
      const std::uint16_t id = counting_id(behaviour, static_cast<std::uint16_t>(at(v, Field::kIpId)));
      at(v, Field::kIpId) = (id - at(v, Field::kMsn)) & 0xffff;
    }
  }
  r.control.msn = static_cast<std::uint16_t>(at(v, Field::kMsn));
  r.control.ecn_used = at(v, Field::kEcnUsed) != 0;
  const std::uint32_t fields = carried(format);
  const auto carries = [fields](Field f) { return (fields & mask(f)) != 0; };
  if (carries(Field::kAckScaled)) {
    if (control_.ack_stride == 0) return Status::kMalformed;  // "ENFORCE(ack_stride.UVALUE != 0)"
    at(v, Field::kAck) = at(v, Field::kAckScaled) * control_.ack_stride + ack_residue_;
  }
  r.has_list = at(v, Field::kListPresent) != 0;
  if (r.has_list && !read_list(in, at(v, Field::kAck), false, r.received)) return Status::kMalformed;
  std::uint8_t* const octets = spare();
  std::memcpy(octets, reference(), layout_.tcp().at + kTcpLength);
  if (!read_irregular_chain(in, r.layout, octets, {r.control.ecn_used, at(v, Field::kOuterTtl) != 0, 0}))
    return Status::kMalformed;
  if (r.has_list || list_.count != 0) {
    const OptionStatus status = build_options(&in, r.has_list ? &r.received : nullptr, options(), at(v, Field::kAck),
                                              octets + layout_.tcp().at + kTcpLength, r.list);
    if (status != OptionStatus::kOk)
      return status == OptionStatus::kMalformed ? Status::kMalformed : Status::kUnknownItem;
    r.layout.set_options(r.list.octets);
  }
  payload = in.rest();
  if (carries(Field::kSeqScaled)) {
    if (payload.empty()) return Status::kMalformed;  // "ENFORCE(payload_size != 0)"
    at(v, Field::kSeq) = at(v, Field::kSeqScaled) * static_cast<std::uint32_t>(payload.size()) + seq_residue_;
  }
  return is_too_long(r.layout, payload.size()) ? Status::kMalformed : Status::kOk;
}

void DecompressorContext::place_ip_id(const Rebuilt& r, std::uint16_t offset, std::uint16_t msn) noexcept {
  const Header& inner = r.layout.inner();
  if (inner.kind != HeaderKind::kIpv4 || !is_sequential(inner.ip_id)) return;
  store16(spare() + inner.at + ipv4::kId, counting_id(inner.ip_id, static_cast<std::uint16_t>(offset + msn)));
}

// Puts the fields of the base header where they belong.
void DecompressorContext::place_fields(const Rebuilt& r, std::size_t packet) noexcept {
  const Values& v = r.values;
  const Header& inner = r.layout.inner();
  std::uint8_t* const octets = spare();
  octets[ttl_place(inner)] = static_cast<std::uint8_t>(at(v, Field::kTtl));
  place_ip_id(r, static_cast<std::uint16_t>(at(v, Field::kIpId)), r.control.msn);
  std::uint8_t* const t = octets + r.layout.tcp().at;
  t[field::kFlags] =
      static_cast<std::uint8_t>((t[field::kFlags] & flag::kEcn) | at(v, Field::kUrgFlag) << 5 |
                                at(v, Field::kAckFlag) << 4 | at(v, Field::kPsh) << 3 | kRsfFlags[at(v, Field::kRsf)]);
  store32(t + field::kSeq, at(v, Field::kSeq));
  store32(t + field::kAck, at(v, Field::kAck));
  store16(t + field::kWindow, static_cast<std::uint16_t>(at(v, Field::kWindow)));
  infer_fields(r.layout, octets, packet);
}

bool DecompressorContext::verifies(const Rebuilt& r, Format format) noexcept {
  const Octets header{spare(), r.layout.octets};
  if (mutant("tcp-crc3-not-verified") && !has_crc7(format)) return true;
  return at(r.values, Field::kCrc) == (has_crc7(format) ? wire::crc7(header) : wire::crc3(header));
}

// True if the packet is older than the reference, so that it need not update the context (5.3.1.1). LSBs that lie
// behind the reference are also those of a packet behind a loss of 12 to 15; then sequence or acknowledgement numbers
// went on, and `msn` is put right.
bool DecompressorContext::is_older(const Rebuilt& r, std::uint16_t& msn) const noexcept {
  const auto distance = [&](Field f) { return static_cast<std::int32_t>(at(r.values, f) - at(references_, f)); };
  if (static_cast<std::int16_t>(msn - this->msn()) >= 0) return false;
  if (distance(Field::kSeq) >= 0 && distance(Field::kAck) >= 0 && distance(Field::kSeq) + distance(Field::kAck) != 0) {
    msn = static_cast<std::uint16_t>(msn + 16);
    return false;
  }
  return true;
}

Decompressed DecompressorContext::decompress_co(const LinkPacket& p, std::span<std::uint8_t> out,
                                                Format format) noexcept {
  Decompressed result;
  result.type = type_of(format);
  Rebuilt r;
  Octets payload;
  if (const Status status = parse_co(p, format, r, payload); status != Status::kOk) return fail(result, status, false);
  if (format == Format::kCommon) {
    const Values& v = r.values;
    const Header& inner = r.layout.inner();
    if (at(v, Field::kUrgentPresent) != 0)
      store16(spare() + r.layout.tcp().at + field::kUrgent, static_cast<std::uint16_t>(at(v, Field::kUrgent)));
    if (inner.kind == HeaderKind::kIpv4)
      store16(spare() + inner.at + ipv4::kFragment, static_cast<std::uint16_t>(at(v, Field::kDf) << 14));
    if (at(v, Field::kDscpPresent) != 0)
      set_tos(inner, spare(), static_cast<std::uint8_t>(at(v, Field::kDscp) << 2 | (tos_of(inner, spare()) & 3)));
  }
  const std::size_t length = r.layout.octets + payload.size();
  place_fields(r, length);
  std::uint16_t msn = r.control.msn;
  bool ok = verifies(r, format), repaired = false;
  if (!ok && config_.repair_msn && state_ == State::kFullContext && is_sequential(r.layout.inner().ip_id) &&
      format != Format::kCommon) {
    msn = static_cast<std::uint16_t>(msn + 16);
    place_ip_id(r, static_cast<std::uint16_t>(at(r.values, Field::kIpId)), msn);
    infer_fields(r.layout, spare(), length);
    ok = repaired = verifies(r, format);
  }
  if (!ok) return fail(result, Status::kCrc, false);
  if ((repaired || config_.verify_checksum) && !tcp_checksum_is_right(r.layout, spare(), payload))
    return fail(result, Status::kChecksum, false);
  result.compressed_header = static_cast<std::uint16_t>(p.octets.size() - payload.size());
  result.due_feedback = has_crc7(format) ? DueFeedback::kAck : DueFeedback::kNone;
  result = deliver(r, payload, out, result);
  if (result.status != Status::kOk) return result;
  if (!repaired && is_older(r, msn)) {
    succeed();
  } else {
    adopt(r, msn, payload.size());
  }
  return result;
}

Decompressed DecompressorContext::deliver(const Rebuilt& r, Octets payload, std::span<std::uint8_t> out,
                                          Decompressed result) noexcept {
  const std::size_t length = r.layout.octets + payload.size();
  if (out.size() < length) {
    result.status = Status::kNoSpace;
    result.due_feedback = DueFeedback::kNone;
    return result;
  }
  std::memcpy(out.data(), spare(), r.layout.octets);
  if (!payload.empty()) std::memcpy(out.data() + r.layout.octets, payload.data(), payload.size());
  result.plain_header = r.layout.octets;
  result.length = static_cast<std::uint32_t>(length);
  result.status = Status::kOk;
  return result;
}

// Makes the rebuilt headers the reference.
void DecompressorContext::adopt(const Rebuilt& r, std::uint16_t msn, std::size_t payload) noexcept {
  if (r.has_list) {
    if (list_.count != 0) save_items(table_, list_, options().options);
    for (unsigned i = 0; i < r.received.count; ++i)
      if ((r.received.present >> i & 1) != 0)
        table_.set_static(r.received.index[i], (r.received.is_static >> i & 1) != 0);
  }
  active_ = static_cast<std::uint8_t>(1 - active_);
  layout_ = r.layout;
  list_ = r.list;
  control_ = r.control;
  control_.msn = msn;
  const std::uint8_t* const octets = reference();
  const std::uint8_t* const t = octets + layout_.tcp().at;
  const Header& inner = layout_.inner();
  const std::uint32_t seq = load32(t + field::kSeq), ack = load32(t + field::kAck);
  at(references_, Field::kMsn) = msn;
  at(references_, Field::kSeq) = seq;
  at(references_, Field::kAck) = ack;
  at(references_, Field::kWindow) = load16(t + field::kWindow);
  at(references_, Field::kTtl) = octets[ttl_place(inner)];
  if (inner.kind == HeaderKind::kIpv4)  // whatever its behaviour: the next packet may change it
    at(references_, Field::kIpId) = (counting_id(inner.ip_id, load16(octets + inner.at + ipv4::kId)) - msn) & 0xffffU;
  scale(seq, ack, payload);
  has_msn_ = true;
  prepare_fast_path();
  succeed();
}

// field_scaling (8.2): what scaled numbers of later packets are relative to.
void DecompressorContext::scale(std::uint32_t seq, std::uint32_t ack, std::size_t payload) noexcept {
  const auto keep = [this](Field f, std::uint32_t& residue, Scaled scaled) {
    at(references_, f) = scaled.value;
    residue = scaled.residue;
  };
  if (payload != 0) {  // without one, the scaling of earlier packets stays
    const Scaled last{at(references_, Field::kSeqScaled), seq_residue_};
    keep(Field::kSeqScaled, seq_residue_, tcp::scale(seq, static_cast<std::uint32_t>(payload), last));
  }
  const std::uint32_t stride = control_.ack_stride;
  const Scaled last{at(references_, Field::kAckScaled), ack_residue_};
  keep(Field::kAckScaled, ack_residue_, stride == 0 ? Scaled{0, ack} : tcp::scale(ack, stride, last));
}

void DecompressorContext::succeed() noexcept {
  failures_ = state_ == State::kFullContext ? failures_ << 1 : 0;
  state_ = State::kFullContext;
}

// Counts a failure and says what would help. `static_packet`: IR, IR-DYN or IR-CR.
Decompressed DecompressorContext::fail(Decompressed result, Status status, bool static_packet) noexcept {
  result.status = status;
  const auto damaged = [this](unsigned k, unsigned n) {
    const std::uint32_t last = n >= 32 ? failures_ : failures_ & ((1U << n) - 1);
    return static_cast<unsigned>(std::popcount(last)) >= k;
  };
  failures_ = failures_ << 1 | 1;
  if (status == Status::kTooLong) {
    result.due_feedback = DueFeedback::kContextMemory;
  } else if (state_ == State::kNoContext) {
    result.due_feedback = DueFeedback::kStaticNack;
  } else if (status == Status::kUnknownItem) {
    result.due_feedback = DueFeedback::kNack;
  } else if (state_ == State::kFullContext) {
    if (damaged(config_.dynamic_k, config_.dynamic_n)) {
      state_ = State::kStaticContext;
      failures_ = 0;
      result.due_feedback = DueFeedback::kNack;
    }
  } else if (damaged(config_.static_k, config_.static_n)) {
    state_ = State::kNoContext;
    failures_ = 0;
    result.due_feedback = DueFeedback::kStaticNack;
  } else if (!static_packet) {
    result.due_feedback = DueFeedback::kNack;
  }
  return result;
}

Feedback DecompressorContext::feedback_for(DueFeedback due_feedback) const noexcept {
  Feedback f;
  f.msn_valid = has_msn_;
  f.ack = due_feedback == DueFeedback::kAck    ? AckType::kAck
          : due_feedback == DueFeedback::kNack ? AckType::kNack
                                               : AckType::kStaticNack;
  f.context_memory = due_feedback == DueFeedback::kContextMemory;
  return f;
}

}  // namespace headroom::rohc::tcp
