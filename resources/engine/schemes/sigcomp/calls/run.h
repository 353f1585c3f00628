// SPDX-License-Identifier: Apache-2.0
//
// `load` for a scheme of messages: an endpoint as a P-CSCF under the load of many calls (maenpaa-2005, chapter 11).
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_RUN_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_RUN_H

#include "base/json_reader.h"
#include "schemes/sigcomp/calls/job.h"

namespace headroom::sigcomp::calls {

// Runs a job that has a recording, and returns its result (README.md). Throws Error.
[[nodiscard]] Json run(const Job& job);

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_RUN_H
