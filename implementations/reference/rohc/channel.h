// SPDX-License-Identifier: Apache-2.0
//
// Channel parameters (RFC 5795 5.1.2) that compressor and decompressor share, and how contexts of many channels lie in
// one array.
#pragma once

#include <cstdint>

#include "rohc/header/layout.h"
#include "rohc/wire/cid.h"
#include "rohc/wire/packet_type.h"

namespace headroom::rohc {

// PROFILES. The Uncompressed profile always belongs to the set: whatever cannot be compressed needs it.
struct ProfileSet {
  bool rtp = true;
  bool udp = true;
  bool ip = true;
  bool esp = true;
  bool rtp_udp_lite = true;
  bool udp_lite = true;

  [[nodiscard]] constexpr bool has(wire::Profile profile) const noexcept {
    switch (profile) {
      case wire::Profile::kUncompressed:
        return true;
      case wire::Profile::kRtp:
        return rtp;
      case wire::Profile::kUdp:
        return udp;
      case wire::Profile::kIp:
        return ip;
      case wire::Profile::kEsp:
        return esp;
      case wire::Profile::kRtpUdpLite:
        return rtp_udp_lite;
      case wire::Profile::kUdpLite:
        return udp_lite;
      default:
        return false;
    }
  }
};

struct ChannelParameters {
  std::uint32_t channels = 1;
  bool large_cids = false;
  std::uint32_t max_cid = wire::kMaxSmallCid;
  ProfileSet profiles;
  std::uint32_t mrru = 0;  // octets of the largest unit that is reassembled from segments, its CRC included; 0: none is

  [[nodiscard]] constexpr std::uint32_t contexts_per_channel() const noexcept { return max_cid + 1; }
  [[nodiscard]] constexpr std::uint32_t contexts() const noexcept { return channels * contexts_per_channel(); }
  [[nodiscard]] constexpr std::uint32_t index_of(std::uint32_t channel, std::uint32_t cid) const noexcept {
    return channel * contexts_per_channel() + cid;
  }
};

// Static facts about a profile, so that code asks for a property and not for a number.
struct ProfileTraits {
  bool rtp;             // RTP fields in base headers, extensions and chains; SN and TS from the packet
  bool udp;             // the chain has a UDP or a UDP-Lite header
  bool constant_ip_id;  // SID (RFC 3843 3.3, RFC 4815 11)
  bool ends_at_ip;      // the static chain may end at any IP header (RFC 3843 3.1)
  Transport transport = Transport::kNone;  // what the chain has after the innermost IP header

  [[nodiscard]] constexpr bool esp() const noexcept { return transport == Transport::kEsp; }
  // The SN stands in the packet, so the interpretation offset is that of RTP (RFC 3095 5.12); else the compressor makes
  // one.
  [[nodiscard]] constexpr bool sn_in_packet() const noexcept { return rtp || esp(); }
};

[[nodiscard]] constexpr ProfileTraits traits_of(wire::Profile profile) noexcept {
  switch (profile) {
    case wire::Profile::kRtp:
      return {true, true, false, false, Transport::kRtp};
    case wire::Profile::kUdp:
      return {false, true, false, false, Transport::kUdp};
    case wire::Profile::kEsp:
      return {false, false, false, false, Transport::kEsp};
    case wire::Profile::kRtpUdpLite:
      return {true, true, true, false, Transport::kRtpUdpLite};
    case wire::Profile::kUdpLite:
      return {false, true, true, false, Transport::kUdpLite};
    default:
      return {false, false, true, true};
  }
}

[[nodiscard]] constexpr wire::Format format_of(ProfileTraits traits) noexcept {
  return traits.rtp ? wire::Format::kRtp : wire::Format::kUdp;
}

inline constexpr std::uint32_t kNoContext = 0xffffffffU;

[[nodiscard]] constexpr std::uint32_t milliseconds(std::uint64_t now_ns) noexcept {
  return static_cast<std::uint32_t>(now_ns / 1'000'000);
}

}  // namespace headroom::rohc
