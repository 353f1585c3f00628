// SPDX-License-Identifier: Apache-2.0
//
// Analyses a packet before the compressor chooses a format: finds fields that differ from the pattern, the IP-ID
// behaviour and the stride of the timestamp. The flow's `..._left` counters record the changes to be sent.
#pragma once

#include "rohc/v1/compressor/flow.h"

namespace headroom::rohc {

// Starts a flow with its first packet. REQUIRES: flow.c.profile, shape and cid_octets are set; all other octets of the
// contexts are zero.
void begin_flow(Flow flow, const PacketFields& f) noexcept;

// Compares a further packet with the flow. REQUIRES: the packet belongs to the flow (same definition fields);
// catch_up() has run.
void observe(Flow flow, const PacketFields& f) noexcept;

// Sets the fast path's prediction after `f` has been sent, and enables or disables the fast path.
void predict(Flow flow, const PacketFields& f) noexcept;

// True while changes, other than refreshes, are still to be sent: the flow is in the FO state (RFC 3095 4.3.1.2).
[[nodiscard]] bool has_news(const FlowHistory& h) noexcept;

}  // namespace headroom::rohc
