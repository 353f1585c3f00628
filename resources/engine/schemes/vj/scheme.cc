// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

#include <array>
#include <utility>

namespace headroom::vj {
namespace {

// RFC 1332, 3.2: the type of a packet is its protocol of PPP, and Ethernet has none for them.
constexpr std::array<PppVariant, 3> kPpp = {
    {{0x0021, "TYPE_IP", ""}, {0x002D, "COMPRESSED_TCP", ""}, {0x002F, "UNCOMPRESSED_TCP", ""}}};
constexpr LinkFraming kFraming = {.title = "VJ", .ether_type = 0, .ppp = kPpp, .typed = true};

// RFC 1332, 4.1: Max-Slot-Id is an octet, Comp-Slot-Id one of two values.
std::vector<BadConfiguration> bad_configurations(const Json& good) {
  std::vector<BadConfiguration> bad;
  const auto add = [&](const char* what, const char* key, const Json& value) {
    bad.push_back({what, good});
    bad.back().config[key] = value;
  };
  add("a Max-Slot-Id beyond 255", "max_slot_id", 256);
  add("a negative Max-Slot-Id", "max_slot_id", -1);
  add("slot identifiers that are neither compressed nor explicit", "slot_ids", "some");
  return bad;
}

// The ones' complement sum of the header (RFC 791, 3.1), of UNCOMPRESSED_TCP with the protocol that its slot replaces.
bool has_right_checksum(OctetView header) {
  constexpr std::size_t kProtocol = 9;
  constexpr std::uint8_t kTcp = 6;
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::uint32_t octet = i == kProtocol ? kTcp : header[i];
    sum += i % 2 == 0 ? octet << 8U : octet;
  }
  while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16U);
  return sum == 0xFFFF;
}

// UNCOMPRESSED_TCP (RFC 1144, 3.1). A packet that looks like it and is TYPE_IP comes out:
// no sentence asks for its checksum.
WrongCrc with_wrong_crc(const Json& /*config*/, OctetView right) {
  constexpr std::size_t kChecksum = 10;
  constexpr std::size_t kShortest = 20;
  if (right.size() < kShortest || right[0] >> 4U != 4) return {};
  const std::size_t length = std::size_t{4} * (right[0] & 0x0FU);
  if (length < kShortest || length > right.size() || !has_right_checksum(right.first(length))) return {};
  Octets wrong(right.begin(), right.end());
  wrong[kChecksum] ^= 0xFF;
  return {std::move(wrong), "the IP checksum of UNCOMPRESSED_TCP (RFC 1144, 3.1)"};
}

}  // namespace

const Scheme& scheme() noexcept {
  static constexpr Scheme kScheme = {
      .name = "vj",
      .framing = &kFraming,
      .trials = {.bad_configurations = bad_configurations, .compresses_tcp = true, .with_wrong_crc = with_wrong_crc}};
  return kScheme;
}

}  // namespace headroom::vj
