// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/classify.h"

#include <cstring>

namespace headroom::rohc {
namespace {

// Ports below are those of system services, which are not RTP (RFC 6335 6).
constexpr std::uint16_t kFirstUserPort = 1024;

}  // namespace

RtpPorts::RtpPorts(const CompressorConfig& config) {
  const auto take = [&](std::size_t first, std::size_t last) {
    for (std::size_t port = first; port <= last; ++port) destinations_.set(port);
  };
  switch (config.rtp_detection) {
    case RtpDetection::kHeuristic:
      lowest_source_ = kFirstUserPort;
      take(kFirstUserPort, destinations_.size() - 1);
      break;
    case RtpDetection::kPorts:
      for (const auto& [first, last] : config.rtp_ports) take(first, last);
      break;
    case RtpDetection::kNone:
      break;
  }
}

std::array<TransportMasks, 256> transport_masks(const ProfileSet& enabled) noexcept {
  constexpr std::uint32_t kOnes = 0xffffffff;
  std::array<TransportMasks, 256> masks{};
  if (enabled.rtp || enabled.udp) masks[kProtocolUdp] = {kOnes, enabled.rtp};
  if (enabled.rtp_udp_lite || enabled.udp_lite) masks[kProtocolUdpLite] = {kOnes, enabled.rtp_udp_lite};
  if (enabled.esp) masks[kProtocolEsp].ports = kOnes;
  if (enabled.tcp) masks[kProtocolTcp].ports = kOnes;  // of another family
  return masks;
}

QuickLook::QuickLook(const CompressorConfig& config)
    : hash_(config.seed), masks_(transport_masks(config.channel.profiles)), rtp_ports_(config) {}

std::uint64_t QuickLook::hash_short(const std::uint8_t* packet, std::size_t length,
                                    std::uint32_t channel) const noexcept {
  if (length < kIpv4Header) return kNoHash;
  // Acknowledgements: of IPv4 and TCP, nothing is read beyond the headers.
  constexpr std::size_t kTcpHeader = 20;
  if (length >= kIpv4Header + kTcpHeader && packet[0] >> 4 != 6 && packet[9] == kProtocolTcp)
    return hash_padded(packet, length, channel);
  Image padded{};
  static_assert(kRead <= kImageSize);
  std::memcpy(padded.data(), packet, length);
  return hash_padded(padded.data(), length, channel);
}

}  // namespace headroom::rohc
