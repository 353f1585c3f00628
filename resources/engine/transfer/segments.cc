// SPDX-License-Identifier: Apache-2.0
#include "transfer/segments.h"

#include <algorithm>

namespace headroom::transfer {
namespace {

constexpr std::size_t kIp = 20, kTcp = 20;
constexpr std::uint8_t kProtocolTcp = 6, kAck = 0x10;
constexpr std::uint8_t kNop = 1, kSack = 5;
constexpr std::uint32_t kFixedHost = 0xC612'0001, kMobileHost = 0xC613'0001;  // 198.18.0.1 and 198.19.0.1 (RFC 2544)
constexpr std::uint16_t kFixedPort = 80, kMobilePort = 40000;
constexpr std::uint32_t kFirstSequence = 0x1000'0000;  // of the segments
constexpr std::uint32_t kOfAnswers = 0x2000'0000;      // sequence number of all answers, which carry no data
constexpr std::uint16_t kWindow = 65535;

// Of a packet of `length` octets, in which what follows `packet` is zero. The Internet checksum is the same sum with
// longer words (RFC 1071, 2 (C)).
std::uint16_t tcp_checksum(OctetView packet, std::size_t length) noexcept {
  const OctetView tcp = packet.subspan(kIp);
  std::uint64_t sum = checksum_add(0, packet.subspan(12, 8)) + kProtocolTcp + length - kIp;
  std::size_t i = 0;
  for (; i + 4 <= tcp.size(); i += 4) sum += load32(&tcp[i]);
  sum = (sum & 0xFFFF'FFFF) + (sum >> 32);
  const std::uint32_t folded = checksum_fold(static_cast<std::uint32_t>(sum)) + static_cast<std::uint32_t>(sum >> 32);
  return checksum_finish(checksum_add(folded, tcp.subspan(i)));
}

struct Fields {
  bool from_mobile = false;
  std::uint16_t identification = 0;
  std::uint32_t sequence = 0, acknowledgement = 0;
  std::size_t options = 0, payload = 0;  // octets
};

void make(Octets& packet, const Fields& f) {
  packet.assign(kIp + kTcp + f.options + f.payload, 0);
  std::uint8_t* const ip = packet.data();
  ip[0] = 0x45;
  store16(ip + 2, static_cast<std::uint32_t>(packet.size()));
  store16(ip + 4, f.identification);
  store16(ip + 6, 0x4000);  // Don't Fragment
  ip[8] = 64;
  ip[9] = kProtocolTcp;
  store32(ip + 12, f.from_mobile ? kMobileHost : kFixedHost);
  store32(ip + 16, f.from_mobile ? kFixedHost : kMobileHost);
  store16(ip + 10, checksum_finish(checksum_add(0, OctetView(ip, kIp))));
  std::uint8_t* const tcp = ip + kIp;
  store16(tcp, f.from_mobile ? kMobilePort : kFixedPort);
  store16(tcp + 2, f.from_mobile ? kFixedPort : kMobilePort);
  store32(tcp + 4, f.sequence);
  store32(tcp + 8, f.acknowledgement);
  tcp[12] = static_cast<std::uint8_t>((kTcp + f.options) / 4 << 4);
  tcp[13] = kAck;
  store16(tcp + 14, kWindow);
}

void finish(Octets& packet, std::size_t header) noexcept {
  store16(packet.data() + kIp + 16, tcp_checksum(OctetView(packet).first(header), packet.size()));
}

// True if it is a packet of this connection without IP options, and whole.
bool is_of_connection(OctetView packet, bool from_mobile) noexcept {
  if (packet.size() < kIp + kTcp || packet[0] != 0x45 || load16(&packet[2]) != packet.size()) return false;
  const std::size_t header = std::size_t{packet[kIp + 12]} / 16 * 4;
  if (header < kTcp || kIp + header > packet.size() || packet[9] != kProtocolTcp) return false;
  return load32(&packet[12]) == (from_mobile ? kMobileHost : kFixedHost) &&
         load32(&packet[16]) == (from_mobile ? kFixedHost : kMobileHost);
}

}  // namespace

bool SegmentFormat::has_right_checksums(OctetView packet) noexcept {
  return checksum_fold(checksum_add(0, packet.first(kIp))) == 0xFFFF && tcp_checksum(packet, packet.size()) == 0;
}

void SegmentFormat::write(const Segment& segment, Octets& packet) const {
  Fields f;
  f.identification = segment.identification;
  f.sequence = kFirstSequence + static_cast<std::uint32_t>(segment.number * mss_);
  f.acknowledgement = kOfAnswers;
  f.payload = mss_;
  make(packet, f);
  finish(packet, kHeaders);
}

void SegmentFormat::write(const Answer& answer, Octets& packet) const {
  const auto sequence_of = [this](std::uint64_t number) {
    return kFirstSequence + static_cast<std::uint32_t>(number * mss_);
  };
  const std::span<const SackBlock> blocks = answer.acknowledgement.reported();
  Fields f;
  f.from_mobile = true;
  f.identification = answer.identification;
  f.sequence = kOfAnswers;
  f.acknowledgement = sequence_of(answer.acknowledgement.expected);
  f.options = header_of(answer) - kHeaders;
  make(packet, f);
  if (!blocks.empty()) {  // RFC 2018, 3, after two NOPs that align it
    std::uint8_t* option = packet.data() + kIp + kTcp;
    *option++ = kNop;
    *option++ = kNop;
    *option++ = kSack;
    *option++ = static_cast<std::uint8_t>(2 + 8 * blocks.size());
    for (const SackBlock& block : blocks) {
      store32(option, sequence_of(block.begin));
      store32(option + 4, sequence_of(block.end));
      option += 8;
    }
  }
  finish(packet, packet.size());
}

std::optional<std::uint64_t> SegmentFormat::number_in(std::uint32_t sequence, std::uint64_t near) const noexcept {
  const auto expected = kFirstSequence + static_cast<std::uint32_t>(near * mss_);
  const std::int64_t octets = static_cast<std::int32_t>(sequence - expected);
  if (octets % mss_ != 0) return std::nullopt;
  const std::int64_t number = static_cast<std::int64_t>(near) + octets / mss_;
  return number < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(number));
}

template <>
std::optional<Segment> SegmentFormat::parse<Segment>(OctetView packet, std::uint64_t near) const {
  if (packet.size() != kHeaders + mss_ || !is_of_connection(packet, false)) return std::nullopt;
  const std::optional<std::uint64_t> number = number_in(load32(&packet[kIp + 4]), near);
  if (!number) return std::nullopt;
  return Segment{*number, load16(&packet[4])};
}

template <>
std::optional<Answer> SegmentFormat::parse<Answer>(OctetView packet, std::uint64_t near) const {
  if (!is_of_connection(packet, true)) return std::nullopt;
  Answer answer;
  answer.identification = load16(&packet[4]);
  const std::optional<std::uint64_t> expected = number_in(load32(&packet[kIp + 8]), near);
  if (!expected) return std::nullopt;
  answer.acknowledgement.expected = *expected;
  const OctetView options = packet.subspan(kIp + kTcp);
  if (options.empty()) return answer;
  if (options.size() < 12 || options[2] != kSack || options[3] != options.size() - 2) return std::nullopt;
  for (std::size_t at = 4; at + 8 <= options.size() && answer.acknowledgement.block_count < kMostBlocks; at += 8) {
    const auto begin = number_in(load32(&options[at]), near), end = number_in(load32(&options[at + 4]), near);
    if (!begin || !end || *begin >= *end) return std::nullopt;
    answer.acknowledgement.blocks[answer.acknowledgement.block_count++] = {*begin, *end};
  }
  return answer;
}

}  // namespace headroom::transfer
