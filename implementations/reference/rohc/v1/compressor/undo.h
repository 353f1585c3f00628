// SPDX-License-Identifier: Apache-2.0
//
// What a packet for which there may be no room is about to change. Packets leave their mark on a context long before
// their length is known: patterns, strides, tables of lists, refreshes, windows. After HEADROOM_ERR_NO_SPACE all of
// that is put back, and the context is as if the packet had never been given.
//
// Only callers that leave less room than headroom.h asks for pay for the copy.
#pragma once

#include "rohc/framework/compressor/context_pool.h"
#include "rohc/v1/compressor/context.h"
#include "rohc/v1/compressor/lists.h"
#include "rohc/v1/compressor/reliable.h"
#include "rohc/v1/compressor/timer.h"

namespace headroom::rohc {

// A copy of one context, of all parts that it uses, and of what else the beginning of a flow changes.
struct Undo {
  std::uint32_t index;
  bool new_flow;  // the packet has begun a flow at `index`
  std::uint32_t channel;
  ContextPool::Mark mark;
  CompressorFamily* before;  // the family that had the context
  std::uint32_t uncompressed;
  std::uint64_t new_flows;
  std::uint64_t replaced_flows;

  CompressorContext c;
  FlowHistory h;
  TunnelContext tunnel;
  ReliableWindow reliable;
  CoverageHistory coverage;
  TimerContext timer;
  CompressorLists lists;
};

}  // namespace headroom::rohc
