// SPDX-License-Identifier: Apache-2.0
//
// The commands that need network ports. headroom-engine hands them over to a program of their own, so that the others
// neither need DPDK nor wait until it is loaded.
#include "commands.h"

#include "node/run.h"
#include "wire/call.h"
#include "wire/generate.h"
#include "wire/link.h"
#include "wire/serve.h"

namespace headroom {

namespace {

// One job over ports of its own.
template <typename Job>
Json run_once(const Job& job) {
  wire::Ends ends(job.ends);
  return wire::run(job, ends);
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"node", "Forwards between two ports through an adapter", node::run},
      {"link", "Impairs what passes between two ports",
       [](const Json& job) { return wire::run_link(wire::read_link_job(job)); }},
      {"generate", "Sends a traffic profile through ports and receives it",
       [](const Json& job) { return run_once(wire::read_generate_job(job)); }},
      {"call", "Makes calls between two ports: a sequence of messages over UDP, again and again",
       [](const Json& job) { return run_once(wire::read_call_job(job)); }},
      {"serve", "Carries out jobs of generate and call, a line each, over ports that stay open", {}, true, wire::serve},
  };
  return all;
}

}  // namespace headroom
