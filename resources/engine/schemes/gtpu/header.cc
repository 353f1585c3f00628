// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/header.h"

#include "base/octets.h"

namespace headroom::gtpu {
namespace {

constexpr std::size_t kMandatory = 8, kOptional = 4, kContainer = 4;  // octets
constexpr std::size_t kIpv6Header = 40, kUdpHeader = 8;
constexpr std::uint8_t kVersion1 = 0x20, kProtocolGtp = 0x10, kHasExtension = 0x04, kHasSequence = 0x02;
constexpr std::uint8_t kVersionAndProtocol = 0xF0, kAnyOptional = 0x07;
constexpr std::uint8_t kUdp = 17;
constexpr std::uint16_t kPort = 2152;
constexpr std::uint8_t kMessageGPdu = 255;           // 5.1: the message type
constexpr std::uint8_t kPduSessionContainer = 0x85;  // 5.2.1
constexpr std::uint8_t kDownlink = 0, kUplink = 1;   // TS 38.415, 5.5.3.1: the PDU type, in the upper four bits

class Header final : public traffic::TunnelHeader {
 public:
  explicit Header(Object& object) {
    if (const auto v = object.optional("qfi")) qfi_ = static_cast<std::uint8_t>(v->integer(0, 63));
    sequence_ = object.boolean("sequence", false);
    if (const auto v = object.optional("sequence_start")) {
      if (!sequence_) v->fail("there is no sequence number without \"sequence\": true.");
      sequence_start_ = static_cast<std::uint16_t>(v->integer(0, 65535));
    }
  }

  [[nodiscard]] std::size_t length() const noexcept override {
    // One of the optional fields brings all of them (5.1).
    return kMandatory + (sequence_ || qfi_ ? kOptional : 0) + (qfi_ ? kContainer : 0);
  }

  [[nodiscard]] std::optional<std::uint16_t> sequence_start() const noexcept override { return sequence_start_; }

  void write(const traffic::TunnelFields& fields, std::uint8_t* header) const noexcept override {
    header[0] = static_cast<std::uint8_t>(kVersion1 | kProtocolGtp | (qfi_ ? kHasExtension : 0) |
                                          (sequence_ ? kHasSequence : 0));
    header[1] = kMessageGPdu;
    store16(header + 2, static_cast<std::uint32_t>(fields.length_with_payload - kMandatory));
    store32(header + 4, fields.endpoint);
    if (sequence_) store16(header + 8, fields.sequence);
    if (!qfi_) return;
    header[11] = kPduSessionContainer;
    std::uint8_t* container = header + kMandatory + kOptional;
    container[0] = kContainer / 4;  // its length in words; the last octet, 0, says that no other extension follows
    container[1] = static_cast<std::uint8_t>((fields.uplink ? kUplink : kDownlink) << 4);
    container[2] = *qfi_;
  }

 private:
  std::optional<std::uint8_t> qfi_;  // with it there is a PDU session container (5.2.2.7)
  bool sequence_ = false;
  std::optional<std::uint16_t> sequence_start_;
};

}  // namespace

std::optional<traffic::UserPacket> user_packet_of(OctetView packet) noexcept {
  constexpr std::uint16_t kMoreOrOffset = 0x3FFF;
  if (packet.size() < kIpv6Header) return std::nullopt;  // so long is the smallest with IPv4, too
  std::size_t at = kIpv6Header;
  if (packet[0] >> 4 == 4) {
    at = std::size_t{packet[0] & 0xFu} * 4;
    if (packet[9] != kUdp || (load16(&packet[6]) & kMoreOrOffset) != 0) return std::nullopt;
  } else if (packet[6] != kUdp) {
    return std::nullopt;
  }
  if (packet.size() < at + kUdpHeader + kMandatory || load16(&packet[at + 2]) != kPort) return std::nullopt;
  const std::uint8_t* const header = &packet[at + kUdpHeader];
  if ((header[0] & kVersionAndProtocol) != (kVersion1 | kProtocolGtp) || header[1] != kMessageGPdu) return std::nullopt;
  const std::size_t endpoint_at = at + kUdpHeader + 4;
  OctetView rest = packet.subspan(at + kUdpHeader + kMandatory);
  if ((header[0] & kAnyOptional) == 0) return traffic::UserPacket{rest, endpoint_at};
  if (rest.size() < kOptional) return std::nullopt;
  std::uint8_t next = (header[0] & kHasExtension) != 0 ? rest[kOptional - 1] : 0;
  rest = rest.subspan(kOptional);
  while (next != 0) {  // each header is at least a word: the packet ends sooner or later
    const std::size_t length = rest.empty() ? 0 : std::size_t{rest[0]} * 4;
    if (length == 0 || length > rest.size()) return std::nullopt;
    next = rest[length - 1];
    rest = rest.subspan(length);
  }
  return traffic::UserPacket{rest, endpoint_at};
}

const traffic::TunnelFormat kGPdu = {
    "gtpu",
    "GTP-U",
    kPort,
    "TS 29.281, 4.4.2",
    [](Object& object) -> std::shared_ptr<const traffic::TunnelHeader> { return std::make_shared<Header>(object); },
    user_packet_of};

}  // namespace headroom::gtpu
