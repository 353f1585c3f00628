// SPDX-License-Identifier: Apache-2.0
//
// A common queue, or a queue for each worker: what calls see of it, all else being the same. Both are simulated, from
// service times that the endpoint took, and get the same calls at the same moments with messages that take the same.
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
