// SPDX-License-Identifier: Apache-2.0
//
// Chooses the profile for a packet: the channel's profile that compresses most of the packet's headers.
#pragma once

#include "rohc/v1/compressor/classify.h"
#include "rohc/v1/header/listed.h"

namespace headroom::rohc {

// Fills `chain` with the part of the headers of `packet` that the profile compresses, and `listed` if chain.listed;
// `chain` then describes the core. Returns kUncompressed, with both invalid, if no profile of the channel can compress
// the packet.
[[nodiscard]] wire::Profile profile_for(const ProfileSet& enabled, const RtpPorts& rtp_ports, Octets packet,
                                        HeaderChain& chain, ListedHeaders& listed) noexcept;

// True if a later packet of a flow that starts with `profile` may be RTP. `udp`: the UDP or UDP-Lite header, ignored in
// other profiles.
[[nodiscard]] bool may_carry_rtp(const ProfileSet& enabled, const RtpPorts& rtp_ports, wire::Profile profile,
                                 const std::uint8_t* udp) noexcept;

}  // namespace headroom::rohc
