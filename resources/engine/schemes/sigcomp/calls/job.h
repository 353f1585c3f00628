// SPDX-License-Identifier: Apache-2.0
//
// The job of `load` for a scheme of messages (README.md): a P-CSCF and the calls that go through it. Read and checked
// as a whole before anything runs.
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_JOB_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_JOB_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapter/instance.h"
#include "base/json_reader.h"
#include "queueing/workers.h"

namespace headroom::sigcomp::calls {

// The form of a message between user and P-CSCF.
enum class Carried : std::uint8_t {
  compartment,  // compressed, under the user's compartment
  stranger,     // compressed, but the P-CSCF knows no compartment for it: a request before the registration is complete
  plain         // as it is: the endpoint does not see it
};

struct Message {
  bool from_user = false;
  Carried carried = Carried::compartment;
  bool after_holding = false;  // sent when the call has been held for long enough
  std::uint64_t pause_ns = 0;  // else: so long after the message before it was done with
  Octets text;
};

// A text that differs between users, or between calls. `text`, where no letter or digit stands beside it in the
// messages, is replaced by other octets of the same length.
struct Identity {
  enum class Kind : std::uint8_t {
    shape,  // letter for letter, digit for digit, everything else as it is
    hex,    // likewise with hexadecimal digits
    ipv4    // another address
  };
  std::string text;
  Kind kind = Kind::shape;
  std::size_t keep = 0;  // so many characters at the start stay
  bool per_call = false;
};

using queueing::Organisation;  // jobs are messages, and what they are pinned by is their compartment

// So many that a worker hardly ever waits for an endpoint that another one has: with 16, four workers at a load of 80 %
// kept messages waiting for twice as long.
inline constexpr std::uint32_t kShardsOfPool = 64;

// Both organisations beside each other, simulated from the service times of the run: see organisations.h.
struct Comparison {
  double load = 0.8;           // of each worker, 0 < load < 1
  std::uint32_t trials = 1;    // each with arrivals of its own, the same for both organisations
  std::uint32_t calls = 1000;  // that arrive in each
};

struct Job {
  AdapterJob endpoint;  // the P-CSCF
  AdapterJob user;      // the UEs
  Json compartment;     // the settings with which each opens a compartment
  std::vector<Message> registration, call;
  std::vector<Identity> identities;
  std::uint32_t users = 0;  // 0: a user for each call, whose compartment is closed after it
  std::uint32_t simultaneous = 1;
  std::uint64_t holding_ns = 0;
  bool exponential_holding = false;
  bool poisson = true;  // else calls arrive at constant intervals
  bool start_empty = false;
  std::uint64_t warmup_ns = 0, duration_ns = 0, sample_ns = 0;
  Organisation organisation = Organisation::pinned;
  std::uint32_t workers = 1;
  std::uint32_t shards = 1;     // of a pool: instances, each with a lock
  std::vector<unsigned> cores;  // of the workers, in turn; empty: wherever the kernel puts them
  bool real_time = false;
  std::optional<Comparison> comparison;  // not with real_time, nor with compartments that are kept
  std::uint32_t consecutive = 0;         // messages whose times in system are listed one by one; not with real_time
  std::uint64_t seed = 0;

  // From the first message of a call until its last one is sent, if nothing took any time.
  [[nodiscard]] std::uint64_t mean_lifetime_ns() const noexcept;
  // Little's theorem, L = lambda W (maenpaa-2005, equation 11.1).
  [[nodiscard]] double calls_per_s() const noexcept;
  [[nodiscard]] bool keeps_compartments() const noexcept { return users != 0; }
};

inline constexpr std::uint32_t kMostSimultaneous = 4'000'000;
inline constexpr std::uint32_t kMostWorkers = 1024;
inline constexpr std::uint32_t kMostConsecutive = 100'000;
inline constexpr std::uint32_t kMostShards = 4096;
inline constexpr std::uint32_t kMostTrials = 1000;
inline constexpr std::uint64_t kMostCalls = 20'000'000;
inline constexpr std::size_t kMostMessages = 64;        // of a registration, or of a call
inline constexpr std::size_t kLongestMessage = 32'768;  // octets

[[nodiscard]] Job read_job(const Json& document);

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_JOB_H
