// SPDX-License-Identifier: Apache-2.0
//
// Octets as tests write them down and print them.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "sigcomp/octets.h"

namespace headroom::sigcomp::test {

using Bytes = std::vector<std::uint8_t>;

// "f8 00 | e1 06" -> 4 octets. Anything but hexadecimal digits only separates. Ends the program when a digit lacks its
// partner: a vector with a typing error proves nothing.
[[nodiscard]] inline Bytes hex(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  Bytes octets;
  int high = -1;
  for (const char c : text) {
    const auto digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    if (digit == std::string_view::npos) continue;
    if (high < 0) {
      high = static_cast<int>(digit);
    } else {
      octets.push_back(static_cast<std::uint8_t>(high << 4 | static_cast<int>(digit)));
      high = -1;
    }
  }
  if (high >= 0) {
    std::fprintf(stderr, "a hexadecimal digit lacks its partner: %.*s\n", static_cast<int>(text.size()), text.data());
    std::abort();
  }
  return octets;
}

[[nodiscard]] inline std::string to_hex(Octets octets) {
  std::string text;
  for (const std::uint8_t octet : octets) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", octet);
    text += two;
  }
  return text;
}

[[nodiscard]] inline Bytes joined(Bytes a, Octets b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

[[nodiscard]] inline Bytes text_octets(std::string_view text) { return {text.begin(), text.end()}; }

}  // namespace headroom::sigcomp::test
