// SPDX-License-Identifier: Apache-2.0
#include "traffic/packet.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "traffic/addresses.h"

namespace headroom::traffic {
namespace {

// RFC 790 and its successors: the numbers of what can follow an IP header here.
constexpr std::uint8_t kProtocolHopByHop = 0, kProtocolIcmp = 1, kProtocolIpv4 = 4, kProtocolTcp = 6, kProtocolUdp = 17,
                       kProtocolIpv6 = 41, kProtocolRouting = 43, kProtocolGre = 47, kProtocolAuthentication = 51,
                       kProtocolMinimalEncapsulation = 55, kProtocolIcmpv6 = 58, kProtocolDestination = 60,
                       kProtocolEsp = 50, kProtocolUdpLite = 136;

constexpr std::size_t kIpv4Length = 20, kIpv6Length = 40, kUdpLength = 8, kRtpLength = 12, kIcmpLength = 8,
                      kAuthenticationLength = 12, kEspLength = 8, kTcpLength = 20, kTcpTimestamps = 12;

std::size_t length_of_gre(const Gre& gre) {
  return 4 + (gre.checksum ? 4u : 0u) + (gre.key ? 4u : 0u) + (gre.sequence ? 4u : 0u);
}

std::uint8_t number_of(Ipv6Options::Kind kind) {
  switch (kind) {
    case Ipv6Options::Kind::hop_by_hop:
      return kProtocolHopByHop;
    case Ipv6Options::Kind::destination:
      return kProtocolDestination;
    default:
      return kProtocolRouting;
  }
}

std::size_t length_of(const Header& header) {
  if (const auto* ip = std::get_if<Ipv4>(&header)) return kIpv4Length + ip->options.size();
  if (std::holds_alternative<Ipv6>(header)) return kIpv6Length;
  if (const auto* options = std::get_if<Ipv6Options>(&header)) return 2 + options->options.size();
  if (std::holds_alternative<Udp>(header) || std::holds_alternative<UdpLite>(header)) return kUdpLength;
  if (std::holds_alternative<Esp>(header)) return kEspLength;
  if (const auto* rtp = std::get_if<Rtp>(&header)) {
    return kRtpLength + 4u * rtp->csrc_count + (rtp->extension ? 4 + rtp->extension->data.size() : 0);
  }
  if (std::holds_alternative<Icmp>(header)) return kIcmpLength;
  if (const auto* ah = std::get_if<Authentication>(&header)) return kAuthenticationLength + ah->icv_length;
  if (const auto* gre = std::get_if<Gre>(&header)) return length_of_gre(*gre);
  if (const auto* minimal = std::get_if<MinimalEncapsulation>(&header)) return minimal->source ? 12 : 8;
  if (const auto* tunnel = std::get_if<Tunnel>(&header)) return tunnel->header->length();
  if (const auto* tcp = std::get_if<Tcp>(&header))
    return kTcpLength + (tcp->timestamps ? kTcpTimestamps : 0) + tcp->options.size();
  return std::get<Raw>(header).octets.size();
}

// The protocol number for what stands after header `i`; `last` where nothing does.
std::uint8_t number_of_next(const std::vector<Header>& headers, std::size_t i, bool over_ipv6, std::uint8_t last) {
  if (i + 1 == headers.size()) return last;
  const Header& next = headers[i + 1];
  if (std::holds_alternative<Ipv4>(next)) return kProtocolIpv4;
  if (std::holds_alternative<Ipv6>(next)) return kProtocolIpv6;
  if (std::holds_alternative<Udp>(next)) return kProtocolUdp;
  if (std::holds_alternative<Tcp>(next)) return kProtocolTcp;
  if (std::holds_alternative<UdpLite>(next)) return kProtocolUdpLite;
  if (std::holds_alternative<Esp>(next)) return kProtocolEsp;
  if (const auto* options = std::get_if<Ipv6Options>(&next)) return number_of(options->kind);
  if (std::holds_alternative<Authentication>(next)) return kProtocolAuthentication;
  if (std::holds_alternative<Gre>(next)) return kProtocolGre;
  if (std::holds_alternative<MinimalEncapsulation>(next)) return kProtocolMinimalEncapsulation;
  return over_ipv6 ? kProtocolIcmpv6 : kProtocolIcmp;
}

// Builds one packet, header by header; checksums from the innermost header outwards, since outer ones may cover inner
// ones.
class Builder {
 public:
  Builder(const std::vector<Header>& headers, const Identity& identity, const Moment& moment, OctetView payload)
      : headers_(headers), identity_(identity), moment_(moment), payload_(payload), offsets_(layout(headers)) {}

