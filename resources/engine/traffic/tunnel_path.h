// SPDX-License-Identifier: Apache-2.0
//
// The tunnels of a profile between two ports: which of the ends have them, and with which identifiers.
#ifndef HEADROOM_TRAFFIC_TUNNEL_PATH_H
#define HEADROOM_TRAFFIC_TUNNEL_PATH_H

#include <cstdint>
#include <unordered_map>

#include "traffic/profile.h"
#include "traffic/tunnel.h"

namespace headroom::traffic {

// The treatment of the tunnels in which a profile carries the packets of users.
enum class Tunnels : std::uint8_t {
  whole,  // both ports send and receive them
  kept,   // the second port sends packets of users alone; all arrive as they were sent
  ended   // between the ports: the first port sends and receives them, the second packets of users alone
};

// `reverse` is from the second port to the first. REQUIRES: packets are of the profile that the path was read for.
struct TunnelPath {
  Tunnels tunnels = Tunnels::whole;
  const TunnelFormat* format = nullptr;                        // of the tunnels, unless they are whole
  std::unordered_map<std::uint32_t, std::uint32_t> endpoints;  // instead of the profile's, where the first port sends

  // True if packets of a direction arrive in tunnels that they were not sent in.
  [[nodiscard]] bool enters_tunnels(bool reverse) const noexcept { return reverse && tunnels == Tunnels::ended; }
  // A packet of the profile as it arrives: the packet, or a part of it. In a tunnel that it has entered, what is in
  // front of the user's packet is the profile's, and only the identifier of the endpoint must be.
  [[nodiscard]] OctetView arrived(OctetView packet, bool reverse) const noexcept;
  // Makes a packet of the profile what is sent.
  void make_sent(Octets& packet, bool reverse) const;
};

// Reads the keys "tunnels" and "endpoints" of a job. Throws Error(job).
[[nodiscard]] TunnelPath read_tunnel_path(Object& object, const Profile& profile);

}  // namespace headroom::traffic

#endif  // HEADROOM_TRAFFIC_TUNNEL_PATH_H
