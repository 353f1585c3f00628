// SPDX-License-Identifier: Apache-2.0
//
// The counterpart of `queue_filter` for a network card: RSS over the user's address.
#ifndef HEADROOM_SCHEMES_GTPU_PORTS_QUEUE_RULES_H
#define HEADROOM_SCHEMES_GTPU_PORTS_QUEUE_RULES_H

#include <vector>

#include "io/queue_rules.h"

namespace headroom::gtpu::ports {

// Returns rules for frames of N6, by the destination, or of N3, by the inner source; for IPv6 by the /64. The rules for
// IPv4 users after an outer IPv4 header, with and without a PDU Session Container, are required. A card's hash differs
// from `user_hash`, so the worker of a queue hands over packets that belong to other workers.
[[nodiscard]] std::vector<io::QueueRule> queue_rules(bool is_n6);

}  // namespace headroom::gtpu::ports

#endif  // HEADROOM_SCHEMES_GTPU_PORTS_QUEUE_RULES_H
