// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/profile.h"

#include "mutants.h"

namespace headroom::rohc {

using wire::Profile;

Profile profile_for(const ProfileSet& enabled, const RtpPorts& rtp_ports, Octets packet, HeaderChain& chain,
                    ListedHeaders& listed) noexcept {
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
    if (rtp_ports.match(wire::load_little32(headers + chain.outer_octets + l.udp)))
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

bool may_carry_rtp(const ProfileSet& enabled, const RtpPorts& rtp_ports, Profile profile,
                   const std::uint8_t* udp) noexcept {
  const bool possible =
      (profile == Profile::kUdp && enabled.rtp) || (profile == Profile::kUdpLite && enabled.rtp_udp_lite);
  return possible && rtp_ports.match(wire::load_little32(udp));
}

}  // namespace headroom::rohc
