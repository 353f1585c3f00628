// SPDX-License-Identifier: Apache-2.0
#include "gtpu/inspection/l3.h"

#include <algorithm>
#include <cstring>

namespace headroom::gtpu::inspection {
namespace {

using Address = std::array<std::uint8_t, 16>;

Address cut(const Address& address, std::uint8_t length) noexcept {
  Address result{};
  const std::size_t whole = length / 8;
  std::copy_n(address.begin(), whole, result.begin());
  if (const unsigned bits = length % 8; bits != 0) {
    result[whole] = static_cast<std::uint8_t>(address[whole] & (0xFF00u >> bits));
  }
  return result;
}

}  // namespace

std::size_t L3Rules::Hash::operator()(const Masked& masked) const noexcept {
  std::uint64_t hash = masked.protocol;
  for (const Address* address : {&masked.user, &masked.remote}) {
    for (std::size_t at = 0; at < address->size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, address->data() + at, sizeof word);
      hash = (hash ^ word) * 0x9E3779B97F4A7C15;
      hash ^= hash >> 32;
    }
  }
  return hash;
}

L3Rules::Masked L3Rules::masked(const FlowKey& flow, const Tuple& tuple) noexcept {
  return {cut(flow.user, tuple.user_length), cut(flow.remote, tuple.remote_length),
          tuple.any_protocol ? std::uint8_t{0} : flow.protocol};
}

L3Rules::L3Rules(const std::vector<L3Rule>& rules) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const L3Rule& rule = rules[i];
    const auto is_same = [&](const Tuple& tuple) {
      return tuple.user_length == rule.user.length && tuple.remote_length == rule.remote.length &&
             tuple.any_protocol == !rule.protocol;
    };
    auto tuple = std::ranges::find_if(tuples_, is_same);
    const auto number = static_cast<std::uint32_t>(i);
    if (tuple == tuples_.end()) {
      tuple = tuples_.insert(tuples_.end(), Tuple{rule.user.length, rule.remote.length, !rule.protocol, number});
    }
    const FlowKey key = {rule.user.address, rule.remote.address, 0, 0, rule.protocol.value_or(0)};
    tuple->entries[masked(key, *tuple)].push_back({number, rule.user_ports, rule.remote_ports});
  }
}

std::optional<std::uint32_t> L3Rules::match(const FlowKey& flow) const noexcept {
  std::optional<std::uint32_t> best;
  for (const Tuple& tuple : tuples_) {
    if (best && tuple.first > *best) break;
    const auto entry = tuple.entries.find(masked(flow, tuple));
    if (entry == tuple.entries.end()) continue;
    for (const Candidate& candidate : entry->second) {  // ascending
      if (best && candidate.number > *best) break;
      if (candidate.user_ports.has(flow.user_port) && candidate.remote_ports.has(flow.remote_port)) {
        best = candidate.number;
        break;
      }
    }
  }
  return best;
}

}  // namespace headroom::gtpu::inspection
