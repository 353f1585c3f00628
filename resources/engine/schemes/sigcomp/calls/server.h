// SPDX-License-Identifier: Apache-2.0
//
// Server is the P-CSCF: endpoints with the compartments of all users, and the processing of messages.
//
// An endpoint is an instance of the ABI: it shares nothing with others and is used by one thread at a time. So each
// user is assigned to an endpoint, as a P-CSCF does by a message's source address, and the state of a compartment is
// always in the endpoint that gets its messages. In a pool an endpoint has a lock; with compartments pinned to workers
// it needs none.
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
#include "schemes/sigcomp/calls/recording.h"

namespace headroom::sigcomp::calls {

// One message on its way to the P-CSCF.
struct Task {
  Part part;
  std::uint32_t user = 0;
  bool from_user = false;
  Carried carried = Carried::compartment;
  bool closes = false;  // True if the user's compartment is closed afterwards
};

// The state of one worker.
struct WorkerState {
  MessageRoom room{kLongestMessage};
  Outcomes outcomes;
  Measured measured;
};

class Server {
 public:
  // The clock: the processor time of this thread for a simulated queue, the monotonic clock for a real queue.
  enum class Clock : std::uint8_t { thread, monotonic };

  struct Served {
    std::uint64_t lock_ns;      // time until the endpoint was free
    std::uint64_t endpoint_ns;  // time in the endpoint's functions
  };

  // Opens the endpoints, `job.shards` of them.
  Server(const Job& job, const Plan& plan);

  [[nodiscard]] std::uint32_t shard_of(std::uint32_t user) const noexcept { return dealt_to(user, shards()); }
  [[nodiscard]] std::uint32_t shards() const noexcept { return static_cast<std::uint32_t>(shards_.size()); }

  // Decompresses or compresses the message; opens and closes the user's compartment. May be called by several threads.
  // The outcome is checked after the endpoint has been freed. REQUIRES: the message is not `Carried::plain`.
  Served serve(const Task& task, std::uint64_t now_ns, Clock clock, WorkerState& state);

  [[nodiscard]] std::uint64_t compartments() const noexcept;
  // Returns {"memory_bytes", …}: the adapter's own statistics, and the sum of their memory.
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

  void look_at(const Task& task, const MessageResult& result, WorkerState& state) const;

  bool locks_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<std::uint8_t> open_;  // by user
};

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_SERVER_H
