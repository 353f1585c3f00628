// SPDX-License-Identifier: Apache-2.0
//
// The commands that need network ports. headroom-engine hands them over to a program of their own, so that the others
// neither need DPDK nor wait until it is loaded.
#include "commands.h"

#include "node/run.h"
#include "wire/ends_commands.h"
#include "wire/link.h"
#include "wire/serve.h"

namespace headroom {

std::optional<CommandFunction> find_ports_command(std::string_view name) {
  if (name == "node") return CommandFunction{node::run};
  if (name == "link") return CommandFunction{[](const Json& job) { return wire::run_link(wire::read_link_job(job)); }};
  if (name == "serve") return CommandFunction{nullptr, wire::serve};
  for (const wire::EndsCommand& command : wire::ends_commands()) {
    if (command.name != name) continue;
    return CommandFunction{[run = command.run](const Json& job) {
      std::optional<wire::Ends> ends;
      return run(job, ends);
    }};
  }
  return std::nullopt;
}

}  // namespace headroom
