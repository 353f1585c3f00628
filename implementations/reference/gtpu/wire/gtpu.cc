// SPDX-License-Identifier: Apache-2.0
#include "gtpu/wire/gtpu.h"

#include "mutants.h"

namespace headroom::gtpu {
namespace {

constexpr std::size_t kOptionalFields = 4;  // sequence number, N-PDU number, next extension header type
// Types of information elements (8.1).
constexpr std::uint8_t kRecovery = 14, kTeidDataI = 16, kPeerAddress = 133, kExtensionHeaderList = 141;
constexpr std::uint8_t kFirstTlv = 128;

// The octets of the PDU session container, type and all (TS 38.415, 5.5.2.1 and 5.5.2.2): QFI in both directions.
std::uint8_t qfi_of(std::span<const std::uint8_t> content) noexcept { return content[1] & 0x3F; }

void write_header(std::uint8_t* room, std::uint8_t flags, std::uint8_t type, std::size_t length, std::uint32_t teid) {
  room[0] = kVersion1 | kProtocolType | flags;
  room[1] = type;
  write16(room + 2, static_cast<std::uint32_t>(length));
  write32(room + 4, teid);
}

// The header of a message about the path: TEID 0 and a sequence number (4.3.1, 5.1).
std::uint8_t* write_path_header(std::uint8_t* room, std::uint8_t type, std::uint8_t flags, std::size_t elements,
                                std::uint16_t sequence, std::uint8_t next_extension) {
  write_header(room, kSequenceFlag | flags, type, kOptionalFields + elements, 0);
  write16(room + 8, sequence);
  room[10] = 0;
  room[11] = next_extension;
  return room + kGtpuHeader + kOptionalFields;
}

}  // namespace

Message read_message(std::span<const std::uint8_t> octets) noexcept {
  Message m;
  if (octets.size() < kGtpuHeader) return m;
  const std::uint8_t flags = octets[0];
  if ((!mutant("gtpu-version-not-checked") && (flags & kVersionMask) != kVersion1) ||
      (!mutant("gtpu-protocol-type-not-checked") && (flags & kProtocolType) == 0)) {
    m.fault = Message::Fault::version;
    return m;
  }
  const std::size_t length = read16(&octets[2]);
  const bool fits = kGtpuHeader + length <= octets.size();
  if (!fits && !mutant("gtpu-length-past-the-end-accepted")) return m;
  if (fits && !mutant("gtpu-length-ignored")) octets = octets.first(kGtpuHeader + length);
  m.type = octets[1];
  m.teid = read32(&octets[4]);
  m.fault = Message::Fault::none;
  std::size_t at = kGtpuHeader;
  const bool by_extension_flag = mutant("gtpu-optional-fields-with-e-alone");
  if ((flags & (by_extension_flag ? kExtensionFlag : kExtensionFlag | kSequenceFlag | kNpduFlag)) != 0) {
    at += kOptionalFields;
    if (at > octets.size()) {
      m.fault = Message::Fault::too_short;
      return m;
    }
    m.has_sequence = (flags & kSequenceFlag) != 0;
    m.sequence = m.has_sequence ? read16(&octets[8]) : std::uint16_t{0};
    std::uint8_t next =
        (flags & kExtensionFlag) != 0 || mutant("gtpu-unused-extension-type") ? octets[11] : kNoExtension;
    while (next != kNoExtension) {
      std::size_t size = at < octets.size() ? octets[at] * 4U : 0;  // the length counts four octets
      if (mutant("gtpu-extension-length-0-accepted") && size == 0) size = 4;
      if (mutant("gtpu-extension-past-the-end-accepted") && at + size > octets.size()) size = 4;
      const bool chained = at != kGtpuHeader + kOptionalFields;
      if (size == 0 || at + size > octets.size() || (mutant("gtpu-chains-of-extensions-dropped") && chained) ||
          (mutant("gtpu-long-extensions-dropped") && size > 4)) {
        m.fault = Message::Fault::extension;
        return m;
      }
      if (next == kPduSessionContainer) {
        m.qfi = qfi_of(octets.subspan(at + 1));
      } else if ((next & kRequiredOfEndpoint) != 0 && !mutant("gtpu-required-extensions-skipped")) {
        m.fault = Message::Fault::not_understood;  // and still a later header may be malformed
      }
      at += size;
      next = octets[at - 1];
    }
  }
  m.payload = octets.subspan(at);
  return m;
}

std::optional<ErrorCause> read_error_indication(std::span<const std::uint8_t> e) noexcept {
  ErrorCause cause;
  bool has_teid = false;
  while (!e.empty()) {
    std::size_t size = 0;
    if (e[0] >= kFirstTlv) {
      const bool short_length = e[0] == kExtensionHeaderList;  // "Length" of one octet (8.5)
      const std::size_t header = short_length ? 2 : 3;
      if (e.size() < header) return std::nullopt;
      size = header + (short_length ? e[1] : read16(&e[1]));
      if (e.size() < size) return std::nullopt;
      if (e[0] == kPeerAddress && size == 3 + 4) {
        cause.peer = Address::of_ipv4(&e[3]);
      } else if (e[0] == kPeerAddress && size == 3 + 16) {
        cause.peer = Address::of_ipv6(&e[3]);
      }
    } else if (e[0] == kTeidDataI && e.size() >= 5) {
      cause.teid = read32(&e[1]);
      has_teid = true;
      size = 5;
    } else if (e[0] == kRecovery) {
      size = 2;
    } else {
      return std::nullopt;  // a TV element of unknown length: what follows cannot be read
    }
    if (size > e.size()) return std::nullopt;
    e = e.subspan(size);
  }
  if (!has_teid || cause.peer.is_none()) return std::nullopt;
  return cause;
}

std::size_t write_echo_response(std::uint8_t* room, std::uint16_t sequence) noexcept {
  const bool recovery = !mutant("gtpu-no-recovery");
  if (mutant("gtpu-sequence-number-not-echoed")) sequence = 0;
  std::uint8_t* p = write_path_header(room, kEchoResponse, 0, recovery ? 2 : 0, sequence, kNoExtension);
  if (!recovery) return static_cast<std::size_t>(p - room);
  *p++ = kRecovery;
  *p++ = 0;  // the restart counter "shall be set to zero" by a sender and not be used by a receiver (7.2.2)
  return static_cast<std::size_t>(p - room);
}

std::size_t write_error_indication(std::uint8_t* room, const ErrorCause& cause, std::uint16_t port) noexcept {
  const std::size_t address = cause.peer.is_ipv4() ? 4 : 16;
  std::uint8_t* p = write_path_header(room, kErrorIndication, kExtensionFlag, 4 + 5 + 3 + address, 0, kUdpPort);
  *p++ = 1;  // four octets
  write16(p, port);
  p[2] = kNoExtension;
  p += 3;
  *p++ = kTeidDataI;
  write32(p, mutant("gtpu-error-indication-with-teid-0") ? 0 : cause.teid);
  p += 4;
  *p++ = kPeerAddress;
  write16(p, static_cast<std::uint32_t>(address));
  p += 2;
  std::memcpy(p, cause.peer.octets.data() + 16 - address, address);
  return static_cast<std::size_t>(p - room) + address;
}

std::size_t write_supported_extension_headers(std::uint8_t* room, std::uint16_t sequence) noexcept {
  std::uint8_t* p = write_path_header(room, kExtensionHeaders, 0, 4, sequence, kNoExtension);
  *p++ = kExtensionHeaderList;
  *p++ = 2;
  *p++ = kUdpPort;
  *p++ = kPduSessionContainer;
  return static_cast<std::size_t>(p - room);
}

std::size_t write_end_marker(std::uint8_t* room, std::uint32_t teid) noexcept {
  write_header(room, 0, kEndMarker, 0, teid);
  return kGtpuHeader;
}

}  // namespace headroom::gtpu
