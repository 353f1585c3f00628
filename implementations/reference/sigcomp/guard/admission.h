// SPDX-License-Identifier: Apache-2.0
//
// Admission: which sources may have messages decompressed. RFC 3320 bounds what one message costs; here what a source
// costs in time is bounded, before its next message runs, so that one that sends hostile bytecode, or nothing but
// failures, takes from itself and not from others. A source is whatever the application can tell apart before a message
// is decompressed: a compartment it has authenticated, an address.
//
//   if (!admission.admit(source, now_ns)) return;  // dropped: there is no answer, which would cost as well
//   const Outcome& outcome = decompressor.decompress(message, transport);
//   admission.charge(source, now_ns, outcome.work, outcome.kind == Outcome::Kind::kFailure);
//   if (accepted by the application) admission.vouch(source);
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

namespace headroom::sigcomp {

using SourceId = std::uint64_t;

// A rate limit: `per_second` in the long run, and `burst` at once on top of that. A `per_second` of 0 is no limit.
struct Allowance {
  std::uint64_t per_second = 0;
  std::uint64_t burst = 0;
};

struct AdmissionConfig {
  Allowance work = {};      // work of one source, in units of udvm/work.h, 5 ns each at most
  Allowance failures = {};  // decompression failures of one source, each counted as kFailure
  // Work of all unvouched sources together, in units of udvm/work.h: a sender can forge many addresses.
  Allowance strangers = {};
  std::size_t most_sources = 10'000;  // number of remembered sources, at about 150 octets each

  static constexpr std::uint64_t kFailure = 1000;  // allows rates below one failure per second
  [[nodiscard]] bool is_limited() const noexcept {
    return work.per_second != 0 || failures.per_second != 0 || strangers.per_second != 0;
  }
};

// Bucket is a token bucket. It stores the time when all charges so far will be paid off.
class Bucket {
 public:
  [[nodiscard]] bool allows(const Allowance& allowance, std::uint64_t now_ns) const noexcept;
  void charge(const Allowance& allowance, std::uint64_t now_ns, std::uint64_t amount) noexcept;
  // True if all charges are paid off.
  [[nodiscard]] bool is_full(std::uint64_t now_ns) const noexcept { return paid_off_ns_ <= now_ns; }

 private:
  std::uint64_t paid_off_ns_ = 0;
};

struct AdmissionCounters {
  std::uint64_t admitted = 0;
  std::uint64_t refused_for_work = 0;
  std::uint64_t refused_for_failures = 0;
  std::uint64_t refused_as_strangers = 0;
  std::uint64_t forgotten = 0;  // sources that were removed to make room for others
  friend bool operator==(const AdmissionCounters&, const AdmissionCounters&) = default;
  [[nodiscard]] std::uint64_t refused() const noexcept {
    return refused_for_work + refused_for_failures + refused_as_strangers;
  }
};

// Admission takes times from the caller, in nanoseconds; a time earlier than the latest one counts as the latest one.
// Memory is bounded by most_sources: beyond it the least recently seen source is removed, strangers (unvouched sources)
// first, so that a flood of strangers removes no vouched source. A stranger's debt is removed with it; the common debt
// of all strangers remains.
class Admission {
 public:
  // Throws std::invalid_argument with an explanation if the configuration cannot work.
  explicit Admission(const AdmissionConfig& config);

  // True if a message of `source` may be decompressed now. The cost of the message is not known yet: a source without
  // debt may go into debt with one message.
  [[nodiscard]] bool admit(SourceId source, std::uint64_t now_ns);
  // Charges `source` for the cost of the last admitted message.
  void charge(SourceId source, std::uint64_t now_ns, std::uint64_t work, bool failed);
  // Marks the source as vouched: the application has recognised a message of this source.
  void vouch(SourceId source);
  // Removes all knowledge of the source, debts included: its number may be used for another source.
  void forget(SourceId source);

  [[nodiscard]] const AdmissionCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t sources() const noexcept { return sources_.size(); }

 private:
  struct Source {
    Bucket work = {};
    Bucket failures = {};
    bool vouched = false;
    std::list<SourceId>::iterator place;  // in strangers_ or vouched_
  };

  Source& source(SourceId id);
  void touch(Source& source) noexcept;
  [[nodiscard]] std::uint64_t never_back(std::uint64_t now_ns) noexcept;

  AdmissionConfig config_;
  std::uint64_t now_ns_ = 0;  // the latest time that a caller has passed
  Bucket all_strangers_;
  std::unordered_map<SourceId, Source> sources_;
  // Unvouched and vouched sources, the most recently seen first.
  std::list<SourceId> strangers_;
  std::list<SourceId> vouched_;
  AdmissionCounters counters_;
};

}  // namespace headroom::sigcomp
