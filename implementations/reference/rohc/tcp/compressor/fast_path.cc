// SPDX-License-Identifier: Apache-2.0
//
// The fast path: IPv4 or IPv6 and TCP, in a flow of which every field has settled but IP-ID, sequence and
// acknowledgement number, PSH and time stamps. It compares headers by whole words, and makes the same octets as the
// general path and leaves the same context.
#include <cstring>

#include "rohc/tcp/compressor/context.h"
#include "rohc/tcp/wire/header_words.h"

namespace headroom::rohc::tcp {

// Sees whether the next packet may take the fast path, and what it must have in common with this one.
void CompressorContext::prepare_fast_path() noexcept {
  fast_length_ = fast_stamps_ = 0;
  const Index oldest = std::max(next_ - config_.repeats, acked_);
  const std::uint8_t* const t = tcp();
  if (!config_.fast_path || layout_.count != 2 || control_.ecn_used ||
      (t[field::kFlags] & (flag::kUrg | flag::kAck | flag::kRsf)) != flag::kAck)
    return;
  for (unsigned c = 0; c < kChanges; ++c)
    if (c != kSeqScaling && c != kAckScaling && changed_[c] > oldest) return;
  const Header& ip = layout_.headers[0];
  if (!all_references([&](const References& r) {
        return at(r, Field::kWindow) == load16(t + field::kWindow) && at(r, Field::kTtl) == octets_[ttl_place(ip)];
      }))
    return;
  fast_mask_.fill(0xff);
  const auto changes = [this](std::size_t place, std::size_t count) { std::memset(&fast_mask_[place], 0, count); };
  if (ip.kind == HeaderKind::kIpv4) {
    changes(ipv4::kTotalLength, 2);
    if (ip.ip_id != IpIdBehaviour::kZero) changes(ipv4::kId, 2);
    changes(ipv4::kChecksum, 2);
  } else {
    changes(ipv6::kPayloadLength, 2);
  }
  const std::size_t at_tcp = layout_.tcp().at;
  changes(at_tcp + field::kSeq, 8);
  fast_mask_[at_tcp + field::kFlags] = static_cast<std::uint8_t>(~flag::kPsh);
  changes(at_tcp + field::kChecksum, 2);
  for (unsigned i = 0; i < list_.count; ++i) {
    const std::uint8_t index = list_.index[i];
    if (item_changed_[index] > oldest || index == kSack || (index >= kGeneric && !table_.is_static_item(index))) return;
    if (index != kTs) continue;
    fast_stamps_ = static_cast<std::uint8_t>(at_tcp + kTcpLength + list_.at[i] + 2);
    changes(fast_stamps_, 8);
  }
  fast_length_ = static_cast<std::uint8_t>(layout_.octets);
}

// The IP-ID goes on as its behaviour says, without anything for observe_ip_id() to remember.
bool CompressorContext::fast_ip_id(const std::uint8_t* packet, Values& v) const noexcept {
  const IpIdBehaviour b = layout_.headers[0].ip_id;
  if (layout_.headers[0].kind != HeaderKind::kIpv4 || b == IpIdBehaviour::kZero) return true;
  const std::uint16_t id = load16(packet + ipv4::kId), last = load16(octets_.data() + ipv4::kId);
  const auto steps = [&](IpIdBehaviour order) {
    const unsigned step = static_cast<std::uint16_t>(counting_id(order, id) - counting_id(order, last));
    return step - 1U < config_.ip_id_largest_step;
  };
  if (id == 0 || id_steps_ != 0 || id_jumps_ != 0 || id_zeros_ != 0) return false;
  const bool counts = steps(IpIdBehaviour::kSequential);
  if (b == IpIdBehaviour::kRandom) return !counts && !steps(IpIdBehaviour::kSwapped);
  if (b == IpIdBehaviour::kSequential ? !counts : counts || !steps(b)) return false;
  at(v, Field::kIpId) = static_cast<std::uint16_t>(counting_id(b, id) - msn_of(next_));
  return true;
}

bool CompressorContext::compress_fast(Octets packet, std::span<std::uint8_t> out, Compressed& result) noexcept {
  const std::size_t length = fast_length_;
  const std::uint8_t* const p = packet.data();
  if (packet.size() < length) return false;
  std::uint64_t differences = 0;
  std::size_t at_octet = 0;
  for (; at_octet + 8 <= length; at_octet += 8)
    differences |= (load_word<std::uint64_t>(p + at_octet) ^ load_word<std::uint64_t>(octets_.data() + at_octet)) &
                   load_word<std::uint64_t>(fast_mask_.data() + at_octet);
  if (at_octet < length) {  // four octets are left: read again with the four before them
    differences |= (load_word<std::uint64_t>(p + length - 8) ^ load_word<std::uint64_t>(octets_.data() + length - 8)) &
                   load_word<std::uint64_t>(fast_mask_.data() + length - 8);
  }
  if (differences != 0) return false;
  const Header& ip = layout_.headers[0];
  const bool v4 = ip.kind == HeaderKind::kIpv4;
  if (v4 ? load16(p + ipv4::kTotalLength) != packet.size() || !ipv4_checksum_is_inferred(p)
         : load16(p + ipv6::kPayloadLength) != packet.size() - kIpv6Length)
    return false;
  if (!has_feedback_ &&
      (is_ir_due() || (config_.ir_dyn_refresh != 0 && next_ - last_ir_dyn_ >= config_.ir_dyn_refresh)))
    return false;
  const std::uint8_t* const t = p + layout_.headers[1].at;
  const std::uint32_t step = load32(t + field::kAck) - load32(tcp() + field::kAck);
  // A stride may be established: by co_common.
  if (step != 0 && stride_seen_ + 1 >= config_.stride_after && !is_multiple(step, control_.ack_stride)) return false;
  Values v;
  if (!fast_ip_id(p, v)) return false;
  IrregularChoice stamps;
  if (fast_stamps_ != 0) {
    const auto format = [this](std::uint32_t value, std::uint32_t Sent::*sent) {
      unsigned f = 0;
      while (f < kTsTooFar && !all_sent([&](const Sent& s) {
               return in_reach(value, s.*sent, kTsFormats[f].bits, kTsFormats[f].p, 32);
             }))
        ++f;
      return static_cast<std::uint8_t>(f);
    };
    stamps.ts_value = format(load32(p + fast_stamps_), &Sent::ts_value);
    stamps.ts_echo = format(load32(p + fast_stamps_ + 4), &Sent::ts_echo);
    if (stamps.ts_value == kTsTooFar || stamps.ts_echo == kTsTooFar) return false;
  }
  const auto payload = static_cast<std::uint32_t>(packet.size() - length);
  // More than any of the formats takes; a packet with less room goes the general way.
  if (out.size() < cid_.size() + 8 + 2 + 2 + 8 + payload) return false;

  oldest_ = std::max(next_ - config_.repeats, acked_);
  at(v, Field::kMsn) = msn_of(next_);
  at(v, Field::kSeq) = load32(t + field::kSeq);
  at(v, Field::kAck) = load32(t + field::kAck);
  const std::uint32_t candidate = stride_candidate_, seen = stride_seen_;
  observe_numbers(v, step, payload);
  at(v, Field::kPsh) = t[field::kFlags] >> 3 & 1;
  std::uint32_t needed = 0;
  for (const Field f : {Field::kSeq, Field::kAck})
    if (!all_references([&](const References& r) { return at(r, f) == at(v, f); })) needed |= mask(f);
  const Format format = smallest(v, needed, payload != 0);
  const bool numbers_alone =
      format != Format::kNone && format != Format::kRnd7 && !has_crc7(format) && format != Format::kSeq7;
  if (!numbers_alone) {  // the general path observes the numbers again, and finds scaling as it is now
    stride_candidate_ = candidate;
    stride_seen_ = seen;
    return false;
  }

  at(v, Field::kCrc) = crc3_of_words(p, length);
  std::uint8_t head[8];
  write_fixed(format, v, head);
  Writer writer(out);
  wire::write_first_octet(writer, cid_, head[0]);
  writer.octets({head + 1, fixed_length(format) - 1});
  if (v4 && ip.ip_id == IpIdBehaviour::kRandom) writer.two(load16(p + ipv4::kId));
  writer.two(load16(t + field::kChecksum));
  if (fast_stamps_ != 0) {
    write_ts_lsb(writer, load32(p + fast_stamps_), stamps.ts_value);
    write_ts_lsb(writer, load32(p + fast_stamps_ + 4), stamps.ts_echo);
  }
  result.type = type_of(format);
  result.compressed_header = static_cast<std::uint16_t>(writer.size());
  result.plain_header = static_cast<std::uint16_t>(length);
  writer.octets(packet.subspan(length));
  result.length = static_cast<std::uint32_t>(writer.size());

  const auto slot = static_cast<unsigned>(next_ % config_.repeats);
  const auto last = static_cast<unsigned>((next_ - 1) % config_.repeats);
  References& r = references_[slot];
  r = references_[last];
  for (const Field f : {Field::kMsn, Field::kSeq, Field::kAck, Field::kSeqScaled, Field::kAckScaled})
    at(r, f) = at(v, f);
  if (v4 && is_sequential(ip.ip_id)) at(r, Field::kIpId) = at(v, Field::kIpId);
  Sent& sent = sent_[slot];
  sent = sent_[last];
  sent.index = next_;
  if (fast_stamps_ != 0) {
    sent.ts_value = load32(p + fast_stamps_);
    sent.ts_echo = load32(p + fast_stamps_ + 4);
  }
  control_.msn = msn_of(next_);
  copy_words(octets_.data(), p, length);
  ++next_;
  return true;
}

}  // namespace headroom::rohc::tcp
