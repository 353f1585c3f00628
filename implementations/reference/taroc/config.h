// SPDX-License-Identifier: Apache-2.0
//
// The configuration of TAROC, and the types of its link packets.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace headroom::taroc {

// The types of link packets. The draft assigns no types. Its formats follow RFC 2507, so these are the PPP protocol
// numbers of RFC 2507 (RFC 3544, 2.1: FULL_HEADER and COMPRESSED_TCP) and of plain packets.
inline constexpr std::uint16_t kTypeIp = 0x0021, kTypeIpv6 = 0x0057, kTypeUncompressed = 0x0061,
                               kTypeCompressed = 0x0063;

// The type of a link packet in details.
enum class PacketType : std::uint8_t { ip, uncompressed, compressed };
inline constexpr std::array<std::string_view, 3> kPacketTypeNames = {"IP", "UNCOMPRESSED_TCP", "COMPRESSED_TCP"};

// "There are two compression states in TAROC" (4.2): initialization and refresh, and compression.
enum class State : std::uint8_t { ir, co };
inline constexpr std::array<std::string_view, 2> kStateNames = {"IR", "CO"};

// "For TCP the only available CID size is 8 bits" (RFC 2507, 5.1).
inline constexpr std::uint32_t kMostContexts = 256;
inline constexpr std::uint32_t kLargestWindowScale = 14;  // RFC 7323, 2.3

struct Config {
  std::uint32_t channels = 1;
  std::uint32_t contexts = 16;  // TCP_SPACE + 1 (RFC 2507, 14)

  // The following members are for the compressor. MSS and ISSTHRESH are in octets: "the implementation can use the MTU
  // of the link as an approximation" of MSS, and for ISSTHRESH "2 times of multiplication of bandwidth and delay of the
  // link" (6.2).
  std::uint32_t mss = 1500;
  std::uint32_t issthresh = 32'768;
  std::uint32_t k = 2;  // "a practical range of K is around 2~4 … K=2 is good for most cases" (8.1)
  // The largest shift count of the window scale option (RFC 7323) that connections use: a window in a header counts
  // units of up to 2^window_scale octets. With a smaller value the compressor could underestimate a window.
  std::uint32_t window_scale = kLargestWindowScale;
  bool rescue = false;  // sends the third transmission of a segment as UNCOMPRESSED_TCP
};

}  // namespace headroom::taroc
