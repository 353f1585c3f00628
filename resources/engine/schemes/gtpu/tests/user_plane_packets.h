// SPDX-License-Identifier: Apache-2.0
//
// Packets and configurations for tests of user planes without N4.
#ifndef HEADROOM_SCHEMES_GTPU_TESTS_USER_PLANE_PACKETS_H
#define HEADROOM_SCHEMES_GTPU_TESTS_USER_PLANE_PACKETS_H

#include <string>

#include "base/json_reader.h"
#include "schemes/gtpu/user_plane/capture.h"

namespace headroom::gtpu::testing {

inline constexpr std::uint32_t kSessions = 100, kTeid = 500, kAccessTeid = 7000;

inline Json example_config() {
  return {{"scheme", "gtpu"},
          {"n3", {{"ipv4", "172.17.0.1"}}},
          {"session_range",
           {{"count", kSessions},
            {"teid", kTeid},
            {"user", "10.32.0.0"},
            {"access", "172.16.0.1"},
            {"access_teid", kAccessTeid},
            {"qfi", 9}}}};
}

inline Json adapter(const std::string& name) {
  return {{"library", HEADROOM_LIBRARIES "/" + name + ".so"}, {"config", example_config()}};
}

inline Address address(std::uint32_t ipv4) {
  Address address{};
  address[10] = address[11] = 0xFF;
  store32(&address[12], ipv4);
  return address;
}

// A UDP packet between a session's user and the data network.
inline Octets from_user(std::uint32_t session, const Octets& payload = {1, 2, 3}) {
  return udp_datagram(address(0x0A200000 + session), 1000, address(0xC6120001), 9, payload);
}
inline Octets to_user(std::uint32_t session, const Octets& payload = {1, 2, 3}) {
  return udp_datagram(address(0xC6120001), 9, address(0x0A200000 + session), 1000, payload);
}

// A GTP-U message from the base station of a session.
inline Octets to_n3(std::uint32_t session, const Octets& message) {
  return udp_datagram(address(0xAC100001 + session), 2152, address(0xAC110001), 2152, message);
}
// A G-PDU with a PDU session container.
inline Octets uplink(std::uint32_t session, const Octets& inner) {
  Octets message = {0x34, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x85, 1, 0x10, 9, 0};
  store16(&message[2], static_cast<std::uint32_t>(8 + inner.size()));
  store32(&message[4], kTeid + session);
  message.insert(message.end(), inner.begin(), inner.end());
  return to_n3(session, message);
}
inline Octets echo_request(std::uint16_t sequence) {
  Octets message = {0x32, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0};
  store16(&message[8], sequence);
  return to_n3(0, message);
}

}  // namespace headroom::gtpu::testing

#endif  // HEADROOM_SCHEMES_GTPU_TESTS_USER_PLANE_PACKETS_H
