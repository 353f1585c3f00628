// SPDX-License-Identifier: Apache-2.0
//
// Octets as hexadecimal text, the form they have in jobs and results.
#ifndef HEADROOM_BASE_HEX_H
#define HEADROOM_BASE_HEX_H

#include <optional>
#include <string>
#include <string_view>

#include "base/octets.h"

namespace headroom {

// Two lower-case digits an octet.
[[nodiscard]] std::string to_hex(OctetView octets);

// Nothing when `text` holds an odd number of digits or anything that is neither a digit nor white space.
[[nodiscard]] std::optional<Octets> from_hex(std::string_view text);

}  // namespace headroom

#endif  // HEADROOM_BASE_HEX_H
