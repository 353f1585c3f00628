// SPDX-License-Identifier: Apache-2.0
//
// UserPlaneCapture writes the packets that a user plane receives and sends into a pcapng file, with one interface each
// for N3, N6, N9 and N4.
#ifndef HEADROOM_SCHEMES_GTPU_USER_PLANE_CAPTURE_H
#define HEADROOM_SCHEMES_GTPU_USER_PLANE_CAPTURE_H

#include <string>

#include "adapter/user_plane.h"
#include "capture/writer.h"
#include "schemes/gtpu/user_plane/address.h"

namespace headroom::gtpu {

inline constexpr std::uint16_t kPfcpPort = 8805;  // TS 29.244, 4.2.2

class UserPlaneCapture {
 public:
  // `n4` is the address of the user plane on N4.
  UserPlaneCapture(const std::string& path, const Address& n4);

  // Writes an IP packet, with any octets that follow it. Writes nothing if `octets` is empty.
  void write(std::int32_t side, bool sent, OctetView octets, std::uint64_t time_ns);
  // Writes an N4 message, in a UDP datagram.
  void write(const N4Datagram& message, bool sent, std::uint64_t time_ns);
  // As OutputFile::close.
  Json close() { return writer_.close(); }

 private:
  PcapngWriter writer_;
  Address n4_;
};

// Returns the UDP datagram, with its IP header, that carries `payload` between two addresses. Both are IPv4 addresses,
// or an IPv4 address is used in its IPv6 form.
[[nodiscard]] Octets udp_datagram(const Address& source, std::uint16_t source_port, const Address& destination,
                                  std::uint16_t destination_port, OctetView payload);

}  // namespace headroom::gtpu

#endif  // HEADROOM_SCHEMES_GTPU_USER_PLANE_CAPTURE_H
