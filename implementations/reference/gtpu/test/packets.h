// SPDX-License-Identifier: Apache-2.0
//
// Packets, rules and a configuration for tests and benchmarks.
#pragma once

#include <string>
#include <vector>

#include "gtpu/config.h"
#include "gtpu/wire/gtpu.h"
#include "gtpu/wire/ip.h"

namespace headroom::gtpu::test {

using Bytes = std::vector<std::uint8_t>;

inline Bytes hex(const std::string& digits) {
  Bytes bytes;
  std::string pair;
  for (const char c : digits) {
    if (c == ' ') continue;
    pair.push_back(c);
    if (pair.size() < 2) continue;
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(pair, nullptr, 16)));
    pair.clear();
  }
  return bytes;
}

inline Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline Address address(const std::string& text) { return *parse_address(text); }

// An IP packet with UDP between two addresses.
inline Bytes datagram(const std::string& source, const std::string& destination, std::uint16_t source_port,
                      std::uint16_t destination_port, const Bytes& payload) {
  Bytes packet(kIpv6Header + kUdpHeader);
  packet.resize(write_transport(packet.data(), address(source), address(destination), source_port, destination_port,
                                payload.size()));
  packet = packet + payload;
  if (!address(source).is_ipv4()) write_udp_checksum(packet.data(), packet.size());
  return packet;
}

// A GTP-U message; `optional` is what follows the first eight octets up to the payload.
inline Bytes message(std::uint8_t flags, std::uint8_t type, std::uint32_t teid, const Bytes& optional,
                     const Bytes& payload) {
  Bytes octets(8);
  octets[0] = flags;
  octets[1] = type;
  write16(&octets[2], static_cast<std::uint32_t>(optional.size() + payload.size()));
  write32(&octets[4], teid);
  return octets + optional + payload;
}

// Of 16 sessions, with N3 in both IP versions and N9 in one.
inline Config config(std::uint32_t flows = 0) {
  Config c;
  c.addresses.entries = {{address("172.17.0.1"), true, false},
                         {address("2001:db8:3::1"), true, false},
                         {address("172.19.0.1"), false, true}};
  c.max_sessions = 16;
  c.flows = flows;
  return c;
}

inline const std::string kUser = "10.32.0.1", kServer = "198.18.0.1", kStation = "172.16.0.1", kOwn = "172.17.0.1";
inline constexpr std::uint32_t kUplinkTeid = 1, kDownlinkTeid = 100;

// One user: PDR 1 from N3 with TEID 1 to N6, PDR 2 from N6 to the base station with TEID 100; QFI 9.
inline Rules basic_rules() {
  Rules rules;
  Pdr up;
  up.id = 1;
  up.precedence = 100;
  up.source = Interface::access;
  up.teid = {kUplinkTeid, 1};
  up.user.ipv4 = address(kUser).ipv4();
  up.removal = HeaderRemoval::gtp_u_ipv4;
  up.far = 1;
  up.has_far = true;
  Pdr down;
  down.id = 2;
  down.precedence = 100;
  down.source = Interface::core;
  down.user = up.user;
  down.user_is_destination = true;
  down.far = 2;
  down.has_far = true;
  down.qers = {1};
  Far to_core;
  to_core.id = 1;
  to_core.action = kForward;
  to_core.forwarding.destination = Interface::core;
  to_core.forwarding.side = HEADROOM_N6;
  Far to_access;
  to_access.id = 2;
  to_access.action = kForward;
  to_access.forwarding.side = HEADROOM_N3;
  to_access.forwarding.tunnel = true;
  to_access.forwarding.teid = kDownlinkTeid;
  to_access.forwarding.peer = address(kStation);
  Qer qer;
  qer.id = 1;
  qer.qfi = 9;
  rules.pdrs = {up, down};
  rules.fars = {to_core, to_access};
  rules.qers = {qer};
  return rules;
}

inline Bytes from_user(const Bytes& payload = {1, 2, 3, 4}) { return datagram(kUser, kServer, 5000, 9, payload); }
inline Bytes to_user(const Bytes& payload = {1, 2, 3, 4}) { return datagram(kServer, kUser, 9, 5000, payload); }
// The user's packet in the uplink tunnel, with a PDU session container of QFI 9.
inline Bytes uplink(const Bytes& inner, std::uint32_t teid = kUplinkTeid) {
  return datagram(kStation, kOwn, 2152, 2152, message(0x34, 255, teid, hex("00000085 01100900"), inner));
}

}  // namespace headroom::gtpu::test
