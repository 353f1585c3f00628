// SPDX-License-Identifier: Apache-2.0
//
// Channel parameters (RFC 5795 5.1.2) that compressor and decompressor share, and the index of the contexts of all
// channels in one array.
#pragma once

#include <cstdint>

#include "rohc/framework/wire/cid.h"
#include "rohc/framework/wire/profile.h"

namespace headroom::rohc {

// PROFILES. The set always contains the Uncompressed profile, because packets that cannot be compressed need it.
struct ProfileSet {
  bool rtp = true;
  bool udp = true;
  bool ip = true;
  bool esp = true;
  bool rtp_udp_lite = true;
  bool udp_lite = true;
  bool tcp = false;

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
      case wire::Profile::kTcp:
        return tcp;
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
  std::uint32_t mrru = 0;  // largest reconstructed unit in octets, CRC included; 0: no segmentation

  [[nodiscard]] constexpr std::uint32_t contexts_per_channel() const noexcept { return max_cid + 1; }
  [[nodiscard]] constexpr std::uint32_t contexts() const noexcept { return channels * contexts_per_channel(); }
  [[nodiscard]] constexpr std::uint32_t index_of(std::uint32_t channel, std::uint32_t cid) const noexcept {
    return channel * contexts_per_channel() + cid;
  }
};

inline constexpr std::uint32_t kNoContext = 0xffffffffU;

[[nodiscard]] constexpr std::uint32_t milliseconds(std::uint64_t now_ns) noexcept {
  return static_cast<std::uint32_t>(now_ns / 1'000'000);
}

}  // namespace headroom::rohc
