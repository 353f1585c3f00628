// SPDX-License-Identifier: Apache-2.0
//
// The inputs with which `check` tries user planes.
#ifndef HEADROOM_SCHEMES_GTPU_USER_PLANE_TRIALS_H
#define HEADROOM_SCHEMES_GTPU_USER_PLANE_TRIALS_H

#include <span>
#include <vector>

#include "schemes/scheme.h"

namespace headroom::gtpu {

[[nodiscard]] std::vector<BadConfiguration> bad_configurations(const Json& good);

// Returns the trial for a configuration. Throws Error(job) if the configuration has no address for sessions.
[[nodiscard]] UserPlaneTrial user_plane_trial(const Json& config, const Json& described);

// Writes the tunnel endpoints named in the answers into uplink packets.
void adapt_packets(std::span<UserPlaneTrial::Packet> packets, std::span<const Octets> answers);

}  // namespace headroom::gtpu

#endif  // HEADROOM_SCHEMES_GTPU_USER_PLANE_TRIALS_H
