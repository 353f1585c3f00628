// SPDX-License-Identifier: Apache-2.0
#include "iphc/wire/compressed_tcp.h"

#include "mutants.h"

namespace headroom::iphc::wire {
namespace {

// One octet for 1 .. 255; else three: 0, then the value (RFC 1144, 3.2.2).
std::uint8_t* write_change(std::uint8_t* at, std::uint16_t value) noexcept {
  if (value != 0 && value <= 0xFF) {
    *at = static_cast<std::uint8_t>(value);
    return at + 1;
  }
  at[0] = 0;
  store16(at + 1, value);
  return at + 3;
}

bool read_change(Reader& reader, std::uint16_t& value) noexcept {
  const std::uint8_t* at = reader.take(1);
  if (at == nullptr) return false;
  value = *at;
  if (value != 0) return true;
  at = reader.take(2);
  if (at != nullptr) value = load16(at);
  return at != nullptr;
}

}  // namespace

std::uint8_t* write_front(const Changes& changes, bool numbered, std::uint8_t* at) noexcept {
  at[0] = changes.cid;
  at[1] = changes.flags;
  store16(at + 2, changes.checksum);
  if (!numbered) return at + 4;
  store16(at + 4, changes.number);
  return at + 6;
}

std::uint8_t* write_changes(const Changes& c, std::uint8_t* at) noexcept {
  if ((c.flags & kR) != 0) *at++ = c.r_octet;
  if (!c.is_special()) {
    if ((c.flags & kU) != 0) at = write_change(at, c.urgent);
    if ((c.flags & kW) != 0) at = write_change(at, c.window);
    if ((c.flags & kA) != 0) at = write_change(at, c.acknowledgement);
    if ((c.flags & kS) != 0) at = write_change(at, c.sequence);
  }
  if ((c.flags & kI) != 0) at = write_change(at, c.identification);
  return at;
}

bool read_front(Reader& reader, bool numbered, Changes& changes) noexcept {
  const std::uint8_t* const at = reader.take(numbered ? 6 : 4);
  if (at == nullptr) return false;
  changes.cid = at[0];
  changes.flags = at[1];
  changes.checksum = load16(at + 2);
  if (numbered) changes.number = load16(at + 4);
  return true;
}

bool read_changes(Reader& reader, Changes& c) noexcept {
  if ((c.flags & kR) != 0) {
    const std::uint8_t* const at = reader.take(1);
    if (at == nullptr) return false;
    c.r_octet = *at;
  }
  const auto read = [&](std::uint8_t flag, std::uint16_t& value) {
    return (c.flags & flag) == 0 || read_change(reader, value);
  };
  if (!c.is_special()) {
    if (!read(kU, c.urgent) || !read(kW, c.window) || !read(kA, c.acknowledgement) || !read(kS, c.sequence))
      return false;
  }
  return read(kI, c.identification);
}

}  // namespace headroom::iphc::wire
