// SPDX-License-Identifier: Apache-2.0
#include "rohc/framework/test/support/octets.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace headroom::rohc::test {
namespace {

[[noreturn]] void give_up(std::string_view what, std::string_view text) {
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(what.size()), what.data(), static_cast<int>(text.size()),
               text.data());
  std::abort();
}

// Joins digits of `per_octet` to one octet each.
template <typename ValueOf>
Packet gather(std::string_view text, unsigned per_octet, ValueOf value_of) {
  Packet result;
  unsigned value = 0;
  unsigned digits = 0;
  for (const char c : text) {
    const int digit = value_of(c);
    if (digit < 0) continue;
    value = value << (8 / per_octet) | static_cast<unsigned>(digit);
    if (++digits % per_octet == 0) {
      result.push_back(static_cast<std::uint8_t>(value));
      value = 0;
    }
  }
  if (digits % per_octet != 0) give_up("a vector does not fill whole octets", text);
  return result;
}

int hexadecimal(char c) {
  if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return -1;
  if (c <= '9') return c - '0';
  return (c | 0x20) - 'a' + 10;
}

}  // namespace

Packet hex(std::string_view text) { return gather(text, 2, hexadecimal); }

Packet bits(std::string_view text) {
  return gather(text, 8, [](char c) { return c == '0' || c == '1' ? c - '0' : -1; });
}

std::string to_hex(Octets octets) {
  std::string text;
  char digits[4];
  for (const std::uint8_t octet : octets) {
    std::snprintf(digits, sizeof digits, "%02x ", octet);
    text += digits;
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace headroom::rohc::test
