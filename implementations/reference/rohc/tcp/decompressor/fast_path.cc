// SPDX-License-Identifier: Apache-2.0
//
// The fast path: IPv4 or IPv6 and TCP in Full Context, formats with a CRC of 3 bits, no option but time stamps in the
// irregular chain. Whatever is out of the ordinary is left to the general path, which leaves the same context.
#include <cstring>

#include "rohc/tcp/decompressor/context.h"
#include "rohc/tcp/wire/header_words.h"

namespace headroom::rohc::tcp {

void DecompressorContext::prepare_fast_path() noexcept {
  fast_stamps_ = 0;
  is_fast_ = config_.fast_path && layout_.count == 2 && !control_.ecn_used;
  for (unsigned i = 0; i < list_.count; ++i) {
    const std::uint8_t index = list_.index[i];
    if (index == kSack || (index >= kGeneric && !table_.is_static_item(index)) || (index == kTs && fast_stamps_ != 0))
      is_fast_ = false;
    if (index == kTs) fast_stamps_ = static_cast<std::uint8_t>(layout_.tcp().at + kTcpLength + list_.at[i] + 2);
  }
}

bool DecompressorContext::decompress_fast(const LinkPacket& p, std::span<std::uint8_t> out, Format format,
                                          Decompressed& result) noexcept {
  if (state_ != State::kFullContext || has_crc7(format)) return false;
  const std::size_t fixed = fixed_length(format), length = layout_.octets;
  std::uint8_t head[8] = {p.octets[p.type_place()]};
  wire::Reader in(p.octets.subspan(p.rest_place()));
  const std::uint8_t* const rest = in.take(fixed - 1);
  if (rest == nullptr) return false;
  std::memcpy(head + 1, rest, fixed - 1);
  Values v;
  for (unsigned i = 0; i < kReferences; ++i) v[i] = references_[i];
  if (!read_fixed(format, head, references_, v)) return false;
  const auto msn = static_cast<std::uint16_t>(at(v, Field::kMsn));
  if (static_cast<std::int16_t>(msn - this->msn()) < 0) return false;
  const std::uint32_t fields = carried(format);
  const auto carries = [fields](Field f) { return (fields & mask(f)) != 0; };
  if (carries(Field::kAckScaled)) {
    if (control_.ack_stride == 0) return false;
    at(v, Field::kAck) = at(v, Field::kAckScaled) * control_.ack_stride + ack_residue_;
  }
  std::uint8_t* const octets = spare();
  copy_words(octets, reference(), length);
  const Header& ip = layout_.headers[0];
  const bool v4 = ip.kind == HeaderKind::kIpv4;
  std::uint16_t id = 0;
  if (v4 && ip.ip_id != IpIdBehaviour::kZero)
    id = ip.ip_id == IpIdBehaviour::kRandom
             ? in.two()
             : counting_id(ip.ip_id, static_cast<std::uint16_t>(at(v, Field::kIpId) + msn));
  std::uint8_t* const t = octets + layout_.headers[1].at;
  const std::uint16_t checksum = in.two();
  if (fast_stamps_ != 0) {
    std::uint8_t* const stamps = octets + fast_stamps_;
    store32(stamps, read_ts_lsb(in, load32(stamps)));
    store32(stamps + 4, read_ts_lsb(in, load32(stamps + 4)));
  }
  const Octets payload = in.rest();
  const std::size_t packet = length + payload.size();
  if (!in.ok() || out.size() < packet || packet > 0xffff) return false;
  if (carries(Field::kSeqScaled)) {
    if (payload.empty()) return false;
    at(v, Field::kSeq) = at(v, Field::kSeqScaled) * static_cast<std::uint32_t>(payload.size()) + seq_residue_;
  }
  store64(t + field::kSeq, std::uint64_t{at(v, Field::kSeq)} << 32 | at(v, Field::kAck));
  const std::uint64_t flags = (t[field::kFlags] & flag::kEcn) | flag::kAck | at(v, Field::kPsh) << 3;
  store64(t + field::kOffset, std::uint64_t{t[field::kOffset]} << 56 | flags << 48 |
                                  std::uint64_t{at(v, Field::kWindow)} << 32 | std::uint64_t{checksum} << 16 |
                                  load16(t + field::kUrgent));
  if (v4) {
    set_ipv4_fields(octets, reference(), static_cast<std::uint16_t>(packet), id);
  } else {
    store16(octets + ipv6::kPayloadLength, static_cast<std::uint16_t>(packet - kIpv6Length));
  }
  if (crc3_of_words(octets, length) != at(v, Field::kCrc)) return false;
  if (config_.verify_checksum && !tcp_checksum_is_right(layout_, octets, payload)) return false;

  copy_words(out.data(), octets, length);
  if (!payload.empty()) std::memcpy(out.data() + length, payload.data(), payload.size());
  result.status = Status::kOk;
  result.compressed_header = static_cast<std::uint16_t>(p.octets.size() - payload.size());
  result.plain_header = static_cast<std::uint16_t>(length);
  result.length = static_cast<std::uint32_t>(packet);
  active_ = static_cast<std::uint8_t>(1 - active_);
  control_.msn = msn;
  for (const Field f : {Field::kMsn, Field::kSeq, Field::kAck, Field::kWindow}) at(references_, f) = at(v, f);
  if (v4) at(references_, Field::kIpId) = (counting_id(ip.ip_id, id) - msn) & 0xffffU;
  scale(at(v, Field::kSeq), at(v, Field::kAck), payload.size());
  failures_ <<= 1;
  return true;
}

}  // namespace headroom::rohc::tcp
