// SPDX-License-Identifier: Apache-2.0
//
// The commands of the engine. Each command takes a job and returns a result.
#ifndef HEADROOM_COMMANDS_H
#define HEADROOM_COMMANDS_H

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json_reader.h"

namespace headroom {

struct Command {
  std::string_view name;
  std::string_view summary;
  Json (*run)(const Json& job) = nullptr;  // throws Error; nullptr: `serve` or find_ports_command() has the function
  bool serves = false;                     // True if the command answers lines of standard input instead of a job
  void (*serve)(int input, int output) = nullptr;  // throws Error

  [[nodiscard]] constexpr bool needs_ports() const noexcept { return run == nullptr && serve == nullptr; }
};

// The function of a command: exactly one of the two is set.
struct CommandFunction {
  std::function<Json(const Json& job)> run;        // throws Error
  void (*serve)(int input, int output) = nullptr;  // throws Error
};

// Returns the engine's own commands, then the schemes' commands in the order of their folders.
[[nodiscard]] const std::vector<Command>& commands();

// Returns the function of a command that needs network ports, or nothing in the program without ports.
[[nodiscard]] std::optional<CommandFunction> find_ports_command(std::string_view name);

[[nodiscard]] Json run_describe(const Json& job);
[[nodiscard]] Json run_render(const Json& job);
[[nodiscard]] Json run_load(const Json& job);

}  // namespace headroom

#endif  // HEADROOM_COMMANDS_H
