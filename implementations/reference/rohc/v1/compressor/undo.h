// SPDX-License-Identifier: Apache-2.0
//
// A copy of the state that a packet changes, made if the output may not fit. A packet changes the context long before
// its compressed length is known: patterns, strides, tables of lists, refreshes, windows. After HEADROOM_ERR_NO_SPACE
// this state is restored, as if the packet had never been passed in.
//
// Only callers that provide less room than headroom.h requires pay for the copy.
#pragma once

#include "rohc/framework/compressor/context_pool.h"
#include "rohc/v1/compressor/context.h"
#include "rohc/v1/compressor/lists.h"
#include "rohc/v1/compressor/reliable.h"
#include "rohc/v1/compressor/timer.h"

namespace headroom::rohc {

// A copy of all parts of one context and of the other state that the start of a flow changes.
struct Undo {
  std::uint32_t index;
  bool new_flow;  // the packet started a flow in the context `index`
  std::uint32_t channel;
  ContextPool::Mark mark;
  CompressorFamily* before;  // the previous owner of the context
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
