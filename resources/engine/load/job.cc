// SPDX-License-Identifier: Apache-2.0
#include "load/job.h"

#include <cmath>

#include "schemes/scheme.h"

namespace headroom::load {
namespace {

constexpr std::uint64_t kMostTicks = 10'000'000;

Phase read_phase(const Value& value) {
  Object object(value);
  Phase phase;
  phase.name = object.required("name").text();
  phase.ticks = object.integer("ticks", 1, kMostTicks, 1);
  if (const auto v = object.optional("replaced_per_second")) phase.replaced_per_second = v->number(0, 50);
  object.finish();
  return phase;
}

// The channels that the flow pairs need, unless the job says how many there are to be.
void settle_channels(AdapterJob& adapter, std::uint32_t flow_pairs) {
  if (adapter.channels_given) return;
  const std::uint64_t in_each = adapter.flows_of_channel;
  adapter.channels = static_cast<std::uint32_t>((flow_pairs + in_each - 1) / in_each);
  adapter.config["channels"] = adapter.channels;
}

}  // namespace

Job read_job(const Json& document) {
  Object object(Value(document, ""));
  Job job;
  job.compressor = read_adapter_job(object.required("compressor"));
  const Value decompressor = object.required("decompressor");
  job.decompressor = read_adapter_job(decompressor);
  job.profile = traffic::read_profile(object.required("profile"));
  job.flow_pairs = static_cast<std::uint32_t>(object.required("flow_pairs").integer(1, kMostFlowPairs));
  if (const auto v = object.optional("tick_ms"))
    job.tick_ns = static_cast<std::uint64_t>(std::llround(v->number(0.1, 10'000) * 1e6));
  job.burst = static_cast<std::uint32_t>(object.integer("burst", 1, kLargestBurst, job.burst));
  if (const auto v = object.optional("order")) job.random_order = v->choice({"sequential", "random"}) == 1;
  if (const auto v = object.optional("pacing")) job.timer = v->choice({"none", "timer"}) == 1;
  if (const auto v = object.optional("core"); v && !v->is_null())
    job.core = static_cast<unsigned>(v->integer(0, 65'535));
  job.verify_every = object.integer("verify_every", 0, std::uint64_t{1} << 40, job.verify_every);
  job.seed = object.integer("seed", 0, ~std::uint64_t{0}, 0);
  if (const auto v = object.optional("start_at_ns")) job.start_at_ns = v->integer(0, ~std::uint64_t{0});
  const Value phases = object.required("phases");
  for (const Value& phase : phases.items()) job.phases.push_back(read_phase(phase));
  if (job.phases.empty()) phases.fail("at least one phase is needed.");
  object.finish();

  for (const AdapterJob* adapter : {&job.compressor, &job.decompressor}) {
    if (scheme_or_default(adapter->scheme).largest_restored(adapter->config) != 0)
      object.fail("load carries no segments: leave them out of both configurations, and use replay for segments.");
  }
  settle_channels(job.compressor, job.flow_pairs);
  settle_channels(job.decompressor, job.flow_pairs);
  if (job.compressor.channels != job.decompressor.channels ||
      job.compressor.flows_of_channel != job.decompressor.flows_of_channel) {
    decompressor.fail("compressor and decompressor must have as many \"channels\", with as many flows in each.");
  }
  return job;
}

}  // namespace headroom::load
