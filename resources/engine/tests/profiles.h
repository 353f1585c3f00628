// SPDX-License-Identifier: Apache-2.0
//
// Traffic profiles for tests, as JSON.
#ifndef HEADROOM_TESTS_PROFILES_H
#define HEADROOM_TESTS_PROFILES_H

#include <string>
#include <vector>

#include "base/json_reader.h"
#include "traffic/profile.h"

namespace headroom::testing {

inline const std::string kIpv4 = R"({"protocol": "ipv4", "source": "10.0.0.0/8", "destination": "172.16.0.0/12"})";
inline const std::string kIpv6 = R"({"protocol": "ipv6", "source": "2001:db8::/32", "destination": "fd00::/16"})";
inline const std::string kUdp =
    R"({"protocol": "udp", "source_ports": [16384, 32766], "destination_ports": [16384, 32766]})";
inline const std::string kUdpBare =
    R"({"protocol": "udp", "source_ports": [16384, 32766], "destination_ports": [16384, 32766], "checksum": false})";
inline const std::string kUdpLite =
    R"({"protocol": "udplite", "source_ports": [16384, 32766], "destination_ports": [16384, 32766]})";
inline const std::string kEsp = R"({"protocol": "esp"})";
inline const std::string kUdpGtpu =
    R"({"protocol": "udp", "source_ports": [2152, 2152], "destination_ports": [2152, 2152]})";
inline const std::string kGtpu = R"({"protocol": "gtpu", "qfi": 9})";
inline const std::string kTcp = R"({"protocol": "tcp", "source_ports": [32768, 60999], "destination_ports": [80, 80]})";
inline const std::string kRtp = R"({"protocol": "rtp", "payload_type": 96})";
inline const std::string kRtpMarked = R"({"protocol": "rtp", "payload_type": 96, "marker": "spurt-start"})";
inline const std::string kSpeech = R"("speech": {"spurt_mean_ms": 1004, "pause_mean_ms": 1587)";

inline std::string ipv4_with(const std::string& more) { return kIpv4.substr(0, kIpv4.size() - 1) + ", " + more + "}"; }
inline std::string udplite_with(const std::string& more) {
  return kUdpLite.substr(0, kUdpLite.size() - 1) + ", " + more + "}";
}
inline std::string tcp_with(const std::string& more) { return kTcp.substr(0, kTcp.size() - 1) + ", " + more + "}"; }
inline std::string rtp_with(const std::string& more) { return kRtp.substr(0, kRtp.size() - 1) + ", " + more + "}"; }

// A variant from its headers; `more` is appended to it, such as ", \"changes\": […]".
inline std::string variant(const std::vector<std::string>& headers, const std::string& more = "",
                           const std::string& payload = R"({"length": 31})",
                           const std::string& timing = R"({"interval_ms": 20})") {
  std::string list;
  for (const std::string& header : headers) list += (list.empty() ? "" : ", ") + header;
  return "{\"headers\": [" + list + "], \"payload\": " + payload + ", \"timing\": " + timing + more + "}";
}

inline Json profile_json(const std::vector<std::string>& variants) {
  std::string list;
  for (const std::string& v : variants) list += (list.empty() ? "" : ", ") + v;
  return parse_json(R"({"name": "test", "title": "a test", "variants": [)" + list + "]}");
}

inline traffic::Profile profile(const std::vector<std::string>& variants) {
  const Json json = profile_json(variants);
  return traffic::read_profile(Value(json, ""));
}

inline Json call_profile() { return profile_json({variant({kIpv4, kUdpBare, kRtp})}); }

}  // namespace headroom::testing

#endif  // HEADROOM_TESTS_PROFILES_H
