// SPDX-License-Identifier: Apache-2.0
//
// What a compressor learns from a packet before it decides how to send it: which fields left their pattern, how the
// IP-ID moves, what the stride of the timestamp is. The flow's `..._left` counters record the changes to be sent.
#pragma once

#include "rohc/v1/compressor/flow.h"

namespace headroom::rohc {

// Starts a flow with its first packet. REQUIRES: flow.c.profile, shape and cid_octets are set, all else of the contexts
// is zero.
void begin_flow(Flow flow, const PacketFields& f) noexcept;

// Compares a further packet with the flow. REQUIRES: it belongs to the flow (same definition fields), catch_up() has
// run.
void observe(Flow flow, const PacketFields& f) noexcept;

// Sets what the fast path predicts from, after `f` has been sent, and whether it may be used.
void predict(Flow flow, const PacketFields& f) noexcept;

// True while changes, other than refreshes, are still to be sent: the flow is in the FO state (RFC 3095 4.3.1.2).
[[nodiscard]] bool has_news(const FlowHistory& h) noexcept;

}  // namespace headroom::rohc
