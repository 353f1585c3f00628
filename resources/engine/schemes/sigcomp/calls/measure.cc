// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/calls/measure.h"

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

void Measured::count(bool from_user, std::uint64_t input, std::uint64_t output,
                     const queueing::JobTimes& times) noexcept {
  SystemTimes::count(times);
  (from_user ? decompressing : compressing).record(times.service_ns);
  ++(from_user ? from_users : from_core);
  (from_user ? link_octets : sip_octets) += input;
  (from_user ? sip_octets : link_octets) += output;
}

void Measured::add(const Measured& other) noexcept {
  SystemTimes::add(other);
  decompressing.add(other.decompressing);
  compressing.add(other.compressing);
  from_users += other.from_users;
  from_core += other.from_core;
  passed += other.passed;
  sip_octets += other.sip_octets;
  link_octets += other.link_octets;
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
