// SPDX-License-Identifier: Apache-2.0
//
// PFCP requests, built octet by octet, for tests and benchmarks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gtpu/test/packets.h"
#include "gtpu/wire/pfcp.h"

namespace headroom::gtpu::test {

// Returns `value` in so many octets.
inline Bytes be(std::uint64_t value, std::size_t octets) {
  Bytes bytes(octets);
  for (std::size_t i = 0; i < octets; ++i) bytes[octets - 1 - i] = static_cast<std::uint8_t>(value >> (8 * i));
  return bytes;
}

inline Bytes ie(std::uint16_t type, const Bytes& value) { return be(type, 2) + be(value.size(), 2) + value; }

inline Bytes text(std::string_view value) { return Bytes(value.begin(), value.end()); }

inline const Bytes kNode = ie(pfcp::kNodeId, {0, 192, 0, 2, 100});
inline const Bytes kCpSeid = ie(pfcp::kFSeid, Bytes{0x02} + be(0xC0DE, 8) + Bytes{192, 0, 2, 100});
inline const Bytes kChoose = ie(pfcp::kFTeid, {0x05});
inline constexpr std::uint64_t kSecond = 1'000'000'000;

inline Bytes source(std::uint8_t interface) { return ie(pfcp::kSourceInterface, {interface}); }

inline Bytes sdf(std::string_view flow) {
  return ie(pfcp::kSdfFilter, Bytes{0x01, 0} + be(flow.size(), 2) + text(flow));
}

inline Bytes pdr(std::uint16_t id, const Bytes& pdi, std::uint32_t far, const Bytes& more = {}) {
  return ie(pfcp::kCreatePdr, ie(pfcp::kPdrId, be(id, 2)) + ie(pfcp::kPrecedence, be(100, 4)) + ie(pfcp::kPdi, pdi) +
                                  ie(pfcp::kFarId, be(far, 4)) + more);
}

// Returns a FAR that forwards to the data network.
inline Bytes far_to_core(std::uint32_t id) {
  return ie(pfcp::kCreateFar, ie(pfcp::kFarId, be(id, 4)) + ie(pfcp::kApplyAction, {kForward}) +
                                  ie(pfcp::kForwardingParameters, ie(pfcp::kDestinationInterface, {1})));
}

inline Bytes tunnel(std::uint32_t teid) {
  return ie(pfcp::kOuterHeaderCreation, Bytes{0x01, 0x00} + be(teid, 4) + Bytes{172, 16, 0, 1});
}

// Returns a FAR that forwards to the base station 172.16.0.1.
inline Bytes far_to_access(std::uint32_t id, std::uint32_t teid) {
  return ie(pfcp::kCreateFar, ie(pfcp::kFarId, be(id, 4)) + ie(pfcp::kApplyAction, {kForward}) +
                                  ie(pfcp::kForwardingParameters, ie(pfcp::kDestinationInterface, {0}) + tunnel(teid)));
}

inline Bytes ue_address(std::uint32_t address, bool destination) {
  return ie(pfcp::kUeIpAddress, Bytes{static_cast<std::uint8_t>(destination ? 0x06 : 0x02)} + be(address, 4));
}

// Returns the rules of a session: PDR 1 and FAR 1 uplink, PDR 2 and FAR 2 downlink.
inline Bytes both_ways(std::uint32_t address, std::uint32_t access_teid, const Bytes& more_of_pdr = {}) {
  const Bytes removal = ie(pfcp::kOuterHeaderRemoval, {0});
  return pdr(1, source(0) + kChoose + ue_address(address, false), 1, removal + more_of_pdr) +
         pdr(2, source(1) + ue_address(address, true), 2, more_of_pdr) + far_to_core(1) + far_to_access(2, access_teid);
}

inline Bytes message(std::uint8_t type, std::optional<std::uint64_t> seid, std::uint32_t sequence, const Bytes& body) {
  const Bytes tail = (seid ? be(*seid, 8) : Bytes{}) + be(sequence, 3) + Bytes{0} + body;
  return Bytes{static_cast<std::uint8_t>(seid ? 0x21 : 0x20), type} + be(tail.size(), 2) + tail;
}

}  // namespace headroom::gtpu::test
