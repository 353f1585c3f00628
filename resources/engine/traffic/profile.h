// SPDX-License-Identifier: Apache-2.0
//
// A traffic profile as data: the packets, their times, and the changes of their fields (traffic-profiles/README.md).
// Reading a profile checks everything that can be checked without rendering a packet.
#ifndef HEADROOM_TRAFFIC_PROFILE_H
#define HEADROOM_TRAFFIC_PROFILE_H

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json_reader.h"
#include "base/octets.h"
#include "link/impairment.h"
#include "traffic/tunnel.h"

namespace headroom::traffic {

// The behaviour of an IPv4 Identification, in the classes of RFC 3095, 4.5.5 and 5.7, and RFC 3843, 3.3.
enum class IpIdBehaviour : std::uint8_t { sequential, swapped, random, constant, zero };

struct IpIdJumps {  // packets that the host sends to others in between
  double probability = 0;
  std::uint32_t most = 1;
};

// The network of the addresses of flows. Addresses differ in the bits after the first `length` bits.
struct Network4 {
  std::uint32_t address = 0;
  unsigned length = 32;
};
struct Network6 {
  std::array<std::uint8_t, 16> address{};
  unsigned length = 128;
};

struct Ipv4 {
  Network4 source, destination;
  std::uint8_t tos = 0;
  std::uint8_t ttl = 64;
  bool dont_fragment = true;
  IpIdBehaviour identification = IpIdBehaviour::sequential;
  std::optional<std::uint16_t> identification_start;
  IpIdJumps identification_jumps;
  bool identification_per_host = false;  // True if it counts the packets of all flows from the source address
  Octets options;
  std::uint16_t fragment_at = 0;     // largest IP payload of a fragment in octets; 0: no fragmentation
  std::uint8_t next_protocol = 253;  // only where nothing of the profile follows; 253 is for experiments (RFC 3692)
};

struct Ipv6 {
  Network6 source, destination;
  std::uint8_t traffic_class = 0;
  std::uint32_t flow_label = 0;
  bool flow_label_per_flow = false;
  std::uint8_t hop_limit = 64;
  std::uint8_t next_header = 59;  // only where nothing of the profile follows; 59 is "no next header"
};

struct Ipv6Options {  // a hop-by-hop, destination options or routing header (RFC 2460, 4.3, 4.6 and 4.4)
  enum class Kind : std::uint8_t { hop_by_hop, destination, routing };
  Kind kind = Kind::hop_by_hop;
  Octets options;  // the octets after the first two
};

struct Authentication {  // AH (RFC 4302, 2); its Integrity Check Value is random in each packet and not checked
  std::uint32_t spi = 1;
  std::optional<std::uint32_t> sequence_start;
  std::uint8_t icv_length = 12;
};

struct Gre {  // RFC 2784, 2 and RFC 2890, 2
  std::optional<std::uint32_t> key;
  bool checksum = false;
  bool sequence = false;
  std::optional<std::uint32_t> sequence_start;
};

struct MinimalEncapsulation {  // RFC 2004, 3.1
  std::optional<std::uint32_t> source;
  std::uint32_t destination = 0;
};

struct PortRange {
  std::uint16_t lowest = 0, highest = 0;
};

struct Udp {
  PortRange source, destination;
  bool checksum = true;
};

// A tunnel header for the packets of users.
struct Tunnel {
  const TunnelFormat* format;
  std::shared_ptr<const TunnelHeader> header;
};

// A segment in the middle of a connection (RFC 793, 3.1). The length of each payload is added to the sequence number.
// The first acknowledgement number is the first sequence number of the other direction.
struct Tcp {
  static constexpr std::uint8_t kPush = 0x08, kAcknowledgement = 0x10, kUrgent = 0x20;
  PortRange source, destination;
  std::uint16_t window = 65535;
  std::uint32_t acknowledgement_step = 0;  // octets that each packet acknowledges in addition
  bool echo = false;                       // True if a packet acknowledges as many octets as were sent: all came back
  bool push = false;                       // True if packets with a payload have PSH
  std::uint8_t flags = kAcknowledgement;
  std::uint16_t urgent_pointer = 0;
  Octets options;           // in words of 4 octets
  bool timestamps = false;  // besides: the option of RFC 7323, 3.2, that counts packets
};

enum class Marker : std::uint8_t { never, always, spurt_start, frame_end };

struct RtpExtension {
  std::uint16_t profile = 0;
  Octets data;
};

struct Rtp {
  std::uint8_t payload_type = 0;
  std::uint32_t timestamp_step = 160;
  std::optional<std::uint16_t> sequence_start;
  std::optional<std::uint32_t> timestamp_start;
  std::uint8_t csrc_count = 0;
  std::uint8_t padding = 0;  // octets; 0 clears the P bit
  std::optional<RtpExtension> extension;
  Marker marker = Marker::never;
  std::uint32_t marker_every = 0;                  // besides: on every n-th packet; 0 never
  std::uint32_t frame_fewest = 1, frame_most = 1;  // packets that share a timestamp
};

// RFC 3828. Its checksum is not optional; each packet states how much of the datagram it covers.
struct UdpLite {
  static constexpr std::uint32_t kLength = 0x10000, kRandom = 0x10001;
  static constexpr std::uint32_t kLeast = 8;  // octets: the header itself
  PortRange source, destination;
  // kLength: all octets, and the field has the datagram's length. 0: all octets, and the field is zero. kRandom: from 8
  // octets to all, drawn for each packet. Any other value: that many octets, or all octets of a shorter datagram.
  std::uint32_t coverage = kLength;
};

// RFC 4303: what follows the header is encrypted, so the payload stands for all of it.
struct Esp {
  std::optional<std::uint32_t> spi;  // no value: each flow has its own
  std::uint32_t sequence_start = 1;  // 2.2: the first packet of a security association has the number 1
};

struct Icmp {};  // an echo request; ICMPv6 below IPv6

struct Raw {  // octets that stand as they are: packets that are not IP
  Octets octets;
};

using Header = std::variant<Ipv4, Ipv6, Ipv6Options, Udp, Rtp, Icmp, Raw, UdpLite, Esp, Authentication, Gre,
                            MinimalEncapsulation, Tunnel, Tcp>;

struct LengthShare {
  std::uint32_t share = 1;
  std::uint32_t length = 0;  // octets
};

struct Payload {
  std::uint32_t shortest = 0, longest = 0;  // octets
  std::vector<LengthShare> mix;             // if not empty: each packet has one of these lengths, by share
  std::uint32_t total_share = 0;            // sum of the shares
  bool random = true;                       // False: the same pattern in every packet
};

struct Timing {
  std::uint64_t interval_us = 20'000;
  std::uint64_t start_within_us = 0;  // time within which flows begin; 0: the first interval
  std::uint64_t jitter_us = 0;
  bool exponential = false;  // the interval is the mean of an exponential distribution
};

struct SilenceFrames {
  std::uint32_t every = 8;  // intervals
  std::uint32_t length = 0;
};

// Talk spurts and pauses of exponential duration, in intervals. Time stamps go on through pauses, sequence numbers do
// not.
struct Speech {
  std::uint32_t spurt_mean_us = 0, pause_mean_us = 0;
  std::optional<SilenceFrames> silence;
};

// A change of a field from packet `packet` of the flow on; `advance_*` happen once.
struct Change {
  enum class Field : std::uint8_t {
    tos,
    ttl,
    dont_fragment,
    identification,
    traffic_class,
    hop_limit,
    flow_label,
    checksum,
    payload_type,
    csrc_count,
    timestamp_step,
    advance_sequence,
    advance_timestamp,
    padding,
    marker_once,
    payload_length,
    coverage,
    window,
    flags,
    urgent_pointer,
    advance_acknowledgement
  };
  std::uint64_t packet = 0;
  std::size_t header = 0;
  Field field = Field::tos;
  std::uint32_t value = 0;
};

// Changes to a flow's packets before the compressor gets them.
struct BeforeCompressor {
  double loss = 0;
  double duplicate = 0;
  Reorder reorder;
  [[nodiscard]] bool any() const noexcept { return loss > 0 || duplicate > 0 || reorder.probability > 0; }
};

// A pattern that a user plane or a firewall looks for in connections: the host of an HTTP request, or a server in one
// of `count` consecutive networks, at one of some ports.
struct Rule {
  std::string host;  // empty: the other fields describe the match
  bool tcp = false;  // False: UDP
  std::variant<Network4, Network6> network;
  std::uint32_t count = 1;  // only of IPv4 networks
  PortRange ports;
};

// Connections is a flow that consists of one connection of its user after another. The user opens each connection, so
// the forward direction is from the user.
//
// Each connection has ports, a server's address in the network of `destination`, first sequence numbers and an IP-ID of
// its own. The packets of both directions are one sequence; a direction renders those that its end sends. Everything in
// it is drawn alike for both directions, so that they agree on when a connection begins and ends, and each segment
// acknowledges all that the other end has sent before. The profile's interval is that between packets of either
// direction.
//
// TCP: SYN, SYN with ACK, then the request of the user; the last two packets have FIN, the server's first. UDP: the
// user's packet is the first. The first connection of a flow was there before the flow begins: it is somewhere in its
// middle, so that from the beginning as many packets open connections as later on.
struct Connections {
  static constexpr std::uint32_t kFewestOfTcp = 5;
  std::uint32_t packets = 1;  // of both directions together; the mean of an exponential distribution, unless constant
  bool constant = false;
  double forward_share = 0.5;                      // forward share of packets that neither open nor end a connection
  double hit_share = 0;                            // share of connections that match one of `rules`
  std::string host;                                // host of the HTTP request; empty: there is none
  std::shared_ptr<const std::vector<Rule>> rules;  // rules of the profile that these connections can match
};

struct Variant {
  std::uint32_t share = 1;
  std::uint32_t population = 0;  // not 0: each flow is a different one of this many members, drawn by the seed
  std::vector<Header> headers;
  Payload payload;
  Timing timing;
  std::optional<Speech> speech;
  std::optional<Connections> connections;
  std::vector<Change> changes;  // ascending by packet
  BeforeCompressor before;
  std::string where;  // JSON pointer
};

struct Profile {
  std::string name;
  std::vector<Variant> variants;
  std::uint32_t total_share = 0;

  // Flows are assigned to the variants in turn, by share.
  [[nodiscard]] std::size_t variant_of(std::uint64_t flow) const noexcept;
};

inline constexpr std::uint32_t kLargestPayload = 9'000;  // octets: a jumbo frame
inline constexpr std::uint32_t kMostHeaders = 8;
inline constexpr std::size_t kMostMixedLengths = 16;
inline constexpr std::uint32_t kMostMembers = 1u << 30;  // of a population
inline constexpr std::size_t kMostRules = 1'000;
inline constexpr std::uint32_t kMostConnectionPackets = 1'000'000;

// Throws Error(job) with the place of what is wrong.
[[nodiscard]] Profile read_profile(const Value& value);

}  // namespace headroom::traffic

#endif  // HEADROOM_TRAFFIC_PROFILE_H
