// SPDX-License-Identifier: Apache-2.0
#include "rohc/tcp/wire/headers.h"

#include <cstring>

namespace headroom::rohc::tcp {
namespace {

// Protocol numbers, of which kind_of() has a table in the order of HeaderKind.
constexpr std::uint8_t kHopByHop = 0, kIpv4 = 4, kTcp = 6, kIpv6 = 41, kRouting = 43, kGre = 47, kAh = 51, kMine = 55,
                       kDestination = 60;
constexpr std::uint16_t kGreUncompressed = 0x4fff;  // R, reserved0 and version "=:= uncompressed_value(…, 0)"
constexpr std::uint16_t kEtherIpv4 = 0x0800, kEtherIpv6 = 0x86dd;

// Length of the header that `rest` begins with, or 0 if it is truncated or its length field is impossible.
std::size_t length_of(HeaderKind kind, Octets rest) noexcept {
  if (rest.size() < 8) return 0;
  std::size_t length = 0;
  switch (kind) {
    case HeaderKind::kIpv4:
      length = kIpv4Length;
      break;
    case HeaderKind::kIpv6:
      length = kIpv6Length;
      break;
    case HeaderKind::kHopByHop:
    case HeaderKind::kRouting:
    case HeaderKind::kDestination:
      length = std::size_t{rest[1]} * 8 + 8;
      break;
    case HeaderKind::kAh:
      length = rest[1] == 0 ? 0 : std::size_t{rest[1]} * 4 + 8;
      break;
    case HeaderKind::kGre:
      length = 4 + 4 * (std::size_t{rest[0]} >> 7) + 4 * (rest[0] >> 5 & 1U) + 4 * (rest[0] >> 4 & 1U);
      break;
    case HeaderKind::kMine:
      length = rest[1] >> 7 != 0 ? 12 : 8;
      break;
    case HeaderKind::kTcp:
      if (rest.size() < kTcpLength) return 0;
      length = std::size_t{rest[field::kOffset]} >> 4 << 2;
      if (length < kTcpLength) return 0;
      break;
  }
  return length <= rest.size() ? length : 0;
}

// True if the checksum at `place` is the one that infer_fields() writes: of 0 and 0xffff, which both add up, the
// former.
bool is_inferred(const std::uint8_t* header, std::size_t length, std::size_t place) noexcept {
  return sum_of(header, length) == 0xffff && load16(header + place) != 0xffff;
}

// Checks the fields of a header that no format transmits. `length` is that of the header.
Unfit check(HeaderKind kind, Octets rest, std::size_t length) noexcept {
  const std::uint8_t* p = rest.data();
  switch (kind) {
    case HeaderKind::kIpv4:
      if (p[0] != 0x45) return p[0] >> 4 == 4 ? Unfit::kNotDefault : Unfit::kMalformed;
      if (load16(p + ipv4::kTotalLength) != rest.size()) return Unfit::kMalformed;
      if ((load16(p + ipv4::kFragment) & 0xbfff) != 0 || !is_inferred(p, kIpv4Length, ipv4::kChecksum))
        return Unfit::kNotDefault;
      break;
    case HeaderKind::kIpv6:
      if (p[0] >> 4 != 6 || load16(p + ipv6::kPayloadLength) != rest.size() - kIpv6Length) return Unfit::kMalformed;
      break;
    case HeaderKind::kGre:
      if ((load16(p) & kGreUncompressed) != 0 || (p[0] >> 7 != 0 && load16(p + 6) != 0)) return Unfit::kNotDefault;
      if (load16(p + 2) != kEtherIpv4 && load16(p + 2) != kEtherIpv6) return Unfit::kNotTcp;
      break;
    case HeaderKind::kMine:
      if (!is_inferred(p, length, 2)) return Unfit::kNotDefault;
      break;
    default:
      break;
  }
  return Unfit::kNone;
}

}  // namespace

bool Layout::append(HeaderKind kind, std::size_t length) noexcept {
  const std::size_t needed = kind == HeaderKind::kTcp ? kTcpLength + kMostOptions : length;
  if (count == kMostHeaders || octets + needed > kMostOctets) return false;
  if (is_ip(kind)) innermost = count;
  headers[count++] = {kind, IpIdBehaviour::kRandom, octets, static_cast<std::uint16_t>(length)};
  octets = static_cast<std::uint16_t>(octets + length);
  return true;
}

void Layout::set_options(std::size_t length) noexcept {
  Header& h = headers[count - 1U];
  h.length = static_cast<std::uint16_t>(kTcpLength + length);
  octets = static_cast<std::uint16_t>(h.at + h.length);
}

bool kind_of(std::uint8_t protocol, HeaderKind& kind) noexcept {
  static constexpr std::uint8_t kProtocols[] = {kIpv4, kIpv6, kHopByHop, kRouting, kDestination,
                                                kAh,   kGre,  kMine,     kTcp};
  const void* const found = std::memchr(kProtocols, protocol, sizeof kProtocols);
  if (found == nullptr) return false;
  kind = static_cast<HeaderKind>(static_cast<const std::uint8_t*>(found) - kProtocols);
  return true;
}

std::uint8_t next_of(const Header& h, const std::uint8_t* octets) noexcept {
  const std::uint8_t* p = octets + h.at;
  switch (h.kind) {
    case HeaderKind::kIpv4:
      return p[ipv4::kProtocol];
    case HeaderKind::kIpv6:
      return p[ipv6::kNextHeader];
    case HeaderKind::kGre:
      return load16(p + 2) == kEtherIpv4 ? kIpv4 : kIpv6;
    default:
      return p[0];
  }
}

Unfit find_headers(Octets packet, Layout& layout) noexcept {
  layout.count = 0;
  layout.octets = 0;
  if (packet.empty()) return Unfit::kMalformed;
  HeaderKind kind = packet[0] >> 4 == 4 ? HeaderKind::kIpv4 : HeaderKind::kIpv6;
  for (;;) {
    const Octets rest = packet.subspan(layout.octets);
    const std::size_t length = length_of(kind, rest);
    if (length == 0) return Unfit::kMalformed;
    if (const Unfit unfit = check(kind, rest, length); unfit != Unfit::kNone) return unfit;
    if (!layout.append(kind, length)) return Unfit::kTooLong;
    if (kind == HeaderKind::kTcp) return Unfit::kNone;
    if (!kind_of(next_of(layout.tcp(), packet.data()), kind)) return Unfit::kNotTcp;
  }
}

std::uint16_t sum_of(const std::uint8_t* octets, std::size_t count, std::uint32_t start) noexcept {
  std::uint64_t sum = start;
  for (; count >= 4; count -= 4, octets += 4) sum += load32(octets);
  if (count >= 2) {
    sum += load16(octets);
    octets += 2;
  }
  if (count % 2 != 0) sum += static_cast<std::uint32_t>(*octets << 8);
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>((sum & 0xffff) + (sum >> 16));
}

void infer_fields(const Layout& layout, std::uint8_t* octets, std::size_t packet) noexcept {
  for (unsigned i = 0; i < layout.count; ++i) {
    const Header& h = layout.headers[i];
    std::uint8_t* p = octets + h.at;
    switch (h.kind) {
      case HeaderKind::kIpv4:
        p[0] = 0x45;
        store16(p + ipv4::kTotalLength, static_cast<std::uint16_t>(packet - h.at));
        store16(p + ipv4::kChecksum, 0);
        store16(p + ipv4::kChecksum, static_cast<std::uint16_t>(~sum_of(p, kIpv4Length)));
        break;
      case HeaderKind::kIpv6:
        store16(p + ipv6::kPayloadLength, static_cast<std::uint16_t>(packet - h.at - kIpv6Length));
        break;
      case HeaderKind::kMine:
        store16(p + 2, 0);
        store16(p + 2, static_cast<std::uint16_t>(~sum_of(p, h.length)));
        break;
      case HeaderKind::kTcp:
        p[field::kOffset] = static_cast<std::uint8_t>(h.length << 2 | (p[field::kOffset] & 0x0f));
        break;
      default:
        break;
    }
  }
}

bool tcp_checksum_is_right(const Layout& layout, const std::uint8_t* octets, Octets payload) noexcept {
  const Header& ip = layout.inner();
  for (unsigned i = layout.innermost; i < layout.count; ++i) {
    const HeaderKind kind = layout.headers[i].kind;
    if (kind == HeaderKind::kRouting || kind == HeaderKind::kMine) return true;
  }
  const Header& h = layout.tcp();
  std::uint32_t sum = ip.kind == HeaderKind::kIpv4 ? sum_of(octets + ip.at + ipv4::kAddresses, 8)
                                                   : sum_of(octets + ip.at + ipv6::kAddresses, 32);
  sum += kTcp + static_cast<std::uint32_t>(h.length + payload.size());
  return sum_of(payload.data(), payload.size(), sum_of(octets + h.at, h.length, sum)) == 0xffff;
}

}  // namespace headroom::rohc::tcp
