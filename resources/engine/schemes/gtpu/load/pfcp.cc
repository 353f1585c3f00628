// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/load/pfcp.h"

namespace headroom::gtpu::load::pfcp {
namespace {

constexpr std::uint8_t kVersion1 = 0x20, kHasSeid = 0x01;    // 7.2.2.1
constexpr std::size_t kNodeHeader = 8, kSessionHeader = 16;  // octets
constexpr std::size_t kLengthStart = 4;                      // what the length of a message counts begins here
constexpr std::size_t kElementHeader = 4;                    // octets

}  // namespace

void Writer::begin(Message type, std::uint32_t sequence, std::optional<std::uint64_t> seid) {
  octets_.clear();
  put8(kVersion1 | (seid ? kHasSeid : 0));
  put8(type);
  put16(0);
  if (seid) put64(*seid);
  put32(sequence << 8);  // 24 bits, and a spare octet
}

OctetView Writer::end() noexcept {
  store16(&octets_[2], static_cast<std::uint32_t>(octets_.size() - kLengthStart));
  return octets_;
}

std::size_t Writer::open(Element type) {
  put16(type);
  put16(0);
  return octets_.size();
}

void Writer::close(std::size_t opened) noexcept {
  store16(&octets_[opened - 2], static_cast<std::uint32_t>(octets_.size() - opened));
}

void Writer::put16(std::uint32_t value) {
  put8(value >> 8);
  put8(value);
}

void Writer::put32(std::uint32_t value) {
  put16(value >> 16);
  put16(value);
}

void Writer::put64(std::uint64_t value) {
  put32(static_cast<std::uint32_t>(value >> 32));
  put32(static_cast<std::uint32_t>(value));
}

void Writer::put_text(std::string_view text) { octets_.insert(octets_.end(), text.begin(), text.end()); }

void Writer::element8(Element type, std::uint32_t value) {
  const std::size_t opened = open(type);
  put8(value);
  close(opened);
}

void Writer::element16(Element type, std::uint32_t value) {
  const std::size_t opened = open(type);
  put16(value);
  close(opened);
}

void Writer::element32(Element type, std::uint32_t value) {
  const std::size_t opened = open(type);
  put32(value);
  close(opened);
}

Answer read_answer(OctetView message) noexcept {
  Answer answer;
  if (message.empty()) return answer;
  const bool of_session = (message[0] & kHasSeid) != 0;
  if (of_session && message.size() >= kSessionHeader) answer.seid = load64(&message[4]);
  // Groups are entered as they come: a Created PDR's elements follow its header.
  for (std::size_t at = of_session ? kSessionHeader : kNodeHeader; at + kElementHeader <= message.size();) {
    const std::size_t type = load16(&message[at]), length = load16(&message[at + 2]);
    at += kElementHeader;
    if (length > message.size() - at) break;
    if (type == kCause && length != 0 && !answer.cause) answer.cause = message[at];
    if (type == kFTeid && length >= 5 && answer.teid == 0) answer.teid = load32(&message[at + 1]);
    if (type != kCreatedPdr) at += length;
  }
  return answer;
}

}  // namespace headroom::gtpu::load::pfcp
