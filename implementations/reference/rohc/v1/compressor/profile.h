// SPDX-License-Identifier: Apache-2.0
//
// Which profile takes a packet: the one that compresses most of its headers among those that the channel has.
#pragma once

#include "rohc/v1/compressor/classify.h"
#include "rohc/v1/header/listed.h"

namespace headroom::rohc {

// Fills `chain` with the part of the headers of `packet` that the profile compresses, and `listed` if chain.listed;
// `chain` is then that of the core. Returns kUncompressed, and the two mean nothing, when no profile of the channel
// takes the packet.
[[nodiscard]] wire::Profile profile_for(const ProfileSet& enabled, const RtpPorts& rtp_ports, Octets packet,
                                        HeaderChain& chain, ListedHeaders& listed) noexcept;

// Whether a later packet of a flow that begins in `profile` may turn out to be RTP. `udp`: its UDP or UDP-Lite header;
// not looked at in other profiles.
[[nodiscard]] bool may_carry_rtp(const ProfileSet& enabled, const RtpPorts& rtp_ports, wire::Profile profile,
                                 const std::uint8_t* udp) noexcept;

}  // namespace headroom::rohc
