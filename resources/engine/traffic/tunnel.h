// SPDX-License-Identifier: Apache-2.0
//
// A header after UDP that carries the packet of a user: which there are is the schemes' affair (schemes/scheme.h).
#ifndef HEADROOM_TRAFFIC_TUNNEL_H
#define HEADROOM_TRAFFIC_TUNNEL_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/json_reader.h"
#include "base/octets.h"

namespace headroom::traffic {

struct TunnelFields {
  std::uint32_t endpoint = 0;  // identifier of the tunnel endpoint that the packet goes to
  std::uint16_t sequence = 0;  // written where the header has one
  bool uplink = true;
  std::size_t length_with_payload = 0;  // octets from the first of this header on
};

// One header as a profile describes it.
class TunnelHeader {
 public:
  virtual ~TunnelHeader() = default;
  // Octets, with optional fields and extension headers.
  [[nodiscard]] virtual std::size_t length() const noexcept = 0;
  // The number of a flow's first packet; nothing if the profile leaves it open.
  [[nodiscard]] virtual std::optional<std::uint16_t> sequence_start() const noexcept = 0;
  // REQUIRES: `header` points to length() octets that are zero.
  virtual void write(const TunnelFields& fields, std::uint8_t* header) const noexcept = 0;
};

// The packet of a user in an IP packet, and where the identifier of its tunnel's endpoint stands: 32 bits.
struct UserPacket {
  OctetView octets;
  std::size_t endpoint_at;
};

// A kind of header. Forward is uplink, reverse is downlink.
struct TunnelFormat {
  std::string_view protocol;  // in profiles
  std::string_view title;     // in sentences
  std::uint16_t port;         // of UDP, on both sides, because the directions swap them
  std::string_view source;    // the specification that says so
  // Throws Error(job).
  std::shared_ptr<const TunnelHeader> (*read)(Object& object);
  // The packet that an IP packet carries in such a tunnel; nothing if it carries none.
  std::optional<UserPacket> (*user_packet)(OctetView packet) noexcept;
};

}  // namespace headroom::traffic

#endif  // HEADROOM_TRAFFIC_TUNNEL_H
