// SPDX-License-Identifier: Apache-2.0
//
// What `queue_filter` is on an interface of the kernel, on a network card: RSS over the user's address.
#ifndef HEADROOM_SCHEMES_GTPU_PORTS_QUEUE_RULES_H
#define HEADROOM_SCHEMES_GTPU_PORTS_QUEUE_RULES_H

#include <vector>

#include "io/queue_rules.h"

namespace headroom::gtpu::ports {

// Rules for frames of N6, by the destination, or of N3, by the inner source; of IPv6 by the /64. Those of users of IPv4
// behind an outer IPv4 header, with and without a PDU Session Container, are required. A card's hash is another one
// than `user_hash`: the worker of a queue hands over what belongs to others.
[[nodiscard]] std::vector<io::QueueRule> queue_rules(bool is_n6);

}  // namespace headroom::gtpu::ports

#endif  // HEADROOM_SCHEMES_GTPU_PORTS_QUEUE_RULES_H
