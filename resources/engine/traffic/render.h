// SPDX-License-Identifier: Apache-2.0
//
// The flows of a profile merged in order of time.
#ifndef HEADROOM_TRAFFIC_RENDER_H
#define HEADROOM_TRAFFIC_RENDER_H

#include <cstdint>
#include <optional>
#include <vector>

#include "traffic/flow.h"
#include "traffic/profile.h"
#include "traffic/source.h"

namespace headroom::traffic {

struct RenderLimits {
  std::uint64_t flows = 1;
  std::optional<std::uint64_t> packets;   // in all
  std::optional<std::uint64_t> until_ns;  // packets earlier than this
};

inline constexpr std::uint64_t kMostRenderedFlows = 200'000;

// Reads the key "flows" of a job. Throws Error(job) if they are more than the population that they are drawn from.
[[nodiscard]] std::uint64_t read_flows(Object& object, const Profile& profile);

[[nodiscard]] std::vector<SourcePacket> render(const Profile& profile, const RenderLimits& limits, std::uint64_t seed,
                                               FlowOptions options = {});

// {"profile", "flows", "packets" or "duration_s"}: the keys of a job that name rendered packets.
struct RenderJob {
  Profile profile;
  RenderLimits limits;
};
[[nodiscard]] RenderJob read_render_job(Object& object);

}  // namespace headroom::traffic

#endif  // HEADROOM_TRAFFIC_RENDER_H
