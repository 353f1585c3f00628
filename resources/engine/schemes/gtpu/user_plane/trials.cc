// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/user_plane/trials.h"

#include "schemes/gtpu/load/generator.h"
#include "schemes/gtpu/load/spread.h"
#include "schemes/gtpu/user_plane/capture.h"

namespace headroom::gtpu {
namespace {

constexpr std::uint32_t kSessions = 40, kFlows = 80, kPackets = 400;
constexpr std::uint16_t kGtpuPort = 2152;
constexpr std::size_t kTeid = 20 + 8 + 4;  // its place in a packet on N3

Address mapped(std::uint32_t ipv4) {
  Address address{};
  address[10] = address[11] = 0xFF;
  store32(&address[12], ipv4);
  return address;
}

// A message of GTP-U from a base station, with four octets after its mandatory header and then `rest`.
Octets message(const load::Job& job, std::uint8_t flags, std::uint8_t type, std::uint32_t teid, OctetView rest) {
  Octets octets = {flags, type, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0};
  octets.insert(octets.end(), rest.begin(), rest.end());
  store16(&octets[2], static_cast<std::uint32_t>(octets.size() - 8));
  store32(&octets[4], teid);
  return udp_datagram(mapped(0xAC10'0001), kGtpuPort, mapped(job.n3), kGtpuPort, octets);
}

}  // namespace

std::vector<BadConfiguration> bad_configurations(const Json& good) {
  std::vector<BadConfiguration> bad = {{"a configuration without \"n3\"", good}};
  bad.back().config.erase("n3");
  bad.push_back({"a scheme that describe does not list", good});
  bad.back().config["scheme"] = "no-such-scheme";
  return bad;
}

UserPlaneTrial user_plane_trial(const Json& config, const Json& described) {
  if (!config.is_object()) throw Error(ErrorKind::job, "the configuration must be an object.", "/config");
  UserPlaneTrial trial;
  trial.config = config;
  trial.peer = load::kControlPlane;
  const auto otherwise = [&](const char* key, const Json& value) {
    if (!trial.config.contains(key)) trial.config[key] = value;
  };
  otherwise("n3", {{"ipv4", "172.17.0.1"}});
  load::Job job;
  job.user_plane.config = trial.config;
  job.traffic.access_users = job.traffic.active_users = kSessions;
  job.traffic.flows = kFlows;
  const Json& n3 = trial.config["n3"];
  if (!n3.is_object() || !n3.contains("ipv4"))
    throw Error(ErrorKind::job, "the checks of user planes need an IPv4 address on N3.", "/config/n3");
  job.n3 = read_ipv4_address(Value(n3["ipv4"], "/config/n3/ipv4"));
  const load::SessionRange range = load::session_range(job);
  otherwise("max_sessions", 1000);
  if (described.value("n4", false)) {
    otherwise("n4", {{"address", "192.0.2.4"}});
    load::SessionMessages messages(job, load::chooses_endpoints(described));
    OctetView octets = messages.association();
    trial.n4.emplace_back(octets.begin(), octets.end());
    for (std::uint32_t i = 0; i < messages.sessions(); ++i) {
      octets = messages.establishment(i);
      trial.n4.emplace_back(octets.begin(), octets.end());
    }
  } else {
    otherwise("session_range", range.json());
  }
  load::Generator generator(job, range, 0, 1);
  load::Segment segment;
  generator.fill(segment, kPackets);
  for (auto* const records : {&segment.uplink(), &segment.downlink()}) {
    for (const headroom_user_packet& packet : *records) {
      trial.packets.push_back(
          {{packet.octets, packet.octets + packet.length}, packet.side, load::user_of(packet) - range.user});
    }
  }
  // Messages of the path, and packets that no session is for.
  trial.packets.push_back({message(job, 0x32, 1, 0, {}), HEADROOM_N3, kSessions});  // Echo Request
  trial.packets.push_back({message(job, 0x32, 255, range.teid + range.count, {}), HEADROOM_N3, kSessions});
  trial.packets.push_back(
      {udp_datagram(mapped(0xC612'0001), 9, mapped(range.user + range.count), 9, {}), HEADROOM_N6, kSessions});
  return trial;
}

void adapt_packets(std::span<UserPlaneTrial::Packet> packets, std::span<const Octets> answers) {
  std::vector<std::uint32_t> chosen(kSessions, 0);
  for (const Octets& octets : answers) {
    const load::pfcp::Answer answer = load::pfcp::read_answer(octets);
    if (answer.seid - 1 < chosen.size()) chosen[answer.seid - 1] = answer.teid;
  }
  for (UserPlaneTrial::Packet& packet : packets) {
    if (packet.side == HEADROOM_N3 && packet.session < kSessions && chosen[packet.session] != 0)
      store32(&packet.octets[kTeid], chosen[packet.session]);
  }
}

}  // namespace headroom::gtpu
