// SPDX-License-Identifier: Apache-2.0
#include "node/job.h"

#include <algorithm>

namespace headroom::node {
namespace {

constexpr std::uint64_t kHighestCore = 1023;  // CPU_SETSIZE - 1
constexpr std::uint64_t kHighestVid = 4094;   // IEEE 802.1Q, 9.6: 0 and 4095 mean something else

std::optional<AdapterJob> read_adapter(Object& object, const char* key) {
  const Value value = object.required(key);
  if (value.is_null()) return std::nullopt;
  AdapterJob job = read_adapter_job(value);
  if (job.channels != 1)
    throw Error(ErrorKind::job, "each worker has a channel of its own, with an instance of its own: \"channels\" is 1.",
                job.where + "/config/channels");
  return job;
}

std::vector<unsigned> read_workers(const Value& value) {
  std::vector<unsigned> workers;
  for (const Value& item : value.items()) {
    const auto core = static_cast<unsigned>(item.integer(0, kHighestCore));
    if (std::find(workers.begin(), workers.end(), core) != workers.end()) item.fail("each worker has another core.");
    workers.push_back(core);
  }
  if (workers.empty() || workers.size() > kMostWorkers)
    value.fail("names the cores of 1 to " + std::to_string(kMostWorkers) + " workers.");
  return workers;
}

void read_mtu(Object& object, Job& job) {
  const auto value = object.optional("mtu");
  if (!value) return;
  Object mtu(*value);
  const auto read = [&](const char* side, std::uint32_t otherwise) {
    return static_cast<std::uint32_t>(mtu.integer(side, io::kSmallestMtu, io::kLargestMtu, otherwise));
  };
  job.plain_mtu = read("plain", job.plain_mtu);
  job.link_mtu = read("link", job.link_mtu);
  mtu.finish();
}

// Compressor and decompressor, or an endpoint.
void read_adapters(Object& object, Job& job) {
  if (!object.has("endpoint")) {
    job.compressor = read_adapter(object, "compressor");
    job.decompressor = read_adapter(object, "decompressor");
    return;
  }
  for (const char* other : {"compressor", "decompressor"}) {
    if (const auto value = object.optional(other); value && !value->is_null())
      value->fail("an endpoint does the work of both: leave it out.");
  }
  const Value endpoint = object.required("endpoint");
  job.endpoint = read_adapter_job(endpoint);
  job.users_on_plain = object.required("users").choice({"link", "plain"}) == 1;
  const Scheme* const scheme = find_scheme(job.endpoint->scheme);
  if (scheme == nullptr || !scheme->message_mark) {
    throw Error(ErrorKind::job, "has messages that the node cannot tell from plain ones.",
                job.endpoint->where + "/config/scheme");
  }
  job.message_mark = *scheme->message_mark;
  const Json& config = job.endpoint->config;
  if (config.contains("compartments")) {
    Object settings(Value(config, endpoint.pointer() + "/config"));
    job.most_users = settings.integer("compartments", 1, 1u << 24, job.most_users);
  }
}

// What both sides put on the link is one scheme.
void read_scheme(Object& object, Job& job) {
  for (const auto* adapter : {&job.compressor, &job.decompressor}) {
    if (!*adapter) continue;
    job.framing = &framing_of((*adapter)->scheme);
    if (job.framing->ether_type == 0)
      throw Error(ErrorKind::job, "has link packets without an Ethernet type.", (*adapter)->where + "/config/scheme");
  }
  if (job.compressor && job.decompressor && job.compressor->scheme != job.decompressor->scheme) {
    throw Error(ErrorKind::job, "is another scheme than the compressor's, on the same link.",
                job.decompressor->where + "/config/scheme");
  }
  const auto pad = object.optional("pad");
  job.pad = pad ? pad->boolean() : job.framing->padding.has_value();
  if (job.pad && !job.framing->padding) pad->fail("is for schemes whose packets may begin with padding.");
}

}  // namespace

Job read_job(const Json& json) {
  Object object(Value(json, ""));
  Job job;
  job.wire = io::read_wire_job(object);
  job.ports = {io::read_port(object.required("plain")), io::read_port(object.required("link"))};
  if (job.ports[0].name() == job.ports[1].name())
    throw Error(ErrorKind::job, "is the plain side's port, too; a node has two.", job.ports[1].where);
  read_adapters(object, job);
  job.workers = read_workers(object.required("workers"));
  job.burst = static_cast<std::uint16_t>(object.integer("burst", 1, kLargestBurst, job.burst));
  read_mtu(object, job);
  const std::uint64_t highest = kHighestVid + 1 - job.workers.size();
  job.channel_vlan = static_cast<std::uint16_t>(object.integer("channel_vlan", 1, highest, job.channel_vlan));
  if (const auto feedback = object.optional("feedback"))
    job.feedback = static_cast<Feedback>(feedback->choice({"none", "own", "piggybacked"}));
  read_scheme(object, job);
  object.finish();
  return job;
}

}  // namespace headroom::node
