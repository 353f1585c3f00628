// SPDX-License-Identifier: Apache-2.0
//
// Link packets made by hand: what no compressor of ours would send, but another one's may, or an enemy's.
#pragma once

#include <cstdint>
#include <optional>

#include "rohc/v1/test/support/packet_builder.h"
#include "rohc/v1/wire/base_header.h"
#include "rohc/v1/wire/chain.h"
#include "rohc/v1/wire/extension.h"
#include "rohc/v1/wire/feedback.h"

namespace headroom::rohc::test {

// A compressed header whose CRC is that of `original`, with `tail` (fields after the extension) and the payload of
// `original`; in a CCE packet (RFC 4019 5.3.2) if `cce` says so.
[[nodiscard]] Packet crafted(const PacketSpec& original, wire::BaseHeader base,
                             const std::optional<wire::Extension>& extension = std::nullopt, Octets tail = {},
                             const wire::CidOctets& cid = {}, wire::Cce cce = wire::Cce::kNone);

// IR (type fc or fd), IR-DYN (f8): CID, type, profile, the right CRC-8, `chains` and `payload`.
[[nodiscard]] Packet crafted_initialisation(std::uint8_t type, std::uint8_t profile, Octets chains, Octets payload,
                                            const wire::CidOctets& cid = {});

// Chains of `original` by the wire format's own writers. `extras` for RTP; `sn` for profiles that make their own.
struct ChainOptions {
  wire::IpIdFlags id;
  wire::IpIdFlags outer_id;
  wire::RtpExtras extras;
  std::uint16_t sn = 0;
};
[[nodiscard]] Packet static_chain(const PacketSpec& original, unsigned profile);
[[nodiscard]] Packet dynamic_chain(const PacketSpec& original, unsigned profile, const ChainOptions& options = {});

// A feedback element for small CIDs.
[[nodiscard]] Packet feedback_element(const wire::Feedback& feedback, bool large_cids = false);

// FEEDBACK-2 with a CRC option, the SN being that of the acknowledged packet.
[[nodiscard]] wire::Feedback feedback_2(wire::AckType ack, wire::Mode mode, std::uint16_t sn, std::uint32_t cid = 0);

}  // namespace headroom::rohc::test