  Octets build() {
    const std::size_t padding = rtp_padding();
    packet_.assign(offsets_.back() + payload_.size() + padding, 0);
    std::copy(payload_.begin(), payload_.end(), packet_.begin() + static_cast<std::ptrdiff_t>(offsets_.back()));
    if (padding != 0) packet_.back() = static_cast<std::uint8_t>(padding);  // RFC 3550, 5.1: the last octet counts them
    bool over_ipv6 = false;
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      if (std::holds_alternative<Ipv4>(headers_[i]) || std::holds_alternative<Ipv6>(headers_[i])) {
        over_ipv6 = std::holds_alternative<Ipv6>(headers_[i]);
      }
      write(i, over_ipv6);
    }
    for (std::size_t i = headers_.size(); i-- > 0;) add_checksum(i);
    return std::move(packet_);
  }

 private:
  std::uint8_t* at(std::size_t i) { return packet_.data() + offsets_[i]; }
  [[nodiscard]] std::size_t length_from(std::size_t i) const { return packet_.size() - offsets_[i]; }

  [[nodiscard]] std::size_t rtp_padding() const {
    const auto* rtp = std::get_if<Rtp>(&headers_.back());
    return rtp == nullptr ? 0 : rtp->padding;
  }

  void write(std::size_t i, bool over_ipv6) {
    if (const auto* ipv4 = std::get_if<Ipv4>(&headers_[i])) {
      write_ipv4(*ipv4, i);
    } else if (const auto* ipv6 = std::get_if<Ipv6>(&headers_[i])) {
      write_ipv6(*ipv6, i);
    } else if (const auto* options = std::get_if<Ipv6Options>(&headers_[i])) {
      at(i)[0] = number_of_next(headers_, i, true, 59);
      at(i)[1] = static_cast<std::uint8_t>((options->options.size() + 2) / 8 - 1);
      std::copy(options->options.begin(), options->options.end(), at(i) + 2);
    } else if (const auto* ah = std::get_if<Authentication>(&headers_[i])) {
      write_authentication(*ah, i, over_ipv6);
    } else if (const auto* gre = std::get_if<Gre>(&headers_[i])) {
      write_gre(*gre, i);
    } else if (const auto* minimal = std::get_if<MinimalEncapsulation>(&headers_[i])) {
      at(i)[0] = number_of_next(headers_, i, false, 59);
      at(i)[1] = minimal->source ? 0x80 : 0;
      store32(at(i) + 4, minimal->destination);
      if (minimal->source) store32(at(i) + 8, *minimal->source);
    } else if (std::holds_alternative<Udp>(headers_[i])) {
      store16(at(i), identity_.headers[i].source_port);
      store16(at(i) + 2, identity_.headers[i].destination_port);
      store16(at(i) + 4, static_cast<std::uint32_t>(length_from(i)));
    } else if (const auto* lite = std::get_if<UdpLite>(&headers_[i])) {
      store16(at(i), identity_.headers[i].source_port);
      store16(at(i) + 2, identity_.headers[i].destination_port);
      store16(at(i) + 4, coverage_of(*lite, length_from(i)));
    } else if (std::holds_alternative<Esp>(headers_[i])) {
      store32(at(i), identity_.headers[i].spi);
      store32(at(i) + 4, moment_.esp_sequence);
    } else if (const auto* tunnel = std::get_if<Tunnel>(&headers_[i])) {
      const auto first = static_cast<std::uint16_t>(sequence_start(i));
      const auto sequence =
          static_cast<std::uint16_t>(tunnel->header->sequence_start().value_or(first) + moment_.number);
      tunnel->header->write({identity_.headers[i].tunnel_endpoint, sequence, !identity_.reverse, length_from(i)},
                            at(i));
    } else if (const auto* tcp = std::get_if<Tcp>(&headers_[i])) {
      write_tcp(*tcp, i);
    } else if (const auto* rtp = std::get_if<Rtp>(&headers_[i])) {
      write_rtp(*rtp, at(i));
    } else if (std::holds_alternative<Icmp>(headers_[i])) {
      at(i)[0] = over_ipv6 ? 128 : 8;  // echo request: RFC 4443, 4.1; RFC 792
      store16(at(i) + 4, identity_.echo_identifier);
      store16(at(i) + 6, moment_.sequence);
    } else {
      const Octets& raw = std::get<Raw>(headers_[i]).octets;
      std::copy(raw.begin(), raw.end(), at(i));
    }
  }

