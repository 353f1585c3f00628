// SPDX-License-Identifier: Apache-2.0
//
// The P-CSCF: endpoints with the compartments of all users, and what is done with one message.
//
// An endpoint is an instance of the ABI: it shares nothing with others and is used by one thread at a time. So users
// are dealt to endpoints, as a P-CSCF can tell by the address that a message comes from, and a compartment's state is
// always where its messages go. In a pool an endpoint has a lock; with compartments pinned to workers it needs none.
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_SERVER_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_SERVER_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "adapter/endpoint.h"
#include "schemes/sigcomp/calls/job.h"
#include "schemes/sigcomp/calls/measure.h"
#include "schemes/sigcomp/calls/plan.h"
#include "schemes/sigcomp/calls/rehearsal.h"

namespace headroom::sigcomp::calls {

// One message on its way to the P-CSCF.
struct Task {
  Part part;
  std::uint32_t user = 0;
  bool from_user = false;
  Carried carried = Carried::compartment;
  bool closes = false;  // the user's compartment is not needed any more
};

// The state of one worker.
struct Desk {
  MessageRoom room{kLongestMessage};
  Outcomes outcomes;
  Measured measured;
};

class Server {
 public:
  // The processor time of this thread, for a queue that is simulated; the monotonic clock, for one that is real.
  enum class Clock : std::uint8_t { thread, monotonic };

  struct Served {
    std::uint64_t lock_ns;      // that passed until the endpoint was free
    std::uint64_t endpoint_ns;  // in the endpoint's functions
  };

  // Opens the endpoints, `job.shards` of them.
  Server(const Job& job, const Plan& plan);

  [[nodiscard]] std::uint32_t shard_of(std::uint32_t user) const noexcept { return dealt_to(user, shards()); }
  [[nodiscard]] std::uint32_t shards() const noexcept { return static_cast<std::uint32_t>(shards_.size()); }

  // Decompresses or compresses the message; opens and closes the user's compartment with it. `Carried::plain` is not
  // for here. May be called by several threads. What the outcome is worth is looked at when the endpoint is free again.
  Served serve(const Task& task, std::uint64_t now_ns, Clock clock, Desk& desk);

  [[nodiscard]] std::uint64_t compartments() const noexcept;
  // {"memory_bytes", …}: the adapter's own words, and the sum of what they say about memory.
  [[nodiscard]] Json statistics() const;
  [[nodiscard]] std::uint64_t memory_bytes() const;
  [[nodiscard]] const Instance& instance() const noexcept { return shards_.front()->endpoint.instance(); }

 private:
  struct Shard {
    explicit Shard(const Job& job) : endpoint(job.endpoint, job.compartment) {}
    std::mutex mutex;
    Endpoint endpoint;
    std::uint64_t compartments = 0;
  };

  void look_at(const Task& task, const Made& made, Desk& desk) const;

  bool locks_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<std::uint8_t> open_;  // by user
};

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_SERVER_H
