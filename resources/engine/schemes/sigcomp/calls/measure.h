// SPDX-License-Identifier: Apache-2.0
//
// The metrics of maenpaa-2005, chapter 11. Each worker has an object of its own; they are added up at the end.
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_MEASURE_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_MEASURE_H

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/json_reader.h"
#include "base/process.h"
#include "queueing/times.h"

namespace headroom::sigcomp::calls {

// Counts of messages by outcome, from the very beginning on.
struct Outcomes {
  std::map<std::int32_t, std::uint64_t> decompress, compress;  // by status, OK left out
  std::uint64_t wrong = 0;                                     // decompressed to other octets than were compressed
  std::uint64_t different = 0;                                 // compressed to other octets than in the precomputation
  std::uint64_t refused = 0;                                   // not accepted for their compartment
  std::uint64_t nacks = 0;                                     // NACKs that the endpoint wanted to send

  void add(const Outcomes& other);
  [[nodiscard]] std::uint64_t failures() const noexcept;
  [[nodiscard]] Json json() const;
};

// Measurements of the messages that were due within the measured time.
struct Measured : queueing::SystemTimes {
  queueing::Times decompressing, compressing;  // the endpoint's part of the processing
  std::uint64_t from_users = 0, from_core = 0, passed = 0;
  std::uint64_t sip_octets = 0, link_octets = 0;

  // Counts a message. `output` is its length in octets after the endpoint. The lock is the endpoint's, and the service
  // time is the time of the endpoint's functions.
  void count(bool from_user, std::uint64_t input, std::uint64_t output, const queueing::JobTimes& times) noexcept;
  void add(const Measured& other) noexcept;
};

// A sample, taken every `sample_ns`.
struct Sample {
  std::uint64_t at_ns;  // time since counting began
  std::uint64_t calls;  // calls in progress
  std::uint64_t resident;
  std::vector<double> busy;  // busy share of each worker since the last sample
};

struct WorkerResult {
  std::optional<unsigned> core;
  double busy_share = 0;  // busy share of the measured time
  std::uint64_t cpu_ns = 0;
  std::optional<CoreJiffies> before, after;  // of the core
};

// Returns the private octets of this process in memory: neither of files nor shared (proc(5), RssAnon).
[[nodiscard]] std::uint64_t private_resident_octets();

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_MEASURE_H
