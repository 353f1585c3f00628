// SPDX-License-Identifier: Apache-2.0
#include "vj/wire/changes.h"

namespace headroom::vj::wire {

std::size_t write(const Changes& changes, std::uint8_t* out) noexcept {
  std::uint8_t* at = out;
  *at++ = changes.mask;
  if ((changes.mask & kC) != 0) *at++ = changes.connection;
  *at++ = static_cast<std::uint8_t>(changes.checksum >> 8);
  *at++ = static_cast<std::uint8_t>(changes.checksum);
  if (!changes.special()) {
    // The order of 3.2.4, "in the order that the compressor set them".
    if ((changes.mask & kU) != 0) at = write_change(at, changes.urgent);
    if ((changes.mask & kW) != 0) at = write_change(at, changes.window);
    if ((changes.mask & kA) != 0) at = write_change(at, changes.acknowledgement);
    if ((changes.mask & kS) != 0) at = write_change(at, changes.sequence);
  }
  if ((changes.mask & kI) != 0) at = write_change(at, changes.packet_id);
  return static_cast<std::size_t>(at - out);
}

std::optional<Parsed> parse(Octets packet) noexcept {
  std::size_t at = 0;
  const auto left = [&] { return packet.size() - at; };
  const auto read_change = [&](std::uint16_t& value) {
    if (left() == 0) return false;
    const std::uint8_t first = packet[at++];
    if (first != 0) {
      value = first;
      return true;
    }
    if (left() < 2) return false;
    value = static_cast<std::uint16_t>(packet[at] << 8 | packet[at + 1]);
    at += 2;
    return true;
  };

  Changes c;
  if (left() == 0) return std::nullopt;
  c.mask = static_cast<std::uint8_t>(packet[at++] & ~kFree);
  if ((c.mask & kC) != 0) {
    if (left() == 0) return std::nullopt;
    c.connection = packet[at++];
  }
  if (left() < 2) return std::nullopt;
  c.checksum = static_cast<std::uint16_t>(packet[at] << 8 | packet[at + 1]);
  at += 2;
  if (!c.special()) {
    if ((c.mask & kU) != 0 && !read_change(c.urgent)) return std::nullopt;
    if ((c.mask & kW) != 0 && !read_change(c.window)) return std::nullopt;
    if ((c.mask & kA) != 0 && !read_change(c.acknowledgement)) return std::nullopt;
    if ((c.mask & kS) != 0 && !read_change(c.sequence)) return std::nullopt;
  }
  if ((c.mask & kI) != 0 && !read_change(c.packet_id)) return std::nullopt;
  return Parsed{c, at};
}

}  // namespace headroom::vj::wire
