// SPDX-License-Identifier: Apache-2.0
//
// `load` for a scheme of messages: an endpoint as a P-CSCF under the load of many calls (maenpaa-2005, chapter 11).
#ifndef HEADROOM_CALLS_RUN_H
#define HEADROOM_CALLS_RUN_H

#include "base/json_reader.h"
#include "calls/job.h"

namespace headroom::calls {

// Runs a job and returns its result (README.md). Throws Error.
[[nodiscard]] Json run(const Job& job);

}  // namespace headroom::calls

#endif  // HEADROOM_CALLS_RUN_H
