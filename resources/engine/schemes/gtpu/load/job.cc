// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/load/job.h"

#include <algorithm>
#include <bit>

#include "schemes/gtpu/load/sessions.h"
#include "schemes/gtpu/user_plane/address.h"

namespace headroom::gtpu::load {
namespace {

constexpr std::uint32_t kMostUsers = 4'000'000, kMostFlows = 16'000'000, kMostWorkers = 64, kMostVirtual = 256;
constexpr std::uint32_t kLongestPacket = 1'972;  // fits its buffer, with room on both sides
constexpr std::uint64_t kMostPackets = std::uint64_t{1} << 40;
constexpr std::size_t kStaticRules = 45;  // "PCC: 45 static, 5 dynamic"

std::uint32_t integer(Object& object, const char* key, std::uint32_t smallest, std::uint32_t largest,
                      std::uint32_t otherwise) {
  return static_cast<std::uint32_t>(object.integer(key, smallest, largest, otherwise));
}

Traffic read_traffic(const Value& value) {
  Object object(value);
  Traffic traffic;
  traffic.access_users = integer(object, "access_users", 1, kMostUsers, traffic.access_users);
  traffic.active_users = integer(object, "active_users", 1, kMostUsers, traffic.active_users);
  if (traffic.active_users > traffic.access_users)
    object.fail("there are more active users than users with a session.");
  traffic.flows = integer(object, "flows", 1, kMostFlows, traffic.flows);
  traffic.packets_of_flow = integer(object, "packets_of_flow", 1, 1'000'000, traffic.packets_of_flow);
  traffic.uplink_share = object.probability("uplink_share", traffic.uplink_share);
  traffic.http_share = object.probability("http_share", traffic.http_share);
  traffic.hit_share = object.probability("hit_share", traffic.hit_share);
  if (const auto lengths = object.optional("lengths")) {
    traffic.lengths.clear();
    for (const Value& item : lengths->items()) {
      const std::vector<Value> pair = item.items();
      if (pair.size() != 2) item.fail("a length is a pair: its weight, and octets.");
      traffic.lengths.push_back({static_cast<std::uint32_t>(pair[0].integer(1, 1'000'000)),
                                 static_cast<std::uint32_t>(pair[1].integer(kShortestPacket, kLongestPacket))});
    }
    if (traffic.lengths.empty() || traffic.lengths.size() > 64) lengths->fail("there are 1 to 64 lengths.");
  }
  if (const auto hosts = object.optional("hosts")) {
    traffic.hosts.clear();
    for (const Value& item : hosts->items()) {
      traffic.hosts.push_back(item.text());
      if (traffic.hosts.back().size() > 100) item.fail("a host name has at most 100 characters here.");
    }
    if (traffic.hosts.empty()) hosts->fail("there is at least one host.");
  }
  object.finish();
  return traffic;
}

void read_cpus(const Value& value, Job& job) {
  for (const Value& item : value.items()) {
    const auto cpu = static_cast<unsigned>(item.integer(0, 1023));
    if (std::ranges::find(job.cpus, cpu) != job.cpus.end())
      item.fail("stands there twice: each thread has another CPU.");
    job.cpus.push_back(cpu);
  }
  const std::size_t threads = job.workers + (job.distribution == Distribution::rx_cores ? job.rx_cores : 0);
  if (job.cpus.size() != threads) value.fail("there are " + std::to_string(threads) + " threads to pin.");
}

// What the adapter has to know of the job, where its configuration does not say it.
void complete_config(Json& config, const Job& job) {
  const auto otherwise = [&](const char* key, const Json& value) {
    if (!config.contains(key)) config[key] = value;
  };
  otherwise("max_sessions", job.traffic.access_users);
  if (job.rules == Rules::basic) return;
  otherwise("flows", std::bit_ceil(2 * job.traffic.flows));
  if (config.contains("predefined_rules")) return;
  for (std::size_t i = 0; i < kStaticRules; ++i) {
    config["predefined_rules"].push_back(
        {{"name", predefined_name(i)}, {"precedence", 100 + i}, {"flow", flow_description(i)}, {"action", "forward"}});
  }
}

AdapterJob read_user_plane(const Value& value, const Job& job) {
  AdapterJob adapter = read_adapter_job(value);
  if (!adapter.config.is_object()) value.fail("\"config\" must be an object.");
  complete_config(adapter.config, job);
  return adapter;
}

}  // namespace

bool is_about_user_plane(const Json& job) { return job.is_object() && job.contains("user_plane"); }

Job read_job(const Json& document) {
  Object object(Value(document, ""));
  Job job;
  if (const auto rules = object.optional("rules"))
    job.rules = static_cast<Rules>(rules->choice({"basic", "rules", "dpi"}));
  if (const auto v = object.optional("distribution"))
    job.distribution = static_cast<Distribution>(v->choice({"queues", "rx-cores"}));
  job.workers = integer(object, "workers", 1, kMostWorkers, job.workers);
  if (const auto v = object.optional("rx_cores"); v && job.distribution != Distribution::rx_cores)
    v->fail("is for the distribution \"rx-cores\" alone: with queues, workers receive.");
  job.rx_cores = integer(object, "rx_cores", 1, kMostWorkers, job.rx_cores);
  if (const auto cpus = object.optional("cpus"); cpus && !cpus->is_null()) read_cpus(*cpus, job);
  if (const auto traffic = object.optional("traffic")) job.traffic = read_traffic(*traffic);
  job.packets = object.integer("packets", 1, kMostPackets, job.packets);
  job.trials = integer(object, "trials", 1, 1000, job.trials);
  job.seed = object.integer("seed", 0, ~std::uint64_t{0}, job.seed);
  job.stages = object.boolean("stages", job.stages);
  if (const auto clock = object.optional("clock")) job.virtual_clock = clock->choice({"real", "virtual"}) == 1;
  for (const char* key : {"virtual_threads", "loads"}) {
    if (const auto v = object.optional(key); v && !job.virtual_clock)
      v->fail("is for designs that are simulated: it takes \"clock\": \"virtual\".");
  }
  if (const auto v = object.optional("virtual_threads")) {
    job.virtual_threads.clear();
    for (const Value& item : v->items())
      job.virtual_threads.push_back(static_cast<std::uint32_t>(item.integer(1, kMostVirtual)));
  }
  if (const auto v = object.optional("loads")) {
    job.loads.clear();
    for (const Value& item : v->items()) job.loads.push_back(item.number(0.001, 2));
  }
  const Value user_plane = object.required("user_plane");
  job.user_plane = read_user_plane(user_plane, job);
  if (const auto baseline = object.optional("baseline"); baseline && !baseline->is_null())
    job.baseline = read_user_plane(*baseline, job);
  object.finish();
  const std::string where = job.user_plane.where + "/config";
  Object config(Value(job.user_plane.config, where));
  Object n3(config.required("n3"));
  job.n3 = read_ipv4_address(n3.required("ipv4"));
  if (job.rules == Rules::dpi && !config.has("inspection"))
    config.fail("the rules \"dpi\" need \"inspection\", with the files of its rules.");
  // Packets of users beyond the range would have no tunnel endpoint.
  if (const std::uint32_t sessions = session_range(job).count; sessions < job.traffic.access_users)
    config.fail("\"session_range\" has " + std::to_string(sessions) + " sessions; traffic.access_users is " +
                std::to_string(job.traffic.access_users) + " and may not be more.");
  return job;
}

}  // namespace headroom::gtpu::load
