// SPDX-License-Identifier: Apache-2.0
//
// Periodic refreshes in unidirectional mode: "the compressor MUST periodically transit to lower compression states", to
// the IR state less often than to the FO state (RFC 3095 5.3.1.1.2). A refresh is due after a number of packets or a
// time, whichever comes first; the IR period starts short and doubles (RFC 2507 3.3.1).
//
// O-mode has no refreshes. A decompressor that missed all packets with a change should detect this by a CRC and send a
// NACK. But a CRC-3 misses one change in eight, and then every further packet is restored wrongly, because equal
// changes make equal differences in a CRC; and the CRC-3 does not detect a changed Checksum Coverage in packets of the
// usual length. So changes of that kind are sent again some packets later, up to three times, unless an ACK shows that
// this is unnecessary. ("The compressor SHOULD then for a while use packet types with another CRC length", 5.9.2; that
// alone does not help if the same loss affects all these packets.)
//
// The fast path only decrements one countdown; the functions below distribute it to the separate counters.
#pragma once

#include "rohc/v1/compressor/flow.h"

namespace headroom::rohc {

// Restarts both periods at now_ms.
void start_refreshes(Flow flow, std::uint32_t now_ms) noexcept;

// Schedules repetitions of the change that is being sent, in O-mode only.
void begin_reminders(Flow flow) noexcept;

// Counts the packets of the fast path and the current packet. Records a due refresh in ir_left or ir_dyn_left, or a due
// reminder.
void apply_refreshes(Flow flow, std::uint32_t now_ms) noexcept;

// Sets the fast path's countdown and deadline. Bidirectional modes have no periodic refreshes (4.4.2); in O-mode the
// countdown leads to the next reminder, in R-mode to the next update.
void load_refreshes(Flow flow) noexcept;

// Moves the epoch by `ms`: subtracts `ms` from every time stored in the flow; times before the new epoch become 0.
void rebase_times(Flow flow, std::uint32_t ms) noexcept;

}  // namespace headroom::rohc
