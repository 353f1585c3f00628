// SPDX-License-Identifier: Apache-2.0
#include "traffic/render.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace headroom::traffic {
namespace {

// A packet that has been made and waits for its turn. Ties go to the lower flow, then to the earlier packet.
struct Waiting {
  FlowPacket packet;
  std::uint64_t flow;
  std::uint64_t order;

  [[nodiscard]] auto key() const { return std::make_tuple(packet.time_ns, flow, order); }
  bool operator>(const Waiting& other) const { return key() > other.key(); }
};

// The identifications of hosts that count over all of their flows. Each host begins with that of its first packet.
class HostCounters {
 public:
  // Sets the identification of an IPv4 packet that is the next of its host.
  void count(const Ipv4& ip, Octets& packet) {
    const std::uint16_t old = load16(&packet[kIdentification]);
    const bool swapped = ip.identification == IpIdBehaviour::swapped;
    const auto first = static_cast<std::uint16_t>(swapped ? swap_octets(old) : old);
    const auto [next, is_new] = next_.try_emplace(load32(&packet[kSource]), first);
    const std::uint16_t now = swapped ? swap_octets(next->second) : next->second;
    ++next->second;
    store16(&packet[kIdentification], now);
    store16(&packet[kChecksum], checksum_update(load16(&packet[kChecksum]), word_delta(old, now)));
  }

 private:
  static constexpr std::size_t kIdentification = 4, kChecksum = 10, kSource = 12;  // RFC 791, 3.1

  std::unordered_map<std::uint32_t, std::uint16_t> next_;  // by source address
};

}  // namespace

std::vector<SourcePacket> render(const Profile& profile, const RenderLimits& limits, std::uint64_t seed,
                                 FlowOptions options) {
  std::vector<Flow> flows;
  flows.reserve(static_cast<std::size_t>(limits.flows));
  for (std::uint64_t i = 0; i < limits.flows; ++i) flows.emplace_back(profile, i, seed, options);

  using Turn = std::pair<std::uint64_t, std::uint64_t>;  // when a flow's next interval begins, and the flow
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (const Flow& flow : flows) turns.emplace(flow.next_time_ns(), flow.number());
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;

  const std::uint64_t most = limits.packets.value_or(kMostSourcePackets);
  const std::uint64_t until = limits.until_ns.value_or(~std::uint64_t{0});
  std::vector<SourcePacket> packets;
  std::vector<FlowPacket> made;
  HostCounters counters;
  std::uint64_t order = 0;
  std::uint64_t idle_turns = 0;
  while (packets.size() < most) {
    // Nothing that is still to be made comes before the next turn: what waits for an earlier time can go.
    const std::uint64_t horizon = turns.top().first;
    if (!waiting.empty() && waiting.top().packet.time_ns < horizon) {
      const Waiting& next = waiting.top();
      if (next.packet.time_ns >= until) break;
      packets.push_back({next.packet.time_ns, 0, static_cast<std::uint32_t>(next.flow), next.packet.header_length,
                         next.packet.octets, false});
      const auto* ip = std::get_if<Ipv4>(&profile.variants[profile.variant_of(next.flow)].headers.front());
      if (ip != nullptr && ip->identification_per_host) counters.count(*ip, packets.back().octets);
      waiting.pop();
      idle_turns = 0;
      continue;
    }
    if (horizon >= until) break;
    if (++idle_turns > 100'000'000)
      throw Error(ErrorKind::job, "the profile sends next to nothing: no packet in 100 million intervals.");
    const std::uint64_t number = turns.top().second;
    turns.pop();
    made.clear();
    Flow& flow = flows[static_cast<std::size_t>(number)];
    flow.advance(made);
    turns.emplace(flow.next_time_ns(), number);
    for (FlowPacket& packet : made) waiting.push({std::move(packet), number, order++});
  }
  if (packets.size() >= kMostSourcePackets) {
    throw Error(ErrorKind::job, "more than " + std::to_string(kMostSourcePackets) +
                                    " packets do not fit; ask for fewer or for a shorter time.");
  }
  return packets;
}

std::uint64_t read_flows(Object& object, const Profile& profile) {
  const std::uint64_t flows = object.integer("flows", 1, kMostRenderedFlows, 1);
  for (const Variant& variant : profile.variants) {
    if (variant.population == 0 || flows <= variant.population) continue;
    const std::string sentence = std::to_string(flows) + " flows cannot be active of a population of " +
                                 std::to_string(variant.population) + " (" + variant.where + "): ask for fewer.";
    object.required("flows").fail(sentence);
  }
  return flows;
}

RenderJob read_render_job(Object& object) {
  RenderJob job;
  job.profile = read_profile(object.required("profile"));
  job.limits.flows = read_flows(object, job.profile);
  if (const auto v = object.optional("packets")) job.limits.packets = v->integer(1, kMostSourcePackets - 1);
  if (const auto v = object.optional("duration_s"))
    job.limits.until_ns = static_cast<std::uint64_t>(v->number(0, 1e6) * 1e9);
  if (!job.limits.packets && !job.limits.until_ns)
    object.fail("say how much is to be sent: \"packets\" in all, or \"duration_s\".");
  return job;
}

}  // namespace headroom::traffic
