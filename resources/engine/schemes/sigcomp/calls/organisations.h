// SPDX-License-Identifier: Apache-2.0
//
// The comparison of a common queue with a queue for each worker, all else being equal. Both are simulated from the
// endpoint's measured service times, with the same calls at the same times and the same service time for each message.
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_ORGANISATIONS_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_ORGANISATIONS_H

#include "queueing/service_times.h"
#include "schemes/sigcomp/calls/job.h"

namespace headroom::sigcomp::calls {

// Returns `Job::comparison` as the document has it (README.md), from the service times of a run's messages by their
// step in the call. Pauses and holding times are scaled by the same factor until the job's number of simultaneous calls
// makes the requested load. Throws Error(job).
[[nodiscard]] Json compare(const Job& job, const queueing::ServiceTimes& times);

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_ORGANISATIONS_H
