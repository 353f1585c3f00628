// SPDX-License-Identifier: Apache-2.0
//
// Connections of a traffic profile, and the rules that some of them match, read from JSON and checked.
#ifndef HEADROOM_TRAFFIC_READ_CONNECTIONS_H
#define HEADROOM_TRAFFIC_READ_CONNECTIONS_H

#include <vector>

#include "base/json_reader.h"
#include "traffic/profile.h"

namespace headroom::traffic {

// These throw Error(job) with the place of what is wrong.
[[nodiscard]] std::vector<Rule> read_rules(const Value& value);
// REQUIRES: `variant` is complete but for its connections.
[[nodiscard]] Connections read_connections(const Value& value, const Variant& variant, const std::vector<Rule>& rules);
// Refuses a rule that the connections of no variant match. `rules` were read from `value`.
void check_matched(const Value& value, const std::vector<Rule>& rules, const std::vector<Variant>& variants);

}  // namespace headroom::traffic

#endif  // HEADROOM_TRAFFIC_READ_CONNECTIONS_H
