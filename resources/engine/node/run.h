// SPDX-License-Identifier: Apache-2.0
//
// The command `node`: from its job to its result.
#ifndef HEADROOM_NODE_RUN_H
#define HEADROOM_NODE_RUN_H

#include "base/json_reader.h"

namespace headroom::node {

// Forwards until SIGTERM, SIGINT or the end of the job's duration; returns the result. Throws Error.
[[nodiscard]] Json run(const Json& job);

}  // namespace headroom::node

#endif  // HEADROOM_NODE_RUN_H
