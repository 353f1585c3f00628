// SPDX-License-Identifier: Apache-2.0
//
// The flow that a packet belongs to.
#include "rohc/compressor/classify.h"
#include "rohc/compressor/compressor.h"
#include "rohc/compressor/lists.h"

namespace headroom::rohc {

using wire::Profile;

// The hash under which the flow of these headers is known.
std::uint64_t Compressor::hash_of(const Headers& h, std::uint64_t salt) noexcept {
  if (h.listed != nullptr) {
    const std::uint8_t* extra = h.packet.data() + h.listed->transport_at;
    for (unsigned i = 0; i < h.listed->extra_count; ++i) {
      const unsigned version = extra[0] >> 4;
      salt = hash_ip(extra, version, 0, salt);
      extra += ip_layout(version).header;
    }
  }
  return flow_hash(h.core(), h.chain, salt);
}

bool Compressor::same_flow(std::uint32_t index, std::uint32_t channel, const Headers& headers) const noexcept {
  const Octets packet = headers.core();
  const HeaderChain& chain = headers.chain;
  const CompressorContext& c = contexts_[index];
  if (index - config_.channel.index_of(channel, 0) >= config_.channel.contexts_per_channel()) return false;
  if (!same_headers(c.shape, chain.shape) || c.tunnel != (chain.outer_octets != 0)) return false;
  const Layout& l = chain.layout();
  if (!masked_equal(packet.data() + chain.outer_octets, l.definition_mask, c.pattern, l.header)) return false;
  const bool extras = headers.listed != nullptr && headers.listed->extra_count != 0;
  if (c.lists == ListUse::kNone ? extras : !same_extras(lists_[index], headers.packet, headers.listed)) return false;
  if (!c.tunnel) return true;
  const TunnelContext& t = tunnels_[index];
  if (t.version != chain.outer_version) return false;
  const Layout& outer = ip_layout(chain.outer_version);
  return masked_equal(packet.data(), outer.definition_mask, t.pattern, outer.header);
}

// May turn what was taken for RTP into UDP or UDP-Lite: see CompressorConfig::ssrcs_per_flow.
std::uint32_t Compressor::find_flow(std::uint64_t hash, std::uint32_t channel, Headers& headers,
                                    Profile& profile) const {
  HeaderChain& chain = headers.chain;
  const Octets packet = headers.core();
  const auto exact = [&](std::uint32_t index) { return same_flow(index, channel, headers); };
  const std::uint32_t found = table_.find(hash, exact);
  if (found != kNoContext || !traits_of(profile).rtp) return found;

  HeaderChain as_udp = chain;
  as_udp.shape = shape_for(chain.layout().ip_version, without_rtp(chain.layout().transport));
  as_udp.octets = static_cast<std::uint8_t>(chain.octets - kRtpHeader);
  unsigned ssrcs = 0;
  const std::size_t udp_header = as_udp.layout().header;
  const std::uint32_t same_ports = table_.find(hash, [&](std::uint32_t index) {
    const CompressorContext& c = contexts_[index];
    const bool same =
        same_headers(c.shape, chain.shape) &&
        masked_equal(packet.data() + chain.outer_octets, as_udp.layout().definition_mask, c.pattern, udp_header);
    ssrcs += same ? 1 : 0;
    return ssrcs >= config_.ssrcs_per_flow;
  });
  const Profile without = profile == Profile::kRtp ? Profile::kUdp : Profile::kUdpLite;
  if (same_ports == kNoContext || !config_.channel.profiles.has(without)) return kNoContext;
  if (headers.listed != nullptr) {
    shorten(chain, *headers.listed, without_rtp(chain.layout().transport));
    if (!chain.listed) headers.listed = nullptr;
  } else {
    chain = as_udp;
  }
  profile = without;
  return table_.find(hash, exact);
}

}  // namespace headroom::rohc
