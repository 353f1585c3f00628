// SPDX-License-Identifier: Apache-2.0
//
// The UDP-Lite Checksum Coverage at the compressor: RFC 4019 5.1 (context(CFP) and context(CFI)), 5.2.2, 5.3.2, 5.4.
//
// The field can be treated in three ways (Coverage in header/layout.h). A flow starts with the treatment that its first
// packet makes the decompressor assume (5.2.2) and changes the treatment after some consecutive packets that fit
// another one. The compressor never relies on the decompressor's inference: whenever the decompressor could assume
// another treatment, because a packet was lost or because it interprets "for any one IR or IR-DYN packet" (5.2.2)
// differently, `repeats` packets signal the treatment with CCE(ON) or CCE(OFF). Packets that do not fit the treatment
// are sent as CCE(), which any context can decode.
#pragma once

#include "rohc/v1/compressor/flow.h"

namespace headroom::rohc {

// Sets the shape and tail of compressed headers for a new flow; called by begin_flow(). Like the other functions here,
// does nothing without a UDP-Lite header.
void begin_coverage(Flow flow, const PacketFields& f) noexcept;

// Counts the packets of the fast path, which all fitted the treatment. Called before catch_up() of the window.
void catch_up_coverage(Flow flow) noexcept;

// Changes the treatment if the last packets fit another one; called by observe().
void observe_coverage(Flow flow, const PacketFields& f) noexcept;

// Returns the CCE that a compressed header for `f` needs.
[[nodiscard]] wire::Cce choose_cce(Flow flow, const PacketFields& f) noexcept;

// Records the treatment that a sent packet signalled. `chain`: true for an IR or IR-DYN packet, which "assigns values"
// of its own (5.2.2).
void coverage_sent(Flow flow, const PacketFields& f, wire::Cce cce, bool chain) noexcept;

}  // namespace headroom::rohc
