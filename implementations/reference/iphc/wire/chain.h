// SPDX-License-Identifier: Apache-2.0
//
// The compressible chain of subheaders and the classification of its fields: RFC 2507, section 7. This file defines
// only the layout; compressor.h decides if and how a packet is compressed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "iphc/config.h"
#include "iphc/wire/octets.h"

namespace headroom::iphc::wire {

enum class Kind : std::uint8_t {
  ipv4,            // 7.13 a)
  ipv4_of_tcp,     // IPv4 directly before TCP: "compressed as a unit" with TCP
  ipv4_options,    // 7.13 b), no fragment: sent uncompressed
  ipv4_fragment,   // 7.13 b): sent uncompressed; ends the chain
  ipv6,            // 7.1
  ipv6_of_tcp,     // IPv6 directly before TCP: the R-octet carries two of its bits
  options,         // 7.4, 7.7: hop-by-hop and destination options
  routing,         // 7.5
  fragment,        // 7.6
  authentication,  // 7.9
  esp,             // 7.10: the SPI alone; the rest is payload
  minimal,         // 7.14
  udp,             // 7.11
  tcp,             // 7.12
};

// "NOCHANGE: any change means that a full header MUST be sent"; "RANDOM: must be included as-is in compressed headers";
// "INFERRED: can be inferred from other values". `unit`: fields with special rules in compressed TCP headers.
enum class Class : std::uint8_t { no_change, random, inferred, unit };

inline constexpr std::uint8_t kHopByHop = 0, kIpv4 = 4, kTcp = 6, kUdp = 17, kIpv6 = 41, kRouting = 43, kFragment = 44,
                              kEsp = 50, kAuthentication = 51, kMinimal = 55, kDestination = 60;
inline constexpr std::size_t kIpv4Header = 20, kIpv6Header = 40, kUdpHeader = 8, kTcpHeader = 20;
inline constexpr std::size_t kIdentification = 4, kFragmentField = 6, kProtocol = 9, kIpv4Checksum = 10;

// The most subheaders of a chain of MAX_HEADER octets: a subheader has at least 8 octets, except ESP, which ends the
// chain.
inline constexpr std::size_t kMostParts = kLongestMaxHeader / 8 + 1;

struct Chain {
  struct Part {
    Kind kind;
    std::uint16_t at;  // octets before the subheader
  };
  std::array<Part, kMostParts + 1> parts;  // the entry after the last part holds the chain's length
  std::uint8_t count;
  std::uint8_t upper;  // protocol after the last subheader
  bool as_is;          // compressed headers contain a subheader of the chain uncompressed
  bool jumbo;          // a hop-by-hop option gives the packet's length, so length fields must not be used

