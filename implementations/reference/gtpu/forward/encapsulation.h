// SPDX-License-Identifier: Apache-2.0
//
// Functions that write outer headers in front of a user's packet.
#pragma once

#include <cstdint>

#include "gtpu/rules/rule_set.h"

namespace headroom::gtpu {

// The length of the longest outer header in octets: IPv6, UDP, GTP-U with its optional fields, and a container of eight
// octets.
inline constexpr std::size_t kMostOuterHeader = 48 + 8 + 4 + 8;

// Container has the fields of a PDU session container (TS 38.415, 5.5.2).
struct Container {
  bool present = false;
  bool uplink = false;
  std::uint8_t octet = 0;   // second octet: PPP, RQI and QFI
  std::uint8_t paging = 0;  // third octet, used if PPP is set
};

// Writes the outer header so that it ends at `inner`, and returns its first octet, or nullptr if the packet would be
// longer than IP allows. REQUIRES: kMostOuterHeader octets of room in front of `inner`, and target.header_length is not
// 0.
std::uint8_t* encapsulate(std::uint8_t* inner, std::uint32_t length, std::uint8_t message_type, const Target& target,
                          const Container& container) noexcept;

// Writes the target's traffic class into an IP packet (Transport Level Marking towards N6).
void mark(std::uint8_t* packet, const Target& target) noexcept;

}  // namespace headroom::gtpu
