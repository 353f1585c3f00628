// SPDX-License-Identifier: Apache-2.0
//
// SchemePorts is what a scheme adds to the program for ports, which the other one must not be linked with. A scheme
// that adds something defines one in schemes/<scheme>/ports/ports.cc.
#ifndef HEADROOM_SCHEMES_PORTS_H
#define HEADROOM_SCHEMES_PORTS_H

#include <memory>
#include <span>
#include <string_view>

#include "adapter/instance.h"
#include "base/json_reader.h"
#include "node/channel_kind.h"
#include "wire/ends_commands.h"

namespace headroom {

struct SchemePorts {
  std::string_view scheme;                        // its name
  std::span<const wire::EndsCommand> commands{};  // of those that Scheme::commands has without a function
  // Reads what a job of `node` has for an endpoint of the scheme. Throws Error(job). nullptr: the node has no channel
  // for endpoints of the scheme.
  std::shared_ptr<const node::ChannelKind> (*read_channel)(Object& job, const AdapterJob& endpoint) = nullptr;
};

// All that there are, in the order of their folders' names.
[[nodiscard]] std::span<const SchemePorts* const> all_scheme_ports() noexcept;

// nullptr if the scheme of that name adds nothing.
[[nodiscard]] const SchemePorts* find_scheme_ports(std::string_view name) noexcept;

}  // namespace headroom

#endif  // HEADROOM_SCHEMES_PORTS_H
