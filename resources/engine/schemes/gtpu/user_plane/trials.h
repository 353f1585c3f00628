// SPDX-License-Identifier: Apache-2.0
//
// What `check` tries user planes with.
#ifndef HEADROOM_SCHEMES_GTPU_USER_PLANE_TRIALS_H
#define HEADROOM_SCHEMES_GTPU_USER_PLANE_TRIALS_H

#include <span>
#include <vector>

#include "schemes/scheme.h"

namespace headroom::gtpu {

[[nodiscard]] std::vector<BadConfiguration> bad_configurations(const Json& good);

// Throws Error(job) where the configuration has no address that sessions can be made for.
[[nodiscard]] UserPlaneTrial user_plane_trial(const Json& config, const Json& described);

// Gives uplink packets the tunnel endpoints that answers name.
void adapt_packets(std::span<UserPlaneTrial::Packet> packets, std::span<const Octets> answers);

}  // namespace headroom::gtpu

#endif  // HEADROOM_SCHEMES_GTPU_USER_PLANE_TRIALS_H
