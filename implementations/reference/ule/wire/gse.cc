// SPDX-License-Identifier: Apache-2.0
#include "ule/wire/gse.h"

#include <algorithm>
#include <array>

namespace headroom::ule::wire {
namespace {

// MATYPE-1: TS/GS of two bits, SIS/MIS, CCM/ACM, ISSYI, NPD, roll-off of two bits (0.35: 0).
constexpr unsigned kStreamKind = 0xC0, kGenericContinuous = 0x40, kSingleStream = 0x20, kConstantCoding = 0x10,
                   kIssy = 0x08, kNullPacketDeletion = 0x04;
constexpr std::size_t kDataFieldLength = 4;  // where DFL stands, in bits
constexpr unsigned kStart = 0x8000, kEnd = 0x4000;

constexpr std::array<std::uint8_t, 256> crc8_table() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned octet = 0; octet < 256; ++octet) {
    unsigned r = octet;
    for (int bit = 0; bit < 8; ++bit) r = (r & 0x80U) != 0 ? r << 1 ^ 0xD5U : r << 1;
    table[octet] = static_cast<std::uint8_t>(r);
  }
  return table;
}
constexpr auto kCrc8 = crc8_table();

}  // namespace

std::uint8_t crc8(std::span<const std::uint8_t> octets) noexcept {
  std::uint8_t r = 0;
  for (const std::uint8_t octet : octets) r = kCrc8[r ^ octet];
  return r;
}

void write_bb_header(std::uint8_t* at, std::size_t data_octets, std::optional<std::uint8_t> stream) noexcept {
  at[0] = static_cast<std::uint8_t>(kGenericContinuous | (stream ? 0U : kSingleStream) | kConstantCoding);
  at[1] = stream.value_or(0);
  write16(at + 2, 0);  // UPL: there are no user packets
  write16(at + kDataFieldLength, static_cast<std::uint32_t>(8 * data_octets));
  at[6] = 0;           // SYNC
  write16(at + 7, 0);  // SYNCD
  at[9] = crc8({at, 9});
}

std::optional<BbHeader> read_bb_header(std::span<const std::uint8_t> frame) noexcept {
  if (frame.size() < kBbHeader || crc8(frame.first(kBbHeader - 1)) != frame[kBbHeader - 1]) return std::nullopt;
  BbHeader header;
  const unsigned type = frame[0];
  if ((type & kSingleStream) == 0) header.stream = frame[1];
  const unsigned bits = read16(frame.data() + kDataFieldLength);
  header.data_octets = bits / 8;
  header.is_gse = (type & kStreamKind) == kGenericContinuous && (type & (kIssy | kNullPacketDeletion)) == 0 &&
                  bits % 8 == 0 && header.data_octets <= frame.size() - kBbHeader;
  return header;
}

std::uint8_t* write_gse_header(std::uint8_t* at, const GsePacket& packet) noexcept {
  std::uint8_t* const length = at;
  at += kGseFixed;
  if (!packet.start || !packet.end) *at++ = packet.frag_id;
  if (packet.start) {
    if (!packet.end) {
      write16(at, packet.total_length);
      at += kTotalLength;
    }
    write16(at, packet.type);
    at = std::copy(packet.label.begin(), packet.label.end(), at + kProtocolType);
  }
  const auto counted = static_cast<std::size_t>(at - length) - kGseFixed + packet.data.size();
  write16(length, static_cast<std::uint32_t>((packet.start ? kStart : 0U) | (packet.end ? kEnd : 0U) |
                                             static_cast<unsigned>(packet.label_type) << 12 | counted));
  return at;
}

std::optional<GsePacket> next_gse_packet(std::span<const std::uint8_t>& rest) noexcept {
  if (rest.size() < kGseFixed) {
    // Padding may be shorter than a header: it begins with four bits of zero.
    if (!rest.empty() && rest[0] < 0x10) rest = {};
    return std::nullopt;
  }
  const unsigned first = read16(rest.data());
  GsePacket packet;
  packet.start = (first & kStart) != 0;
  packet.end = (first & kEnd) != 0;
  packet.label_type = static_cast<LabelType>(first >> 12 & 3U);
  if (!packet.start && !packet.end && packet.label_type == LabelType::six_octets) {
    rest = {};
    return std::nullopt;
  }
  const std::size_t length = first & kLargestGseLength;
  const bool is_fragment = !packet.start || !packet.end;
  const std::size_t label = packet.start ? label_octets(packet.label_type) : 0;
  const std::size_t header = (is_fragment ? kFragId : 0) + (is_fragment && packet.start ? kTotalLength : 0) +
                             (packet.start ? kProtocolType + label : 0);
  if (length > rest.size() - kGseFixed || length < header) return std::nullopt;
  const std::uint8_t* at = rest.data() + kGseFixed;
  if (is_fragment) packet.frag_id = *at++;
  if (is_fragment && packet.start) {
    packet.total_length = read16(at);
    at += kTotalLength;
  }
  if (packet.start) {
    packet.type = read16(at);
    packet.label = {at + kProtocolType, label};
  }
  packet.data = rest.subspan(kGseFixed + header, length - header);
  rest = rest.subspan(kGseFixed + length);
  return packet;
}

}  // namespace headroom::ule::wire
