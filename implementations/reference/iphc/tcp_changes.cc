// SPDX-License-Identifier: Apache-2.0
#include "iphc/tcp_changes.h"

#include "iphc/wire/tcp.h"
#include "mutants.h"

namespace headroom::iphc {

using namespace wire;

bool has_compressible_flags(const Chain& chain, const std::uint8_t* packet) noexcept {
  return (packet[chain.tcp_at() + kFlags] & (kSyn | kFin | kRst | kAck)) == kAck;
}

TcpForm tcp_form(const Context& context, const Chain& chain, const std::uint8_t* packet, std::size_t total,
                 Changes& c) noexcept {
  const std::uint8_t* const tcp = packet + chain.tcp_at();
  const std::uint8_t* const before = context.header.data() + context.chain.tcp_at();
  const std::size_t length = chain.length_of(chain.count - 1u);
  const std::size_t data = total - chain.length();

  c.window = static_cast<std::uint16_t>(load16(tcp + kWindow) - load16(before + kWindow));
  const std::uint32_t acknowledged = load32(tcp + kAcknowledgement) - load32(before + kAcknowledgement);
  const std::uint32_t sent = load32(tcp + kSequence) - load32(before + kSequence);
  // Before all else, since no other form may stand for a retransmission: "a negative sequence number change probably
  // indicates" one (RFC 1144, note 20).
  if (sent >> 31 != 0) return TcpForm::repair;
  const bool is_urgent = (tcp[kFlags] & kUrg) != 0;
  const bool urgent_changes = load16(tcp + kUrgentPointer) != load16(before + kUrgentPointer);
  // "This packet has no user data (in which case it is probably a duplicate ack or window probe)", or "the previous
  // packet contained user data (which means this packet is a retransmission …)". Options do not count: a time stamp may
  // be new.
  if (sent == 0 && acknowledged == 0 && c.window == 0 && !is_urgent && !urgent_changes &&
      (data == 0 || context.data != 0) && !mutant("iphc-retransmissions-compressed"))
    return TcpForm::repair;
  const auto [ip, at] = chain.parts[chain.count - 2u];
  const std::uint8_t* const ip_before = context.header.data() + context.chain.parts[chain.count - 2u].at;
  const bool tos_changes = ((packet[at + 1u] ^ ip_before[1]) & r_bits_of(ip)) != 0;
  // COMPRESSED_TCP_NODELTA has no R-octet: the traffic class has to be that of the context.
  const TcpForm refused = tos_changes ? TcpForm::full : TcpForm::no_delta;
  if (length != context.chain.length_of(chain.count - 1u)) return refused;  // "Offset: NOCHANGE"
  if (acknowledged > 0xFFFF || sent > 0xFFFF || (urgent_changes && !is_urgent)) return refused;

  c.acknowledgement = static_cast<std::uint16_t>(acknowledged);
  c.sequence = static_cast<std::uint16_t>(sent);
  c.urgent = load16(tcp + kUrgentPointer);
  if (is_urgent) c.flags |= kU;
  if (c.window != 0) c.flags |= kW;
  if (acknowledged != 0) c.flags |= kA;
  if (sent != 0) c.flags |= kS;
  // Read literally, RFC 1144, 3.2.4, clears URG only where no special mask stands: after an urgent packet there is
  // none.
  const bool may_be_special = (before[kFlags] & kUrg) == 0 && !mutant("iphc-no-special-masks");
  switch (c.sawu()) {
    case kEchoed:
    case kUnidirectional:
      return refused;  // the masks that stand for the special cases
    case kS:
      if (may_be_special && sent == context.data) c.flags |= kUnidirectional;
      break;
    case kS | kA:
      if (may_be_special && sent == context.data && acknowledged == context.data)
        c.flags = static_cast<std::uint8_t>((c.flags & ~kSawu) | kEchoed);
      break;
    default:
      break;
  }
  if (ip == Kind::ipv4_of_tcp) {
    c.identification =
        static_cast<std::uint16_t>(load16(packet + at + kIdentification) - load16(ip_before + kIdentification));
    if (c.identification != 1 || mutant("iphc-identification-always")) c.flags |= kI;
  }
  if ((tcp[kFlags] & kPsh) != 0) c.flags |= kP;
  if (length != kTcpHeader && !mutant("iphc-options-not-sent") &&
      std::memcmp(tcp + kTcpHeader, before + kTcpHeader, length - kTcpHeader) != 0)
    c.flags |= kO;
  if (tos_changes || ((tcp[kDataOffset] ^ before[kDataOffset]) & kReservedInOffset) != 0 ||
      ((tcp[kFlags] ^ before[kFlags]) & kReservedInFlags) != 0) {
    c.flags |= kR;
    c.r_octet = r_octet_of(chain, packet);
  }
  c.checksum = load16(tcp + kTcpChecksum);
  return TcpForm::compressed;
}

}  // namespace headroom::iphc