  // The Checksum Coverage of a datagram of `length` octets.
  [[nodiscard]] std::uint32_t coverage_of(const UdpLite& udp, std::size_t length) const {
    const auto whole = static_cast<std::uint32_t>(length);
    if (udp.coverage == UdpLite::kRandom)
      return UdpLite::kLeast + scale(moment_.coverage_draw, whole - UdpLite::kLeast);
    return std::min(udp.coverage, whole);
  }

  void write_ipv4(const Ipv4& ip, std::size_t i) {
    std::uint8_t* h = at(i);
    const Identity::PerHeader& own = identity_.headers[i];
    h[0] = static_cast<std::uint8_t>(0x40 | ((kIpv4Length + ip.options.size()) / 4));
    h[1] = ip.tos;
    store16(h + 2, static_cast<std::uint32_t>(length_from(i)));
    store16(h + 4, moment_.identification[i]);
    h[6] = ip.dont_fragment ? 0x40 : 0;
    h[8] = ip.ttl;
    h[9] = number_of_next(headers_, i, false, ip.next_protocol);
    std::copy_n(own.source.begin(), 4, h + 12);
    std::copy_n(own.destination.begin(), 4, h + 16);
    std::copy(ip.options.begin(), ip.options.end(), h + kIpv4Length);
  }

  void write_ipv6(const Ipv6& ip, std::size_t i) {
    std::uint8_t* h = at(i);
    const Identity::PerHeader& own = identity_.headers[i];
    const std::uint32_t label = ip.flow_label_per_flow ? own.flow_label : ip.flow_label;
    store32(h, (6u << 28) | (std::uint32_t{ip.traffic_class} << 20) | label);
    store16(h + 4, static_cast<std::uint32_t>(length_from(i) - kIpv6Length));
    h[6] = number_of_next(headers_, i, true, ip.next_header);
    h[7] = ip.hop_limit;
    std::copy(own.source.begin(), own.source.end(), h + 8);
    std::copy(own.destination.begin(), own.destination.end(), h + 24);
  }

  // Where a sequence number starts that the profile leaves open.
  [[nodiscard]] std::uint32_t sequence_start(std::size_t i) const {
    return static_cast<std::uint32_t>(draw_at(identity_.token, 64 + i));
  }

  void write_authentication(const Authentication& ah, std::size_t i, bool over_ipv6) {
    std::uint8_t* h = at(i);
    h[0] = number_of_next(headers_, i, over_ipv6, 59);
    h[1] = static_cast<std::uint8_t>((kAuthenticationLength + ah.icv_length) / 4 - 2);
    store32(h + 4, ah.spi);
    store32(h + 8, ah.sequence_start.value_or(sequence_start(i)) + moment_.number);
    for (std::size_t k = 0; k < ah.icv_length; ++k) {
      const std::uint64_t draw = packet_draw(identity_.token, Purpose::integrity, moment_.number, k / 8);
      h[kAuthenticationLength + k] = static_cast<std::uint8_t>(draw >> (8 * (k % 8)));
    }
  }

  void write_gre(const Gre& gre, std::size_t i) {
    std::uint8_t* h = at(i);
    h[0] = static_cast<std::uint8_t>((gre.checksum ? 0x80 : 0) | (gre.key ? 0x20 : 0) | (gre.sequence ? 0x10 : 0));
    store16(h + 2, std::holds_alternative<Ipv4>(headers_[i + 1]) ? 0x0800 : 0x86DD);
    std::uint8_t* next = h + (gre.checksum ? 8 : 4);
    if (gre.key) {
      store32(next, *gre.key);
      next += 4;
    }
    if (gre.sequence) store32(next, gre.sequence_start.value_or(sequence_start(i)) + moment_.number);
  }

