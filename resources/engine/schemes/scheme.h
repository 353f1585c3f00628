// SPDX-License-Identifier: Apache-2.0
//
// What the engine has to know of a scheme beyond the ABI. Each folder below schemes/ defines one; no other part of the
// engine names a scheme.
#ifndef HEADROOM_SCHEMES_SCHEME_H
#define HEADROOM_SCHEMES_SCHEME_H

#include <span>
#include <string_view>

#include "base/json_reader.h"
#include "capture/link_framing.h"
#include "traffic/tunnel.h"

namespace headroom {

struct Scheme {
  std::string_view name;                              // in configurations
  const LinkFraming* framing = nullptr;               // nullptr: its packets do not stand in frames of their own
  std::size_t (*ppp_variant)(const Json&) = nullptr;  // of framing->ppp, by configuration; nullptr: the first
  std::span<const traffic::TunnelFormat> tunnels{};   // headers of traffic that are the scheme's
};

// nullptr where there is none of that name: the engine then knows nothing of it but the ABI.
[[nodiscard]] const Scheme* find_scheme(std::string_view name) noexcept;

// All schemes, in the order of their folders' names.
[[nodiscard]] std::span<const Scheme* const> all_schemes() noexcept;

}  // namespace headroom

#endif  // HEADROOM_SCHEMES_SCHEME_H
