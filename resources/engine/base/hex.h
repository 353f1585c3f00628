// SPDX-License-Identifier: Apache-2.0
//
// Conversion between octets and hexadecimal text, the form of octets in jobs and results.
#ifndef HEADROOM_BASE_HEX_H
#define HEADROOM_BASE_HEX_H

#include <optional>
#include <string>
#include <string_view>

#include "base/octets.h"

namespace headroom {

// Returns two lower-case digits for each octet.
[[nodiscard]] std::string to_hex(OctetView octets);

// Returns the octets, or nothing if `text` has an odd number of digits or other characters than digits and white space.
[[nodiscard]] std::optional<Octets> from_hex(std::string_view text);

}  // namespace headroom

#endif  // HEADROOM_BASE_HEX_H
