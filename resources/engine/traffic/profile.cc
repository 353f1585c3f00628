// SPDX-License-Identifier: Apache-2.0
#include "traffic/profile.h"

#include <algorithm>
#include <cmath>

#include "traffic/addresses.h"

namespace headroom::traffic {
namespace {

template <typename Int>
Int integer(Object& object, const char* key, std::uint64_t smallest, std::uint64_t largest, Int otherwise) {
  return static_cast<Int>(object.integer(key, smallest, largest, otherwise));
}

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

PortRange read_ports(const Value& value) {
  const std::vector<Value> ends = value.items();
  if (ends.size() != 2) value.fail("a range of ports is a list of two: the lowest and the highest.");
  const auto lowest = static_cast<std::uint16_t>(ends[0].integer(0, 65535));
  return {lowest, static_cast<std::uint16_t>(ends[1].integer(lowest, 65535))};
}

IpIdBehaviour read_behaviour(const Value& value) {
  return static_cast<IpIdBehaviour>(value.choice({"sequential", "swapped", "random", "constant", "zero"}));
}

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
  if (const auto v = object.optional("options")) {
    ip.options = v->hex();
    if (ip.options.size() % 4 != 0 || ip.options.size() > 40)
      v->fail("IPv4 options fill up to 40 octets, a multiple of 4 (RFC 791, 3.1).");
  }
  if (const auto v = object.optional("fragment_at")) {
    ip.fragment_at = static_cast<std::uint16_t>(v->integer(8, 65528));
    if (ip.fragment_at % 8 != 0) v->fail("fragments are cut at multiples of 8 octets (RFC 791, 3.2).");
    if (ip.dont_fragment) v->fail("fragments need \"dont_fragment\": false.");
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

std::uint32_t read_coverage(const Value& value) {
  if (value.json().is_number()) return static_cast<std::uint32_t>(value.integer(UdpLite::kLeast, 65535));
  constexpr std::uint32_t kWords[] = {UdpLite::kLength, 0, UdpLite::kRandom};
  return kWords[value.choice({"length", "zero", "random"})];
}

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

Gtpu read_gtpu(Object& object) {
  Gtpu gtpu;
  if (const auto v = object.optional("qfi")) gtpu.qfi = static_cast<std::uint8_t>(v->integer(0, 63));
  gtpu.sequence = object.boolean("sequence", gtpu.sequence);
  if (const auto v = object.optional("sequence_start")) {
    if (!gtpu.sequence) v->fail("there is no sequence number without \"sequence\": true.");
    gtpu.sequence_start = static_cast<std::uint16_t>(v->integer(0, 65535));
  }
  return gtpu;
}

Tcp read_tcp(Object& object) {
  Tcp tcp;
  tcp.source = read_ports(object.required("source_ports"));
  tcp.destination = read_ports(object.required("destination_ports"));
  tcp.window = integer(object, "window", 0, 65535, tcp.window);
  tcp.acknowledgement_step = integer(object, "acknowledgement_step", 0, 65535, tcp.acknowledgement_step);
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

Header read_header(const Value& value) {
  Object object(value);
  Header header;
  switch (object.required("protocol")
              .choice({"ipv4", "ipv6", "ipv6-options", "udp", "rtp", "icmp", "udplite", "esp", "ah", "gre",
                       "minimal-encapsulation", "gtpu", "tcp", "raw"})) {
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
      header = read_gtpu(object);
      break;
    case 12:
      header = read_tcp(object);
      break;
    default:
      header = read_raw(object);
      break;
  }
  object.finish();
  return header;
}

template <typename H>
bool is(const Header& header) {
  return std::holds_alternative<H>(header);
}

bool is_ip(const Header& header) { return is<Ipv4>(header) || is<Ipv6>(header); }

// Whether `header` may follow `before` (nullptr: stand first).
bool may_follow(const Header* before, const Header& header) {
  if (before == nullptr) return is_ip(header) || is<Raw>(header);
  if (is<Gre>(*before) || is<Gtpu>(*before)) return is_ip(header);
  if (is<Gtpu>(header)) return is<Udp>(*before);
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

// GTP-U behind another header: its port stands on both sides, because the directions swap them.
void check_gtpu(const Header& before, bool last, const Value& value) {
  const auto is_port = [](PortRange range) { return range.lowest == Gtpu::kPort && range.highest == Gtpu::kPort; };
  const Udp& udp = std::get<Udp>(before);
  if (!is_port(udp.source) || !is_port(udp.destination))
    value.fail("the UDP header in front of GTP-U has the ports [2152, 2152] on both sides (TS 29.281, 4.4.2).");
  if (last) value.fail("an IP header has to follow GTP-U here.");
}

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
    if (is<Gtpu>(headers[i])) check_gtpu(headers[i - 1], i + 1 == headers.size(), values[i]);
    if (const auto* udp = std::get_if<Udp>(&headers[i]); udp != nullptr && over_ipv6 && !udp->checksum) {
      values[i].fail("over IPv6 the UDP checksum is not optional (RFC 2460, 8.1).");
    }
    if (const auto* ip = std::get_if<Ipv4>(&headers[i]); ip != nullptr && ip->fragment_at != 0 && i != 0) {
      values[i].fail("only the outermost header can be fragmented here.");
    }
  }
}

void read_mix(const Value& value, Payload& payload) {
  Object object(value);
  const Value mix = object.required("mix");
  payload.shortest = kLargestPayload;
  for (const Value& item : mix.items()) {
    const std::vector<Value> pair = item.items();
    if (pair.size() != 2) item.fail("a share and a length in octets are expected here.");
    const LengthShare entry{static_cast<std::uint32_t>(pair[0].integer(1, 1000)),
                            static_cast<std::uint32_t>(pair[1].integer(0, kLargestPayload))};
    payload.mix.push_back(entry);
    payload.total_share += entry.share;
    payload.shortest = std::min(payload.shortest, entry.length);
    payload.longest = std::max(payload.longest, entry.length);
  }
  if (payload.mix.empty() || payload.mix.size() > kMostMixedLengths)
    mix.fail("a mix has 1 to " + std::to_string(kMostMixedLengths) + " lengths.");
  object.finish();
}

Payload read_payload(const Value& value) {
  Object object(value);
  Payload payload;
  const Value length = object.required("length");
  if (length.json().is_object()) {
    read_mix(length, payload);
  } else if (length.json().is_array()) {
    const std::vector<Value> ends = length.items();
    if (ends.size() != 2) length.fail("a range of lengths is a list of two: the shortest and the longest.");
    payload.shortest = static_cast<std::uint32_t>(ends[0].integer(0, kLargestPayload));
    payload.longest = static_cast<std::uint32_t>(ends[1].integer(payload.shortest, kLargestPayload));
  } else {
    payload.shortest = payload.longest = static_cast<std::uint32_t>(length.integer(0, kLargestPayload));
  }
  if (const auto v = object.optional("content")) payload.random = v->choice({"pattern", "random"}) == 1;
  object.finish();
  return payload;
}

// Milliseconds, of which fractions down to a microsecond are allowed.
std::uint64_t read_ms(const Value& value, double smallest, double largest) {
  const double us = value.number(smallest, largest) * 1000;
  if (std::abs(us - std::round(us)) > 1e-6) value.fail("times are whole microseconds.");
  return static_cast<std::uint64_t>(std::llround(us));
}

Timing read_timing(const Value& value) {
  Object object(value);
  Timing timing;
  timing.interval_us = read_ms(object.required("interval_ms"), 0.001, 3'600'000);
  if (const auto v = object.optional("jitter_ms")) timing.jitter_us = read_ms(*v, 0, 60'000);
  if (const auto v = object.optional("distribution")) timing.exponential = v->choice({"constant", "exponential"}) == 1;
  object.finish();
  return timing;
}

Speech read_speech(const Value& value, const Timing& timing) {
  Object object(value);
  Speech speech;
  speech.spurt_mean_us = static_cast<std::uint32_t>(read_ms(object.required("spurt_mean_ms"), 1, 600'000));
  speech.pause_mean_us = static_cast<std::uint32_t>(read_ms(object.required("pause_mean_ms"), 1, 600'000));
  if (const auto v = object.optional("silence_frames")) {
    Object silence(*v);
    const Value interval = silence.required("interval_ms");
    const std::uint64_t us = read_ms(interval, 0.001, 600'000);
    if (us % timing.interval_us != 0)
      interval.fail("the interval of silence frames must be a multiple of the interval of packets.");
    speech.silence = SilenceFrames{static_cast<std::uint32_t>(us / timing.interval_us),
                                   integer(silence, "length", 0, kLargestPayload, 0u)};
    silence.finish();
  }
  object.finish();
  if (timing.exponential) value.fail("talk spurts need packets at a constant interval.");
  return speech;
}

// The fields that a change may set, by protocol, and the largest value of each.
struct Changeable {
  const char* key;
  Change::Field field;
  std::uint32_t largest;
};
constexpr Changeable kIpv4Changes[] = {{"tos", Change::Field::tos, 255}, {"ttl", Change::Field::ttl, 255}};
constexpr Changeable kIpv6Changes[] = {{"traffic_class", Change::Field::traffic_class, 255},
                                       {"hop_limit", Change::Field::hop_limit, 255},
                                       {"flow_label", Change::Field::flow_label, 0xFFFFF}};
constexpr Changeable kRtpChanges[] = {{"payload_type", Change::Field::payload_type, 127},
                                      {"csrc_count", Change::Field::csrc_count, 15},
                                      {"timestamp_step", Change::Field::timestamp_step, 0xFFFFFFFF},
                                      {"advance_sequence", Change::Field::advance_sequence, 65535},
                                      {"advance_timestamp", Change::Field::advance_timestamp, 0xFFFFFFFF},
                                      {"padding", Change::Field::padding, 255}};

constexpr Changeable kEspChanges[] = {{"advance_sequence", Change::Field::advance_sequence, 0xFFFFFFFF}};

template <std::size_t N>
void read_fields(Object& set, const Changeable (&fields)[N], Change change, std::vector<Change>& changes) {
  for (const Changeable& field : fields) {
    if (const auto v = set.optional(field.key)) {
      change.field = field.field;
      change.value = static_cast<std::uint32_t>(v->integer(0, field.largest));
      changes.push_back(change);
    }
  }
}

void read_flag(Object& set, const char* key, Change::Field field, Change change, std::vector<Change>& changes) {
  if (const auto v = set.optional(key)) {
    change.field = field;
    change.value = v->boolean() ? 1 : 0;
    changes.push_back(change);
  }
}

bool is_over_ipv6(const std::vector<Header>& headers, std::size_t index) {
  bool over_ipv6 = false;
  for (std::size_t i = 0; i < index; ++i) {
    if (is_ip(headers[i])) over_ipv6 = is<Ipv6>(headers[i]);
  }
  return over_ipv6;
}

void read_change(const Value& value, const std::vector<Header>& headers, std::vector<Change>& changes) {
  Object object(value);
  Change change;
  change.packet = object.required("packet").integer(1, std::uint64_t{1} << 40);
  if (const auto v = object.optional("payload_length")) {
    change.field = Change::Field::payload_length;
    change.value = static_cast<std::uint32_t>(v->integer(0, kLargestPayload));
    changes.push_back(change);
    object.finish();
    return;
  }
  const Value header_value = object.required("header");
  change.header = static_cast<std::size_t>(header_value.integer(0, headers.size() - 1));
  Object set(object.required("set"));
  const Header& header = headers[change.header];
  if (is<Ipv4>(header)) {
    read_fields(set, kIpv4Changes, change, changes);
    read_flag(set, "dont_fragment", Change::Field::dont_fragment, change, changes);
    if (const auto v = set.optional("identification")) {
      change.field = Change::Field::identification;
      change.value = static_cast<std::uint32_t>(read_behaviour(*v));
      changes.push_back(change);
    }
  } else if (is<Ipv6>(header)) {
    read_fields(set, kIpv6Changes, change, changes);
  } else if (is<Udp>(header)) {
    read_flag(set, "checksum", Change::Field::checksum, change, changes);
    if (is_over_ipv6(headers, change.header))
      header_value.fail("over IPv6 the UDP checksum is not optional (RFC 2460, 8.1).");
  } else if (is<UdpLite>(header)) {
    if (const auto v = set.optional("coverage")) {
      change.field = Change::Field::coverage;
      change.value = read_coverage(*v);
      changes.push_back(change);
    }
  } else if (is<Esp>(header)) {
    read_fields(set, kEspChanges, change, changes);
  } else if (is<Rtp>(header)) {
    read_fields(set, kRtpChanges, change, changes);
    read_flag(set, "marker_once", Change::Field::marker_once, change, changes);
  } else {
    header_value.fail("nothing of this header can change.");
  }
  set.finish();
  object.finish();
}

BeforeCompressor read_before(const Value& value) {
  Object object(value);
  BeforeCompressor before;
  before.loss = object.probability("loss", 0);
  before.duplicate = object.probability("duplicate", 0);
  if (const auto v = object.optional("reorder")) before.reorder = read_reorder(*v);
  object.finish();
  return before;
}

Variant read_variant(const Value& value) {
  Object object(value);
  Variant variant;
  variant.where = value.pointer();
  variant.share = integer(object, "share", 1, 1000, 1u);
  if (const auto v = object.optional("population"))
    variant.population = static_cast<std::uint32_t>(v->integer(1, kMostMembers));
  const Value headers = object.required("headers");
  const std::vector<Value> header_values = headers.items();
  if (header_values.empty() || header_values.size() > kMostHeaders) {
    headers.fail("a packet has 1 to " + std::to_string(kMostHeaders) + " headers.");
  }
  for (const Value& header : header_values) variant.headers.push_back(read_header(header));
  check_chain(variant.headers, header_values);
  variant.payload = read_payload(object.required("payload"));
  variant.timing = read_timing(object.required("timing"));
  if (const auto v = object.optional("speech")) variant.speech = read_speech(*v, variant.timing);
  if (const auto v = object.optional("changes")) {
    for (const Value& change : v->items()) read_change(change, variant.headers, variant.changes);
    std::stable_sort(variant.changes.begin(), variant.changes.end(),
                     [](const Change& a, const Change& b) { return a.packet < b.packet; });
  }
  if (const auto v = object.optional("before_compressor")) variant.before = read_before(*v);
  object.finish();
  return variant;
}

}  // namespace

std::size_t Profile::variant_of(std::uint64_t flow) const noexcept {
  std::uint64_t place = flow % total_share;
  std::size_t i = 0;
  while (place >= variants[i].share) place -= variants[i++].share;
  return i;
}

Profile read_profile(const Value& value) {
  Object object(value);
  Profile profile;
  profile.name = object.required("name").text();
  (void)object.required("title").text();
  for (const char* key : {"description"}) {
    if (const auto v = object.optional(key)) (void)v->text();
  }
  if (const auto v = object.optional("sources")) {
    for (const Value& source : v->items()) (void)source.text();
  }
  const Value variants = object.required("variants");
  for (const Value& variant : variants.items()) profile.variants.push_back(read_variant(variant));
  if (profile.variants.empty() || profile.variants.size() > 64) variants.fail("a profile has 1 to 64 variants.");
  for (const Variant& variant : profile.variants) profile.total_share += variant.share;
  object.finish();
  return profile;
}

}  // namespace headroom::traffic
