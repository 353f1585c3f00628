// SPDX-License-Identifier: Apache-2.0
//
// A PFCP session, as shared by workers and N4.
#pragma once

#include <atomic>
#include <cstdint>

#include "gtpu/sessions/usage.h"

namespace headroom::gtpu {

struct RuleSet;

// Session is made, changed and deleted by N4 through Sessions. Workers read a session only between the beginning and
// the end of one call.
struct alignas(64) Session {
  std::atomic<const RuleSet*> rules{nullptr};
  std::uint64_t seid = 0;   // SEID of this user plane; never 0, never reused
  std::uint32_t index = 0;  // below Sessions::max_sessions(), unique among current sessions: index for N4's own tables
  // A counter that N4 increments to have all buffered packets dropped (DROBU).
  std::atomic<std::uint32_t> buffer_epoch{0};
  // True if a worker has queued Event::downlink_data. Cleared by each change of the rules, and possibly by N4.
  std::atomic<bool> notified{false};
};

}  // namespace headroom::gtpu
