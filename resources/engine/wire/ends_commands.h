// SPDX-License-Identifier: Apache-2.0
//
// Commands that generate traffic between two ports. `serve` carries out their jobs, too, over ports that stay open.
#ifndef HEADROOM_WIRE_ENDS_COMMANDS_H
#define HEADROOM_WIRE_ENDS_COMMANDS_H

#include <optional>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "wire/ends.h"

namespace headroom::wire {

struct EndsCommand {
  std::string_view name;
  Json (*run)(const Json& job, std::optional<Ends>& ends);  // opens the ports if none are open; throws Error
};

// The function of a command whose job `read` returns and `carry_out` takes, with the ports.
template <auto read, auto carry_out>
Json run_over(const Json& document, std::optional<Ends>& ends) {
  const auto job = read(document);
  if (!ends) ends.emplace(job.ends);
  return carry_out(job, *ends);
}

// `generate`, then those of schemes in the order of their folders.
[[nodiscard]] const std::vector<EndsCommand>& ends_commands();

}  // namespace headroom::wire

#endif  // HEADROOM_WIRE_ENDS_COMMANDS_H
