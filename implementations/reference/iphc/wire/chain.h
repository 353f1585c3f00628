// SPDX-License-Identifier: Apache-2.0
//
// The compressible chain of subheaders and the classification of its fields: RFC 2507, section 7. Layout only: whether
// a packet is compressed, and how, is compressor.h's.
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
  ipv4_of_tcp,     // the same where TCP follows immediately: "compressed as a unit" with it
  ipv4_options,    // 7.13 b), no fragment: sent as it is
  ipv4_fragment,   // 7.13 b): sent as it is; ends the chain
  ipv6,            // 7.1
  ipv6_of_tcp,     // the same where TCP follows immediately: the R-octet has two of its bits
  options,         // 7.4, 7.7: hop-by-hop and destination options
  routing,         // 7.5
  fragment,        // 7.6
  authentication,  // 7.9
  esp,             // 7.10: the SPI alone; all behind it is payload
  minimal,         // 7.14
  udp,             // 7.11
  tcp,             // 7.12
};

// "NOCHANGE: any change means that a full header MUST be sent"; "RANDOM: must be included as-is in compressed headers";
// "INFERRED: can be inferred from other values". `unit` is what compressed TCP headers have their own rules for.
enum class Class : std::uint8_t { no_change, random, inferred, unit };

inline constexpr std::uint8_t kHopByHop = 0, kIpv4 = 4, kTcp = 6, kUdp = 17, kIpv6 = 41, kRouting = 43, kFragment = 44,
                              kEsp = 50, kAuthentication = 51, kMinimal = 55, kDestination = 60;
inline constexpr std::size_t kIpv4Header = 20, kIpv6Header = 40, kUdpHeader = 8, kTcpHeader = 20;
inline constexpr std::size_t kIdentification = 4, kFragmentField = 6, kProtocol = 9, kIpv4Checksum = 10;

// No chain of MAX_HEADER octets has more: a subheader has 8, but ESP, which ends the chain.
inline constexpr std::size_t kMostParts = kLongestMaxHeader / 8 + 1;

struct Chain {
  struct Part {
    Kind kind;
    std::uint16_t at;  // octets in front of it
  };
  std::array<Part, kMostParts + 1> parts;  // the one behind the last has the length of the chain
  std::uint8_t count;
  std::uint8_t upper;  // protocol behind the last subheader
  bool as_is;          // it has a subheader that compressed headers have as it is
  bool jumbo;          // a hop-by-hop option says how long the packet is, and so may no length field be used

  [[nodiscard]] std::size_t length() const noexcept { return count != 0 ? parts[count].at : 0; }
  [[nodiscard]] std::size_t length_of(std::size_t part) const noexcept {
    return static_cast<std::size_t>(parts[part + 1].at - parts[part].at);
  }
  [[nodiscard]] bool has_tcp() const noexcept { return count != 0 && parts[count - 1u].kind == Kind::tcp; }
  // Octets in front of the TCP header. REQUIRES: has_tcp().
  [[nodiscard]] std::size_t tcp_at() const noexcept { return parts[count - 1u].at; }
  // Whether a COMPRESSED_TCP header has no RANDOM fields: IP and TCP alone.
  [[nodiscard]] bool is_unit() const noexcept { return count == 2 && !as_is && has_tcp(); }
  // Copies the parts that there are.
  void assign(const Chain& other) noexcept {
    std::copy_n(other.parts.begin(), other.count + 1u, parts.begin());
    count = other.count;
    upper = other.upper;
    as_is = other.as_is;
    jumbo = other.jumbo;
  }
};

// Copies a header. Without options, which is frequent, the compiler knows the length.
inline void copy_header(std::uint8_t* to, const std::uint8_t* from, std::size_t length) noexcept {
  constexpr std::size_t kShortest = kIpv4Header + kTcpHeader;
  if (length == kShortest) {
    std::memcpy(to, from, kShortest);
  } else {
    std::memcpy(to, from, length);
  }
}

// Whether a compressed header has a subheader of this kind as it is.
[[nodiscard]] constexpr bool is_as_is(Kind kind) noexcept {
  return kind == Kind::ipv4_options || kind == Kind::ipv4_fragment;
}

// The chain at the front of a packet: "the longest initial sequence of entire subheaders that is not larger than
// MAX_HEADER octets" (5.2), empty where the packet begins with no IP header. Does not look at length fields of IP and
// UDP, which hold other values in a full header.
void parse(Octets packet, std::size_t max_header, Chain& chain) noexcept;

// Whether all length fields are what the length of the packet implies, and all checksums that are inferred are right:
// "If not, the header chain MUST NOT be compressed" (7.1).
[[nodiscard]] bool is_inferable(const Chain& chain, Octets packet) noexcept;

// Whether the checksums that compressed headers leave out are right.
[[nodiscard]] bool has_right_checksums(const Chain& chain, const std::uint8_t* header) noexcept;

// Puts the inferred values into the header of a packet of `total` octets: lengths and checksums behind a compressed
// header, but for subheaders that it has as they are; the lengths of all subheaders behind a full one, whose checksums
// have come with it. False: a length does not fit its field.
enum class Behind : std::uint8_t { compressed_header, full_header };
[[nodiscard]] bool infer(const Chain& chain, std::uint8_t* header, std::size_t total, Behind behind) noexcept;

// Places of the first two length fields of a full header (5.3), 0 where there is none.
[[nodiscard]] std::pair<std::size_t, std::size_t> length_fields(const Chain& chain) noexcept;

// The sum of the pseudo-header of TCP without its checksum: the addresses of the packet's ends (RFC 793, 3.1; RFC 2460,
// 8.1), protocol and length. REQUIRES: chain.has_tcp().
[[nodiscard]] std::uint64_t pseudo_header_sum(const Chain& chain, const std::uint8_t* header,
                                              std::size_t total) noexcept;

// A function for the two below, of which each call is to be compiled for its own octets: HEADROOM_VISIT follows its
// parameters.
#define HEADROOM_VISIT __attribute__((always_inline))

// Calls visit(class, offset, octets) for the fields of a subheader in their order, neighbours of one class together.
// Returns false as soon as visit does. TCP is `unit` but for its ports.
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
      for (S at = 2; at < length;) {  // parse() has seen that each ends within the header
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

// Calls visit(offset, octets) for the DEF fields of a subheader: what 4.1 groups packets by, besides the subheaders
// that there are.
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
    case Kind::ipv6_of_tcp:  // the flow label without the traffic class in front of it
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
