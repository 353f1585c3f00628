// SPDX-License-Identifier: Apache-2.0
//
// The jobs of `precompute` and of `load` for a scheme with messages (README.md): a P-CSCF under the load of calls. Read
// and checked as a whole before anything runs.
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
  stranger,     // compressed, without a compartment at the P-CSCF: a request before the registration is complete
  plain         // uncompressed: it bypasses the endpoint
};

struct Message {
  bool from_user = false;
  Carried carried = Carried::compartment;
  bool after_holding = false;  // True: sent at the end of the holding time
  std::uint64_t pause_ns = 0;  // otherwise: time after the previous message was finished
  Octets text;
};

// Identity is a text that differs between users, or between calls. Every occurrence of `text` in the messages with no
// letter or digit next to it is replaced by other octets of the same length.
struct Identity {
  enum class Kind : std::uint8_t {
    shape,  // letters become letters, digits become digits, other characters stay
    hex,    // hexadecimal digits become hexadecimal digits
    ipv4    // another address
  };
  std::string text;
  Kind kind = Kind::shape;
  std::size_t keep = 0;  // number of characters at the start that stay
  bool per_call = false;
};

using queueing::Organisation;  // jobs are messages, pinned by their compartment

// The default number of a pool's endpoints: so many that a worker hardly ever waits for an endpoint that another worker
// uses. With 16 endpoints, four workers at a load of 80 % kept messages waiting for twice as long.
inline constexpr std::uint32_t kShardsOfPool = 64;

// Comparison compares both organisations, simulated from the service times of the run: see organisations.h.
struct Comparison {
  double load = 0.8;           // load of each worker, 0 < load < 1
  std::uint32_t trials = 1;    // trials, each with its own arrivals, the same for both organisations
  std::uint32_t calls = 1000;  // calls that arrive in each trial
};

struct Job {
  AdapterJob endpoint;               // the P-CSCF
  AdapterJob user;                   // the UEs
  std::string recording;             // file of the messages that precompute has written; empty: there is none
  std::vector<std::string> digests;  // of what each process of precompute kept in it
  Json compartment;                  // the settings for each compartment
  std::vector<Message> registration, call;
  std::vector<Identity> identities;
  std::uint32_t users = 0;  // 0: each call has its own user, whose compartment is closed afterwards
  std::uint32_t simultaneous = 1;
  std::uint64_t holding_ns = 0;
  bool exponential_holding = false;
  bool poisson = true;  // False: calls arrive at constant intervals
  bool start_empty = false;
  std::uint64_t warmup_ns = 0, duration_ns = 0, sample_ns = 0;
  Organisation organisation = Organisation::pinned;
  std::uint32_t workers = 1;
  std::uint32_t shards = 1;     // instances: in a pool, each with a lock; pinned, one for each worker
  std::vector<unsigned> cores;  // cores of the workers, in turn; empty: chosen by the kernel
  bool real_time = false;
  std::optional<Comparison> comparison;  // not with real_time, nor with compartments that are kept
  std::uint32_t consecutive = 0;         // number of messages whose times in system are listed; not with real_time
  std::uint64_t seed = 0;

  // Returns the time from the first to the last message of a call, if messages took no time.
  [[nodiscard]] std::uint64_t mean_lifetime_ns() const noexcept;
  // Returns the arrival rate of calls by Little's theorem, L = lambda W (maenpaa-2005, equation 11.1).
  [[nodiscard]] double calls_per_s() const noexcept;
  [[nodiscard]] bool keeps_compartments() const noexcept { return users != 0; }
};

struct PrecomputeJob {
  Job calls;           // which calls there are, and when; nothing of workers and of what is to be measured
  std::string output;  // file that becomes the recording
};

inline constexpr std::uint32_t kMostSimultaneous = 4'000'000;
inline constexpr std::uint32_t kMostWorkers = 1024;
inline constexpr std::uint32_t kMostConsecutive = 100'000;
inline constexpr std::uint32_t kMostShards = 4096;
inline constexpr std::uint32_t kMostTrials = 1000;
inline constexpr std::uint64_t kMostCalls = 20'000'000;
inline constexpr std::size_t kMostMessages = 64;        // messages of a registration, or of a call
inline constexpr std::size_t kLongestMessage = 32'768;  // octets

// Both throw Error(job).
[[nodiscard]] Job read_job(const Json& document);
[[nodiscard]] PrecomputeJob read_precompute_job(const Json& document);

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_JOB_H
