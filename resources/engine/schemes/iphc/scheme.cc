// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

#include <array>

namespace headroom::iphc {
namespace {

// RFC 3544, section 4: the type of a packet is its protocol of PPP, 0x2065 that of CONTEXT_STATE, which goes back.
constexpr std::array<PppVariant, 6> kPpp = {{{0x0021, "IPv4", ""},
                                             {0x0057, "IPv6", ""},
                                             {0x0061, "FULL_HEADER", ""},
                                             {0x0063, "COMPRESSED_TCP", ""},
                                             {0x0065, "COMPRESSED_NON_TCP", ""},
                                             {0x2063, "COMPRESSED_TCP_NODELTA", ""}}};
constexpr LinkFraming kFraming = {
    .title = "IPHC", .ether_type = 0, .ppp = kPpp, .typed = true, .feedback_type = 0x2065};

// RFC 3544, 2.1: spaces of 0 to 255 and 0 to 65,535; RFC 2507, 14: a MAX_HEADER of 60 or more.
std::vector<BadConfiguration> bad_configurations(const Json& good) {
  std::vector<BadConfiguration> bad;
  const auto add = [&](const char* what, const char* key, const Json& value) {
    bad.push_back({what, good});
    bad.back().config[key] = value;
  };
  add("a negative TCP_SPACE", "tcp_space", -1);
  add("a TCP_SPACE beyond 255", "tcp_space", 256);
  add("a NON_TCP_SPACE beyond 65,535", "non_tcp_space", 65536);
  add("a MAX_HEADER below 60", "max_header", 59);
  add("an F_MAX_TIME beyond 255", "f_max_time", 256);
  return bad;
}

// RFC 2507, 10.2: a header request for the CID 0 of TCP.
Octets reverse_packet(const Json& /*config*/) { return {0x03, 0x01, 0x00}; }

}  // namespace

const Scheme& scheme() noexcept {
  static constexpr Scheme kScheme = {
      .name = "iphc",
      .framing = &kFraming,
      .trials = {.bad_configurations = bad_configurations, .compresses_tcp = true, .reverse_packet = reverse_packet}};
  return kScheme;
}

}  // namespace headroom::iphc
