// SPDX-License-Identifier: Apache-2.0
//
// `replay`: packets -> compressor -> link -> decompressor -> compare, in virtual time.
#ifndef HEADROOM_REPLAY_RUN_H
#define HEADROOM_REPLAY_RUN_H

#include "base/json_reader.h"
#include "replay/job.h"

namespace headroom::replay {

// Runs a job and returns its result (README.md). A broken promise of an adapter ends the run and is part of the result.
// Throws Error.
[[nodiscard]] Json run(const Job& job);

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_RUN_H
