// SPDX-License-Identifier: Apache-2.0
//
// The metrics of maenpaa-2005, chapter 11. Each worker has its own; they are put together at the end.
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
  std::uint64_t wrong = 0;                                     // decompressed, but not to what was compressed
  std::uint64_t different = 0;                                 // compressed otherwise than in the rehearsal
  std::uint64_t refused = 0;                                   // not accepted under their compartment
  std::uint64_t nacks = 0;                                     // that the endpoint wanted to send

  void add(const Outcomes& other);
  [[nodiscard]] std::uint64_t failures() const noexcept;
  [[nodiscard]] Json json() const;
};

// Measurements of the messages that were due within the measured time.
struct Measured : queueing::SystemTimes {
  queueing::Times decompressing, compressing;  // the endpoint's part of the processing
  std::uint64_t from_users = 0, from_core = 0, passed = 0;
  std::uint64_t sip_octets = 0, link_octets = 0;

  // `output`: octets of what came out. The lock is that of the endpoint, and the service that of its functions.
  void count(bool from_user, std::uint64_t input, std::uint64_t output, const queueing::Passage& passage) noexcept;
  void add(const Measured& other) noexcept;
};

// Once every `sample_ns`.
struct Sample {
  std::uint64_t at_ns;  // since the calls began to be counted
  std::uint64_t calls;  // in progress
  std::uint64_t resident;
  std::vector<double> busy;  // share of the time since the last sample, of each worker
};

struct WorkerResult {
  std::optional<unsigned> core;
  double busy_share = 0;  // of the measured time
  std::uint64_t cpu_ns = 0;
  std::optional<CoreJiffies> before, after;  // of the core
};

// Octets of this process that are in memory and its own: neither of files nor shared (proc(5), RssAnon).
[[nodiscard]] std::uint64_t private_resident_octets();

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_MEASURE_H
