// SPDX-License-Identifier: Apache-2.0
//
// One packet and the flow it belongs to, as the parts of the general path see them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rohc/v1/compressor/config.h"
#include "rohc/v1/compressor/context.h"
#include "rohc/v1/compressor/timer.h"
#include "rohc/v1/header/chain.h"

namespace headroom::rohc {

// The fields of a packet that compression is about. Pointers go into the packet.
struct PacketFields {
  HeaderChain chain;
  const std::uint8_t* outer = nullptr;  // outer IP header, nullptr without
  const std::uint8_t* inner = nullptr;  // innermost headers
  Octets payload;
  std::uint16_t sn = 0;  // from the RTP or ESP header, or made by the compressor
  std::uint32_t ts = 0;  // ESP: the whole Sequence Number, see Layout
  bool marker = false;
  bool same_pattern = false;  // all of the pattern but the marker is known to be that of the context
  std::uint16_t inner_id = 0;
  std::uint16_t outer_id = 0;
  std::uint32_t arrived_ms = 0;
  // With lists, `outer` and `inner` point into the core (header/listed.h), and these to the packet. Else nullptr.
  const ListedHeaders* lists = nullptr;
  const std::uint8_t* packet = nullptr;
};

struct ReliableWindow;

// The contexts of one flow. `tunnel` is nullptr without an outer header, `coverage` without UDP-Lite, `lists` in a flow
// that never had any; `reliable` is for R-mode (reliable.h). `timer` is nullptr where timer-based compression of the
// timestamp is out of the question; `clock_ms` is the resolution of the decompressor's clock, 0 for none known.
struct Flow {
  CompressorContext& c;
  FlowHistory& h;
  TunnelContext* tunnel;
  const CompressorConfig& config;
  ReliableWindow* reliable;
  CoverageHistory* coverage = nullptr;
  TimerContext* timer = nullptr;
  std::uint32_t clock_ms = 0;
  CompressorLists* lists = nullptr;

  [[nodiscard]] bool in_reliable_mode() const noexcept { return c.mode == wire::Mode::kReliable; }
  [[nodiscard]] ProfileTraits traits() const noexcept { return traits_of(c.profile); }
  [[nodiscard]] const Layout& layout() const noexcept { return layout_of(c.shape); }
  [[nodiscard]] std::uint8_t repeats() const noexcept {
    return std::max(static_cast<std::uint8_t>(config.repeats), h.loss_repeats);
  }
};

// Takes the fields out of `packet`, whose chain has been parsed. The SN is left to the caller when the profile makes
// its own.
[[nodiscard]] inline PacketFields fields_of(Octets packet, const HeaderChain& chain) noexcept {
  PacketFields f;
  f.chain = chain;
  f.outer = chain.outer_octets != 0 ? packet.data() : nullptr;
  f.inner = packet.data() + chain.outer_octets;
  f.payload = packet.subspan(chain.octets);
  const Layout& l = chain.layout();
  if (l.sn_mask != 0) {
    f.sn = wire::load16(f.inner + l.sn_at);
    f.ts = wire::load32(f.inner + l.ts_at);
  }
  if (l.has_rtp()) f.marker = (f.inner[l.rtp + 1] & 0x80) != 0;
  if (l.is_ipv4()) f.inner_id = wire::load16(f.inner + l.id_at);
  if (chain.outer_version == 4) f.outer_id = wire::load16(f.outer + 4);
  return f;
}

}  // namespace headroom::rohc
