// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"
#include "traffic/render.h"
#include "traffic/source.h"
#include "wire/generate.h"

namespace headroom::wire {
namespace {

constexpr double kFastest = 100e6;  // packets a second; what 64-octet frames at 64 Gbit/s would be

}  // namespace

GenerateJob read_generate_job(const Json& document) {
  Object object(Value(document, ""));
  GenerateJob job;
  job.ends.wire = io::read_wire_job(object);
  const Value ports = object.required("ports");
  const std::vector<Value> both = ports.items();
  if (both.size() != job.ends.ports.size()) ports.fail("are two: one to send from and one to receive at.");
  for (std::size_t i = 0; i < both.size(); ++i) job.ends.ports[i] = io::read_port(both[i]);
  job.profile = traffic::read_profile(object.required("profile"));
  job.flows = traffic::read_flows(object, job.profile);
  job.seed = object.integer("seed", 0, ~std::uint64_t{0}, 0);
  job.rate_pps = object.required("rate_pps").number(0.1, kFastest);
  if (const auto value = object.optional("directions")) job.both = value->choice({"forward", "both"}) == 1;
  if (const auto value = object.optional("warmup_s")) job.warmup_s = value->number(0, 3600);
  if (const auto value = object.optional("drain_s")) job.drain_s = value->number(0, 60);
  job.ends.core = static_cast<unsigned>(object.integer("core", 0, 4095, current_core()));
  job.ends.mtu = static_cast<std::uint32_t>(object.integer("mtu", io::kSmallestMtu, io::kLargestMtu, job.ends.mtu));
  if (const auto value = object.optional("vlan")) job.vlan = static_cast<std::uint16_t>(value->integer(1, 4094));
  job.path = traffic::read_tunnel_path(object, job.profile);
  if (!job.ends.wire.duration_s) object.fail("a duration_s is needed: how long packets are sent after the warm-up.");
  job.duration_s = *job.ends.wire.duration_s;
  job.ends.wire.duration_s.reset();  // the run ends when the work is done, not when a clock says so
  object.finish();
  // Packets are made beforehand, so that making them takes nothing from sending.
  if (job.packets() > kMostSourcePackets) {
    object.fail("rate_pps and duration_s make " + std::to_string(job.packets()) + " packets a direction; at most " +
                std::to_string(kMostSourcePackets) + " are held in memory: send for a shorter time.");
  }
  return job;
}

}  // namespace headroom::wire
