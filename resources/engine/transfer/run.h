// SPDX-License-Identifier: Apache-2.0
//
// The command `transfer`: how fast TCP is over a link with bit errors, and what header compression does to it.
#ifndef HEADROOM_TRANSFER_RUN_H
#define HEADROOM_TRANSFER_RUN_H

#include "transfer/job.h"

namespace headroom::transfer {

// Runs batches, each a connection of its own, until the mean of their throughput is known well enough. Returns the
// result, which README.md describes. Throws Error.
[[nodiscard]] Json run(const Job& job);

// Carries out {"transfers": [job, …]}, one behind the other: what a process and its libraries take to start is the same
// for many. Returns their results under the same name. Throws Error.
[[nodiscard]] Json run_all(const Json& document);

}  // namespace headroom::transfer

#endif  // HEADROOM_TRANSFER_RUN_H
