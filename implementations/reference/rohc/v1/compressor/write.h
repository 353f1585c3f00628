// SPDX-License-Identifier: Apache-2.0
//
// Packets of the general path: IR and IR-DYN (RFC 3095 5.7.7), compressed headers with extensions (5.7.1 to 5.7.5,
// 5.11). Each function appends a header without payload; out.ok() tells if there was room.
#pragma once

#include "rohc/v1/compressor/choose.h"
#include "rohc/v1/compressor/flow.h"

namespace headroom::rohc {

void write_ir(Flow flow, const PacketFields& f, wire::Writer& out) noexcept;
void write_ir_dyn(Flow flow, const PacketFields& f, wire::Writer& out) noexcept;

// Returns the needs of a compressed header for `f`, given the flow's window and its pending changes.
[[nodiscard]] Needs needs_of(Flow flow, const PacketFields& f) noexcept;

// REQUIRES: `choice` is choose(needs_of(flow, f)).
void write_compressed(Flow flow, const PacketFields& f, const Choice& choice, bool ts_unscaled,
                      wire::Writer& out) noexcept;

// Counts down the changes that a packet of this type carried. `told_ts`: true if the packet carried an unscaled TS.
void count_sent(Flow flow, wire::PacketType type, bool told_ts) noexcept;

}  // namespace headroom::rohc
