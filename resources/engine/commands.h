// SPDX-License-Identifier: Apache-2.0
//
// What the engine can be asked to do: each command takes a job and returns a result.
#ifndef HEADROOM_COMMANDS_H
#define HEADROOM_COMMANDS_H

#include <functional>
#include <string>
#include <vector>

#include "base/json_reader.h"

namespace headroom {

struct Command {
  std::string name;
  std::string summary;
  std::function<Json(const Json&)> run;                   // throws Error; empty for what the program for the wire does
  bool serves = false;                                    // answers line by line on standard input in place of a job
  std::function<void(int input, int output)> serve = {};  // throws Error; empty as `run` is
};

[[nodiscard]] const std::vector<Command>& commands();

[[nodiscard]] Json run_describe(const Json& job);
[[nodiscard]] Json run_render(const Json& job);
[[nodiscard]] Json run_load(const Json& job);

}  // namespace headroom

#endif  // HEADROOM_COMMANDS_H
