// SPDX-License-Identifier: Apache-2.0
//
// Headers of a traffic profile's packets, read from JSON and checked: each by itself, and what may follow what.
#ifndef HEADROOM_TRAFFIC_READ_HEADERS_H
#define HEADROOM_TRAFFIC_READ_HEADERS_H

#include <cstdint>
#include <variant>
#include <vector>

#include "base/json_reader.h"
#include "traffic/profile.h"

namespace headroom::traffic {

template <typename Int>
Int integer(Object& object, const char* key, std::uint64_t smallest, std::uint64_t largest, Int otherwise) {
  return static_cast<Int>(object.integer(key, smallest, largest, otherwise));
}

template <typename H>
bool is(const Header& header) {
  return std::holds_alternative<H>(header);
}

inline bool is_ip(const Header& header) { return is<Ipv4>(header) || is<Ipv6>(header); }

// These throw Error(job) with the place of what is wrong.
[[nodiscard]] PortRange read_ports(const Value& value);
[[nodiscard]] IpIdBehaviour read_behaviour(const Value& value);
// A Checksum Coverage of UDP-Lite.
[[nodiscard]] std::uint32_t read_coverage(const Value& value);
[[nodiscard]] Header read_header(const Value& value);
// `values` are those that `headers` were read from.
void check_chain(const std::vector<Header>& headers, const std::vector<Value>& values);

}  // namespace headroom::traffic

#endif  // HEADROOM_TRAFFIC_READ_HEADERS_H
