// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"
#include "traffic/render.h"
#include "traffic/source.h"
#include "wire/generate.h"

namespace headroom::wire {
namespace {

constexpr double kFastest = 100e6;  // packets a second; what 64-octet frames at 64 Gbit/s would be

// The tunnels of all flows. Throws Error(job) where one has none, or another kind of them.
const traffic::TunnelFormat* format_of(const traffic::Profile& profile, const Value& asked) {
  const traffic::TunnelFormat* format = nullptr;
  for (const traffic::Variant& variant : profile.variants) {
    const traffic::TunnelFormat* own = nullptr;
    for (const traffic::Header& header : variant.headers) {
      if (const auto* tunnel = std::get_if<traffic::Tunnel>(&header)) own = tunnel->format;
    }
    if (own == nullptr || (format != nullptr && own != format))
      asked.fail("the packets of the profile are not all in tunnels of one kind.");
    format = own;
  }
  return format;
}

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
  job.flows = object.integer("flows", 1, traffic::kMostRenderedFlows, job.flows);
  job.seed = object.integer("seed", 0, ~std::uint64_t{0}, 0);
  job.rate_pps = object.required("rate_pps").number(0.1, kFastest);
  if (const auto value = object.optional("directions")) job.both = value->choice({"forward", "both"}) == 1;
  if (const auto value = object.optional("warmup_s")) job.warmup_s = value->number(0, 3600);
  if (const auto value = object.optional("drain_s")) job.drain_s = value->number(0, 60);
  job.ends.core = static_cast<unsigned>(object.integer("core", 0, 4095, current_core()));
  job.ends.mtu = static_cast<std::uint32_t>(object.integer("mtu", io::kSmallestMtu, io::kLargestMtu, job.ends.mtu));
  if (const auto value = object.optional("vlan")) job.vlan = static_cast<std::uint16_t>(value->integer(1, 4094));
  if (const auto value = object.optional("tunnels")) {
    job.tunnels = static_cast<Tunnels>(value->choice({"whole", "kept", "ended"}));
    if (job.tunnels != Tunnels::whole) job.format = format_of(job.profile, *value);
  }
  if (const auto value = object.optional("endpoints")) {
    if (job.tunnels != Tunnels::ended) value->fail("are for tunnels that are \"ended\".");
    for (const Value& pair : value->items()) {
      const std::vector<Value> ends = pair.items();
      if (ends.size() != 2) pair.fail("is the identifier of the profile, and the one to send.");
      job.endpoints.emplace(ends[0].integer(0, 0xFFFFFFFF), ends[1].integer(0, 0xFFFFFFFF));
    }
  }
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
