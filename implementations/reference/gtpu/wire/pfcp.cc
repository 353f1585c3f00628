// SPDX-License-Identifier: Apache-2.0
#include "gtpu/wire/pfcp.h"

#include <algorithm>

#include "gtpu/wire/address.h"

namespace headroom::gtpu::pfcp {
namespace {

constexpr std::uint8_t kFollowOn = 0x04;  // FO
constexpr std::uint8_t kHasSeid = 0x01;   // S
constexpr std::size_t kIeHeader = 4;

}  // namespace

Message read_message(Octets datagram) noexcept {
  Message m;
  FieldReader in(datagram);
  const std::uint8_t flags = in.u8();
  m.header.type = in.u8();
  const std::size_t length = in.u16();
  if ((flags & kHasSeid) != 0) m.header.seid = in.number(8);
  m.header.sequence = static_cast<std::uint32_t>(in.number(3));
  (void)in.u8();  // spare, or message priority (MP), which an answer may ignore
  if (datagram.size() >= kNodeHeader && flags >> 5 != kVersion) {
    // Other versions are known by their first octet alone; the sequence number is where this version has it.
    m.state = HeaderState::other_version;
    return m;
  }
  if (!in.ok()) return m;
  m.state = HeaderState::wrong_length;
  const std::size_t header = datagram.size() - in.rest().size();
  const std::size_t end = kLengthStart + length;
  if (end < header || end > datagram.size()) return m;
  // Octets after the message are the next one's if FO is set; else the length is wrong.
  if ((flags & kFollowOn) == 0 && end != datagram.size()) return m;
  m.state = HeaderState::good;
  m.body = datagram.subspan(header, end - header);
  if ((flags & kFollowOn) != 0) m.behind = datagram.subspan(end);
  return m;
}

std::optional<Ie> IeReader::next() noexcept {
  if (rest_.empty() || broken_) return std::nullopt;
  const std::uint16_t type = rest_.size() >= 2 ? read16(rest_.data()) : std::uint16_t{0};
  if (rest_.size() < kIeHeader || read16(&rest_[2]) > rest_.size() - kIeHeader) {
    broken_ = true;
    broken_type_ = type;
    return std::nullopt;
  }
  const Ie ie{type, rest_.subspan(kIeHeader, read16(&rest_[2]))};
  rest_ = rest_.subspan(kIeHeader + ie.value.size());
  return ie;
}

std::uint64_t FieldReader::number(std::size_t octets) noexcept {
  std::uint64_t value = 0;
  for (const std::uint8_t octet : take(octets)) value = value << 8 | octet;
  return value;
}

Octets FieldReader::take(std::size_t octets) noexcept {
  if (octets > rest_.size()) {
    ok_ = false;
    rest_ = {};
    return {};
  }
  const Octets taken = rest_.first(octets);
  rest_ = rest_.subspan(octets);
  return taken;
}

MessageWriter::MessageWriter(std::span<std::uint8_t> buffer, const Header& header) noexcept : buffer_(buffer) {
  number(kVersion << 5 | (header.seid ? kHasSeid : 0), 1).number(header.type, 1).number(0, 2);
  if (header.seid) number(*header.seid, 8);
  number(header.sequence, 3).number(0, 1);
}

bool MessageWriter::room(std::size_t octets) noexcept {
  ok_ = ok_ && octets <= std::min(buffer_.size(), kLongestMessage) - size_;
  return ok_;
}

std::size_t MessageWriter::open(IeType type) noexcept {
  number(type, 2).number(0, 2);
  return size_;
}

void MessageWriter::close(std::size_t opened) noexcept {
  if (!ok_) return;
  const std::size_t length = size_ - opened;
  buffer_[opened - 2] = static_cast<std::uint8_t>(length >> 8);
  buffer_[opened - 1] = static_cast<std::uint8_t>(length);
}

MessageWriter& MessageWriter::number(std::uint64_t value, std::size_t octets) noexcept {
  if (room(octets)) {
    for (std::size_t i = octets; i-- > 0;) buffer_[size_++] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  return *this;
}

MessageWriter& MessageWriter::octets(Octets value) noexcept {
  if (room(value.size())) {
    std::copy(value.begin(), value.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += value.size();
  }
  return *this;
}

void MessageWriter::ie(IeType type, std::uint64_t value, std::size_t octets) noexcept {
  number(type, 2).number(octets, 2).number(value, octets);
}

void MessageWriter::ie(IeType type, Octets value) noexcept { number(type, 2).number(value.size(), 2).octets(value); }

Octets MessageWriter::finish() noexcept {
  const std::size_t length = size_ - kLengthStart;
  buffer_[2] = static_cast<std::uint8_t>(length >> 8);
  buffer_[3] = static_cast<std::uint8_t>(length);
  return buffer_.first(size_);
}

}  // namespace headroom::gtpu::pfcp
