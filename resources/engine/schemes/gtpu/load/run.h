// SPDX-License-Identifier: Apache-2.0
//
// `load` of a user plane: trials in turn with their floor and a baseline, stages by difference, and further workers on
// a virtual clock.
#ifndef HEADROOM_SCHEMES_GTPU_LOAD_RUN_H
#define HEADROOM_SCHEMES_GTPU_LOAD_RUN_H

#include "schemes/gtpu/load/job.h"

namespace headroom::gtpu::load {

// Reads a job and runs it. Of several errors, a library that does not load comes first: the others depend on it.
// Throws Error.
[[nodiscard]] Json run_document(const Json& document);

// Returns the result, which README.md describes. Throws Error.
[[nodiscard]] Json run(const Job& job);

}  // namespace headroom::gtpu::load

#endif  // HEADROOM_SCHEMES_GTPU_LOAD_RUN_H
