// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/calls/measure.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "adapter/instance.h"

namespace headroom::sigcomp::calls {
namespace {

Json by_name(const std::map<std::int32_t, std::uint64_t>& counts) {
  Json json = Json::object();
  for (const auto& [status, count] : counts) {
    const char* const name = name_of_status(status);
    const std::string key = *name == 0 ? "unknown" : name;
    json[key] = json.value(key, std::uint64_t{0}) + count;
  }
  return json;
}

}  // namespace

Json Times::json() const {
  Json json = json_of(histogram_, 1);
  if (!json.is_null()) json["mean"] = static_cast<double>(sum_) / static_cast<double>(count());
  return json;
}

void Outcomes::add(const Outcomes& other) {
  for (const auto& [status, count] : other.decompress) decompress[status] += count;
  for (const auto& [status, count] : other.compress) compress[status] += count;
  wrong += other.wrong;
  different += other.different;
  refused += other.refused;
  nacks += other.nacks;
}

std::uint64_t Outcomes::failures() const noexcept {
  std::uint64_t all = wrong + different + refused;
  for (const auto& [status, count] : decompress) all += count;
  for (const auto& [status, count] : compress) all += count;
  return all;
}

Json Outcomes::json() const {
  return {{"decompress", by_name(decompress)},
          {"compress", by_name(compress)},
          {"wrong", wrong},
          {"different", different},
          {"refused", refused},
          {"nacks", nacks},
          {"failures", failures()}};
}

void Measured::count(bool from_user, std::uint64_t input, std::uint64_t output, const Passage& passage) noexcept {
  in_system.record(passage.end_ns - passage.due_ns);
  in_buffer.record(passage.start_ns - passage.due_ns);
  processing.record(passage.end_ns - passage.start_ns);
  waiting_for_lock.record(passage.lock_ns);
  (from_user ? decompressing : compressing).record(passage.endpoint_ns);
  ++(from_user ? from_users : from_core);
  (from_user ? link_octets : sip_octets) += input;
  (from_user ? sip_octets : link_octets) += output;
  active_seen += passage.active;
  most_active = std::max(most_active, passage.active);
  endpoint_ns += passage.endpoint_ns;
}

void Measured::add(const Measured& other) noexcept {
  in_system.add(other.in_system);
  in_buffer.add(other.in_buffer);
  processing.add(other.processing);
  waiting_for_lock.add(other.waiting_for_lock);
  decompressing.add(other.decompressing);
  compressing.add(other.compressing);
  from_users += other.from_users;
  from_core += other.from_core;
  passed += other.passed;
  sip_octets += other.sip_octets;
  link_octets += other.link_octets;
  active_seen += other.active_seen;
  most_active = std::max(most_active, other.most_active);
  endpoint_ns += other.endpoint_ns;
}

std::uint64_t private_resident_octets() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    if (word != "RssAnon:") continue;
    std::uint64_t kilo = 0;
    file >> kilo;
    return kilo * 1024;
  }
  return 0;
}

}  // namespace headroom::sigcomp::calls
