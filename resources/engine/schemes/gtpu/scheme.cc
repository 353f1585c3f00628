// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

#include <array>

#include "base/no_processes.h"
#include "schemes/gtpu/header.h"
#include "schemes/gtpu/load/run.h"
#include "schemes/gtpu/user_plane/session.h"
#include "schemes/gtpu/user_plane/trials.h"

namespace headroom::gtpu {
namespace {

constexpr std::array kCommands = std::to_array<Command>({
    {"user-plane", "Drives a user plane step by step: a job on the first line of standard input, then a step a line",
     nullptr, true, serve_user_plane},
});

constexpr SchemeLoad kLoad = {.recognises = load::is_about_user_plane, .run = [](const Json& job) {
                                start_no_processes();
                                handle_no_signals();
                                return load::run_document(job);
                              }};

}  // namespace

const Scheme& scheme() noexcept {
  static const Scheme kScheme = {.name = kGPdu.protocol,
                                 .tunnels = {&kGPdu, 1},
                                 .trials = {.bad_configurations = bad_configurations,
                                            .user_plane = user_plane_trial,
                                            .adapt_packets = adapt_packets},
                                 .commands = kCommands,
                                 .load = kLoad};
  return kScheme;
}

}  // namespace headroom::gtpu
