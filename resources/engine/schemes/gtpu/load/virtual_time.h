// SPDX-License-Identifier: Apache-2.0
//
// Any number of workers on a virtual clock: packets arrive by chance, each belongs to a user, and each worker and
// receiving core serves in the time that was measured.
#ifndef HEADROOM_SCHEMES_GTPU_LOAD_VIRTUAL_TIME_H
#define HEADROOM_SCHEMES_GTPU_LOAD_VIRTUAL_TIME_H

#include "base/json_reader.h"
#include "queueing/service_times.h"
#include "schemes/gtpu/load/job.h"

namespace headroom::gtpu::load {

// Kinds of measured times.
enum Kind : std::size_t { kUplinkTime, kDownlinkTime, kRxTime };
inline constexpr std::size_t kKinds = 3;
inline constexpr std::uint64_t kTimeScale = 1000;  // times are kept in picoseconds

// Simulates designs with each of the job's numbers of threads. Returns the capacity of each design and, for each load,
// the latency, the loss and the load of each worker. The first design has workers only; with the distribution rx-cores
// and several threads there is a second one, with receiving cores before the workers, in the number that gives the
// largest capacity. REQUIRES: `times` has times of each kind; kRxTime is needed only with the distribution rx-cores.
[[nodiscard]] Json simulate(const Job& job, const queueing::ServiceTimes& times);

}  // namespace headroom::gtpu::load

#endif  // HEADROOM_SCHEMES_GTPU_LOAD_VIRTUAL_TIME_H
