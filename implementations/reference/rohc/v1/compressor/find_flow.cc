// SPDX-License-Identifier: Apache-2.0
//
// The flow that a packet belongs to.
#include "rohc/v1/compressor/classify.h"
#include "rohc/v1/compressor/compressor.h"
#include "rohc/v1/compressor/lists.h"

namespace headroom::rohc::v1 {

using wire::Profile;

// The hash under which the flow of these headers is known.
std::uint64_t Compressor::hash_of(const Headers& h, std::uint32_t channel) const noexcept {
  const FlowHash& hash = look_.flow_hash();
  std::uint64_t begun = hash.begin(channel);
  const auto add = [&](const std::uint8_t* ip, unsigned version) {
    begun = hash.go_on(channel, hash.of(flow_words(ip, version, 0), begun));
  };
  if (h.listed != nullptr) {
    const std::uint8_t* extra = h.packet.data() + h.listed->transport_at;
    for (unsigned i = 0; i < h.listed->extra_count; ++i) {
      const unsigned version = extra[0] >> 4;
      add(extra, version);
      extra += ip_layout(version).header;
    }
  }
  if (h.chain.outer_octets != 0) add(h.core().data(), h.chain.outer_version);
  return flow_hash(hash, h.core(), h.chain, begun);
}

bool Compressor::same_flow(std::uint32_t index, std::uint32_t channel, const Headers& headers) const noexcept {
  const Octets packet = headers.core();
  const HeaderChain& chain = headers.chain;
  const CompressorContext& c = contexts_[index];
  if (index - config_.channel.index_of(channel, 0) >= config_.channel.contexts_per_channel()) return false;
  if (c.state == CompressorState::kUnused) return false;  // another family's
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

// The first context of a channel that is in use and `matches`, or kNoContext.
template <typename Predicate>
std::uint32_t Compressor::find_linearly(std::uint32_t channel, Predicate&& matches) const {
  const std::uint32_t first = config_.channel.index_of(channel, 0);
  for (std::uint32_t index = first; index != first + pool_.fresh(channel); ++index) {
    const CompressorContext& c = contexts_[index];
    const bool is_flow = c.state != CompressorState::kUnused && c.profile != Profile::kUncompressed;
    if (is_flow && matches(index)) return index;
  }
  return kNoContext;
}

// May turn what was taken for RTP into UDP or UDP-Lite, which have another hash: see CompressorConfig::ssrcs_per_flow.
Compressor::FoundFlow Compressor::find_flow(std::uint64_t& hash, std::uint32_t channel, Headers& headers,
                                            Profile& profile, std::uint32_t now) const {
  HeaderChain& chain = headers.chain;
  const auto exact = [&](std::uint32_t index) { return same_flow(index, channel, headers); };
  const auto find = [&] {
    return config_.flow_lookup == FlowLookup::kHashed ? pool_.table().find(hash, exact) : find_linearly(channel, exact);
  };
  const std::uint32_t found = find();
  if (found != kNoContext || !traits_of(profile).rtp) return {found};

  const std::uint32_t ssrc = ssrc_of(headers.core().data() + chain.outer_octets, chain.layout());
  const std::uint64_t ports = hash - look_.flow_hash().of_ssrc(ssrc);
  const Profile without = profile == Profile::kRtp ? Profile::kUdp : Profile::kUdpLite;
  if (streams_.count(ports) < config_.ssrcs_per_flow || !config_.channel.profiles.has(without)) return {};
  const std::uint32_t ended = silent_on_probation(ports, now);
  if (ended != kNoContext) return {kNoContext, ended};
  const Transport udp = without_rtp(chain.layout().transport);
  if (headers.listed != nullptr) {
    shorten(chain, *headers.listed, udp);
    if (!chain.listed) headers.listed = nullptr;
  } else {
    chain.shape = shape_for(chain.layout().ip_version, udp);
    chain.octets = static_cast<std::uint8_t>(chain.octets - kRtpHeader);
  }
  profile = without;
  hash = ports;
  return {find()};
}

}  // namespace headroom::rohc::v1
