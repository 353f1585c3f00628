// SPDX-License-Identifier: Apache-2.0
//
// The objects that the directions of one replay share.
#ifndef HEADROOM_REPLAY_CONTEXT_H
#define HEADROOM_REPLAY_CONTEXT_H

#include "base/cycles.h"
#include "link/digest.h"
#include "replay/captures.h"
#include "sim/simulation.h"

namespace headroom::replay {

struct RunContext {
  explicit RunContext(const Job& job) : captures(job) {}

  const Cycles cycles;
  Captures captures;
  LinkDigest digest;
  sim::Simulation simulation;
};

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_CONTEXT_H
