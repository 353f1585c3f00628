// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/guard/admission.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "mutants.h"

namespace headroom::sigcomp {
namespace {

constexpr double kSecond = 1e9;  // ns

// How long `amount` takes to be paid off. Exact enough: what is lost in rounding is below one part in 2^50.
std::uint64_t time_of(const Allowance& allowance, std::uint64_t amount) noexcept {
  const double ns = static_cast<double>(amount) * (kSecond / static_cast<double>(allowance.per_second));
  constexpr double kLongest = 1e18;  // 30 years, so that sums of two times do not overflow
  return static_cast<std::uint64_t>(std::min(ns, kLongest));
}

}  // namespace

bool Bucket::allows(const Allowance& allowance, std::uint64_t now_ns) const noexcept {
  if (allowance.per_second == 0 || is_full(now_ns)) return true;
  return paid_off_ns_ - now_ns < time_of(allowance, allowance.burst);
}

void Bucket::charge(const Allowance& allowance, std::uint64_t now_ns, std::uint64_t amount) noexcept {
  if (allowance.per_second == 0) return;
  const std::uint64_t from = std::max(paid_off_ns_, now_ns);
  const std::uint64_t more = time_of(allowance, amount);
  paid_off_ns_ = from > std::numeric_limits<std::uint64_t>::max() - more ? from : from + more;
}

Admission::Admission(const AdmissionConfig& config) : config_(config) {
  if (config.most_sources == 0) throw std::invalid_argument("admission needs room for at least one source");
  for (const Allowance& allowance : {config.work, config.failures, config.strangers}) {
    if (allowance.per_second != 0 && allowance.burst == 0) {
      throw std::invalid_argument("an allowance with a burst of 0 admits nothing");
    }
  }
}

bool Admission::admit(SourceId id, std::uint64_t now_ns) {
  if (!config_.is_limited()) {
    ++counters_.admitted;
    return true;
  }
  now_ns = never_back(now_ns);
  const Source& s = source(id);
  std::uint64_t* refused = nullptr;
  if (!s.work.allows(config_.work, now_ns)) {
    refused = &counters_.refused_for_work;
  } else if (!s.failures.allows(config_.failures, now_ns)) {
    refused = &counters_.refused_for_failures;
  } else if ((!s.vouched || mutant("sigcomp-friends-are-strangers")) &&
             !all_strangers_.allows(config_.strangers, now_ns)) {
    refused = &counters_.refused_as_strangers;
  }
  ++(refused != nullptr ? *refused : counters_.admitted);
  return refused == nullptr;
}

void Admission::charge(SourceId id, std::uint64_t now_ns, std::uint64_t work, bool failed) {
  if (!config_.is_limited()) return;
  now_ns = never_back(now_ns);
  Source& s = source(id);
  if (!mutant("sigcomp-work-of-sources-uncounted")) s.work.charge(config_.work, now_ns, work);
  if (failed && !mutant("sigcomp-failures-forgiven"))
    s.failures.charge(config_.failures, now_ns, AdmissionConfig::kFailure);
  if (!s.vouched && !mutant("sigcomp-strangers-are-free")) all_strangers_.charge(config_.strangers, now_ns, work);
}

void Admission::vouch(SourceId id) {
  if (!config_.is_limited()) return;
  Source& s = source(id);
  if (s.vouched) return;
  s.vouched = true;
  vouched_.splice(vouched_.begin(), strangers_, s.place);
}

void Admission::forget(SourceId id) {
  const auto at = sources_.find(id);
  if (at == sources_.end()) return;
  (at->second.vouched ? vouched_ : strangers_).erase(at->second.place);
  sources_.erase(at);
}

// A debt is a time to come: against an earlier clock it would be larger than it is.
std::uint64_t Admission::never_back(std::uint64_t now_ns) noexcept { return now_ns_ = std::max(now_ns_, now_ns); }

void Admission::touch(Source& s) noexcept {
  std::list<SourceId>& list = s.vouched ? vouched_ : strangers_;
  list.splice(list.begin(), list, s.place);
}

// Allocates only until there are most_sources: then a new source takes over what one that is forgotten had.
Admission::Source& Admission::source(SourceId id) {
  if (const auto at = sources_.find(id); at != sources_.end()) {
    touch(at->second);
    return at->second;
  }
  if (sources_.size() < config_.most_sources) {
    strangers_.push_front(id);
    Source& fresh = sources_[id];
    fresh.place = strangers_.begin();
    return fresh;
  }
  ++counters_.forgotten;
  std::list<SourceId>& from = strangers_.empty() ? vouched_ : strangers_;
  auto node = sources_.extract(from.back());
  strangers_.splice(strangers_.begin(), from, std::prev(from.end()));
  strangers_.front() = id;
  node.key() = id;
  node.mapped() = Source{.place = strangers_.begin()};
  return sources_.insert(std::move(node)).position->second;
}

}  // namespace headroom::sigcomp