  void write_tcp(const Tcp& tcp, std::size_t i) {
    std::uint8_t* h = at(i);
    const std::uint32_t echoed = tcp.echo ? moment_.tcp_sequence - identity_.tcp_sequence : 0;
    const std::uint32_t push = tcp.push && !payload_.empty() ? Tcp::kPush : 0u;
    store16(h, identity_.headers[i].source_port);
    store16(h + 2, identity_.headers[i].destination_port);
    store32(h + 4, moment_.tcp_sequence);
    store32(h + 8, identity_.tcp_acknowledgement + tcp.acknowledgement_step * moment_.number + echoed +
                       moment_.tcp_acknowledged);
    store16(h + 12, static_cast<std::uint32_t>(length_of(headers_[i]) / 4) << 12 | tcp.flags | push);
    store16(h + 14, tcp.window);
    store16(h + 18, tcp.urgent_pointer);
    std::uint8_t* option = h + kTcpLength;
    if (tcp.timestamps) {
      // No-operation twice, kind 8, 10 octets; RFC 7323, appendix A, recommends this order.
      store32(option, 0x0101080A);
      store32(option + 4, identity_.token + moment_.number);
      store32(option + 8, identity_.tcp_acknowledgement + moment_.number);
      option += kTcpTimestamps;
    }
    std::copy(tcp.options.begin(), tcp.options.end(), option);
  }

  void write_rtp(const Rtp& rtp, std::uint8_t* h) {
    h[0] =
        static_cast<std::uint8_t>(0x80 | (rtp.padding != 0 ? 0x20 : 0) | (rtp.extension ? 0x10 : 0) | rtp.csrc_count);
    h[1] = static_cast<std::uint8_t>((moment_.marker ? 0x80 : 0) | rtp.payload_type);
    store16(h + 2, moment_.sequence);
    store32(h + 4, moment_.timestamp);
    store32(h + 8, identity_.token);
    std::uint8_t* next = h + kRtpLength;
    for (unsigned i = 0; i < rtp.csrc_count; ++i, next += 4) {
      store32(next, static_cast<std::uint32_t>(draw_at(identity_.token, i)));
    }
    if (rtp.extension) {
      store16(next, rtp.extension->profile);
      store16(next + 2, static_cast<std::uint32_t>(rtp.extension->data.size() / 4));
      std::copy(rtp.extension->data.begin(), rtp.extension->data.end(), next + 4);
    }
  }

  // The sum over the pseudo-header of what stands at header `i` (RFC 768; RFC 2460, 8.1).
  [[nodiscard]] std::uint32_t pseudo_header(std::size_t i, std::uint8_t protocol) const {
    std::size_t ip = i;
    while (!std::holds_alternative<Ipv4>(headers_[ip]) && !std::holds_alternative<Ipv6>(headers_[ip])) --ip;
    const bool ipv6 = std::holds_alternative<Ipv6>(headers_[ip]);
    const OctetView addresses = OctetView(packet_).subspan(offsets_[ip] + (ipv6 ? 8 : 12), ipv6 ? 32 : 8);
    const std::uint32_t start = static_cast<std::uint32_t>(length_from(i)) + protocol;
    const auto* minimal = std::get_if<MinimalEncapsulation>(&headers_[i - 1]);
    if (minimal == nullptr) return checksum_add(start, addresses);
    // The sum is that of the packet as it was before it was encapsulated (RFC 2004, 3).
    std::array<std::uint8_t, 8> original{};
    std::copy(addresses.begin(), addresses.begin() + 4, original.begin());
    if (minimal->source) store32(original.data(), *minimal->source);
    store32(original.data() + 4, minimal->destination);
    return checksum_add(start, original);
  }

