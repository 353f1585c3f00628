// SPDX-License-Identifier: Apache-2.0
#include "schemes/ports.h"

#include <array>

#include "schemes/sigcomp/ports/call.h"
#include "schemes/sigcomp/ports/sip_channel.h"

namespace headroom::sigcomp {

const SchemePorts& scheme_ports() noexcept {
  static constexpr std::array<wire::EndsCommand, 1> kCommands = {
      {{"call", wire::run_over<ports::read_call_job, ports::run_call>}}};
  static constexpr SchemePorts kPorts = {
      .scheme = "sigcomp", .commands = kCommands, .read_channel = ports::read_sip_channel};
  return kPorts;
}

}  // namespace headroom::sigcomp
