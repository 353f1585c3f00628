// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

#include <array>

namespace headroom::vj {
namespace {

// RFC 1332, 3.2: the type of a packet is its protocol of PPP, and Ethernet has none for them.
constexpr std::array<PppVariant, 3> kPpp = {
    {{0x0021, "TYPE_IP", ""}, {0x002D, "COMPRESSED_TCP", ""}, {0x002F, "UNCOMPRESSED_TCP", ""}}};
constexpr LinkFraming kFraming = {.title = "VJ", .ether_type = 0, .ppp = kPpp, .typed = true};

// RFC 1332, 4.1: Max-Slot-Id is an octet, Comp-Slot-Id one of two values.
std::vector<BadConfiguration> bad_configurations(const Json& good) {
  std::vector<BadConfiguration> bad;
  const auto add = [&](const char* what, const char* key, const Json& value) {
    bad.push_back({what, good});
    bad.back().config[key] = value;
  };
  add("a Max-Slot-Id beyond 255", "max_slot_id", 256);
  add("a negative Max-Slot-Id", "max_slot_id", -1);
  add("slot identifiers that are neither compressed nor explicit", "slot_ids", "some");
  return bad;
}

}  // namespace

const Scheme& scheme() noexcept {
  static constexpr Scheme kScheme = {
      .name = "vj", .framing = &kFraming, .trials = {.bad_configurations = bad_configurations}};
  return kScheme;
}

}  // namespace headroom::vj
