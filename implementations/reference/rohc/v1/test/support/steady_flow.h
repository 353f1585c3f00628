// SPDX-License-Identifier: Apache-2.0
//
// A well-behaved flow: SN (of RTP or ESP) and IP-ID count up, TS goes on by its stride, nothing else changes unless a
// test changes it.
#pragma once

#include <cstdint>
#include <utility>

#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/packet_builder.h"

namespace headroom::rohc::test {

class SteadyFlow {
 public:
  explicit SteadyFlow(PacketSpec first, std::uint32_t stride = 160) : spec(std::move(first)), ts_stride(stride) {}

  // The next packet, to be altered before it is sent. What is altered stays, but for the marker.
  PacketSpec& next() {
    ++spec.ip.id;
    if (spec.outer) ++spec.outer->id;
    if (spec.esp) ++spec.esp->sn;
    if (spec.rtp) {
      ++spec.rtp->sn;
      spec.rtp->ts += ts_stride;
      spec.rtp->marker = false;
    }
    return spec;
  }

  // `packets` packets that the compressor never sees.
  void skip(unsigned packets) {
    for (unsigned i = 0; i < packets; ++i) next();
  }

  PacketSpec spec;
  std::uint32_t ts_stride;
};

// Sends packets until the flow has settled in the SO state with nothing left to tell; all must arrive.
[[nodiscard]] inline bool settle(Link& link, SteadyFlow& flow, unsigned packets = 40, std::uint32_t channel = 0) {
  for (unsigned i = 0; i < packets; ++i) {
    if (!link.pass(flow.next(), channel)) return false;
  }
  return link.sent.state() == CompressorState::kSo;
}

}  // namespace headroom::rohc::test
