// SPDX-License-Identifier: Apache-2.0
//
// Simulates messages in a queue with virtual workers (queueing/workers.h).
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_THROUGH_QUEUE_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_THROUGH_QUEUE_H

#include <cstdint>
#include <functional>

#include "schemes/sigcomp/calls/traffic.h"

namespace headroom::sigcomp::calls {

// The work of a worker on a message.
struct Work {
  std::uint64_t service_ns = 0;
  std::uint64_t input_octets = 0, output_octets = 0;
};

// Called for each message, in the order in which they are due, with the time when a worker begins with it.
using Serve = std::function<Work(const Schedule::Event&, std::uint64_t start_ns)>;

// Runs `timetable` from its current position to its end, with the job's workers. `shards` is the number of endpoints to
// which users are assigned.
[[nodiscard]] RunMeasurement through_queue(Timetable& timetable, Organisation organisation, std::uint32_t shards,
                                           const Serve& serve);

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_THROUGH_QUEUE_H
