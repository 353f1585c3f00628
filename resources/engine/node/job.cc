// SPDX-License-Identifier: Apache-2.0
#include "node/job.h"

#include <arpa/inet.h>
#include <sys/random.h>

#include <algorithm>

#include "capture/reader.h"
#include "link/slots.h"
#include "schemes/ports.h"
#include "schemes/scheme.h"

namespace headroom::node {
namespace {

constexpr std::uint64_t kHighestCore = 1023;  // CPU_SETSIZE - 1
// Seeds that are drawn stay below 2^53, so that readers of JSON with doubles for numbers can repeat them.
constexpr unsigned kSeedBits = 53;
constexpr std::uint64_t kMostShaped = 10'000;  // frames that wait take buffers of the pool
constexpr std::uint64_t kHighestVid = 4094;    // IEEE 802.1Q, 9.6: 0 and 4095 mean something else

void draw_seed(AdapterJob& job) {
  if (job.config.contains("seed")) return;
  std::uint64_t drawn = 0;
  if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
    throw Error(ErrorKind::internal, "the kernel gave no random number: give a \"seed\".", job.where + "/config");
  job.config["seed"] = drawn >> (64 - kSeedBits);
}

std::optional<AdapterJob> read_adapter(Object& object, const char* key) {
  const Value value = object.required(key);
  if (value.is_null()) return std::nullopt;
  AdapterJob job = read_adapter_job(value);
  draw_seed(job);
  if (job.channels != 1)
    throw Error(ErrorKind::job, "each worker has a channel of its own, with an instance of its own: \"channels\" is 1.",
                job.where + "/config/channels");
  return job;
}

// `thread` is a worker or a receiving core.
std::vector<unsigned> read_cores(const Value& value, const std::string& thread) {
  std::vector<unsigned> cores;
  for (const Value& item : value.items()) {
    const auto core = static_cast<unsigned>(item.integer(0, kHighestCore));
    if (std::find(cores.begin(), cores.end(), core) != cores.end()) item.fail("each " + thread + " has another core.");
    cores.push_back(core);
  }
  if (cores.empty() || cores.size() > kMostWorkers)
    value.fail("names 1 to " + std::to_string(kMostWorkers) + " cores, one for each " + thread + ".");
  return cores;
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
  job.endpoint = read_adapter_job(object.required("endpoint"));
  draw_seed(*job.endpoint);
  const SchemePorts* const ports = find_scheme_ports(job.endpoint->scheme);
  if (ports == nullptr || ports->read_channel == nullptr) {
    throw Error(ErrorKind::job, "has messages that the node cannot tell from plain ones.",
                job.endpoint->where + "/config/scheme");
  }
  job.kind = ports->read_channel(object, *job.endpoint);
}

// What both sides put on the link is one scheme.
void read_scheme(Object& object, Job& job) {
  for (const auto* adapter : {&job.compressor, &job.decompressor}) {
    if (!*adapter) continue;
    job.framing = &framing_of((*adapter)->scheme, (*adapter)->config);
    if (job.stream && !job.framing->cells) {
      throw Error(ErrorKind::job, "has link packets of no fixed length, which a stream needs.",
                  (*adapter)->where + "/config/scheme");
    }
    if (job.framing->ether_type == 0 && !job.framing->typed && !job.stream)
      throw Error(ErrorKind::job, "has link packets without an Ethernet type: give a \"stream\" of datagrams.",
                  (*adapter)->where + "/config/scheme");
  }
  if (job.compressor && job.decompressor && job.compressor->scheme != job.decompressor->scheme) {
    throw Error(ErrorKind::job, "is another scheme than the compressor's, on the same link.",
                job.decompressor->where + "/config/scheme");
  }
  const auto pad = object.optional("pad");
  job.pad = pad ? pad->boolean() : job.framing->padding.has_value();
  if (job.pad && !job.framing->padding) pad->fail("is for schemes whose packets may begin with padding.");
}

// An IPv4 address.
std::array<std::uint8_t, 4> read_address(const Value& value) {
  std::array<std::uint8_t, 4> address{};
  if (inet_pton(AF_INET, value.text().c_str(), address.data()) != 1)
    value.fail("an IPv4 address such as \"239.1.1.1\" is expected here.");
  return address;
}

MacAddress read_mac(const Value& value) {
  const std::optional<MacAddress> mac = parse_mac(value.text());
  if (!mac) value.fail("a MAC address such as \"02:00:00:00:00:0a\" is expected here.");
  return *mac;
}

bool is_multicast(const std::array<std::uint8_t, 4>& address) { return address[0] >> 4 == 0xE; }

std::uint16_t read_port_number(const Value& value) { return static_cast<std::uint16_t>(value.integer(1, 65'535)); }

StreamJob::Send read_send(const Value& value) {
  Object object(value);
  StreamJob::Send send;
  const Value address = object.required("address");
  send.destination = read_address(address);
  send.destination_port = read_port_number(object.required("port"));
  send.source = read_address(object.required("source"));
  send.source_port = send.destination_port;
  if (const auto v = object.optional("source_port")) send.source_port = read_port_number(*v);
  if (const auto v = object.optional("mac")) {
    send.mac = read_mac(*v);
  } else if (is_multicast(send.destination)) {  // RFC 1112, 6.4
    send.mac = {0x01,
                0x00,
                0x5E,
                static_cast<std::uint8_t>(send.destination[1] & 0x7F),
                send.destination[2],
                send.destination[3]};
  } else {
    address.fail("is no multicast group: give the \"mac\" of the next hop, for the node asks no network for it.");
  }
  send.ttl = static_cast<std::uint8_t>(object.integer("ttl", 1, 255, send.ttl));
  send.packets = static_cast<std::uint32_t>(object.integer("packets", 1, 300, send.packets));
  send.rate_bps = object.integer("rate_bps", 0, kLargestSlotRateBps, 0);
  send.queue_packets = static_cast<std::uint32_t>(object.integer("queue_packets", 1, 1'000'000, 4096));
  object.finish();
  return send;
}

StreamJob read_stream(const Value& value, const Job& job) {
  Object object(value);
  StreamJob stream;
  if (const auto v = object.optional("send")) stream.send = read_send(*v);
  if (const auto v = object.optional("receive")) {
    Object receive(*v);
    stream.receive = {read_address(receive.required("address")), read_port_number(receive.required("port"))};
    receive.finish();
  }
  if (const auto v = object.optional("carry")) stream.frames = v->choice({"frames", "ip"}) == 0;
  stream.plain_destination.fill(0xFF);
  if (const auto v = object.optional("plain_destination")) stream.plain_destination = read_mac(*v);
  object.finish();
  if (stream.send.has_value() != job.compressor.has_value())
    value.fail("a \"compressor\" and \"send\" go together: what one makes, the other sends.");
  if (stream.receive.has_value() != job.decompressor.has_value())
    value.fail("a \"decompressor\" and \"receive\" go together: what one receives, the other takes.");
  if (!stream.send && !stream.receive) value.fail("a stream is there to \"send\" or to \"receive\".");
  if (job.workers.size() != 1) value.fail("a stream has one worker.");
  return stream;
}

// What depends on the scheme.
void check_stream(const Value& value, const Job& job) {
  constexpr std::size_t kIpAndUdp = 28;
  const StreamJob& stream = *job.stream;
  if (!stream.send) return;
  if (stream.send->rate_bps != 0 && job.framing->idle.empty())
    value.fail("a constant bit rate needs packets that carry nothing, which this scheme does not have.");
  if (kIpAndUdp + stream.send->packets * job.framing->cells->octets > job.link_mtu) {
    value.fail("a datagram of " + std::to_string(stream.send->packets) + " packets does not fit the link's MTU of " +
               std::to_string(job.link_mtu) + " octets.");
  }
}

ShaperJob read_shaper(const Value& value, const Job& job) {
  Object object(value);
  ShaperJob shaper;
  shaper.rate_bps = object.required("rate_bps").integer(1, kLargestSlotRateBps);
  shaper.queue_packets = static_cast<std::uint32_t>(object.required("queue_packets").integer(1, kMostShaped));
  object.finish();
  if (job.endpoint || job.stream) value.fail("is for link packets in frames of their own.");
  if (job.workers.size() != 1) value.fail("is the queue of one link, which has one worker.");
  return shaper;
}

void read_rx_cores(Object& object, Job& job) {
  const auto value = object.optional("rx_cores");
  if (job.distribution != Distribution::rx_cores) {
    if (value) value->fail("is for the distribution \"rx-cores\" alone.");
    return;
  }
  job.rx_cores = read_cores(object.required("rx_cores"), "receiving core");
  if (job.wire.idle == io::Idle::sleep) return;
  for (const Value& item : value->items()) {
    const auto core = static_cast<unsigned>(item.integer(0, kHighestCore));
    if (std::find(job.workers.begin(), job.workers.end(), core) != job.workers.end())
      item.fail("is a worker's core, and both would poll: use another one, or \"idle\": \"sleep\".");
  }
}

// Reads the distribution, and lets the kernel or the network card choose the queue of each frame where it serves.
void read_distribution(Object& object, Job& job) {
  const auto asked = object.optional("distribution");
  if (asked) job.distribution = static_cast<Distribution>(asked->choice({"queues", "hand-over", "rx-cores"}));
  read_rx_cores(object, job);
  for (std::size_t i = 0; i < job.ports.size(); ++i) {
    io::PortJob& port = job.ports[i];
    const bool is_plain = i == 0;
    auto filter = job.kind ? job.kind->queue_filter(is_plain) : std::vector<sock_filter>{};
    if (asked && job.distribution == Distribution::queues && filter.empty())
      asked->fail("takes a user plane, whose packets have an address by which the port can choose a worker's queue.");
    const bool has_filter = port.driver == io::PortJob::Driver::af_packet && !port.interface.empty();
    const std::size_t readers = job.rx_cores.empty() ? job.workers.size() : job.receivers_of(is_plain);
    if (filter.empty() || readers == 1 || job.distribution == Distribution::hand_over) continue;
    if (has_filter)
      port.queue_filter = std::move(filter);
    else if (asked && job.distribution == Distribution::queues)
      port.queue_rules = job.kind->queue_rules(is_plain);
  }
}

}  // namespace

void add_universal_time(Job& job, std::uint64_t zero_ns) {
  constexpr const char* kKey = "universal_time_ns";
  for (std::optional<AdapterJob>* const adapter : {&job.compressor, &job.decompressor, &job.endpoint}) {
    const Scheme* const scheme = *adapter ? find_scheme((*adapter)->scheme) : nullptr;
    if (scheme == nullptr || !scheme->universal_time || (*adapter)->config.contains(kKey)) continue;
    (*adapter)->config[kKey] = zero_ns;
  }
}

Job read_job(const Json& json) {
  Object object(Value(json, ""));
  Job job;
  job.wire = io::read_wire_job(object);
  job.ports = {io::read_port(object.required("plain")), io::read_port(object.required("link"))};
  if (job.ports[0].name() == job.ports[1].name())
    throw Error(ErrorKind::job, "is the plain side's port, too; a node has two.", job.ports[1].where);
  read_adapters(object, job);
  job.workers = read_cores(object.required("workers"), "worker");
  job.burst = static_cast<std::uint16_t>(object.integer("burst", 1, kLargestBurst, job.burst));
  read_mtu(object, job);
  const std::uint64_t highest = kHighestVid + 1 - job.workers.size();
  job.channel_vlan = static_cast<std::uint16_t>(object.integer("channel_vlan", 1, highest, job.channel_vlan));
  if (const auto feedback = object.optional("feedback"))
    job.feedback = static_cast<Feedback>(feedback->choice({"none", "own", "piggybacked"}));
  const std::optional<Value> stream = object.optional("stream");
  if (stream) job.stream = read_stream(*stream, job);
  read_scheme(object, job);
  if (stream) check_stream(*stream, job);
  if (const auto shaper = object.optional("shaper")) job.shaper = read_shaper(*shaper, job);
  read_distribution(object, job);
  object.finish();
  return job;
}

Json seeds_of(const Job& job) {
  const auto seed = [](const std::optional<AdapterJob>& adapter) {
    return adapter ? adapter->config["seed"] : Json(nullptr);
  };
  return {
      {"compressor", seed(job.compressor)}, {"decompressor", seed(job.decompressor)}, {"endpoint", seed(job.endpoint)}};
}

}  // namespace headroom::node
