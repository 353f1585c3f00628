// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/header.h"

#include "base/octets.h"

namespace headroom::gtpu {
namespace {

constexpr std::size_t kMandatory = 8, kOptional = 4, kContainer = 4;  // octets
constexpr std::uint8_t kVersion1 = 0x20, kProtocolGtp = 0x10, kHasExtension = 0x04, kHasSequence = 0x02;
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

const traffic::TunnelFormat kGPdu = {
    "gtpu", "GTP-U", 2152, "TS 29.281, 4.4.2",
    [](Object& object) -> std::shared_ptr<const traffic::TunnelHeader> { return std::make_shared<Header>(object); }};

}  // namespace headroom::gtpu
