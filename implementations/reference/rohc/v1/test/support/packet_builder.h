// SPDX-License-Identifier: Apache-2.0
//
// Packets for tests, built field by field with correct lengths and checksums. Written from RFC 791, 8200, 768,
// 3828, 4303 and 3550 and from nothing else: it shares no code with what it tests.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rohc/framework/test/support/octets.h"

namespace headroom::rohc::test {

struct IpFields {
  unsigned version = 4;
  std::uint8_t tos = 0;          // or Traffic Class
  std::uint8_t ttl = 64;         // or Hop Limit
  bool dont_fragment = true;     // IPv4
  std::uint16_t id = 0;          // IPv4
  std::uint32_t flow_label = 0;  // IPv6
  std::uint16_t source = 1;      // last two octets of the addresses
  std::uint16_t destination = 2;
};

struct UdpFields {
  std::uint16_t source_port = 30000;
  std::uint16_t destination_port = 40000;
  bool checksum = true;
  bool lite = false;                      // UDP-Lite, whose checksum is always there
  std::optional<std::uint16_t> coverage;  // UDP-Lite: Checksum Coverage; none: the whole datagram, by its length
};

struct EspFields {
  std::uint32_t spi = 0x1a2b3c4d;
  std::uint32_t sn = 1;
};

struct RtpFields {
  bool padding = false;
  bool extension = false;
  bool marker = false;
  std::uint8_t payload_type = 0;
  std::uint16_t sn = 1;
  std::uint32_t ts = 0;
  std::uint32_t ssrc = 0x11223344;
};

// An extension header: what follows an IP header before the next one. `octets` is the whole header; what it says of the
// next header is filled in.
struct ExtensionSpec {
  std::uint8_t type = 0;
  Packet octets;
};

struct PacketSpec {
  std::optional<IpFields> outer;
  IpFields ip;
  std::optional<UdpFields> udp;
  std::optional<RtpFields> rtp;  // REQUIRES: udp, when present
  std::optional<EspFields> esp;  // REQUIRES: no udp, when present
  std::uint8_t protocol = 1;     // after the innermost IP header, when there is no UDP: ICMP, which nothing compresses
  Packet payload = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::vector<ExtensionSpec> outer_extensions = {};  // REQUIRES: outer, when not empty
  std::vector<ExtensionSpec> extensions = {};        // of the IP header `ip`
  std::vector<std::uint32_t> csrcs = {};             // REQUIRES: rtp, when not empty
  std::vector<IpFields> deeper = {};                 // IP headers after `ip`. REQUIRES: no udp, when not empty
};

// Hop-by-hop (0), destination (60) or routing header (43) whose contents are `octets`, padded to whole words of 8.
[[nodiscard]] ExtensionSpec options_header(std::uint8_t type, Packet contents);
// RFC 4302 2, with an ICV of `icv`, whose length must leave a multiple of 4.
[[nodiscard]] ExtensionSpec authentication_header(std::uint32_t spi, std::uint32_t sequence, Packet icv);
struct GreFields {
  std::optional<std::uint16_t> checksum;
  std::optional<std::uint32_t> key;
  std::optional<std::uint32_t> sequence;
};
[[nodiscard]] ExtensionSpec gre_header(const GreFields& fields);  // RFC 2784 2, RFC 2890 2
// RFC 2004 3.1, with an original source address or without.
[[nodiscard]] ExtensionSpec minimal_encapsulation(bool source, std::uint32_t destination);

[[nodiscard]] Packet build(const PacketSpec& spec);

// An RTP packet over IPv4 or IPv6, to be altered.
[[nodiscard]] PacketSpec rtp_packet(unsigned ip_version = 4);
[[nodiscard]] PacketSpec udp_packet(unsigned ip_version = 4);
[[nodiscard]] PacketSpec ip_packet(unsigned ip_version = 4);
[[nodiscard]] PacketSpec esp_packet(unsigned ip_version = 4);
[[nodiscard]] PacketSpec udp_lite_packet(unsigned ip_version = 4);
[[nodiscard]] PacketSpec rtp_udp_lite_packet(unsigned ip_version = 4);

// Octets of all headers of `spec`.
[[nodiscard]] std::size_t header_octets(const PacketSpec& spec);

// Sets the checksum of the IPv4 header at `at` right, after a test has altered it.
void mend_ipv4_checksum(Packet& packet, std::size_t at = 0);

}  // namespace headroom::rohc::test
