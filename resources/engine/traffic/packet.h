// SPDX-License-Identifier: Apache-2.0
//
// Renders the headers of a profile into the octets of a correct packet, including lengths, next-header fields and
// checksums.
#ifndef HEADROOM_TRAFFIC_PACKET_H
#define HEADROOM_TRAFFIC_PACKET_H

#include <array>
#include <cstdint>
#include <vector>

#include "base/octets.h"
#include "base/random.h"
#include "traffic/profile.h"

namespace headroom::traffic {

// The identity of one flow in one direction: derived only from the seed, the number of the flow and the direction.
struct Identity {
  struct PerHeader {
    std::array<std::uint8_t, 16> source{}, destination{};  // addresses of an IP header; IPv4 uses the first 4 octets
    std::uint16_t source_port = 0, destination_port = 0;
    std::uint16_t identification = 0;  // the first IP-ID
    std::uint32_t flow_label = 0;
    std::uint32_t spi = 0;  // SPI of ESP
    std::uint32_t tunnel_endpoint = 0;
  };
  std::array<PerHeader, kMostHeaders> headers{};
  std::uint32_t token = 0;  // the RTP SSRC, and the key of all random values in the flow's packets
  std::uint16_t sequence = 0;
  std::uint32_t timestamp = 0;
  std::uint32_t esp_sequence = 0;
  std::uint32_t tcp_sequence = 0, tcp_acknowledgement = 0;
  std::uint16_t echo_identifier = 0;
  bool reverse = false;
  std::uint64_t start_us = 0;  // start of the first interval
};

[[nodiscard]] Identity make_identity(const Variant& variant, std::uint64_t flow, std::uint64_t seed, bool reverse);

// The fields that change from packet to packet.
struct Moment {
  std::array<std::uint16_t, kMostHeaders> identification{};
  std::uint16_t sequence = 0;  // sequence number of RTP or of the echo request
  std::uint32_t timestamp = 0;
  bool marker = false;
  std::uint32_t esp_sequence = 0;
  std::uint32_t tcp_sequence = 0, tcp_acknowledged = 0;  // the latter: octets beyond what each packet acknowledges
  std::uint64_t coverage_draw = 0;                       // draw for a random UDP-Lite Checksum Coverage
  std::uint32_t number = 0;  // earlier packets of the flow, for the counters of AH, GRE and tunnels
};

// The offsets of the headers; the last entry is the length of all of them.
[[nodiscard]] std::vector<std::size_t> layout(const std::vector<Header>& headers);

[[nodiscard]] Octets build_packet(const std::vector<Header>& headers, const Identity& identity, const Moment& moment,
                                  OctetView payload);

// Cuts a packet whose first header is IPv4 into fragments (RFC 791, 3.2) of at most `fragment_at` octets of IP payload.
// Returns one element if the packet need not be cut.
[[nodiscard]] std::vector<Octets> fragment(const Octets& packet, std::uint16_t fragment_at);

// Returns octet number `i` of a payload whose content is "pattern".
[[nodiscard]] constexpr std::uint8_t pattern_octet(std::size_t i) noexcept {
  return static_cast<std::uint8_t>(mix64(i / 8 + 1) >> (i % 8 * 8));
}

// Returns the identification for a value of its counter.
[[nodiscard]] constexpr std::uint16_t swap_octets(std::uint16_t value) noexcept {
  return static_cast<std::uint16_t>((value << 8) | (value >> 8));
}

// The purposes of random draws in the packets of a flow; each draw depends on its purpose and its interval. The numbers
// are part of the meaning of a seed: never renumber them.
enum class Purpose : std::uint64_t {
  spurt = 1,
  pause = 2,
  interval = 3,
  jitter = 4,
  frame = 5,
  length = 6,
  payload = 7,
  coverage = 8,
  integrity = 9,
  direction = 10,
  identification = 16,
  jump = 32
};

[[nodiscard]] constexpr std::uint64_t packet_draw(std::uint32_t token, Purpose purpose, std::uint64_t index,
                                                  std::uint64_t header = 0) noexcept {
  return mix64((std::uint64_t{token} << 32) + (static_cast<std::uint64_t>(purpose) + header) * 0xD1342543DE82EF95u +
               index * kGolden);
}

// Returns the number of octets by which the payload of packet `index` is longer than the shortest one.
[[nodiscard]] constexpr std::uint32_t scale_length(std::uint32_t token, std::uint64_t index,
                                                   std::uint32_t range) noexcept {
  return scale(packet_draw(token, Purpose::length, index), range);
}

// Returns the length of the payload of packet `index` in octets. REQUIRES: the payload has a mix of lengths.
[[nodiscard]] std::uint32_t mixed_length(std::uint32_t token, std::uint64_t index, const Payload& payload) noexcept;

// Returns the growth of a counting identification with the packet `index`.
[[nodiscard]] constexpr std::uint16_t identification_step(std::uint32_t token, std::uint64_t index,
                                                          std::uint64_t header, Chance jumps,
                                                          std::uint32_t most) noexcept {
  if (!jumps.possible()) return 1;
  const std::uint64_t draw = packet_draw(token, Purpose::jump, index, header);
  if (!jumps.happens(draw)) return 1;
  return static_cast<std::uint16_t>(2 + scale(mix64(draw + kGolden), most - 1));
}

}  // namespace headroom::traffic

#endif  // HEADROOM_TRAFFIC_PACKET_H
