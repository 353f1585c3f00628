// SPDX-License-Identifier: Apache-2.0
//
// The properties of the profiles of this family.
#pragma once

#include "rohc/framework/wire/profile.h"
#include "rohc/v1/header/layout.h"
#include "rohc/v1/wire/packet_type.h"

namespace headroom::rohc {

// The properties of a profile, so that code tests a property instead of a profile number.
struct ProfileTraits {
  bool rtp;             // RTP fields in base headers, extensions and chains; SN and TS from the packet
  bool udp;             // the chain has a UDP or a UDP-Lite header
  bool constant_ip_id;  // SID (RFC 3843 3.3, RFC 4815 11)
  bool ends_at_ip;      // the static chain may end at any IP header (RFC 3843 3.1)
  Transport transport = Transport::kNone;  // the headers after the innermost IP header

  [[nodiscard]] constexpr bool esp() const noexcept { return transport == Transport::kEsp; }
  // True if the packet contains the SN; the interpretation offset is then the offset for RTP (RFC 3095 5.12). Otherwise
  // the compressor generates the SN.
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

}  // namespace headroom::rohc
