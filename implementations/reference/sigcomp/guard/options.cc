// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/guard/options.h"

#include "cxx/settings.h"

namespace headroom::sigcomp {
namespace {

// So that a rate times a failure, and a burst in nanoseconds, stay far from the end of 64 bits.
constexpr std::uint64_t kMost = 1'000'000'000'000;

void read_allowance(const Settings& s, const char* key, const char* rate, Allowance& allowance) {
  const nlohmann::json* found = s.find(key);
  if (found == nullptr) return;
  const Settings one(*found, s.where(key));
  one.only({rate, "burst"});
  for (const char* needed : {rate, "burst"}) {
    require(one.find(needed) != nullptr, s.where(key) + " needs \"" + needed + "\"");
  }
  one.number(rate, 1, kMost, allowance.per_second);
  one.number("burst", 1, kMost, allowance.burst);
}

}  // namespace

void read_guard(const nlohmann::json& json, DecompressorConfig& decompressor, GuardConfig& guard) {
  const Settings s(json, "\"guard\"");
  s.only({"verify", "work_per_cycle", "most_work", "state_memory", "work", "failures", "strangers", "sources"});
  s.boolean("verify", decompressor.verify);
  s.number("work_per_cycle", 0, 1000, decompressor.work_per_cycle);
  s.number("most_work", 0, kMost, decompressor.most_work);
  s.number("state_memory", 0, kMost, guard.state_memory);
  read_allowance(s, "work", "per_second", guard.admission.work);
  read_allowance(s, "strangers", "per_second", guard.admission.strangers);
  Allowance failures;
  read_allowance(s, "failures", "per_minute", failures);
  if (failures.per_second != 0) {
    constexpr std::uint64_t kMinute = 60;  // seconds
    guard.admission.failures = {(failures.per_second * AdmissionConfig::kFailure + kMinute - 1) / kMinute,
                                failures.burst * AdmissionConfig::kFailure};
  }
  s.number("sources", 1, 10'000'000, guard.admission.most_sources);
}

}  // namespace headroom::sigcomp
