// SPDX-License-Identifier: Apache-2.0
//
// Octets as tests write them down and print them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rohc/framework/wire/octets.h"

namespace headroom::rohc::test {

using Packet = std::vector<std::uint8_t>;

// "45 00 | 00 1c" -> 4 octets. Anything but hexadecimal digits only separates, so vectors can be laid out field by
// field. Ends the program when a digit lacks its partner: a vector with a typing error proves nothing.
[[nodiscard]] Packet hex(std::string_view text);

// Bits as the figures of the RFCs have them, most significant first: bits("110 00101") is { 0xc5 }. Anything but 0 and
// 1 only separates. Ends the program unless the bits fill whole octets.
[[nodiscard]] Packet bits(std::string_view text);

// The other way round, for messages.
[[nodiscard]] std::string to_hex(Octets octets);

[[nodiscard]] inline Packet copy_of(Octets octets) { return {octets.begin(), octets.end()}; }

// `a` with `b` after it.
[[nodiscard]] inline Packet joined(Packet a, Octets b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace headroom::rohc::test
