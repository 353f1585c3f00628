// SPDX-License-Identifier: Apache-2.0
//
// The UDP-Lite Checksum Coverage at the compressor: RFC 4019 5.1 (context(CFP) and context(CFI)), 5.2.2, 5.3.2, 5.4.
//
// The field has three ways to go (Coverage in header/layout.h). A flow starts with the one that its first packet makes
// the decompressor assume (5.2.2) and takes another one when some packets in a row speak for it. What the decompressor
// knows of that is never left to inference: whenever it could hold another view, be it that a packet was lost or that
// it reads "for any one IR or IR-DYN packet" (5.2.2) otherwise than we do, `repeats` packets say it with CCE(ON) or
// CCE(OFF). Packets that are not as agreed go as CCE(), which any context can read.
#pragma once

#include "rohc/v1/compressor/flow.h"

namespace headroom::rohc {

// For begin_flow(): shape and tail of the headers to come. Does nothing where there is no UDP-Lite header, like the
// other functions here.
void begin_coverage(Flow flow, const PacketFields& f) noexcept;

// Before catch_up() of the window: the packets of the fast path were as agreed.
void catch_up_coverage(Flow flow) noexcept;

// For observe(): another way when the packets speak for it.
void observe_coverage(Flow flow, const PacketFields& f) noexcept;

// What a compressed header for `f` must say of the field.
[[nodiscard]] wire::Cce choose_cce(Flow flow, const PacketFields& f) noexcept;

// Records what a sent packet signalled. `chain`: an IR or IR-DYN packet, which "assigns values" of its own (5.2.2).
void coverage_sent(Flow flow, const PacketFields& f, wire::Cce cce, bool chain) noexcept;

}  // namespace headroom::rohc
