// SPDX-License-Identifier: Apache-2.0
#include "gtpu/wire/address.h"

#include <arpa/inet.h>

namespace headroom::gtpu {

std::optional<Address> parse_address(const std::string& text) {
  std::uint8_t octets[16];
  if (inet_pton(AF_INET, text.c_str(), octets) == 1) return Address::of_ipv4(octets);
  if (inet_pton(AF_INET6, text.c_str(), octets) == 1) return Address::of_ipv6(octets);
  return std::nullopt;
}

}  // namespace headroom::gtpu
