// SPDX-License-Identifier: Apache-2.0
//
// IP addresses in the form of headroom_n4_message: an IPv4 address is in the last four octets, after ::ffff:0:0/96.
#ifndef HEADROOM_SCHEMES_GTPU_USER_PLANE_ADDRESS_H
#define HEADROOM_SCHEMES_GTPU_USER_PLANE_ADDRESS_H

#include <array>
#include <cstdint>
#include <string>

#include "base/json_reader.h"

namespace headroom::gtpu {

using Address = std::array<std::uint8_t, 16>;

// Reads an address. Throws Error(job) if the text is no address.
[[nodiscard]] Address read_address(const Value& value);

// Reads an IPv4 address and returns it in host order. Throws as read_address.
[[nodiscard]] std::uint32_t read_ipv4_address(const Value& value);

[[nodiscard]] std::string text_of(const Address& address);

[[nodiscard]] bool is_ipv4(const Address& address) noexcept;

}  // namespace headroom::gtpu

#endif  // HEADROOM_SCHEMES_GTPU_USER_PLANE_ADDRESS_H