  void add_checksum(std::size_t i) {
    if (const auto* ip = std::get_if<Ipv4>(&headers_[i])) {
      store16(at(i) + 10, checksum_finish(checksum_add(0, OctetView(at(i), kIpv4Length + ip->options.size()))));
    } else if (const auto* udp = std::get_if<Udp>(&headers_[i])) {
      if (!udp->checksum) return;
      const std::uint16_t sum =
          checksum_finish(checksum_add(pseudo_header(i, kProtocolUdp), OctetView(packet_).subspan(offsets_[i])));
      store16(at(i) + 6, sum == 0 ? 0xFFFF : sum);  // RFC 768: zero would say that there is none
    } else if (std::holds_alternative<Tcp>(headers_[i])) {
      const OctetView segment = OctetView(packet_).subspan(offsets_[i]);
      store16(at(i) + 16, checksum_finish(checksum_add(pseudo_header(i, kProtocolTcp), segment)));
    } else if (std::holds_alternative<UdpLite>(headers_[i])) {
      // RFC 3828, 3.1: 0 covers all. The length in the pseudo-header is that of the datagram.
      const std::size_t coverage = load16(at(i) + 4);
      const OctetView covered = OctetView(packet_).subspan(offsets_[i], coverage == 0 ? length_from(i) : coverage);
      const std::uint16_t sum = checksum_finish(checksum_add(pseudo_header(i, kProtocolUdpLite), covered));
      store16(at(i) + 6, sum == 0 ? 0xFFFF : sum);
    } else if (const auto* gre = std::get_if<Gre>(&headers_[i])) {  // over header and payload (RFC 2784, 2.5)
      if (gre->checksum) store16(at(i) + 4, checksum_finish(checksum_add(0, OctetView(packet_).subspan(offsets_[i]))));
    } else if (const auto* minimal = std::get_if<MinimalEncapsulation>(&headers_[i])) {
      store16(at(i) + 2, checksum_finish(checksum_add(0, OctetView(at(i), minimal->source ? 12 : 8))));
    } else if (std::holds_alternative<Icmp>(headers_[i])) {
      const std::uint32_t start = at(i)[0] == 128 ? pseudo_header(i, kProtocolIcmpv6) : 0;
      store16(at(i) + 2, checksum_finish(checksum_add(start, OctetView(packet_).subspan(offsets_[i]))));
    }
  }

  const std::vector<Header>& headers_;
  const Identity& identity_;
  const Moment& moment_;
  OctetView payload_;
  std::vector<std::size_t> offsets_;
  Octets packet_;
};

// The streams of an identity. Part of what a seed means: never renumber them.
enum IdentityStream : std::uint64_t {
  kToken = 1,
  kSequence,
  kTimestamp,
  kEcho,
  kStart,
  kTcpSequence,
  kPerHeader = 16,
  kPerHeaderStride = 16
};

std::uint16_t port_in(const PortRange& range, std::uint64_t draw, bool even) {
  const std::uint32_t port = range.lowest + scale(draw, static_cast<std::uint32_t>(range.highest - range.lowest));
  const std::uint32_t rounded = even ? port & ~1u : port;  // RFC 3550, 11: RTP takes the even port
  return static_cast<std::uint16_t>(rounded < range.lowest ? port : rounded);
}

}  // namespace

