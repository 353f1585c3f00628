// SPDX-License-Identifier: Apache-2.0
//
// Periodic refreshes in unidirectional mode: "the compressor MUST periodically transit to lower compression states", to
// the IR state less often than to the FO state (RFC 3095 5.3.1.1.2). A refresh is due after a number of packets or a
// time, whichever comes first; the IR period starts short and doubles (RFC 2507 3.3.1).
//
// O-mode has no refreshes. A decompressor that missed all packets with a change is to find out by a CRC and say so. But
// a CRC of 3 bits cannot see one change in eight, which then goes wrong from packet to packet, since equal changes make
// equal differences in a CRC; and of a Checksum Coverage it sees nothing in packets of the usual length. So changes of
// that kind are sent again some packets later, up to three times, unless an ACK shows that there is no need. ("The
// compressor SHOULD then for a while use packet types with another CRC length", 5.9.2; that alone does not help if the
// same loss takes them all.)
//
// The fast path only counts down. Here the counts are split up again.
#pragma once

#include "rohc/v1/compressor/flow.h"

namespace headroom::rohc {

// Restarts both periods at now_ms.
void start_refreshes(Flow flow, std::uint32_t now_ms) noexcept;

// Schedules repetitions of the change that is being sent, if the mode is O.
void begin_reminders(Flow flow) noexcept;

// Accounts for the packets of the fast path and for the one at hand, and notes a refresh that is due in ir_left or
// ir_dyn_left, or a reminder.
void apply_refreshes(Flow flow, std::uint32_t now_ms) noexcept;

// Sets the fast path's countdown and deadline. Bidirectional modes have no periodic refreshes (4.4.2); in O-mode the
// countdown is that to the next reminder, in R-mode to the next update.
void load_refreshes(Flow flow) noexcept;

// Moves the beginning of time by `ms`: every time that the flow remembers becomes so much less, and what lay before the
// new beginning, 0.
void rebase_times(Flow flow, std::uint32_t ms) noexcept;

}  // namespace headroom::rohc
