// SPDX-License-Identifier: Apache-2.0
//
// The command `check`: checks that an adapter keeps the promises of the ABI.
#ifndef HEADROOM_CHECK_RUN_H
#define HEADROOM_CHECK_RUN_H

#include "base/json_reader.h"

namespace headroom::check {

// Carries out a job and returns its result (README.md). Throws Error.
[[nodiscard]] Json run(const Json& document);

}  // namespace headroom::check

#endif  // HEADROOM_CHECK_RUN_H
