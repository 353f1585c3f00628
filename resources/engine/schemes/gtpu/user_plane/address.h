// SPDX-License-Identifier: Apache-2.0
//
// IP addresses as headroom_n4_message has them: an IPv4 address stands in the last four octets, behind ::ffff:0:0/96.
#ifndef HEADROOM_SCHEMES_GTPU_USER_PLANE_ADDRESS_H
#define HEADROOM_SCHEMES_GTPU_USER_PLANE_ADDRESS_H

#include <array>
#include <cstdint>
#include <string>

#include "base/json_reader.h"

namespace headroom::gtpu {

using Address = std::array<std::uint8_t, 16>;

// Throws Error(job) where the text is no address.
[[nodiscard]] Address read_address(const Value& value);

// As read_address, of an IPv4 address, in host order.
[[nodiscard]] std::uint32_t read_ipv4_address(const Value& value);

[[nodiscard]] std::string text_of(const Address& address);

[[nodiscard]] bool is_ipv4(const Address& address) noexcept;

}  // namespace headroom::gtpu

#endif  // HEADROOM_SCHEMES_GTPU_USER_PLANE_ADDRESS_H
