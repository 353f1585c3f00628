// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/user_plane/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace headroom::gtpu {
namespace {

constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};  // RFC 4291, 2.5.5.2

}  // namespace

Address read_address(const Value& value) {
  Address address{};
  const std::string text = value.text();
  if (inet_pton(AF_INET6, text.c_str(), address.data()) == 1) return address;
  std::copy(kMapped.begin(), kMapped.end(), address.begin());
  if (inet_pton(AF_INET, text.c_str(), address.data() + kMapped.size()) != 1)
    value.fail("\"" + text + "\" is no IP address.");
  return address;
}

std::uint32_t read_ipv4_address(const Value& value) {
  const Address address = read_address(value);
  if (!is_ipv4(address)) value.fail("this must be an IPv4 address.");
  return load32(address.data() + kMapped.size());
}

std::string text_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (is_ipv4(address)) {
    (void)inet_ntop(AF_INET, address.data() + kMapped.size(), text, sizeof text);
  } else {
    (void)inet_ntop(AF_INET6, address.data(), text, sizeof text);
  }
  return text;
}

bool is_ipv4(const Address& address) noexcept { return std::equal(kMapped.begin(), kMapped.end(), address.begin()); }

}  // namespace headroom::gtpu
