// SPDX-License-Identifier: Apache-2.0
#include "node/make_channel.h"

#include "node/channel.h"
#include "node/shaper.h"
#include "node/stream_channel.h"

namespace headroom::node {

std::unique_ptr<Forwarder> make_channel(const Job& job, std::uint16_t number, const MacAddress& plain,
                                        const MacAddress& link, FrameStore& store, Statistics& statistics) {
  if (job.kind) return job.kind->make(job, {number, plain, link, store, statistics});
  if (job.stream) return std::make_unique<StreamChannel>(job, plain, link, store, statistics);
  auto channel = std::make_unique<Channel>(job, number, link, store, statistics);
  if (!job.shaper) return channel;
  return std::make_unique<Shaper>(*job.shaper, *job.framing, std::move(channel), store, statistics);
}

}  // namespace headroom::node
