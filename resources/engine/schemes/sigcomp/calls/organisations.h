// SPDX-License-Identifier: Apache-2.0
//
// A common queue, or a queue for each worker: what calls see of it, all else being the same. Both are simulated, from
// service times that the endpoint took, and get the same calls at the same moments with messages that take the same.
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_ORGANISATIONS_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_ORGANISATIONS_H

#include <cstdint>
#include <vector>

#include "schemes/sigcomp/calls/job.h"

namespace headroom::sigcomp::calls {

// How long the endpoint took for the messages of a run, by their step in the call. Times are nanoseconds.
class ServiceTimes {
 public:
  explicit ServiceTimes(const Job& job) : by_step_(job.call.size()), sum_(job.call.size(), 0) {}
  void keep(std::uint32_t step, std::uint64_t ns);
  // Of all messages of a call together. Throws Error(job) where a message of a call has never come.
  [[nodiscard]] double mean_of_call(const Job& job) const;
  // One of those of the step; the same for the same draw. REQUIRES: there is one.
  [[nodiscard]] std::uint64_t drawn(std::uint32_t step, std::uint64_t draw) const noexcept;

 private:
  std::vector<std::vector<std::uint32_t>> by_step_;  // four seconds are the longest that it can tell
  std::vector<std::uint64_t> sum_;
};

// `Job::comparison` as the document has it (README.md). Pauses and holding times become longer or shorter, all by the
// same factor, until as many calls at once as the job has make the load that is asked for. Throws Error(job).
[[nodiscard]] Json compare(const Job& job, const ServiceTimes& times);

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_ORGANISATIONS_H
