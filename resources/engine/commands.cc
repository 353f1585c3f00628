// SPDX-License-Identifier: Apache-2.0
#include "commands.h"

#include "adapter/instance.h"
#include "base/no_processes.h"
#include "base/process.h"
#include "base/sha256.h"
#include "capture/writer.h"
#include "check/run.h"
#include "load/run.h"
#include "replay/run.h"
#include "schemes/scheme.h"
#include "traffic/render.h"
#include "traffic/tunnel_path.h"
#include "transfer/run.h"

namespace headroom {

Json run_describe(const Json& job) {
  Object object(Value(job, ""));
  const Value path = object.required("library");
  object.finish();
  const std::shared_ptr<const Library> library = Library::open(path.text(), path.pointer());
  Json description = describe(library->api()).document;
  description["abi_version"] = library->api().abi_version;
  description["sha256"] = sha256_of_file(library->path());
  return description;
}

Json run_render(const Json& job) {
  Object object(Value(job, ""));
  const traffic::RenderJob render = traffic::read_render_job(object);
  const std::uint64_t seed = object.integer("seed", 0, ~std::uint64_t{0}, 0);
  traffic::FlowOptions options;
  options.reverse = object.boolean("reverse", false);
  const traffic::TunnelPath tunnels = traffic::read_tunnel_path(object, render.profile);
  const auto end = object.optional("end");
  const bool arrived = end && end->choice({"sent", "arrived"}) == 1;
  const std::string path = object.required("output").text();
  const auto frames = object.optional("frames");
  const bool ethernet = frames && frames->choice({"ip", "ethernet"}) == 1;
  object.finish();

  std::vector<SourcePacket> packets = traffic::render(render.profile, render.limits, seed, options);
  PcapWriter writer(path, ethernet ? LinkType::ethernet : LinkType::raw_ip);
  std::uint64_t octets = 0;
  for (SourcePacket& packet : packets) {
    if (!arrived) tunnels.make_sent(packet.octets, options.reverse);
    const OctetView written = arrived ? tunnels.arrived(packet.octets, options.reverse) : packet.octets;
    octets += written.size();
    const std::uint16_t type = written[0] >> 4 == 6 ? kEtherTypeIpv6 : kEtherTypeIpv4;
    if (ethernet)
      writer.write(packet.time_ns, ethernet_frame(kMacB, kMacA, type, written));
    else
      writer.write(packet.time_ns, written);
  }
  writer.close();
  return {{"output", path},
          {"packets", packets.size()},
          {"octets", octets},
          {"duration_ns", packets.empty() ? 0 : packets.back().time_ns - packets.front().time_ns}};
}

Json run_load(const Json& job) {
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->load && scheme->load->recognises(job)) return scheme->load->run(job);
  }
  start_no_processes();  // before an adapter is opened
  handle_no_signals();
  const load::Job read = load::read_job(job);
  if (read.core) {
    pin_to_core(*read.core, "/core");
    stay_on_core();
  }
  return load::run(read);
}

const std::vector<Command>& commands() {
  static const std::vector<Command> all = [] {
    std::vector<Command> made = {
        {"describe", "What an adapter says about itself", run_describe},
        {"check", "Does an adapter keep the promises of the ABI?", check::run},
        {"replay", "Packets -> compressor -> link -> decompressor -> compare",
         [](const Json& job) { return replay::run(replay::read_job(job)); }},
        {"load", "How many flow pairs one core carries, or how much of a scheme's own traffic", run_load},
        {"transfer", "TCP over a link with bit errors, with and without header compression", transfer::run_all},
        {"render", "Writes a traffic profile as a capture", run_render},
        {"node", "Forwards between two ports through an adapter"},
        {"link", "Impairs what passes between two ports"},
        {"generate", "Sends a traffic profile through ports and receives it"},
        {"serve", "Carries out jobs that generate traffic, a line each, over ports that stay open", nullptr, true},
    };
    for (const Scheme* scheme : all_schemes())
      made.insert(made.end(), scheme->commands.begin(), scheme->commands.end());
    return made;
  }();
  return all;
}

}  // namespace headroom
