// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/header/listed.h"

#include <algorithm>
#include <cstring>

#include "mutants.h"

namespace headroom::rohc {
namespace {

constexpr std::uint16_t kEtherIpv4 = 0x0800;
constexpr std::uint16_t kEtherIpv6 = 0x86dd;

// GRE (RFC 2784, 2890): flags, version and Protocol Type; then checksum with Reserved1, key, sequence number.
constexpr std::uint8_t kGreChecksum = 0x80;
constexpr std::uint8_t kGreKey = 0x20;
constexpr std::uint8_t kGreSequence = 0x10;
constexpr std::uint8_t kGreFlags = kGreChecksum | kGreKey | kGreSequence;
constexpr std::size_t kGreItemBase = 2;
constexpr std::size_t kGreHeaderBase = 4;

// AH (RFC 4302 2): next header, length, reserved, SPI, sequence number, ICV.
constexpr std::uint8_t kAhSequence = 8;
constexpr std::uint8_t kAhIcv = 12;

constexpr std::uint8_t kMineSource = 0x80;  // RFC 2004 3.1: S, the original source address is there

std::size_t gre_options(std::uint8_t flags, std::size_t checksum_octets) noexcept {
  return ((flags & kGreChecksum) != 0 ? checksum_octets : 0) + ((flags & kGreKey) != 0 ? 4U : 0U) +
         ((flags & kGreSequence) != 0 ? 4U : 0U);
}

std::size_t gre_octets(Octets h, std::uint8_t& next) noexcept {
  if (h.size() < kGreHeaderBase) return 0;
  const std::uint16_t protocol = wire::load16(h.data() + 2);
  // "Reserved0 and Reserved1 … must be all zeroes"; version 1 is another protocol.
  if ((h[0] & ~kGreFlags) != 0 || h[1] != 0 || (protocol != kEtherIpv4 && protocol != kEtherIpv6)) return 0;
  const std::size_t octets = kGreHeaderBase + gre_options(h[0], 4);
  if (octets > h.size() || ((h[0] & kGreChecksum) != 0 && wire::load16(h.data() + 6) != 0)) return 0;
  next = protocol == kEtherIpv4 ? kProtocolIpv4 : kProtocolIpv6;
  return octets;
}

// By type and first two octets, which the header and its item share for all types but GRE.
std::size_t octets_by_length_field(std::uint8_t type, const std::uint8_t* h) noexcept {
  switch (type) {
    case kHopByHop:
    case kRouting:
    case kDestinationOptions:
      return (std::size_t{h[1]} + 1) * 8;  // RFC 8200 4.3, 4.4, 4.6
    case kAuthentication: {
      const std::size_t octets = (std::size_t{h[1]} + 2) * 4;  // RFC 4302 2.2: "a different notion of length"
      return octets < kAhIcv ? 0 : octets;
    }
    case kMinimalEncapsulation:
      return (h[1] & kMineSource) != 0 ? 12 : 8;
    default:
      return 0;
  }
}

// One IP header and its extension headers.
struct IpPart {
  unsigned version = 0;
  std::uint8_t octets = 0;  // of the IP header
  std::uint8_t next = 0;    // what follows the extension headers
};

// The extension headers from `at` on, as many as can be compressed. AH and GRE have one compressed sequence number each
// in extension 3 (5.8.5.1), so a second one ends the list.
void parse_extension_headers(Octets packet, std::size_t at, std::uint8_t& next, ExtensionHeaders& list) noexcept {
  list.count = 0;
  list.octets = 0;
  bool ah = false;
  while (is_extension_header(next) && list.count < kMaxListItems) {
    std::uint8_t after = 0;
    if (ah && next == kAuthentication) return;
    const std::size_t octets = extension_header_octets(next, packet.subspan(at), after);
    if (octets == 0 || list.octets + octets > kMaxListOctets) return;
    ah |= next == kAuthentication;
    list.headers[list.count++] = {next, static_cast<std::uint8_t>(octets), static_cast<std::uint16_t>(at)};
    list.octets = static_cast<std::uint16_t>(list.octets + octets);
    at += octets;
    next = after;
  }
}

bool parse_ip_part(Octets packet, std::size_t at, IpPart& ip, ExtensionHeaders& list) noexcept {
  HeaderChain one;
  if (at >= packet.size() || !parse_one_ip(packet.subspan(at), one)) return false;
  ip.version = one.layout().ip_version;
  ip.octets = one.octets;
  ip.next = packet[at + (ip.version == 4 ? 9 : 6)];
  parse_extension_headers(packet, at + ip.octets, ip.next, list);
  return true;
}

// An IP header after one that announces it. A chain ends before it when it cannot be compressed.
bool parse_next_ip(Octets packet, std::size_t at, std::uint8_t announced, IpPart& ip, ExtensionHeaders& list) noexcept {
  return is_ip(announced) && parse_ip_part(packet, at, ip, list) &&
         ip.version == (announced == kProtocolIpv4 ? 4U : 6U);
}

void put_core_ip(Octets packet, std::size_t from, const IpPart& ip, std::uint8_t* to) noexcept {
  std::memcpy(to, packet.data() + from, ip.octets);
  to[ip.version == 4 ? 9 : 6] = ip.next;
}

// Third and further IP headers (RFC 3843 3.2). One with extension headers of its own ends the chain: they would have to
// be sent in full with each packet.
std::uint8_t parse_extras(Octets packet, std::uint8_t next, ListedHeaders& listed) noexcept {
  std::size_t at = listed.transport_at;
  while (listed.extra_count < kMaxExtraIps) {
    IpPart ip;
    ExtensionHeaders list;
    if (!parse_next_ip(packet, at, next, ip, list) || list.count != 0 || is_extension_header(ip.next)) break;
    at += ip.octets;
    next = ip.next;
    ++listed.extra_count;
  }
  listed.extras_octets = static_cast<std::uint16_t>(at - listed.transport_at);
  return next;
}

}  // namespace

std::size_t extension_header_octets(std::uint8_t type, Octets h, std::uint8_t& next) noexcept {
  if (type == kGre) return gre_octets(h, next);
  if (h.size() < 8) return 0;  // no header is shorter
  const std::size_t octets = octets_by_length_field(type, h.data());
  if (octets > h.size() || octets > kMaxItemOctets) return 0;
  next = h[0];
  return octets;
}

bool may_be_listed(Octets packet, const HeaderChain& chain, ChainLimits limits) noexcept {
  const Layout& l = chain.layout();
  const std::uint8_t* inner = packet.data() + chain.outer_octets;
  const std::uint8_t next = inner[l.is_ipv4() ? 9 : 6];
  if (is_extension_header(next)) return true;
  if (is_ip(next)) return chain.outer_octets != 0;
  const Octets transport = packet.subspan(chain.outer_octets + std::size_t{ip_layout(l.ip_version).header});
  return transport_of(next, transport, limits) != l.transport;
}

bool parse_listed(Octets packet, ChainLimits limits, HeaderChain& chain, ListedHeaders& listed) noexcept {
  listed.outer.count = 0;
  listed.outer.octets = 0;
  listed.csrc_count = 0;
  listed.csrc_at = 0;
  listed.extra_count = 0;
  listed.extras_octets = 0;
  IpPart ip;
  if (!parse_ip_part(packet, 0, ip, listed.inner)) return false;
  chain = HeaderChain{};
  std::size_t at = 0;
  std::size_t after = ip.octets + std::size_t{listed.inner.octets};
  IpPart second;
  ExtensionHeaders second_list;
  const bool tunnel = parse_next_ip(packet, after, ip.next, second, second_list);
  if (tunnel) {
    put_core_ip(packet, 0, ip, listed.core.data());
    listed.outer = listed.inner;
    listed.inner = second_list;
    chain.outer_version = static_cast<std::uint8_t>(ip.version);
    chain.outer_octets = ip.octets;
    at = after;
    after += second.octets + std::size_t{second_list.octets};
    ip = second;
  }
  put_core_ip(packet, at, ip, listed.core.data() + chain.outer_octets);
  listed.inner_at = static_cast<std::uint16_t>(at);
  listed.transport_at = static_cast<std::uint16_t>(after);

  const Octets transport = packet.subspan(after);
  chain.shape = shape_for(ip.version, transport_of(ip.next, transport, limits));
  chain.octets = static_cast<std::uint8_t>(chain.outer_octets + chain.layout().header);
  const std::size_t transport_octets = chain.layout().header - std::size_t{ip.octets};
  std::memcpy(listed.core.data() + chain.outer_octets + ip.octets, transport.data(), transport_octets);
  if (chain.layout().has_rtp()) {
    std::uint8_t& first = listed.core[chain.outer_octets + chain.layout().rtp];
    listed.csrc_count = first & 0x0f;
    listed.csrc_at = static_cast<std::uint16_t>(after + transport_octets);
    first &= 0xf0;
  }
  if (tunnel && limits.extra_ips) listed.last_next = parse_extras(packet, ip.next, listed);
  listed.octets = static_cast<std::uint16_t>(after + transport_octets + 4U * listed.csrc_count + listed.extras_octets);
  chain.listed = !listed.empty();
  return chain.listed;
}

void shorten(HeaderChain& chain, ListedHeaders& listed, Transport transport) noexcept {
  chain.shape = shape_for(chain.layout().ip_version, transport);
  chain.octets = static_cast<std::uint8_t>(chain.outer_octets + chain.layout().header);
  listed.csrc_count = 0;
  listed.octets = static_cast<std::uint16_t>(listed.transport_at + (transport != Transport::kNone ? kUdpHeader : 0) +
                                             listed.extras_octets);
  chain.listed = !listed.empty();
}

void item_of(const std::uint8_t* header, std::uint8_t type, std::size_t octets, Item& item) noexcept {
  if (type != kGre) {
    item.octets = static_cast<std::uint8_t>(octets);
    std::memcpy(item.data.data(), header, octets);
    if (!mutant("item-says-what-follows-it")) item.data[0] = type;
    return;
  }
  const std::uint8_t flags = header[0];
  std::uint8_t* to = item.data.data();
  to[0] = kGre;
  to[1] = flags;
  to += kGreItemBase;
  const std::uint8_t* from = header + kGreHeaderBase;
  if ((flags & kGreChecksum) != 0) {
    to = std::copy_n(from, 2, to);
    from += 4;
  }
  to = std::copy(from, header + octets, to);
  item.octets = static_cast<std::uint8_t>(to - item.data.data());
}

std::size_t item_octets(Octets item, bool generic) noexcept {
  if (item.size() < kGreItemBase) return 0;
  const bool gre = item[0] == kGre || (generic && is_gre_by_what_follows(item[0]));
  const std::size_t octets =
      gre ? kGreItemBase + gre_options(item[1], 2) : octets_by_length_field(item[0], item.data());
  return octets > item.size() || octets > kMaxItemOctets ? 0 : octets;
}

std::size_t header_octets_of(Octets item) noexcept {
  return item[0] == kGre ? kGreHeaderBase + gre_options(item[1], 4) : item.size();
}

void write_header_of(Octets item, std::uint8_t next, std::uint8_t* header) noexcept {
  if (item[0] != kGre) {
    std::copy(item.begin(), item.end(), header);
    header[0] = next;
    return;
  }
  const std::uint8_t flags = item[1] & kGreFlags;
  header[0] = flags;
  header[1] = 0;
  wire::store16(header + 2, next == kProtocolIpv4 ? kEtherIpv4 : kEtherIpv6);
  std::uint8_t* to = header + kGreHeaderBase;
  const std::uint8_t* from = item.data() + kGreItemBase;
  if ((flags & kGreChecksum) != 0) {
    to = std::copy_n(from, 2, to);
    to = std::fill_n(to, 2, std::uint8_t{0});
    from += 2;
  }
  std::copy(from, item.data() + item.size(), to);
}

ItemFields fields_of_item(Octets item) noexcept {
  ItemFields f;
  if (item[0] == kAuthentication) {
    f.sequence_at = kAhSequence;
    f.as_is_at = kAhIcv;
    f.as_is_octets = static_cast<std::uint8_t>(item.size() - kAhIcv);
  } else if (item[0] == kGre) {
    if ((item[1] & kGreChecksum) != 0) {
      f.as_is_at = kGreItemBase;
      f.as_is_octets = 2;
    }
    if ((item[1] & kGreSequence) != 0) f.sequence_at = static_cast<std::uint8_t>(item.size() - 4);
  }
  return f;
}

ItemFields fields_of_header(std::uint8_t type, const std::uint8_t* header, std::size_t octets) noexcept {
  ItemFields f;
  if (type == kAuthentication) {
    f = {kAhSequence, kAhIcv, static_cast<std::uint8_t>(octets - kAhIcv)};
  } else if (type == kGre) {
    if ((header[0] & kGreChecksum) != 0) {
      f.as_is_at = kGreHeaderBase;
      f.as_is_octets = 2;
    }
    if ((header[0] & kGreSequence) != 0) f.sequence_at = static_cast<std::uint8_t>(octets - 4);
  }
  return f;
}

}  // namespace headroom::rohc
