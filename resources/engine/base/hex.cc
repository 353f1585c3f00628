// SPDX-License-Identifier: Apache-2.0
#include "base/hex.h"

namespace headroom {

std::string to_hex(OctetView octets) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(octets.size() * 2);
  for (const std::uint8_t octet : octets) {
    text.push_back(kDigits[octet >> 4]);
    text.push_back(kDigits[octet & 15]);
  }
  return text;
}

namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<Octets> from_hex(std::string_view text) {
  Octets octets;
  octets.reserve(text.size() / 2);
  int high = -1;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') continue;
    const int value = digit(c);
    if (value < 0) return std::nullopt;
    if (high < 0) {
      high = value;
    } else {
      octets.push_back(static_cast<std::uint8_t>((high << 4) | value));
      high = -1;
    }
  }
  if (high >= 0) return std::nullopt;
  return octets;
}

}  // namespace headroom
