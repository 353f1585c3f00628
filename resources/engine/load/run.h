// SPDX-License-Identifier: Apache-2.0
//
// The command `load`: measures how many flow pairs one core carries.
#ifndef HEADROOM_LOAD_RUN_H
#define HEADROOM_LOAD_RUN_H

#include "base/json_reader.h"
#include "load/job.h"

namespace headroom::load {

// Runs a job and returns its result (README.md). Throws Error.
[[nodiscard]] Json run(const Job& job);

}  // namespace headroom::load

#endif  // HEADROOM_LOAD_RUN_H
