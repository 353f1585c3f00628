// SPDX-License-Identifier: Apache-2.0
//
// The sessions of a load: where their users and tunnels are, and their establishment over N4.
#ifndef HEADROOM_SCHEMES_GTPU_LOAD_SESSIONS_H
#define HEADROOM_SCHEMES_GTPU_LOAD_SESSIONS_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "adapter/user_plane.h"
#include "schemes/gtpu/load/job.h"
#include "schemes/gtpu/load/pfcp.h"

namespace headroom::gtpu::load {

inline constexpr std::uint32_t kIpv4 = 20, kUdp = 8;  // octets of headers
inline constexpr std::uint8_t kProtocolUdp = 17;
inline constexpr std::uint16_t kGtpuPort = 2152;

// Octets in front of the user's packet on N3: IPv4, UDP, GTP-U with a PDU session container.
inline constexpr std::uint32_t kEncapsulation = kIpv4 + kUdp + 16;
// Octets of the shortest packet on N3: with the headers of TCP over IPv4 in it.
inline constexpr std::uint32_t kShortestPacket = kEncapsulation + kIpv4 + 20;

// Session i has each of the first values plus i.
struct SessionRange {
  std::uint32_t count = 0;
  std::uint32_t teid = 0x0100'0001;         // uplink tunnel endpoint at the user plane
  std::uint32_t user = 0x0A20'0000;         // 10.32.0.0
  std::uint32_t access = 0xAC10'0001;       // base station: 172.16.0.1
  std::uint32_t access_teid = 0x0200'0001;  // downlink tunnel endpoint at the base station
  std::uint8_t qfi = 9;

  // Returns the value of the key "session_range" of a configuration.
  [[nodiscard]] Json json() const;
};

// From the configuration where it has a "session_range".
[[nodiscard]] SessionRange session_range(const Job& job);

// The name of predefined rule `index`, and its flow, also of a dynamic rule: packets from one network and UDP port.
[[nodiscard]] std::string predefined_name(std::size_t index);
[[nodiscard]] std::string flow_description(std::size_t index);
// The remote address and port of flows that match rule `index`.
inline constexpr std::uint16_t kRulePort = 9;  // RFC 863: discard
inline constexpr std::size_t kRules = 50;      // 45 predefined and 5 dynamic
[[nodiscard]] constexpr std::uint32_t rule_network(std::size_t index) noexcept {
  return 0xC612'0000u + (static_cast<std::uint32_t>(index) << 8);  // 198.18.0.0/15, RFC 2544
}

// The adapter with the sessions in its configuration, where it has no N4. Throws Error(adapter).
[[nodiscard]] AdapterJob with_sessions(const AdapterJob& adapter, const Job& job);

inline constexpr std::uint32_t kControlPlane = 0xC000'0264;  // 192.0.2.100

// The messages that establish the sessions of a job.
class SessionMessages {
 public:
  // `choose`: the user plane chooses the tunnel endpoints (5.5.1); otherwise they are those of the range.
  SessionMessages(const Job& job, bool choose);
  // Valid until the next message is made.
  [[nodiscard]] OctetView association();
  [[nodiscard]] OctetView establishment(std::uint32_t session);
  [[nodiscard]] std::uint32_t sessions() const noexcept { return range_.count; }

 private:
  void put_pdi(std::uint32_t session, bool uplink, const std::string* flow);
  // `names`: of predefined rules to activate.
  void put_pdr(std::uint32_t session, bool uplink, std::uint32_t precedence, const std::string* flow,
               std::span<const std::string> names);
  void put_far(std::uint32_t session, bool uplink);
  void put_billing();

  const Job& job_;
  bool choose_;
  SessionRange range_;
  std::vector<std::string> names_, flows_;  // of rules beside the default
  pfcp::Writer w_;
  std::uint32_t pdr_ = 0;  // the last one of the message
};

// True if a scheme's entry of `describe` lists the choice of tunnel endpoints by the user plane.
[[nodiscard]] bool chooses_endpoints(const Json& described);

struct SetUp {
  std::uint64_t sessions = 0;
  std::uint64_t ns = 0;              // of the adapter's calls
  std::vector<std::uint32_t> teids;  // uplink tunnel endpoint of each session; none: those of the range
};

// Establishes the sessions over N4; nothing if the adapter has none. Throws Error(adapter) if one is refused.
[[nodiscard]] SetUp establish(const UserPlaneWorkers& workers, const Job& job);

}  // namespace headroom::gtpu::load

#endif  // HEADROOM_SCHEMES_GTPU_LOAD_SESSIONS_H
