// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

#include <array>

namespace headroom::vj {
namespace {

// RFC 1332, 3.2: the type of a packet is its protocol of PPP, and Ethernet has none for them.
constexpr std::array<PppVariant, 3> kPpp = {
    {{0x0021, "TYPE_IP", ""}, {0x002D, "COMPRESSED_TCP", ""}, {0x002F, "UNCOMPRESSED_TCP", ""}}};
constexpr LinkFraming kFraming = {.title = "VJ", .ether_type = 0, .ppp = kPpp, .typed = true};

}  // namespace

const Scheme& scheme() noexcept {
  static constexpr Scheme kScheme = {.name = "vj", .framing = &kFraming};
  return kScheme;
}

}  // namespace headroom::vj
