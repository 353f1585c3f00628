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

#include "base/histogram.h"
#include "base/json_reader.h"
#include "base/process.h"

namespace headroom::sigcomp::calls {

// A histogram of nanoseconds with their sum.
class Times {
 public:
  void record(std::uint64_t ns) noexcept {
    histogram_.record(ns);
    sum_ += ns;
  }
  void add(const Times& other) noexcept {
    histogram_.add(other.histogram_);
    sum_ += other.sum_;
  }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return histogram_.total(); }
  // That of the histogram and "mean"; null when nothing was recorded.
  [[nodiscard]] Json json() const;

 private:
  Histogram histogram_;
  std::uint64_t sum_ = 0;
};

// What became of messages, from the very beginning on.
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

// One message on its way through the P-CSCF.
struct Passage {
  std::uint64_t due_ns, start_ns, end_ns;  // when it came, when a worker began with it, and was done with it
  std::uint64_t lock_ns, endpoint_ns;      // of the processing: waiting for the endpoint, and in its functions
  std::uint64_t active;                    // workers at work when this one began, itself included
};

// Of the messages that were due within the measured time.
struct Measured {
  Times in_system, in_buffer, processing, waiting_for_lock;
  Times decompressing, compressing;  // the endpoint's part of the processing
  std::uint64_t from_users = 0, from_core = 0, passed = 0;
  std::uint64_t sip_octets = 0, link_octets = 0;
  std::uint64_t active_seen = 0, most_active = 0;  // workers at the start of each message, itself included
  std::uint64_t endpoint_ns = 0;                   // in calls of the endpoint

  // `output`: octets of what came out.
  void count(bool from_user, std::uint64_t input, std::uint64_t output, const Passage& passage) noexcept;
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
