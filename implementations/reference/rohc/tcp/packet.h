// SPDX-License-Identifier: Apache-2.0
//
// ROHC-TCP packets as the framework sees them: their types, and where the CID stands.
#pragma once

#include <cstdint>

#include "rohc/tcp/wire/base_header.h"

namespace headroom::rohc::tcp {

inline constexpr std::uint8_t kProfileOctet = 0x06;
inline constexpr std::uint8_t kIrOctet = 0xfd, kIrCrOctet = 0xfc, kIrDynOctet = 0xf8;  // 7.1, 7.2

// Formats of CO packets keep their numbers.
enum class PacketType : std::uint8_t {
  kIr = kFormats,
  kIrDyn,
  kIrCr,
  kUnknown,
};
[[nodiscard]] constexpr PacketType type_of(Format f) noexcept { return static_cast<PacketType>(f); }

// A packet on the link, from the Add-CID octet on if there is one. The first octet of the header stands behind `before`
// octets, and `after` octets of a large CID behind that.
struct LinkPacket {
  Octets octets;
  std::uint8_t before = 0, after = 0;
  bool large_cids = false;

  [[nodiscard]] std::size_t type_place() const noexcept { return before; }
  [[nodiscard]] std::size_t rest_place() const noexcept { return std::size_t{before} + 1 + after; }
};

}  // namespace headroom::rohc::tcp
