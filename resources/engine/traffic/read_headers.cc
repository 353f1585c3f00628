// SPDX-License-Identifier: Apache-2.0
#include "traffic/read_headers.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "schemes/scheme.h"
#include "traffic/addresses.h"

namespace headroom::traffic {
namespace {

Network4 read_network4(const Value& value) {
  const std::optional<Network4> network = parse_network4(value.text());
  if (!network)
    value.fail(
        "an IPv4 network such as \"10.0.0.0/8\" or an address is expected here; bits beyond the prefix must be 0.");
  return *network;
}

Network6 read_network6(const Value& value) {
  const std::optional<Network6> network = parse_network6(value.text());
  if (!network)
    value.fail(
        "an IPv6 network such as \"2001:db8::/32\" or an address is expected here; bits beyond the prefix must be 0.");
  return *network;
}

}  // namespace

PortRange read_ports(const Value& value) {
  const std::vector<Value> ends = value.items();
  if (ends.size() != 2) value.fail("a range of ports is a list of two: the lowest and the highest.");
  const auto lowest = static_cast<std::uint16_t>(ends[0].integer(0, 65535));
  return {lowest, static_cast<std::uint16_t>(ends[1].integer(lowest, 65535))};
}

IpIdBehaviour read_behaviour(const Value& value) {
  return static_cast<IpIdBehaviour>(value.choice({"sequential", "swapped", "random", "constant", "zero"}));
}

namespace {

Ipv4 read_ipv4(Object& object) {
  Ipv4 ip;
  ip.source = read_network4(object.required("source"));
  ip.destination = read_network4(object.required("destination"));
  ip.tos = integer(object, "tos", 0, 255, ip.tos);
  ip.ttl = integer(object, "ttl", 1, 255, ip.ttl);
  ip.dont_fragment = object.boolean("dont_fragment", ip.dont_fragment);
  if (const auto v = object.optional("identification")) ip.identification = read_behaviour(*v);
  if (const auto v = object.optional("identification_start"))
    ip.identification_start = static_cast<std::uint16_t>(v->integer(0, 65535));
  if (const auto v = object.optional("identification_jumps")) {
    if (ip.identification != IpIdBehaviour::sequential && ip.identification != IpIdBehaviour::swapped) {
      v->fail("only an identification that is sequential or swapped can jump.");
    }
    Object jumps(*v);
    ip.identification_jumps.probability = jumps.required("probability").probability();
    ip.identification_jumps.most = integer(jumps, "most", 1, 30'000, 1u);
    jumps.finish();
  }
  if (const auto v = object.optional("identification_counter")) {
    ip.identification_per_host = v->choice({"flow", "host"}) == 1;
    const bool counts = ip.identification == IpIdBehaviour::sequential || ip.identification == IpIdBehaviour::swapped;
    if (ip.identification_per_host && !counts)
      v->fail("only an identification that is sequential or swapped counts a host's packets.");
  }
  if (const auto v = object.optional("options")) {
    ip.options = v->hex();
    if (ip.options.size() % 4 != 0 || ip.options.size() > 40)
      v->fail("IPv4 options fill up to 40 octets, a multiple of 4 (RFC 791, 3.1).");
  }
  if (const auto v = object.optional("fragment_at")) {
    ip.fragment_at = static_cast<std::uint16_t>(v->integer(8, 65528));
    if (ip.fragment_at % 8 != 0) v->fail("fragments are cut at multiples of 8 octets (RFC 791, 3.2).");
    if (ip.dont_fragment) v->fail("fragments need \"dont_fragment\": false.");
    if (ip.identification_per_host) v->fail("the fragments of a packet share its identification; it counts a flow's.");
  }
  ip.next_protocol = integer(object, "next_protocol", 0, 255, ip.next_protocol);
  return ip;
}

Ipv6 read_ipv6(Object& object) {
  Ipv6 ip;
  ip.source = read_network6(object.required("source"));
  ip.destination = read_network6(object.required("destination"));
  ip.traffic_class = integer(object, "traffic_class", 0, 255, ip.traffic_class);
  ip.flow_label = integer(object, "flow_label", 0, 0xFFFFF, ip.flow_label);
  ip.flow_label_per_flow = object.boolean("flow_label_per_flow", ip.flow_label_per_flow);
  ip.hop_limit = integer(object, "hop_limit", 1, 255, ip.hop_limit);
  ip.next_header = integer(object, "next_header", 0, 255, ip.next_header);
  return ip;
}

Ipv6Options read_ipv6_options(Object& object) {
  Ipv6Options header;
  const Value kind = object.required("kind");
  header.kind = static_cast<Ipv6Options::Kind>(kind.choice({"hop-by-hop", "destination", "routing"}));
  const Value options = object.required("options");
  header.options = options.hex();
  if ((header.options.size() + 2) % 8 != 0 || header.options.size() > 2046) {
    options.fail(
        "with the two octets in front of them, options fill a multiple of 8 octets, at most 2048 (RFC 2460, 4.3).");
  }
  if (header.kind == Ipv6Options::Kind::routing && header.options[1] != 0) {
    options.fail("the second octet, Segments Left, must be 0: the packet has been to all of them (RFC 2460, 4.4).");
  }
  return header;
}

Authentication read_authentication(Object& object) {
  Authentication ah;
  ah.spi = integer(object, "spi", 0, 0xFFFFFFFF, ah.spi);
  if (const auto v = object.optional("sequence_start"))
    ah.sequence_start = static_cast<std::uint32_t>(v->integer(0, 0xFFFFFFFF));
  if (const auto v = object.optional("icv_length")) {
    ah.icv_length = static_cast<std::uint8_t>(v->integer(0, 64));
    if (ah.icv_length % 4 != 0) v->fail("an Integrity Check Value fills words of 4 octets (RFC 4302, 2.6).");
  }
  return ah;
}

Gre read_gre(Object& object) {
  Gre gre;
  if (const auto v = object.optional("key")) gre.key = static_cast<std::uint32_t>(v->integer(0, 0xFFFFFFFF));
  gre.checksum = object.boolean("checksum", gre.checksum);
  gre.sequence = object.boolean("sequence", gre.sequence);
  if (const auto v = object.optional("sequence_start")) {
    if (!gre.sequence) v->fail("there is no sequence number without \"sequence\": true.");
    gre.sequence_start = static_cast<std::uint32_t>(v->integer(0, 0xFFFFFFFF));
  }
  return gre;
}

std::uint32_t read_address4(const Value& value) {
  const Network4 network = read_network4(value);
  if (network.length != 32) value.fail("one address is expected here.");
  return network.address;
}

MinimalEncapsulation read_minimal_encapsulation(Object& object) {
  MinimalEncapsulation header;
  header.destination = read_address4(object.required("destination"));
  if (const auto v = object.optional("source")) header.source = read_address4(*v);
  return header;
}

Udp read_udp(Object& object) {
  Udp udp;
  udp.source = read_ports(object.required("source_ports"));
  udp.destination = read_ports(object.required("destination_ports"));
  udp.checksum = object.boolean("checksum", udp.checksum);
  return udp;
}

}  // namespace

std::uint32_t read_coverage(const Value& value) {
  if (value.json().is_number()) return static_cast<std::uint32_t>(value.integer(UdpLite::kLeast, 65535));
  constexpr std::uint32_t kWords[] = {UdpLite::kLength, 0, UdpLite::kRandom};
  return kWords[value.choice({"length", "zero", "random"})];
}

namespace {

UdpLite read_udplite(Object& object) {
  UdpLite udp;
  udp.source = read_ports(object.required("source_ports"));
  udp.destination = read_ports(object.required("destination_ports"));
  if (const auto v = object.optional("coverage")) udp.coverage = read_coverage(*v);
  return udp;
}

Esp read_esp(Object& object) {
  Esp esp;
  if (const auto v = object.optional("spi")) esp.spi = static_cast<std::uint32_t>(v->integer(1, 0xFFFFFFFF));
  esp.sequence_start = integer(object, "sequence_start", 0, 0xFFFFFFFF, esp.sequence_start);
  return esp;
}

// In the order of read_header; tunnels of schemes come after them.
constexpr std::array<std::string_view, 13> kProtocols = {
    "ipv4", "ipv6", "ipv6-options",          "udp", "rtp", "icmp", "udplite", "esp",
    "ah",   "gre",  "minimal-encapsulation", "tcp", "raw"};

const TunnelFormat* tunnel_named(std::string_view protocol) {
  for (const Scheme* scheme : all_schemes()) {
    for (const TunnelFormat& format : scheme->tunnels) {
      if (format.protocol == protocol) return &format;
    }
  }
  return nullptr;
}

std::vector<std::string_view> protocols() {
  std::vector<std::string_view> names = {kProtocols.begin(), kProtocols.end()};
  for (const Scheme* scheme : all_schemes()) {
    for (const TunnelFormat& format : scheme->tunnels) names.push_back(format.protocol);
  }
  return names;
}

Tcp read_tcp(Object& object) {
  Tcp tcp;
  tcp.source = read_ports(object.required("source_ports"));
  tcp.destination = read_ports(object.required("destination_ports"));
  tcp.window = integer(object, "window", 0, 65535, tcp.window);
  tcp.acknowledgement_step = integer(object, "acknowledgement_step", 0, 65535, tcp.acknowledgement_step);
  tcp.echo = object.boolean("echo", false);
  tcp.push = object.boolean("push", false);
  tcp.timestamps = object.boolean("timestamps", false);
  if (const auto v = object.optional("options")) {
    tcp.options = v->hex();
    const std::size_t most = tcp.timestamps ? 28 : 40;
    if (tcp.options.size() % 4 != 0 || tcp.options.size() > most)
      v->fail("options fill words of 4 octets, here at most " + std::to_string(most) + " octets (RFC 793, 3.1).");
  }
  return tcp;
}

void read_frame(const Value& value, Rtp& rtp) {
  const std::vector<Value> ends = value.items();
  if (ends.size() != 2) value.fail("a range is a list of two: fewest and most.");
  rtp.frame_fewest = static_cast<std::uint32_t>(ends[0].integer(1, 64));
  rtp.frame_most = static_cast<std::uint32_t>(ends[1].integer(rtp.frame_fewest, 64));
}

Rtp read_rtp(Object& object) {
  Rtp rtp;
  rtp.payload_type = integer(object, "payload_type", 0, 127, rtp.payload_type);
  rtp.timestamp_step = integer(object, "timestamp_step", 0, 0xFFFFFFFF, rtp.timestamp_step);
  if (const auto v = object.optional("sequence_start"))
    rtp.sequence_start = static_cast<std::uint16_t>(v->integer(0, 65535));
  if (const auto v = object.optional("timestamp_start"))
    rtp.timestamp_start = static_cast<std::uint32_t>(v->integer(0, 0xFFFFFFFF));
  rtp.csrc_count = integer(object, "csrc_count", 0, 15, rtp.csrc_count);
  rtp.padding = integer(object, "padding", 0, 255, rtp.padding);
  if (const auto v = object.optional("extension")) {
    Object extension(*v);
    rtp.extension.emplace();
    rtp.extension->profile = integer(extension, "profile", 0, 65535, std::uint16_t{0xBEDE});
    const Value data = extension.required("data");
    rtp.extension->data = data.hex();
    if (rtp.extension->data.size() % 4 != 0 || rtp.extension->data.size() > 1024) {
      data.fail("the data of a header extension fills words of 4 octets, here at most 256 (RFC 3550, 5.3.1).");
    }
    extension.finish();
  }
  if (const auto v = object.optional("marker")) {
    rtp.marker = static_cast<Marker>(v->choice({"never", "always", "spurt-start", "frame-end"}));
  }
  rtp.marker_every = integer(object, "marker_every", 1, 1'000'000, rtp.marker_every);
  if (const auto v = object.optional("packets_per_frame")) read_frame(*v, rtp);
  return rtp;
}

Raw read_raw(Object& object) {
  const Value octets = object.required("octets");
  Raw raw{octets.hex()};
  if (raw.octets.empty()) octets.fail("at least one octet is needed.");
  if (const unsigned version = raw.octets[0] >> 4; version == 4 || version == 6) {
    octets.fail("a packet that starts with " + std::to_string(version) + " is IP; describe it with the protocol ipv" +
                std::to_string(version) + ", so that its lengths and checksums are right.");
  }
  return raw;
}

}  // namespace

Header read_header(const Value& value) {
  Object object(value);
  Header header;
  const std::vector<std::string_view> known = protocols();
  const std::size_t chosen = object.required("protocol").choice(known);
  switch (chosen) {
    case 0:
      header = read_ipv4(object);
      break;
    case 1:
      header = read_ipv6(object);
      break;
    case 2:
      header = read_ipv6_options(object);
      break;
    case 3:
      header = read_udp(object);
      break;
    case 4:
      header = read_rtp(object);
      break;
    case 5:
      header = Icmp{};
      break;
    case 6:
      header = read_udplite(object);
      break;
    case 7:
      header = read_esp(object);
      break;
    case 8:
      header = read_authentication(object);
      break;
    case 9:
      header = read_gre(object);
      break;
    case 10:
      header = read_minimal_encapsulation(object);
      break;
    case 11:
      header = read_tcp(object);
      break;
    case 12:
      header = read_raw(object);
      break;
    default: {
      const TunnelFormat* const format = tunnel_named(known[chosen]);
      header = Tunnel{format, format->read(object)};
    }
  }
  object.finish();
  return header;
}

namespace {

// True if `header` may follow `before` (nullptr: stand first).
bool may_follow(const Header* before, const Header& header) {
  if (before == nullptr) return is_ip(header) || is<Raw>(header);
  if (is<Gre>(*before) || is<Tunnel>(*before)) return is_ip(header);
  if (is<Tunnel>(header)) return is<Udp>(*before);
  const bool behind_ip = is_ip(*before) || is<Ipv6Options>(*before) || is<Authentication>(*before);
  if (is<Gre>(header)) return behind_ip;
  if (is_ip(header)) return behind_ip;
  if (is<Udp>(header) || is<Icmp>(header) || is<UdpLite>(header) || is<Esp>(header) || is<Tcp>(header))
    return behind_ip || is<MinimalEncapsulation>(*before);
  if (is<Authentication>(header)) return is_ip(*before) || is<Ipv6Options>(*before);
  if (is<MinimalEncapsulation>(header)) return is<Ipv4>(*before);
  if (const auto* options = std::get_if<Ipv6Options>(&header)) {
    const bool first = options->kind == Ipv6Options::Kind::hop_by_hop;
    return is<Ipv6>(*before) || ((is<Ipv6Options>(*before) || is<Authentication>(*before)) && !first);
  }
  return is<Rtp>(header) && (is<Udp>(*before) || is<UdpLite>(*before));
}

void check_tunnel(const TunnelFormat& format, const Header& before, bool last, const Value& value) {
  const auto is_port = [&](PortRange range) { return range.lowest == format.port && range.highest == format.port; };
  const Udp& udp = std::get<Udp>(before);
  const std::string title(format.title);
  if (!is_port(udp.source) || !is_port(udp.destination)) {
    const std::string port = std::to_string(format.port);
    value.fail("the UDP header in front of " + title + " has the ports [" + port + ", " + port + "] on both sides (" +
               std::string(format.source) + ").");
  }
  if (last) value.fail("an IP header has to follow " + title + " here.");
}

}  // namespace

void check_chain(const std::vector<Header>& headers, const std::vector<Value>& values) {
  bool over_ipv6 = false;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (!may_follow(i == 0 ? nullptr : &headers[i - 1], headers[i])) {
      values[i].fail(i == 0 ? "a packet starts with ipv4, ipv6 or raw."
                            : "this protocol cannot follow the one before it.");
    }
    if (is_ip(headers[i])) over_ipv6 = is<Ipv6>(headers[i]);
    if (is<Ipv6Options>(headers[i]) && !over_ipv6) values[i].fail("this header belongs to IPv6.");
    if (is<Gre>(headers[i]) && i + 1 == headers.size()) values[i].fail("an IP header has to follow GRE here.");
    if (const auto* tunnel = std::get_if<Tunnel>(&headers[i]); tunnel != nullptr)
      check_tunnel(*tunnel->format, headers[i - 1], i + 1 == headers.size(), values[i]);
    if (const auto* udp = std::get_if<Udp>(&headers[i]); udp != nullptr && over_ipv6 && !udp->checksum) {
      values[i].fail("over IPv6 the UDP checksum is not optional (RFC 2460, 8.1).");
    }
    if (const auto* ip = std::get_if<Ipv4>(&headers[i]); ip != nullptr && ip->fragment_at != 0 && i != 0) {
      values[i].fail("only the outermost header can be fragmented here.");
    }
    if (const auto* ip = std::get_if<Ipv4>(&headers[i]); ip != nullptr && ip->identification_per_host && i != 0) {
      values[i].fail("only the identification of the outermost header counts a host's packets here.");
    }
  }
}

}  // namespace headroom::traffic
