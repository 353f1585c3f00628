// SPDX-License-Identifier: Apache-2.0
//
// IP addresses and integers in network order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace headroom::gtpu {

[[nodiscard]] inline std::uint16_t read16(const std::uint8_t* p) noexcept {
  return static_cast<std::uint16_t>(p[0] << 8 | p[1]);
}
[[nodiscard]] inline std::uint32_t read32(const std::uint8_t* p) noexcept {
  return static_cast<std::uint32_t>(read16(p)) << 16 | read16(p + 2);
}
[[nodiscard]] inline std::uint64_t read64(const std::uint8_t* p) noexcept {
  return static_cast<std::uint64_t>(read32(p)) << 32 | read32(p + 4);
}
inline void write16(std::uint8_t* p, std::uint32_t value) noexcept {
  p[0] = static_cast<std::uint8_t>(value >> 8);
  p[1] = static_cast<std::uint8_t>(value);
}
inline void write32(std::uint8_t* p, std::uint32_t value) noexcept {
  write16(p, value >> 16);
  write16(p + 2, value);
}

// Address is an IPv6 address, or an IPv4 address after ::ffff:0:0/96 (as in headroom_n4_message). All zero: none.
struct Address {
  std::array<std::uint8_t, 16> octets{};

  [[nodiscard]] static Address of_ipv4(const std::uint8_t* p) noexcept {
    Address address;
    address.octets[10] = address.octets[11] = 0xFF;
    std::memcpy(address.octets.data() + 12, p, 4);
    return address;
  }
  [[nodiscard]] static Address of_ipv6(const std::uint8_t* p) noexcept {
    Address address;
    std::memcpy(address.octets.data(), p, 16);
    return address;
  }
  [[nodiscard]] static Address of_ipv4(std::uint32_t value) noexcept {
    std::uint8_t octets[4];
    write32(octets, value);
    return of_ipv4(octets);
  }

  [[nodiscard]] bool is_none() const noexcept { return high() == 0 && low() == 0; }
  [[nodiscard]] bool is_ipv4() const noexcept { return high() == 0 && read32(octets.data() + 8) == 0xFFFF; }
  // REQUIRES: is_ipv4().
  [[nodiscard]] std::uint32_t ipv4() const noexcept { return read32(octets.data() + 12); }
  [[nodiscard]] const std::uint8_t* ipv4_octets() const noexcept { return octets.data() + 12; }
  [[nodiscard]] std::uint64_t high() const noexcept { return read64(octets.data()); }
  [[nodiscard]] std::uint64_t low() const noexcept { return read64(octets.data() + 8); }

  friend bool operator==(const Address&, const Address&) = default;
};

// Parses an address in the usual notation (RFC 4291, 2.2). Returns nothing if the text is no address.
[[nodiscard]] std::optional<Address> parse_address(const std::string& text);

}  // namespace headroom::gtpu
