// SPDX-License-Identifier: Apache-2.0
#ifndef HEADROOM_BASE_IDENTITY_H
#define HEADROOM_BASE_IDENTITY_H

#include "base/json_reader.h"

namespace headroom {

// Returns the engine's identity for results: {"version", "build"}.
[[nodiscard]] inline Json engine_identity() { return {{"version", HEADROOM_VERSION}, {"build", HEADROOM_BUILD}}; }

}  // namespace headroom

#endif  // HEADROOM_BASE_IDENTITY_H
