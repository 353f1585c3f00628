// SPDX-License-Identifier: Apache-2.0
#include "rohc/tcp/compressor/context.h"

#include <cstring>

#include "mutants.h"
#include "rohc/framework/wire/crc.h"

namespace headroom::rohc::tcp {
namespace {

// Formats by length, for a random or zero IP-ID or IPv6, and for a sequential IP-ID.
constexpr Format kCandidates[2][8] = {{Format::kRnd2, Format::kRnd4, Format::kRnd3, Format::kRnd1, Format::kRnd6,
                                       Format::kRnd5, Format::kRnd7, Format::kRnd8},
                                      {Format::kSeq4, Format::kSeq2, Format::kSeq1, Format::kSeq3, Format::kSeq6,
                                       Format::kSeq5, Format::kSeq7, Format::kSeq8}};
constexpr std::size_t kVariableOctets[] = {0, 1, 2, 4};  // variable_length_32_enc

// Puts the CRC-8 of an IR header where it belongs; the field is 0 so far.
void set_crc8(Writer& out, std::size_t place) noexcept {
  if (out.ok()) out.begin()[place] = wire::crc8(out.written());
}

}  // namespace

CompressorContext::CompressorContext(const CompressorConfig& config, const wire::CidOctets& cid, bool large_cids,
                                     std::uint32_t cid_number, std::uint16_t msn) noexcept
    : config_(config),
      cid_(cid),
      cid_number_(cid_number),
      first_msn_(static_cast<std::uint16_t>(msn - kMostRepeats)),
      large_cids_(large_cids) {}

Compressed CompressorContext::compress(Octets packet, std::span<std::uint8_t> out,
                                       const CompressorContext* base) noexcept {
  Compressed result;
  if (compress_predicted(packet, out, result)) return result;
  Layout layout;
  result.unfit = find_headers(packet, layout);
  return result.unfit == Unfit::kNone ? compress(packet, layout, out, base) : result;
}

Compressed CompressorContext::compress(Octets packet, const Layout& layout, std::span<std::uint8_t> out,
                                       const CompressorContext* base) noexcept {
  Compressed result;
  Now now;
  now.packet = packet;
  now.layout = layout;
  now.tcp = packet.data() + now.layout.tcp().at;
  now.payload = packet.size() - now.layout.octets;
  unsigned numbers = 0;
  for (unsigned i = 0; i < now.layout.count; ++i) numbers += sequence_place(now.layout.headers[i], packet.data()) != 0;
  const bool new_flow = !is_same_flow(now.layout, packet.data());
  // Until its options are known to make a list, a packet of another flow changes nothing.
  if (numbers > 2 || !find_options(now)) {
    result.unfit = Unfit::kTooLong;
    return result;
  }
  if (new_flow) {
    start_flow(now);
    now.list = OptionList{};
    (void)find_options(now);
  }
  observe(now);
  Writer writer(out);
  const bool refresh = !has_feedback_ && (ir_due_ || is_ir_due());
  bool ir = refresh || !is_settled(kStatic);
  Format format = Format::kNone;
  if (!ir) {
    const bool dynamic =
        !is_settled(kDynamic) || !now.numbers_reach ||
        (!has_feedback_ &&
         (ir_dyn_due_ || (config_.ir_dyn_refresh != 0 && next_ - last_ir_dyn_ >= config_.ir_dyn_refresh)));
    if (!dynamic) format = choose(now);
    result.type = type_of(format);
    // If all IR packets of this flow were lost, the CRC of an IR-DYN packet would not show that the context is
    // another's.
    if (format == Format::kNone) {
      result.type = PacketType::kIrDyn;
      ir = is_reused_;
    }
  }
  if (ir) {
    result.type = can_replicate_from(now, base) && !is_settled(kStatic) ? PacketType::kIrCr : PacketType::kIr;
  }
  switch (result.type) {
    case PacketType::kIr:
    case PacketType::kIrDyn:
      write_ir(writer, now, result.type == PacketType::kIrDyn);
      break;
    case PacketType::kIrCr:
      write_ir_cr(writer, now, *base);
      break;
    default:
      write_co(writer, now, format);
      break;
  }
  result.compressed_header = static_cast<std::uint16_t>(writer.size());
  result.plain_header = now.layout.octets;
  writer.octets(packet.subspan(now.layout.octets));
  result.length = static_cast<std::uint32_t>(writer.size());
  result.no_space = !writer.ok();
  if (new_flow && result.no_space) layout_ = Layout{};  // so that the next packet begins the flow again
  if (result.no_space) return result;
  commit(now, result.type);
  if (refresh) {
    is_reused_ = false;
    ir_period_ = ir_period_ > config_.ir_refresh / 2 ? config_.ir_refresh : 2 * ir_period_;
  }
  prepare_fast_path();
  return result;
}

// The smallest format that carries what must be sent (5.2.1.1); kNone if not even co_common does.
Format CompressorContext::choose(Now& now) const noexcept {
  Values& v = now.values;
  const unsigned flags = now.tcp[field::kFlags];
  at(v, Field::kRsf) = rsf_index(flags);
  if (at(v, Field::kRsf) == kNoRsfIndex) return Format::kNone;
  at(v, Field::kPsh) = flags >> 3 & 1;
  at(v, Field::kAckFlag) = flags >> 4 & 1;
  at(v, Field::kUrgFlag) = flags >> 5 & 1;
  at(v, Field::kEcnUsed) = control_.ecn_used ? 1 : 0;
  at(v, Field::kListPresent) = now.needs_list ? 1 : 0;
  std::uint32_t needed = 0;
  for (const Field f : {Field::kSeq, Field::kAck, Field::kWindow, Field::kTtl})
    if (!all_references([&](const References& r) { return at(r, f) == at(v, f); })) needed |= mask(f);
  if (at(v, Field::kRsf) != 0) needed |= mask(Field::kRsf);
  if (now.needs_list) needed |= mask(Field::kListPresent);
  if (!is_settled(kEcnUsed)) needed |= mask(Field::kEcnUsed);
  fill_common(now);
  const bool common = at(v, Field::kAckFlag) == 0 || at(v, Field::kUrgFlag) != 0 || at(v, Field::kDscpPresent) != 0 ||
                      !is_settled(kFlags) || !is_settled(kDf) || !is_settled(kBehaviour) ||
                      at(v, Field::kUrgentPresent) != 0 || at(v, Field::kStrideIndicator) != 0 ||
                      at(v, Field::kOuterTtl) != 0;
  if (common) return Format::kCommon;
  const Format f = smallest(v, needed, now.payload != 0);
  return f == Format::kNone || fixed_length(f) > common_length(now) ? Format::kCommon : f;
}

// The first of the formats by length that carries the `needed` fields, for each reference; kNone if there is none but
// co_common.
Format CompressorContext::smallest(const Values& v, std::uint32_t needed, bool has_payload) const noexcept {
  const bool seq_scaled = has_payload && is_settled(kSeqScaling);
  const bool ack_scaled = control_.ack_stride != 0 && is_settled(kAckScaling);
  for (const Format f : kCandidates[is_sequential(layout_.inner().ip_id) ? 1 : 0]) {
    std::uint32_t fields = carried(f);
    if ((fields & mask(Field::kSeqScaled)) != 0) {
      if (!seq_scaled) continue;
      fields |= mask(Field::kSeq);
    }
    if ((fields & mask(Field::kAckScaled)) != 0) {
      if (!ack_scaled) continue;
      fields |= mask(Field::kAck);
    }
    if ((needed & ~fields) == 0 && reaches(f, v, references_.data(), config_.repeats)) return f;
  }
  return Format::kNone;
}

// The flags of co_common.
void CompressorContext::fill_common(Now& now) const noexcept {
  Values& v = now.values;
  const Header& inner = now.layout.inner();
  const std::uint8_t* const ip = now.packet.data() + inner.at;
  at(v, Field::kOuterTtl) = now.irregular.outer_ttl && !mutant("tcp-outer-ttl-untold") ? 1 : 0;
  at(v, Field::kSeqIndicator) = indicator_of(Field::kSeq, at(v, Field::kSeq), references_.data(), config_.repeats);
  at(v, Field::kAckIndicator) = indicator_of(Field::kAck, at(v, Field::kAck), references_.data(), config_.repeats);
  at(v, Field::kStrideIndicator) = is_settled(kStride) || mutant("tcp-stride-not-told") ? 0 : 1;
  at(v, Field::kStride) = control_.ack_stride;
  const auto same = [&](Field f) { return all_references([&](const References& r) { return at(r, f) == at(v, f); }); };
  at(v, Field::kWindowIndicator) = same(Field::kWindow) ? 0 : 1;
  at(v, Field::kTtlPresent) = same(Field::kTtl) ? 0 : 1;
  at(v, Field::kIpIdIndicator) =
      is_sequential(layout_.inner().ip_id) &&
      (!is_settled(kBehaviour) || !reaches_short_ip_id(at(v, Field::kIpId), references_.data(), config_.repeats));
  at(v, Field::kUrgentPresent) = is_settled(kUrgent) ? 0 : 1;
  at(v, Field::kUrgent) = load16(now.tcp + field::kUrgent);
  at(v, Field::kDscpPresent) = is_settled(kDscp) ? 0 : 1;
  at(v, Field::kDscp) = tos_of(inner, now.packet.data()) >> 2;
  const bool v4 = inner.kind == HeaderKind::kIpv4;
  at(v, Field::kBehaviour) = static_cast<std::uint32_t>(v4 ? layout_.inner().ip_id : IpIdBehaviour::kRandom);
  at(v, Field::kDf) = v4 ? ip[ipv4::kFragment] >> 6 & 1 : 0;
}

std::size_t CompressorContext::common_length(const Now& now) const noexcept {
  const Values& v = now.values;
  const std::size_t id = is_sequential(layout_.inner().ip_id) ? 1 + at(v, Field::kIpIdIndicator) : 0;
  return fixed_length(Format::kCommon) + kVariableOctets[at(v, Field::kSeqIndicator)] +
         kVariableOctets[at(v, Field::kAckIndicator)] + id +
         2 * (at(v, Field::kStrideIndicator) + at(v, Field::kWindowIndicator) + at(v, Field::kUrgentPresent)) +
         at(v, Field::kDscpPresent) + at(v, Field::kTtlPresent);
}

void CompressorContext::write_ir(Writer& out, Now& now, bool dynamic) noexcept {
  wire::write_first_octet(out, cid_, dynamic ? kIrDynOctet : kIrOctet);
  out.octet(kProfileOctet);
  const std::size_t crc = out.size();
  out.octet(0);
  if (!dynamic) write_static_chain(out, now.layout, now.packet.data());
  control_.msn = msn_of(next_);
  write_dynamic_chain(out, now.layout, now.packet.data(), control_, control_.ack_stride != 0, now.list, table_);
  set_crc8(out, crc);
}

bool CompressorContext::can_replicate_from(const Now& now, const CompressorContext* base) const noexcept {
  return base != nullptr && base != this && config_.replicate && may_replicate_ && base->is_base() &&
         can_replicate(base->layout_, base->octets_.data(), now.layout, now.packet.data(), control_);
}

void CompressorContext::write_ir_cr(Writer& out, Now& now, const CompressorContext& base) noexcept {
  wire::write_first_octet(out, cid_, kIrCrOctet);
  out.octet(kProfileOctet);
  const std::size_t crc = out.size();
  out.octet(0);
  out.octet(static_cast<std::uint8_t>(0x80 | wire::crc7(now.packet.first(now.layout.octets))));  // B = 1
  if (large_cids_) {
    const wire::CidOctets octets = wire::make_cid_octets(true, base.cid_number_);
    out.octets({octets.after, octets.after_count});
  } else {
    out.octet(static_cast<std::uint8_t>(base.cid_number_));
  }
  control_.msn = msn_of(next_);
  // X = 0 for what the base context has acknowledged, with the same content.
  std::uint16_t present = 0;
  for (unsigned i = 0; i < now.list.count; ++i) {
    const std::uint8_t index = now.list.index[i];
    const Octets mine{now.tcp + kTcpLength + now.list.at[i], now.list.length[i]}, item = base.options().item(index);
    const bool same = index != kTs && index < kSack && base.item_changed_[index] <= base.crc_acked_ &&
                      item.size() == mine.size() && std::memcmp(item.data(), mine.data(), mine.size()) == 0;
    if (!same) present = static_cast<std::uint16_t>(present | 1U << i);
  }
  write_replicate_chain(out, base.layout_, base.octets_.data(), now.layout, now.packet.data(), control_, true, now.list,
                        present, table_);
  set_crc8(out, crc);
}

void CompressorContext::write_co(Writer& out, Now& now, Format format) noexcept {
  const Octets headers = now.packet.first(now.layout.octets);
  Values& v = now.values;
  at(v, Field::kCrc) =
      has_crc7(format) ? wire::crc7(mutant("tcp-crc7-over-payload") ? now.packet : headers) : wire::crc3(headers);
  if (format == Format::kCommon && at(v, Field::kIpIdIndicator) != 0)
    at(v, Field::kIpId) = load16(now.packet.data() + now.layout.inner().at + ipv4::kId);
  std::uint8_t head[8];
  write_fixed(format, v, head);
  wire::write_first_octet(out, cid_, head[0]);
  out.octets({head + 1, fixed_length(format) - 1});
  if (format == Format::kCommon) write_common_rest(out, v);
  const std::uint32_t ack = at(v, Field::kAck);
  const std::uint8_t* const all = now.tcp + kTcpLength;
  const bool with_list = now.needs_list;
  const auto option = [&](unsigned i) { return Octets{all + now.list.at[i], now.list.length[i]}; };
  if (with_list) {
    write_list(out, now.list, now.present);
    for (unsigned i = 0; i < now.list.count; ++i)
      if ((now.present >> i & 1) != 0)
        write_item(out, now.list.index[i], option(i), table_.is_static_item(now.list.index[i]), ack);
  }
  write_irregular_chain(out, now.layout, now.packet.data(), now.irregular);
  for (unsigned i = 0; i < now.list.count; ++i)
    if ((now.present >> i & 1) == 0)
      write_irregular_item(out, now.list.index[i], option(i), table_.is_static_item(now.list.index[i]), now.choice,
                           ack);
}

// The packet has been sent: the decompressor may have it as its reference.
void CompressorContext::commit(const Now& now, PacketType type) noexcept {
  if (type == PacketType::kIr) {
    is_replica_ = false;
    last_ir_ = next_;
    ir_due_ = false;
    // A decompressor may begin a new item table with it (6.3.2 leaves that open): what it does not list is sent again.
    for (std::uint8_t index = 0; index < kTableItems; ++index)
      if (std::memchr(now.list.index.data(), index, now.list.count) == nullptr) item_changed_[index] = kGone;
  }
  if (type == PacketType::kIr || type == PacketType::kIrDyn) {
    last_ir_dyn_ = next_;
    ir_dyn_due_ = false;
  }
  replicates_ = type == PacketType::kIrCr;
  is_replica_ = is_replica_ || replicates_;
  control_.msn = msn_of(next_);
  layout_ = now.layout;
  list_ = now.list;
  std::memcpy(octets_.data(), now.packet.data(), now.layout.octets);
  const bool first = changed_[kStatic] == next_;
  const unsigned slot = static_cast<unsigned>(next_ % config_.repeats);
  Sent sent = sent_[static_cast<unsigned>((next_ - 1) % config_.repeats)];  // without the option, the time stamps stay
  sent.index = next_;
  for (unsigned i = 0; i < list_.count; ++i) {
    if (list_.index[i] != kTs) continue;
    sent.ts_value = load32(now.tcp + kTcpLength + list_.at[i] + 2);
    sent.ts_echo = load32(now.tcp + kTcpLength + list_.at[i] + 6);
  }
  unsigned number = 0;
  for (unsigned i = 0; i < layout_.count; ++i)
    if (const std::size_t place = sequence_place(layout_.headers[i], octets_.data()); place != 0)
      sent.numbers[number++] = load32(octets_.data() + place);
  References r;
  for (unsigned i = 0; i < kReferences; ++i) r[i] = now.values[i];
  const Header& inner = layout_.inner();
  if (inner.kind == HeaderKind::kIpv4 && is_sequential(inner.ip_id)) {
    at(r, Field::kIpId) =
        (counting_id(inner.ip_id, load16(octets_.data() + inner.at + ipv4::kId)) - msn_of(next_)) & 0xffffU;
  }
  if (first) {
    sent_.fill(sent);
    references_.fill(r);
  } else {
    sent_[slot] = sent;
    references_[slot] = r;
  }
  ++next_;
}

bool CompressorContext::is_base() const noexcept {
  for (const Change c : {kStatic, kDynamic, kDscp, kDf, kBehaviour, kUrgent, kEcnUsed, kOuterTtl})
    if (crc_acked_ == 0 || changed_[c] > crc_acked_) return false;
  return all_references(
      [this](const References& r) { return at(r, Field::kTtl) == octets_[ttl_place(layout_.inner())]; });
}

void CompressorContext::feedback(const Feedback& f) noexcept {
  if (next_ == kMostRepeats) return;  // nothing has been sent
  has_feedback_ = true;
  fast_length_ = 0;
  const AckType meaning = f.meaning();
  bool knows_static = true;
  if (f.msn_valid && meaning != AckType::kStaticNack) {
    // The latest packet whose MSN has those LSBs.
    const std::uint32_t bits_mask = f.msn_bits >= 16 ? 0xffffU : (1U << f.msn_bits) - 1;
    const std::uint32_t back =
        mutant("tcp-old-ack-believed") ? 0 : (static_cast<std::uint32_t>(last_msn()) - f.msn) & bits_mask;
    if (back < next_ - kMostRepeats) {
      const Index index = next_ - 1 - back;
      if (index < changed_[kStatic]) {
        knows_static = false;
      } else if (index > acked_) {
        acked_ = index;
        if (meaning == AckType::kAck) is_reused_ = false;
        if (f.has_crc || mutant("tcp-base-without-crc")) crc_acked_ = index;
        // Older packets are no references any more; the acknowledged one stands in for them.
        for (unsigned i = 0; i < config_.repeats; ++i) {
          const unsigned slot = static_cast<unsigned>(index % config_.repeats);
          if (sent_[slot].index == index && sent_[i].index < index) {
            sent_[i] = sent_[slot];
            references_[i] = references_[slot];
          }
        }
      }
    }
  }
  oldest_ = std::max(next_ - config_.repeats, acked_);
  if (meaning == AckType::kNack && is_settled(kDynamic) && is_settled(kStatic)) mark(knows_static ? kDynamic : kStatic);
  if (meaning == AckType::kAck) {
    may_replicate_ = true;
    is_replica_ = false;
  }
  if (meaning == AckType::kStaticNack && (is_settled(kStatic) || replicates_)) {
    may_replicate_ = replicates_ = false;
    restart();
  }
}

void CompressorContext::restart() noexcept {
  mark(kStatic);
  crc_acked_ = 0;
  table_ = ItemTable{};
  item_changed_.fill(next_);
}

void CompressorContext::reinitialize() noexcept {
  has_feedback_ = false;
  fast_length_ = 0;
  restart();
}

void CompressorContext::forget() noexcept {
  reinitialize();
  is_forgotten_ = true;
}

}  // namespace headroom::rohc::tcp
