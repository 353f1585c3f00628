// SPDX-License-Identifier: Apache-2.0
#include "rohc/compressor/profile.h"

#include <algorithm>

#include "mutants.h"

namespace headroom::rohc {
namespace {

using wire::Profile;

// Whether a header that looks like RTP is taken for it, going by the UDP ports.
bool taken_for_rtp(const CompressorConfig& config, const std::uint8_t* udp) noexcept {
  const std::uint16_t source = wire::load16(udp);
  const std::uint16_t destination = wire::load16(udp + 2);
  switch (config.rtp_detection) {
    case RtpDetection::kHeuristic:
      return source >= 1024 && destination >= 1024;
    case RtpDetection::kPorts:
      return std::any_of(config.rtp_ports.begin(), config.rtp_ports.end(),
                         [&](const auto& range) { return destination >= range.first && destination <= range.second; });
    default:
      return false;
  }
}

}  // namespace

Profile profile_for(const CompressorConfig& config, Octets packet, HeaderChain& chain, ListedHeaders& listed) noexcept {
  const ProfileSet& enabled = config.channel.profiles;
  const bool lite = enabled.udp_lite || enabled.rtp_udp_lite;
  const ChainLimits limits{enabled.udp || enabled.rtp, enabled.rtp, enabled.esp, lite,
                           enabled.rtp_udp_lite,       enabled.ip};
  if (mutant("nothing-compressed")) return Profile::kUncompressed;
  if (!parse_chain(packet, limits, chain)) return Profile::kUncompressed;
  if (may_be_listed(packet, chain, limits)) {
    HeaderChain core;
    if (parse_listed(packet, limits, core, listed)) chain = core;
  }
  const auto take = [&](Transport transport) {
    if (chain.listed) {
      shorten(chain, listed, transport);
      return;
    }
    chain.shape = shape_for(chain.layout().ip_version, transport);
    chain.octets = static_cast<std::uint8_t>(chain.outer_octets + chain.layout().header);
  };
  const Layout& l = chain.layout();
  if (l.has_esp()) return Profile::kEsp;
  if (l.has_rtp()) {
    const std::uint8_t* headers = chain.listed ? listed.core.data() : packet.data();
    if (taken_for_rtp(config, headers + chain.outer_octets + l.udp))
      return l.has_coverage() ? Profile::kRtpUdpLite : Profile::kRtp;
    take(without_rtp(l.transport));
  }
  if (chain.layout().has_udp()) {
    const bool coverage = chain.layout().has_coverage();
    if (coverage ? enabled.udp_lite : enabled.udp) return coverage ? Profile::kUdpLite : Profile::kUdp;
    take(Transport::kNone);
  }
  return enabled.ip ? Profile::kIp : Profile::kUncompressed;
}

bool may_carry_rtp(const CompressorConfig& config, Profile profile, const std::uint8_t* udp) noexcept {
  const ProfileSet& enabled = config.channel.profiles;
  const bool possible =
      (profile == Profile::kUdp && enabled.rtp) || (profile == Profile::kUdpLite && enabled.rtp_udp_lite);
  return possible && taken_for_rtp(config, udp);
}

}  // namespace headroom::rohc
