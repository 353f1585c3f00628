// SPDX-License-Identifier: Apache-2.0
//
// The packet types of ROHC-TCP, and the position of the CID in a packet.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "rohc/tcp/wire/base_header.h"

namespace headroom::rohc::tcp {

inline constexpr std::uint8_t kProfileOctet = 0x06;
inline constexpr std::uint8_t kIrOctet = 0xfd, kIrCrOctet = 0xfc, kIrDynOctet = 0xf8;  // 7.1, 7.2

// The packet types. CO packets have the numbers of their formats.
enum class PacketType : std::uint8_t {
  kIr = kFormats,
  kIrDyn,
  kIrCr,
  kUnknown,
};
[[nodiscard]] constexpr PacketType type_of(Format f) noexcept { return static_cast<PacketType>(f); }
inline constexpr std::size_t kPacketTypes = static_cast<std::size_t>(PacketType::kUnknown) + 1;
using PacketCounts = std::array<std::uint64_t, kPacketTypes>;

// The index of a type in `names.packet_types` of the self-description: IR, IR-DYN and unknown packets share the names
// of the RFC 3095 types, and kOwnNames follow these names (../packet_names.h).
inline constexpr std::uint8_t kIrName = 0, kIrDynName = 1, kUnknownName = 17, kFirstOwnName = 18;
inline constexpr std::array<std::string_view, kFormats + 1> kOwnNames = {
    "rnd_1", "rnd_2", "rnd_3", "rnd_4", "rnd_5", "rnd_6", "rnd_7", "rnd_8",     "seq_1",
    "seq_2", "seq_3", "seq_4", "seq_5", "seq_6", "seq_7", "seq_8", "co_common", "IR-CR"};
[[nodiscard]] constexpr std::uint8_t name_of(PacketType type) noexcept {
  if (type == PacketType::kIr) return kIrName;
  if (type == PacketType::kIrDyn) return kIrDynName;
  if (type == PacketType::kUnknown) return kUnknownName;
  return static_cast<std::uint8_t>(kFirstOwnName +
                                   (type == PacketType::kIrCr ? kFormats : static_cast<unsigned>(type)));
}

// A packet on the link, from the Add-CID octet on if there is one. `before` octets stand before the first octet of the
// header, and `after` octets of a large CID follow that octet.
struct LinkPacket {
  Octets octets;
  std::uint8_t before = 0, after = 0;
  bool large_cids = false;

  [[nodiscard]] std::size_t type_place() const noexcept { return before; }
  [[nodiscard]] std::size_t rest_place() const noexcept { return std::size_t{before} + 1 + after; }
};

}  // namespace headroom::rohc::tcp