Identity make_identity(const Variant& variant, std::uint64_t flow, std::uint64_t seed, bool reverse) {
  const std::uint64_t key = derive(derive(seed, 0x666C6F77), flow);  // both directions share addresses and ports
  const bool is_one_sequence = variant.connections.has_value();      // the packets of both directions are drawn alike
  const std::uint64_t own = derive(key, reverse && !is_one_sequence ? 2 : 1);
  const std::uint64_t member =
      variant.population == 0 ? flow : member_of(variant.population, flow, derive(seed, 0x6D656D626572));
  Identity identity;
  identity.reverse = reverse;
  identity.tcp_sequence = static_cast<std::uint32_t>(derive(own, kTcpSequence) >> 32);
  identity.tcp_acknowledgement = static_cast<std::uint32_t>(derive(derive(key, reverse ? 1 : 2), kTcpSequence) >> 32);
  identity.token = static_cast<std::uint32_t>(derive(own, kToken) >> 32);
  identity.sequence = static_cast<std::uint16_t>(derive(own, kSequence) >> 48);
  identity.timestamp = static_cast<std::uint32_t>(derive(own, kTimestamp) >> 32);
  identity.echo_identifier = static_cast<std::uint16_t>(derive(own, kEcho) >> 48);
  const Timing& timing = variant.timing;
  const std::uint64_t within_us = timing.start_within_us != 0 ? timing.start_within_us : timing.interval_us;
  if (flow != 0 || (reverse && !is_one_sequence)) identity.start_us = derive(own, kStart) % within_us;
  for (std::size_t i = 0; i < variant.headers.size(); ++i) {
    Identity::PerHeader& header = identity.headers[i];
    const auto stream = [&](std::uint64_t base, std::uint64_t which) {
      return derive(base, kPerHeader + kPerHeaderStride * i + which);
    };
    if (const auto* ipv4 = std::get_if<Ipv4>(&variant.headers[i])) {
      store32(header.source.data(), address_in(ipv4->source, member));
      store32(header.destination.data(), address_in(ipv4->destination, member));
      header.identification = ipv4->identification_start.value_or(static_cast<std::uint16_t>(stream(own, 0) >> 48));
    } else if (const auto* ipv6 = std::get_if<Ipv6>(&variant.headers[i])) {
      header.source = address_in(ipv6->source, member, stream(key, 1));
      header.destination = address_in(ipv6->destination, member, stream(key, 2));
      header.flow_label = static_cast<std::uint32_t>(stream(own, 3) >> 44);
    } else if (const auto* udp = std::get_if<Udp>(&variant.headers[i])) {
      const bool even = i + 1 < variant.headers.size();
      header.source_port = port_in(udp->source, stream(key, 4), even);
      header.destination_port = port_in(udp->destination, stream(key, 5), even);
    } else if (const auto* lite = std::get_if<UdpLite>(&variant.headers[i])) {
      const bool even = i + 1 < variant.headers.size();
      header.source_port = port_in(lite->source, stream(key, 4), even);
      header.destination_port = port_in(lite->destination, stream(key, 5), even);
    } else if (const auto* tcp = std::get_if<Tcp>(&variant.headers[i])) {
      header.source_port = port_in(tcp->source, stream(key, 4), false);
      header.destination_port = port_in(tcp->destination, stream(key, 5), false);
    } else if (std::holds_alternative<Tunnel>(variant.headers[i])) {
      // Of the tunnel, not of the flow: each direction has its own, which the receiver chose.
      const std::uint64_t tunnels = derive(derive(seed, 0x74656964), reverse ? 2 : 1);
      header.tunnel_endpoint = tunnel_endpoint_of(member, stream(tunnels, 7));
    } else if (const auto* esp = std::get_if<Esp>(&variant.headers[i])) {
      constexpr std::uint32_t kReserved = 256;  // RFC 4303, 2.1
      header.spi = esp->spi.value_or(std::max(kReserved, static_cast<std::uint32_t>(stream(own, 6) >> 32)));
      identity.esp_sequence = esp->sequence_start;
    } else if (const auto* rtp = std::get_if<Rtp>(&variant.headers[i])) {
      if (rtp->sequence_start) identity.sequence = *rtp->sequence_start;
      if (rtp->timestamp_start) identity.timestamp = *rtp->timestamp_start;
    }
    if (reverse) {
      std::swap(header.source, header.destination);
      std::swap(header.source_port, header.destination_port);
    }
  }
  return identity;
}

std::uint32_t mixed_length(std::uint32_t token, std::uint64_t index, const Payload& payload) noexcept {
  std::uint32_t place = scale(packet_draw(token, Purpose::length, index), payload.total_share - 1);
  std::size_t i = 0;
  while (place >= payload.mix[i].share) place -= payload.mix[i++].share;
  return payload.mix[i].length;
}

std::vector<std::size_t> layout(const std::vector<Header>& headers) {
  std::vector<std::size_t> offsets = {0};
  offsets.reserve(headers.size() + 1);
  for (const Header& header : headers) offsets.push_back(offsets.back() + length_of(header));
  return offsets;
}

Octets build_packet(const std::vector<Header>& headers, const Identity& identity, const Moment& moment,
                    OctetView payload) {
  return Builder(headers, identity, moment, payload).build();
}

std::vector<Octets> fragment(const Octets& packet, std::uint16_t fragment_at) {
  const std::size_t header_length = (packet[0] & 0x0Fu) * 4u;
  const std::size_t body = packet.size() - header_length;
  if (fragment_at == 0 || body <= fragment_at) return {packet};
  std::vector<Octets> fragments;
  for (std::size_t from = 0; from < body; from += fragment_at) {
    const std::size_t length = std::min<std::size_t>(fragment_at, body - from);
    Octets piece(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(header_length));
    const auto first = packet.begin() + static_cast<std::ptrdiff_t>(header_length + from);
    piece.insert(piece.end(), first, first + static_cast<std::ptrdiff_t>(length));
    store16(&piece[2], static_cast<std::uint32_t>(piece.size()));
    store16(&piece[6], static_cast<std::uint32_t>(from / 8 + (from + length < body ? 0x2000u : 0u)));  // more fragments
    store16(&piece[10], 0);
    store16(&piece[10], checksum_finish(checksum_add(0, OctetView(piece).first(header_length))));
    fragments.push_back(std::move(piece));
  }
  return fragments;
}

}  // namespace headroom::traffic
