// SPDX-License-Identifier: Apache-2.0
//
// Packets of traffic profiles for tests.
#ifndef HEADROOM_TESTS_TRAFFIC_PACKETS_H
#define HEADROOM_TESTS_TRAFFIC_PACKETS_H

#include <vector>

#include "profiles.h"
#include "traffic/render.h"

namespace headroom::traffic {

using namespace headroom::testing;

inline std::vector<SourcePacket> packets_of(const Profile& profile, std::uint64_t packets, std::uint64_t flows = 1,
                                            std::uint64_t seed = 1) {
  RenderLimits limits;
  limits.flows = flows;
  limits.packets = packets;
  return render(profile, limits, seed);
}

}  // namespace headroom::traffic

#endif  // HEADROOM_TESTS_TRAFFIC_PACKETS_H
