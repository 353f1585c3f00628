// SPDX-License-Identifier: Apache-2.0
//
// ConnectionState makes the packets of a flow's connections, which follow one another (profile.h, Connections).
#ifndef HEADROOM_TRAFFIC_CONNECTION_H
#define HEADROOM_TRAFFIC_CONNECTION_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "traffic/packet.h"
#include "traffic/profile.h"

namespace headroom::traffic {

// An HTTP request for a host (RFC 9112, 3).
[[nodiscard]] std::string http_request(std::string_view host);

// One packet of a connection, from the user or from the server.
struct ConnectionPacket {
  bool begins = false;       // it is the first packet of its connection in the traffic
  bool reverse = false;      // from the server
  bool is_request = false;   // its payload is the request
  std::uint32_t length = 0;  // octets of payload
  std::uint8_t flags = 0;    // TCP flags; the next two are TCP fields, too
  std::uint32_t sequence = 0, acknowledgement = 0;
};

// Each direction of a flow has a state of its own. Both states are made with the same key and make all packets of both
// directions.
class ConnectionState {
 public:
  explicit ConnectionState(std::uint64_t key) : key_(key) {}

  // Returns the next packet. `draw` decides its direction, except for the first packet of a connection and for TCP's
  // opening and closing segments. `length` is the length of its payload, except for SYN segments and the request.
  // REQUIRES: `variant` is always the same and has connections.
  [[nodiscard]] ConnectionPacket next(const Variant& variant, std::uint64_t draw, std::uint32_t length);

  // Sets server, ports and IP-ID of the connection that `next` has begun.
  void set_ends(const Variant& variant, bool reverse, Identity& identity) const;

  // The text of the connection's request.
  [[nodiscard]] const std::string& request() const noexcept { return request_; }

 private:
  void begin(const Connections& connections, bool tcp);

  std::uint64_t key_;
  std::uint64_t connection_key_ = 0;
  std::uint64_t begun_ = 0;                  // connections
  std::uint64_t sent_ = 0, life_ = 0;        // packets of the connection
  std::array<std::uint32_t, 2> sequence_{};  // of the next segment of each end
  const Rule* rule_ = nullptr;               // that the connection matches
  std::string request_;
};

}  // namespace headroom::traffic

#endif  // HEADROOM_TRAFFIC_CONNECTION_H
