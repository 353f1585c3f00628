// SPDX-License-Identifier: Apache-2.0
//
// The parameters on which the two sides agree: RFC 2507, section 14, with the limits of RFC 3544, 2.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headroom::iphc {

// The types of link packets: protocol numbers of PPP for compressed packets (RFC 3544, section 4) and for regular
// headers.
inline constexpr std::uint16_t kTypeIpv4 = 0x0021, kTypeIpv6 = 0x0057, kTypeFull = 0x0061, kTypeTcp = 0x0063,
                               kTypeTcpNoDelta = 0x2063, kTypeNonTcp = 0x0065;

// The type of a link packet in details.
enum class PacketType : std::uint8_t { regular, full, tcp, tcp_no_delta, non_tcp };
inline constexpr std::array<std::string_view, 5> kPacketTypeNames = {"IP", "FULL_HEADER", "COMPRESSED_TCP",
                                                                     "COMPRESSED_TCP_NODELTA", "COMPRESSED_NON_TCP"};
enum class Event : std::uint8_t { none, repaired };
inline constexpr std::array<std::string_view, 2> kEventNames = {"none", "repaired"};

// MAX_HEADER: "at least 60 octets" (section 14). The ABI has room for headers of 512 octets.
inline constexpr std::size_t kShortestMaxHeader = 60, kLongestMaxHeader = 512;
inline constexpr std::uint32_t kMostTcpSpace = 255, kMostNonTcpSpace = 65535;
inline constexpr unsigned kGenerations = 64;                // "the generation field is 6 bits long" (3.3)
inline constexpr std::uint64_t kMinWrapNs = 3'000'000'000;  // MIN_WRAP, "fixed for all implementations"

// The decompressor's use of the TCP checksum (10.1).
enum class Repair : std::uint8_t {
  none,    // passes every restored packet on; TCP detects wrong packets
  verify,  // drops a packet with a wrong checksum
  twice,   // applies the changes again before dropping the packet
};

struct Config {
  std::uint32_t channels = 1;
  std::uint32_t tcp_space = 15, non_tcp_space = 15;   // the largest CID of each space
  bool compress_tcp = true, compress_non_tcp = true;  // RFC 3544, 2.4
  std::uint32_t max_header = 168;
  std::uint32_t f_max_period = 256, f_max_time = 5;  // 0: no limit (RFC 3544, 2.1)

  bool reordering = false;  // EXPECT_REORDERING: packet sequence numbers (11.2), and no COMPRESSED_TCP_NODELTA

  // Choices of one side alone.
  std::uint64_t boot_wait_ns = kMinWrapNs;  // compressor: time before non-TCP compression starts (3.3)
  bool no_delta = true;  // compressor: COMPRESSED_TCP_NODELTA instead of full headers where RFC 2507 allows it
  Repair repair = Repair::twice;
  std::uint32_t twice = 2;             // decompressor: the most times that changes are applied again
  std::uint64_t hold_ns = 50'000'000;  // decompressor: longest time that a packet waits for a missing packet (11.2)
  bool feedback = true;                // decompressor: header requests can be sent back
  std::uint64_t request_interval_ns = 100'000'000;  // decompressor: shortest time between CONTEXT_STATE packets
};

}  // namespace headroom::iphc
