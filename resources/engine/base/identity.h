// SPDX-License-Identifier: Apache-2.0
#ifndef HEADROOM_BASE_IDENTITY_H
#define HEADROOM_BASE_IDENTITY_H

#include "base/json_reader.h"

namespace headroom {

// The engine's identity in results: {"version", "build"}.
[[nodiscard]] inline Json engine_identity() { return {{"version", HEADROOM_VERSION}, {"build", HEADROOM_BUILD}}; }

}  // namespace headroom

#endif  // HEADROOM_BASE_IDENTITY_H
