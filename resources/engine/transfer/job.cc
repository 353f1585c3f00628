// SPDX-License-Identifier: Apache-2.0
#include "transfer/job.h"

#include "transfer/segments.h"

namespace headroom::transfer {
namespace {

constexpr std::uint32_t kLongestMtu = 9'000;
constexpr std::uint64_t kLongestTimer = 3'600'000'000'000;         // ns: an hour
constexpr std::uint64_t kLongestDuration = 1'000'000'000'000'000;  // ns: eleven days

PipeConfig read_pipe(const Value& value) {
  Object object(value);
  PipeConfig pipe;
  pipe.rate_bps = object.required("rate_bps").integer(1, kLargestRateBps);
  pipe.delay_ns = object.integer("delay_ns", 0, kLargestDelayNs, 0);
  pipe.queue_packets = object.integer("queue_packets", 0, kLargestQueuePackets, 0);
  pipe.ber = object.probability("ber", 0);
  if (pipe.ber == 1) object.fail("no packet passes at a bit error rate of 1.");
  if (const auto at = object.optional("harmed_at"))
    pipe.harmed_at = at->choice({"link", "before-queue"}) == 0 ? HarmedAt::link : HarmedAt::before_queue;
  object.finish();
  return pipe;
}

SenderConfig read_tcp(const Value& value) {
  Object object(value);
  SenderConfig tcp;
  tcp.control = static_cast<CongestionControl>(object.required("congestion_control").choice({"tahoe", "reno", "sack"}));
  tcp.window = static_cast<std::uint32_t>(object.integer("window", 1, kMostWindow, tcp.window));
  tcp.tick_ns = object.integer("tick_ns", 1, kLongestTimer, tcp.tick_ns);
  tcp.first_timeout_ns = object.integer("first_timeout_ns", 1, kLongestTimer, tcp.first_timeout_ns);
  tcp.shortest_timeout_ns = object.integer("shortest_timeout_ns", 1, kLongestTimer, tcp.shortest_timeout_ns);
  tcp.longest_timeout_ns = object.integer("longest_timeout_ns", 1, kLongestTimer, tcp.longest_timeout_ns);
  if (tcp.longest_timeout_ns < tcp.shortest_timeout_ns) object.fail("the longest timeout is below the shortest.");
  object.finish();
  return tcp;
}

std::optional<Codec> read_codec(const std::optional<Value>& value) {
  if (!value) return std::nullopt;
  Object object(*value);
  Codec codec{read_adapter_job(object.required("compressor")), read_adapter_job(object.required("decompressor"))};
  if (codec.decompressor.scheme != codec.compressor.scheme)
    object.fail("the compressor does " + codec.compressor.scheme + " and the decompressor " +
                codec.decompressor.scheme + "; what is on the link is of one scheme.");
  object.finish();
  return codec;
}

}  // namespace

Job read_job(const Value& document) {
  Object object(document);
  Job job;
  job.tcp = read_tcp(object.required("tcp"));
  job.mtu = static_cast<std::uint32_t>(object.integer("mtu", kHeaders + 1, kLongestMtu, job.mtu));
  job.network = read_pipe(object.required("network"));
  job.link = read_pipe(object.required("link"));
  job.reverse_link = read_pipe(object.required("reverse_link"));
  job.codec = read_codec(object.optional("codec"));
  job.reverse_codec = read_codec(object.optional("reverse_codec"));
  if (const auto octets = object.optional("compressed_header"))
    job.compressed_header = static_cast<std::uint32_t>(octets->integer(0, kHeaders));
  job.has_feedback = object.boolean("feedback", true);
  job.feedback_ber = object.probability("feedback_ber", 0);
  job.warm_up_ns = object.integer("warm_up_ns", 0, kLongestDuration, 0);
  job.duration_ns = object.required("duration_ns").integer(1, kLongestDuration);
  Object batches(object.required("batches"));
  job.fewest_batches = static_cast<std::uint32_t>(batches.required("fewest").integer(2, kMostBatches));
  job.most_batches = static_cast<std::uint32_t>(batches.required("most").integer(job.fewest_batches, kMostBatches));
  job.standard_error = batches.probability("standard_error", 0);
  batches.finish();
  job.seed = object.integer("seed", 0, ~std::uint64_t{0}, 0);
  object.finish();
  return job;
}

}  // namespace headroom::transfer
