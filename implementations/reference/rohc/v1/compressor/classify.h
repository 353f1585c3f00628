// SPDX-License-Identifier: Apache-2.0
//
// Computes the probable hash of a packet's flow, quickly, to prefetch the right cache lines. The result is a guess; the
// fast path and the general path both compare all fields.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>

#include "rohc/framework/compressor/flow_hash.h"
#include "rohc/v1/compressor/config.h"
#include "rohc/v1/header/chain.h"

namespace headroom::rohc {

// The UDP ports at which packets that look like RTP are treated as RTP.
class RtpPorts {
 public:
  explicit RtpPorts(const CompressorConfig& config);

  // True if packets with these ports can be RTP. `ports`: the four octets of both ports, first octet least significant.
  [[nodiscard]] bool match(std::uint32_t ports) const noexcept {
    const std::uint16_t source = wire::swap16(static_cast<std::uint16_t>(ports));
    const std::uint16_t destination = wire::swap16(static_cast<std::uint16_t>(ports >> 16));
    return (source >= lowest_source_) & destinations_[destination];
  }

 private:
  std::bitset<65536> destinations_;
  std::uint16_t lowest_source_ = 0;
};

// The fields that the quick look reads after an IP header, by protocol number.
struct TransportMasks {
  std::uint32_t ports = 0;  // all ones: the next four octets are ports or SPI, and a profile compresses that header
  bool ssrc = false;        // UDP or UDP-Lite, and the profile is enabled that compresses RTP after it
};
[[nodiscard]] std::array<TransportMasks, 256> transport_masks(const ProfileSet& enabled) noexcept;

// Returns the SSRC from the innermost headers, first octet least significant. REQUIRES: l.has_rtp().
[[nodiscard]] inline std::uint32_t ssrc_of(const std::uint8_t* inner, const Layout& l) noexcept {
  return wire::load_little32(inner + l.rtp + 8);
}

// Returns the hash of a parsed packet's flow. `begun`: see FlowHash::begin and go_on. RTP flows with the same addresses
// and ports differ in their SSRC.
[[nodiscard]] inline std::uint64_t flow_hash(const FlowHash& hash, Octets packet, const HeaderChain& chain,
                                             std::uint64_t begun) noexcept {
  const Layout& l = chain.layout();
  const std::uint8_t* inner = packet.data() + chain.outer_octets;
  const std::uint32_t ports = l.ports_at() != 0 ? wire::load_little32(inner + l.ports_at()) : 0;
  const std::uint64_t ssrc = l.has_rtp() ? hash.of_ssrc(ssrc_of(inner, l)) : 0;
  return hash.of(flow_words(inner, l.ip_version, ports), begun) + ssrc;
}

// The hash that stands for no guess. A real hash has this value with a probability of 2^-64; the packet then takes the
// general path.
inline constexpr std::uint64_t kNoHash = 0;

// Computes the same hash as flow_hash() for packets with one IP header, with bounds checks only.
class QuickLook {
 public:
  explicit QuickLook(const CompressorConfig& config);

  [[nodiscard]] const FlowHash& flow_hash() const noexcept { return hash_; }
  [[nodiscard]] const RtpPorts& rtp_ports() const noexcept { return rtp_ports_; }

  [[nodiscard]] std::uint64_t hash(const std::uint8_t* packet, std::size_t length,
                                   std::uint32_t channel) const noexcept {
    if (length < kRead) [[unlikely]]
      return hash_short(packet, length, channel);
    return hash_padded(packet, length, channel);
  }

 private:
  static constexpr std::size_t kRead = kIpv6Header + kUdpHeader + kRtpHeader;

  // Computes the hash of a packet shorter than kRead octets, padded with zeros.
  [[nodiscard]] std::uint64_t hash_short(const std::uint8_t* packet, std::size_t length,
                                         std::uint32_t channel) const noexcept;

  // Computes the hash with the same instructions for both IP versions, because a branch would be unpredictable in mixed
  // traffic. REQUIRES: kRead octets can be read.
  [[nodiscard, gnu::always_inline]] std::uint64_t hash_padded(const std::uint8_t* packet, std::size_t length,
                                                              std::uint32_t channel) const noexcept {
    const std::size_t ipv6 = packet[0] >> 4 == 6 ? 1 : 0;
    const std::uint64_t ipv6_mask = std::uint64_t{0} - ipv6;
    FlowWords w;
    w.addresses[0] = wire::load_little64(packet + 12 - 4 * ipv6);
    w.addresses[1] = wire::load_little64(packet + 16) & ipv6_mask;
    w.addresses[2] = wire::load_little64(packet + 24) & ipv6_mask;
    w.addresses[3] = wire::load_little64(packet + 32) & ipv6_mask;
    const std::uint8_t next = packet[9 - 3 * ipv6];
    const TransportMasks& mask = masks_[next];
    const std::size_t transport = kIpv4Header + kIpv4Header * ipv6;
    w.ports = wire::load_little32(packet + transport) & mask.ports;
    w.label_and_next = (wire::load_little32(packet) & 0xffff0f00U & static_cast<std::uint32_t>(ipv6_mask)) | next;
    std::uint64_t h = hash_.of(w, hash_.begin(channel));
    const std::size_t payload = transport + kUdpHeader;
    if (mask.ssrc && may_be_rtp(packet + payload, length < payload ? 0 : length - payload) && rtp_ports_.match(w.ports))
      h += hash_.of_ssrc(wire::load_little32(packet + payload + 8));
    return h;
  }

  FlowHash hash_;
  std::array<TransportMasks, 256> masks_{};
  RtpPorts rtp_ports_;
};

}  // namespace headroom::rohc
