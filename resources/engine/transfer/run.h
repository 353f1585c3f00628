// SPDX-License-Identifier: Apache-2.0
//
// The command `transfer`: measures the throughput of TCP over a link with bit errors, and the effect of header
// compression on it.
#ifndef HEADROOM_TRANSFER_RUN_H
#define HEADROOM_TRANSFER_RUN_H

#include "transfer/job.h"

namespace headroom::transfer {

// Runs batches, each with a connection of its own, until the mean of their throughput is known with the requested
// accuracy. Returns the result, which README.md describes. Throws Error.
[[nodiscard]] Json run(const Job& job);

// Runs the jobs of {"transfers": [job, …]} one after another, so that many jobs share the start-up time of the process.
// Returns their results under the same name. Throws Error.
[[nodiscard]] Json run_all(const Json& document);

}  // namespace headroom::transfer

#endif  // HEADROOM_TRANSFER_RUN_H
