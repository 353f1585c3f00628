// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

#include <array>

namespace headroom::taroc {
namespace {

// The draft assigns no numbers: those of RFC 2507's formats on PPP (RFC 3544), which it has in common with them.
constexpr std::array<PppVariant, 4> kPpp = {{{0x0021, "TYPE_IP", ""},
                                             {0x0057, "TYPE_IP of IPv6", ""},
                                             {0x0061, "UNCOMPRESSED_TCP", ""},
                                             {0x0063, "COMPRESSED_TCP", ""}}};
constexpr LinkFraming kFraming = {.title = "TAROC", .ether_type = 0, .ppp = kPpp, .typed = true};

// RFC 2507, 14: TCP_SPACE is at least 3 and at most 255.
std::vector<BadConfiguration> bad_configurations(const Json& good) {
  std::vector<BadConfiguration> bad;
  for (const int space : {-1, 2, 256}) {
    bad.push_back({"a TCP_SPACE of " + std::to_string(space), good});
    bad.back().config["tcp_space"] = space;
  }
  return bad;
}

}  // namespace

const Scheme& scheme() noexcept {
  static constexpr Scheme kScheme = {.name = "taroc",
                                     .framing = &kFraming,
                                     .trials = {.bad_configurations = bad_configurations, .compresses_tcp = true}};
  return kScheme;
}

}  // namespace headroom::taroc
