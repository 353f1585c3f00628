// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

#include <array>

namespace headroom::rohc {
namespace {

// RFC 3241, 4: two protocols of PPP, by the size of CIDs.
constexpr std::array<PppVariant, 2> kPpp = {
    {{0x0003, "small CIDs", "\"cids\": \"small\""}, {0x0005, "large CIDs", "\"cids\": \"large\""}}};
constexpr LinkFraming kFraming = {.title = "ROHC",
                                  .ether_type = 0x22F1 /* IEEE's assignment */,
                                  .ppp = kPpp,
                                  .padding = 0xE0 /* RFC 5795, 5.2.1.1 */};

std::size_t ppp_variant(const Json& config) {
  return config.is_object() && config.contains("cids") && config["cids"] == "large" ? 1 : 0;
}

}  // namespace

const Scheme& scheme() noexcept {
  static constexpr Scheme kScheme = {.name = "rohc", .framing = &kFraming, .ppp_variant = ppp_variant};
  return kScheme;
}

}  // namespace headroom::rohc
