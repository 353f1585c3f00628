// SPDX-License-Identifier: Apache-2.0
//
// The command `messages`: two endpoints exchange messages, or one endpoint gets messages of others, in virtual time.
#ifndef HEADROOM_SCHEMES_SIGCOMP_MESSAGES_RUN_H
#define HEADROOM_SCHEMES_SIGCOMP_MESSAGES_RUN_H

#include "base/json_reader.h"
#include "schemes/sigcomp/messages/job.h"

namespace headroom::sigcomp::messages {

// Runs a job and returns its result (README.md). A broken promise of an adapter ends the run and is part of the result.
// Throws Error.
[[nodiscard]] Json run(const Job& job);

}  // namespace headroom::sigcomp::messages

#endif  // HEADROOM_SCHEMES_SIGCOMP_MESSAGES_RUN_H