  [[nodiscard]] std::size_t length() const noexcept { return count != 0 ? parts[count].at : 0; }
  [[nodiscard]] std::size_t length_of(std::size_t part) const noexcept {
    return static_cast<std::size_t>(parts[part + 1].at - parts[part].at);
  }
  [[nodiscard]] bool has_tcp() const noexcept { return count != 0 && parts[count - 1u].kind == Kind::tcp; }
  // Returns the octets before the TCP header. REQUIRES: has_tcp().
  [[nodiscard]] std::size_t tcp_at() const noexcept { return parts[count - 1u].at; }
  // True if a COMPRESSED_TCP header has no RANDOM fields, because the chain is IP and TCP alone.
  [[nodiscard]] bool is_unit() const noexcept { return count == 2 && !as_is && has_tcp(); }
  // Copies the used parts of the chain only.
  void assign(const Chain& other) noexcept {
    std::copy_n(other.parts.begin(), other.count + 1u, parts.begin());
    count = other.count;
    upper = other.upper;
    as_is = other.as_is;
    jumbo = other.jumbo;
  }
};

// Copies a header. The length of the frequent header without options is a compile-time constant.
inline void copy_header(std::uint8_t* to, const std::uint8_t* from, std::size_t length) noexcept {
  constexpr std::size_t kShortest = kIpv4Header + kTcpHeader;
  if (length == kShortest) {
    std::memcpy(to, from, kShortest);
  } else {
    std::memcpy(to, from, length);
  }
}

// True if a compressed header contains a subheader of this kind uncompressed.
[[nodiscard]] constexpr bool is_as_is(Kind kind) noexcept {
  return kind == Kind::ipv4_options || kind == Kind::ipv4_fragment;
}

// Sets `chain` to the chain at the start of a packet: "the longest initial sequence of entire subheaders that is not
// larger than MAX_HEADER octets" (5.2), empty if the packet does not begin with an IP header. Ignores the length fields
// of IP and UDP, which hold other values in a full header.
void parse(Octets packet, std::size_t max_header, Chain& chain) noexcept;

// True if all length fields agree with the packet's length and all inferred checksums are right: "If not, the header
// chain MUST NOT be compressed" (7.1).
[[nodiscard]] bool is_inferable(const Chain& chain, Octets packet) noexcept;

// True if the checksums that compressed headers omit are right.
[[nodiscard]] bool has_right_checksums(const Chain& chain, const std::uint8_t* header) noexcept;

// The kind of the received header for infer(), which writes the inferred values into the header of a packet of `total`
// octets. After a compressed header: lengths and checksums, except in subheaders that were sent uncompressed. After a
// full header, which contains the checksums: the lengths of all subheaders. infer() returns false if a length does not
// fit into its field.
enum class Behind : std::uint8_t { compressed_header, full_header };
[[nodiscard]] bool infer(const Chain& chain, std::uint8_t* header, std::size_t total, Behind behind) noexcept;

// Returns the offsets of the first two length fields of a full header (5.3); 0 for a missing field.
[[nodiscard]] std::pair<std::size_t, std::size_t> length_fields(const Chain& chain) noexcept;

// Returns the sum of TCP's pseudo-header, without TCP's checksum: the addresses of the packet's ends (RFC 793, 3.1; RFC
// 2460, 8.1), protocol and length. REQUIRES: chain.has_tcp().
[[nodiscard]] std::uint64_t pseudo_header_sum(const Chain& chain, const std::uint8_t* header,
                                              std::size_t total) noexcept;

// Attribute of the visitors of for_each_field and for_each_defining, written after a visitor's parameters. Each call of
// the visitor is inlined, so that the compiler knows the constants that it gets.
#define HEADROOM_VISIT __attribute__((always_inline))

// Calls visit(class, offset, octets) for the fields of a subheader in order; adjacent fields of one class are combined.
// Returns false as soon as visit does. All of TCP except the ports is `unit`.
template <typename Visit>
[[gnu::always_inline]] inline bool for_each_field(Kind kind, const std::uint8_t* header, std::size_t length,
                                                  Visit&& visit) {
  constexpr auto kNoChange = Class::no_change;
  constexpr auto kRandom = Class::random;
  constexpr auto kInferred = Class::inferred;
  constexpr auto kUnit = Class::unit;
  using S = std::size_t;
  switch (kind) {
    case Kind::ipv4:
      return visit(kNoChange, S{0}, S{2}) && visit(kInferred, S{2}, S{2}) && visit(kRandom, S{4}, S{2}) &&
             visit(kNoChange, S{6}, S{4}) && visit(kInferred, S{10}, S{2}) && visit(kNoChange, S{12}, S{8});
    case Kind::ipv4_of_tcp:
      return visit(kNoChange, S{0}, S{1}) && visit(kUnit, S{1}, S{1}) && visit(kInferred, S{2}, S{2}) &&
             visit(kUnit, S{4}, S{2}) && visit(kNoChange, S{6}, S{4}) && visit(kInferred, S{10}, S{2}) &&
             visit(kNoChange, S{12}, S{8});
    case Kind::ipv4_options:
    case Kind::ipv4_fragment:
      return visit(kRandom, S{0}, length);
    case Kind::ipv6:
      return visit(kNoChange, S{0}, S{4}) && visit(kInferred, S{4}, S{2}) && visit(kNoChange, S{6}, S{34});
    case Kind::ipv6_of_tcp:
      return visit(kNoChange, S{0}, S{1}) && visit(kUnit, S{1}, S{1}) && visit(kNoChange, S{2}, S{2}) &&
             visit(kInferred, S{4}, S{2}) && visit(kNoChange, S{6}, S{34});
    case Kind::options: {
      if (!visit(kNoChange, S{0}, S{2})) return false;
      for (S at = 2; at < length;) {  // parse() has checked that each option ends within the header
        constexpr std::uint8_t kPad1 = 0, kPadN = 1;
        const S option = header[at] == kPad1 ? 1 : S{2} + header[at + 1];
        const S fixed = header[at] <= kPadN ? option : 2;
        if (!visit(kNoChange, at, fixed)) return false;
        if (fixed != option && !visit(kRandom, at + 2, option - 2)) return false;
        at += option;
      }
      return true;
    }
    case Kind::routing:
    case Kind::esp:
      return visit(kNoChange, S{0}, length);
    case Kind::fragment:
      return visit(kNoChange, S{0}, S{2}) && visit(kRandom, S{2}, S{6});
    case Kind::authentication:
      return visit(kNoChange, S{0}, S{8}) && visit(kRandom, S{8}, length - 8);
    case Kind::minimal:
      return visit(kNoChange, S{0}, S{2}) && visit(kInferred, S{2}, S{2}) && visit(kNoChange, S{4}, length - 4);
    case Kind::udp:
      // "RANDOM, unless it is zero, in which case it is NOCHANGE" (7.11)
      return visit(kNoChange, S{0}, S{4}) && visit(kInferred, S{4}, S{2}) &&
             visit(load16(header + 6) == 0 ? kNoChange : kRandom, S{6}, S{2});
    case Kind::tcp:
      return visit(kNoChange, S{0}, S{4}) && visit(kUnit, S{4}, length - 4);
  }
  return false;
}

// Calls visit(offset, octets) for the DEF fields of a subheader, by which 4.1 groups packets in addition to the
// sequence of subheaders.
template <typename Visit>
[[gnu::always_inline]] inline bool for_each_defining(Kind kind, const std::uint8_t* header, std::size_t length,
                                                     Visit&& visit) {
  using S = std::size_t;
  switch (kind) {
    case Kind::ipv4:
    case Kind::ipv4_of_tcp:
    case Kind::ipv4_options:
    case Kind::ipv4_fragment:
      return visit(S{12}, S{8});
    case Kind::ipv6:
    case Kind::ipv6_of_tcp:  // the flow label without the traffic class before it
      return visit(S{2}, S{2}) && visit(S{8}, S{32});
    case Kind::routing:
      // "In the Type 0 Routing Header, the last address is DEF if (Segments Left > 0)" (7.5)
      return header[2] != 0 || header[3] == 0 || length < 24 || visit(length - 16, S{16});
    case Kind::authentication:
      return visit(S{4}, S{4});
    case Kind::esp:
    case Kind::udp:
    case Kind::tcp:
      return visit(S{0}, S{4});
    case Kind::options:
    case Kind::fragment:
    case Kind::minimal:
      return true;
  }
  return false;
}

}  // namespace headroom::iphc::wire
