// SPDX-License-Identifier: Apache-2.0
//
// TunnelPath is the treatment of a profile's tunnels between two ports: at which ports packets are in tunnels, and with
// which identifiers of endpoints.
#ifndef HEADROOM_TRAFFIC_TUNNEL_PATH_H
#define HEADROOM_TRAFFIC_TUNNEL_PATH_H

#include <cstdint>
#include <unordered_map>

#include "traffic/profile.h"
#include "traffic/tunnel.h"

namespace headroom::traffic {

// The treatment of the tunnels in which a profile carries the packets of users.
enum class Tunnels : std::uint8_t {
  whole,  // both ports send and receive packets in tunnels
  kept,   // the second port sends users' packets without tunnels; all packets arrive as they were sent
  ended   // the first port sends and receives packets in tunnels, the second port users' packets without tunnels
};

// `reverse` is from the second port to the first. REQUIRES: packets are of the profile that the path was read for.
struct TunnelPath {
  Tunnels tunnels = Tunnels::whole;
  const TunnelFormat* format = nullptr;                        // of the tunnels, unless they are whole
  std::unordered_map<std::uint32_t, std::uint32_t> endpoints;  // instead of the profile's, where the first port sends

  // True if packets of a direction are sent without tunnels and arrive in tunnels.
  [[nodiscard]] bool enters_tunnels(bool reverse) const noexcept { return reverse && tunnels == Tunnels::ended; }
  // Returns a packet of the profile as it arrives: the whole packet or, if it arrives without a tunnel, the user's
  // packet. If it entered a tunnel on its way, of the octets before the user's packet only the endpoint's identifier
  // must be right.
  [[nodiscard]] OctetView arrived(OctetView packet, bool reverse) const noexcept;
  // Turns a packet of the profile into the packet that is sent.
  void make_sent(Octets& packet, bool reverse) const;
};

// Reads the keys "tunnels" and "endpoints" of a job. Throws Error(job).
[[nodiscard]] TunnelPath read_tunnel_path(Object& object, const Profile& profile);

}  // namespace headroom::traffic

#endif  // HEADROOM_TRAFFIC_TUNNEL_PATH_H
