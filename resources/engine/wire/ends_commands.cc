// SPDX-License-Identifier: Apache-2.0
#include "wire/ends_commands.h"

#include "schemes/ports.h"
#include "wire/generate.h"

namespace headroom::wire {

const std::vector<EndsCommand>& ends_commands() {
  static const std::vector<EndsCommand> all = [] {
    std::vector<EndsCommand> made = {{"generate", run_over<read_generate_job, run_generate>}};
    for (const SchemePorts* ports : all_scheme_ports())
      made.insert(made.end(), ports->commands.begin(), ports->commands.end());
    return made;
  }();
  return all;
}

}  // namespace headroom::wire
