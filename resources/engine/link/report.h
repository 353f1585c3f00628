// SPDX-License-Identifier: Apache-2.0
//
// The report of a link's actions, for results and captures (README.md, `replay`).
#ifndef HEADROOM_LINK_REPORT_H
#define HEADROOM_LINK_REPORT_H

#include <cstdint>
#include <string>

#include "base/json_reader.h"
#include "link/link.h"

namespace headroom {

// Returns the number of lost packets by cause: {"loss": 10}.
[[nodiscard]] Json lost_json(const LinkCounts& counts);

// Returns {"sent", "octets", "carried", "idle", …}; the utilisation is null if no slot was sent.
[[nodiscard]] Json json_of(const SlotCounts& counts);

// Returns {"packets", "octets", "bandwidth_bps", "delivered", "lost", …}; the bandwidth is null without a duration.
[[nodiscard]] Json json_of(const LinkCounts& counts, std::uint64_t duration_ns);

// Returns a comment such as "lost: burst_loss", "bits flipped: 3 17", "duplicated"; empty if the link did nothing to
// the packet.
[[nodiscard]] std::string comment_of(const LinkOutcome& outcome);

}  // namespace headroom

#endif  // HEADROOM_LINK_REPORT_H
