// SPDX-License-Identifier: Apache-2.0
#include "traffic/tunnel_path.h"

#include <vector>

namespace headroom::traffic {
namespace {

// The tunnels of all flows. Throws Error(job) if one has none, or another kind of them.
const TunnelFormat* format_of(const Profile& profile, const Value& asked) {
  const TunnelFormat* format = nullptr;
  for (const Variant& variant : profile.variants) {
    const TunnelFormat* own = nullptr;
    for (const Header& header : variant.headers) {
      if (const auto* tunnel = std::get_if<Tunnel>(&header)) own = tunnel->format;
    }
    if (own == nullptr || (format != nullptr && own != format))
      asked.fail("the packets of the profile are not all in tunnels of one kind.");
    format = own;
  }
  return format;
}

}  // namespace

OctetView TunnelPath::arrived(OctetView packet, bool reverse) const noexcept {
  const bool in_tunnel = tunnels == Tunnels::whole || reverse == (tunnels == Tunnels::ended);
  return in_tunnel ? packet : format->user_packet(packet).value().octets;
}

void TunnelPath::make_sent(Octets& packet, bool reverse) const {
  if (tunnels == Tunnels::whole) return;
  const UserPacket user = format->user_packet(packet).value();
  if (reverse) {
    packet = Octets(user.octets.begin(), user.octets.end());
    return;
  }
  std::uint8_t* const endpoint = &packet[user.endpoint_at];
  if (const auto other = endpoints.find(load32(endpoint)); other != endpoints.end()) store32(endpoint, other->second);
}

TunnelPath read_tunnel_path(Object& object, const Profile& profile) {
  TunnelPath path;
  if (const auto value = object.optional("tunnels")) {
    path.tunnels = static_cast<Tunnels>(value->choice({"whole", "kept", "ended"}));
    if (path.tunnels != Tunnels::whole) path.format = format_of(profile, *value);
  }
  if (const auto value = object.optional("endpoints")) {
    if (path.tunnels != Tunnels::ended) value->fail("are for tunnels that are \"ended\".");
    for (const Value& pair : value->items()) {
      const std::vector<Value> ends = pair.items();
      if (ends.size() != 2) pair.fail("is the identifier of the profile, and the one to send.");
      path.endpoints.emplace(ends[0].integer(0, 0xFFFFFFFF), ends[1].integer(0, 0xFFFFFFFF));
    }
  }
  return path;
}

}  // namespace headroom::traffic
