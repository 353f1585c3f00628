// SPDX-License-Identifier: Apache-2.0
//
// The values of PFCP information elements with more than one field (3GPP TS 29.244, clause 8.2).
//
// Each `read_` function returns nothing if the value is shorter than its own flags require (Invalid length, 7.6.7).
// Octets after the known fields belong to later versions and are ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gtpu/wire/address.h"
#include "gtpu/wire/pfcp.h"

namespace headroom::gtpu::pfcp {

// F-TEID (8.2.3).
struct FTeid {
  bool choose = false;                      // CH: the user plane chooses TEID and address
  bool has_ipv4 = false, has_ipv6 = false;  // with `choose`: the IP versions for which an address is to be chosen
  std::optional<std::uint8_t> choose_id{};  // PDRs with the same CHOOSE ID share an F-TEID
  std::uint32_t teid = 0;
  Address ipv4{}, ipv6{};
};
[[nodiscard]] std::optional<FTeid> read_f_teid(Octets value) noexcept;
void write_f_teid(MessageWriter& out, const FTeid& f_teid) noexcept;

// F-SEID (8.2.37).
struct FSeid {
  std::uint64_t seid = 0;
  std::optional<Address> ipv4{}, ipv6{};
};
[[nodiscard]] std::optional<FSeid> read_f_seid(Octets value) noexcept;
void write_f_seid(MessageWriter& out, const FSeid& f_seid) noexcept;

// Node ID (8.2.38): an IPv4 address, an IPv6 address or an FQDN.
enum class NodeIdType : std::uint8_t { ipv4 = 0, ipv6 = 1, fqdn = 2 };
struct NodeId {
  NodeIdType type = NodeIdType::ipv4;
  Octets octets{};
};
[[nodiscard]] std::optional<NodeId> read_node_id(Octets value) noexcept;

// UE IP Address (8.2.62).
struct UeIpAddress {
  bool destination = false;  // S/D
  bool choose = false;       // CHV4 or CHV6: the user plane chooses the address
  std::optional<Address> ipv4{}, ipv6{};
  std::uint8_t ipv6_prefix = 64;  // bits
};
[[nodiscard]] std::optional<UeIpAddress> read_ue_ip_address(Octets value) noexcept;

// SDF Filter (8.2.5).
struct SdfFilter {
  std::optional<std::string_view> flow_description{};
  std::optional<std::uint16_t> tos{};  // ToS Traffic Class: value, then mask
  std::optional<std::uint32_t> spi{};
  std::optional<std::uint32_t> flow_label{};  // 20 bits
  std::optional<std::uint32_t> filter_id{};   // bidirectional
};
[[nodiscard]] std::optional<SdfFilter> read_sdf_filter(Octets value) noexcept;

// Outer Header Creation (8.2.56), with bits of `description`, whose high octet is octet 5.
inline constexpr std::uint16_t kCreateGtpUIpv4 = 0x0100;
inline constexpr std::uint16_t kCreateGtpUIpv6 = 0x0200;
struct OuterHeaderCreation {
  std::uint16_t description = 0;
  std::uint32_t teid = 0;
  Address ipv4{}, ipv6{};
};
[[nodiscard]] std::optional<OuterHeaderCreation> read_outer_header_creation(Octets value) noexcept;

// Volume Threshold (8.2.13) and Volume Quota (8.2.50), in octets.
struct Volume {
  std::optional<std::uint64_t> total{}, uplink{}, downlink{};
};
[[nodiscard]] std::optional<Volume> read_volume(Octets value) noexcept;

// MBR (8.2.8) and GBR (8.2.9), in kbit/s.
struct BitRates {
  std::uint64_t uplink = 0, downlink = 0;
};
[[nodiscard]] std::optional<BitRates> read_bit_rates(Octets value) noexcept;

}  // namespace headroom::gtpu::pfcp
