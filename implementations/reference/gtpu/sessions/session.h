// SPDX-License-Identifier: Apache-2.0
//
// One PFCP session as workers and N4 see it.
#pragma once

#include <atomic>
#include <cstdint>

#include "gtpu/sessions/usage.h"

namespace headroom::gtpu {

struct RuleSet;

// Session: N4 makes, changes and deletes it by way of Sessions; workers read it between the beginning and the end of
// one call.
struct alignas(64) Session {
  std::atomic<const RuleSet*> rules{nullptr};
  std::uint64_t seid = 0;   // of this side; never 0, never used twice
  std::uint32_t index = 0;  // below Sessions::max_sessions(), unique among the living: for tables of N4's own
  // Incremented by N4 to have all buffered packets dropped (DROBU).
  std::atomic<std::uint32_t> buffer_epoch{0};
  // Set by the worker that has queued Event::downlink_data. Each change of the rules clears it; N4 may, too.
  std::atomic<bool> notified{false};
};

}  // namespace headroom::gtpu
