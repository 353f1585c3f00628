// SPDX-License-Identifier: Apache-2.0
#include "gtpu/forward/encapsulation.h"

#include <cstring>

#include "gtpu/wire/gtpu.h"
#include "gtpu/wire/ip.h"

namespace headroom::gtpu {
namespace {

constexpr std::uint8_t kPagingPresent = 0x80;  // PPP (TS 38.415, 5.5.3.7)
constexpr std::uint8_t kUplinkType = 0x10;     // PDU Type 1 in the upper half of the first octet; downlink is 0

}  // namespace

std::uint8_t* encapsulate(std::uint8_t* inner, std::uint32_t length, std::uint8_t message_type, const Target& target,
                          const Container& container) noexcept {
  std::uint8_t* p = inner;
  std::uint8_t flags = kVersion1 | kProtocolType;
  if (container.present) {
    const bool paging = !container.uplink && (container.octet & kPagingPresent) != 0;
    if (paging) {
      p -= 4;
      write32(p, 0);
    }
    p -= 8;
    std::memset(p, 0, 8);
    p[3] = kPduSessionContainer;
    p[4] = paging ? 2 : 1;
    p[5] = container.uplink ? kUplinkType : 0;
    p[6] = container.octet;
    if (paging) p[7] = container.paging;
    flags |= kExtensionFlag;
  }
  const auto behind_header = static_cast<std::uint32_t>(inner - p) + length;
  p -= kGtpuHeader;
  p[0] = flags;
  p[1] = message_type;
  write16(p + 2, behind_header);
  write32(p + 4, target.teid);
  const std::uint32_t udp_length = behind_header + kGtpuHeader + kUdpHeader;
  p -= target.header_length;
  if (target.header_length == kIpv4Header + kUdpHeader) {
    std::memcpy(p, target.header, kIpv4Header + kUdpHeader);
    const std::uint32_t total = udp_length + kIpv4Header;
    if (total > 0xFFFF) return nullptr;
    write16(p + 2, total);
    write16(p + 10, checksum(target.sum + total));
    write16(p + kIpv4Header + 4, udp_length);
  } else {
    std::memcpy(p, target.header, kIpv6Header + kUdpHeader);
    if (udp_length > 0xFFFF) return nullptr;
    write16(p + 4, udp_length);
    write16(p + kIpv6Header + 4, udp_length);
    const std::uint8_t* const gtpu = p + kIpv6Header + kUdpHeader;
    // The length counts twice: in the pseudo header and in the header of UDP.
    const std::uint16_t sum = checksum(sum_words({gtpu, udp_length - kUdpHeader}, target.sum + 2ULL * udp_length));
    write16(p + kIpv6Header + 6, sum == 0 ? 0xFFFF : sum);
  }
  return p;
}

void mark(std::uint8_t* packet, const Target& target) noexcept {
  const std::uint8_t mask = target.traffic_class_mask, value = target.traffic_class & mask;
  if (packet[0] >> 4 == 4) {
    packet[1] = static_cast<std::uint8_t>((packet[1] & ~mask) | value);
    write16(packet + 10, 0);
    write16(packet + 10, checksum(sum_words({packet, (packet[0] & 0x0FU) * 4U})));
  } else {
    const std::uint32_t before = read32(packet);
    const auto traffic_class = static_cast<std::uint8_t>(((before >> 20) & ~std::uint32_t{mask}) | value);
    write32(packet, (before & 0xF00FFFFF) | static_cast<std::uint32_t>(traffic_class) << 20);
  }
}

}  // namespace headroom::gtpu
