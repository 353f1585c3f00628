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

// So much in the long run, and `burst` at once on top of it. A rate of 0 is no limit.
struct Allowance {
  std::uint64_t per_second = 0;
  std::uint64_t burst = 0;
};

struct AdmissionConfig {
  Allowance work = {};      // of one source, in units of udvm/work.h, 5 ns each at most
  Allowance failures = {};  // of one source: messages that ended in decompression failure, each counted as kFailure
  // All unvouched sources together, in units of work: forged addresses are many.
  Allowance strangers = {};
  std::size_t most_sources = 10'000;  // that are remembered, at about 150 octets each

  static constexpr std::uint64_t kFailure = 1000;  // so that rates below one a second can be said
  [[nodiscard]] bool is_limited() const noexcept {
    return work.per_second != 0 || failures.per_second != 0 || strangers.per_second != 0;
  }
};

// A token bucket, as the time when all that has been charged will be paid off.
class Bucket {
 public:
  [[nodiscard]] bool allows(const Allowance& allowance, std::uint64_t now_ns) const noexcept;
  void charge(const Allowance& allowance, std::uint64_t now_ns, std::uint64_t amount) noexcept;
  // Nothing is owed any more.
  [[nodiscard]] bool is_full(std::uint64_t now_ns) const noexcept { return paid_off_ns_ <= now_ns; }

 private:
  std::uint64_t paid_off_ns_ = 0;
};

struct AdmissionCounters {
  std::uint64_t admitted = 0;
  std::uint64_t refused_for_work = 0;
  std::uint64_t refused_for_failures = 0;
  std::uint64_t refused_as_strangers = 0;
  std::uint64_t forgotten = 0;  // sources that were given up for others
  friend bool operator==(const AdmissionCounters&, const AdmissionCounters&) = default;
  [[nodiscard]] std::uint64_t refused() const noexcept {
    return refused_for_work + refused_for_failures + refused_as_strangers;
  }
};

// Admission takes its times from the caller, in nanoseconds; a time that goes back counts as the same time. Memory is
// bounded by most_sources. Beyond that, the least recently seen source is removed, strangers first, so that a flood of
// strangers removes no vouched source. A stranger's debt goes with it; the strangers' common debt stays.
class Admission {
 public:
  // Throws std::invalid_argument with a sentence for a configuration that cannot work.
  explicit Admission(const AdmissionConfig& config);

  // Whether a message of `source` may be decompressed now. What it will cost is not known yet: a source that owes
  // nothing may go into debt with one message.
  [[nodiscard]] bool admit(SourceId source, std::uint64_t now_ns);
  // What the message admitted last has cost.
  void charge(SourceId source, std::uint64_t now_ns, std::uint64_t work, bool failed);
  // The application has recognised a message as this source's: it is no stranger.
  void vouch(SourceId source);
  // The number is free for another: what is known of this one, debts and all, is known no longer.
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
  std::uint64_t now_ns_ = 0;  // the latest time so far
  Bucket all_strangers_;
  std::unordered_map<SourceId, Source> sources_;
  // Those heard of most recently at the front.
  std::list<SourceId> strangers_;
  std::list<SourceId> vouched_;
  AdmissionCounters counters_;
};

}  // namespace headroom::sigcomp
