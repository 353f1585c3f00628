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

// Designs with each number of threads of the job: its capacity, and for each load latency, loss and the load of each
// worker. With the distribution rx-cores there are two, with the same times: workers alone, and receiving cores in
// front of workers, as many as serve most. REQUIRES: times of each kind; of kRxTime with the distribution rx-cores.
[[nodiscard]] Json simulate(const Job& job, const queueing::ServiceTimes& times);

}  // namespace headroom::gtpu::load

#endif  // HEADROOM_SCHEMES_GTPU_LOAD_VIRTUAL_TIME_H
