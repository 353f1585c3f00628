// SPDX-License-Identifier: Apache-2.0
//
// SchemePorts is a scheme's addition to the program for ports, which the other program must not be linked with. A
// scheme with an addition defines one in schemes/<scheme>/ports/ports.cc.
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
  std::string_view scheme;                        // name of the scheme
  std::span<const wire::EndsCommand> commands{};  // functions for the commands that Scheme::commands lists without one
  // Reads the part of a `node` job for an endpoint of the scheme. Throws Error(job). nullptr: the node has no channel
  // for endpoints of the scheme.
  std::shared_ptr<const node::ChannelKind> (*read_channel)(Object& job, const AdapterJob& endpoint) = nullptr;
};

// Returns the additions of all schemes, in the order of their folders' names.
[[nodiscard]] std::span<const SchemePorts* const> all_scheme_ports() noexcept;

// Returns the additions of the scheme of that name, or nullptr if it has none.
[[nodiscard]] const SchemePorts* find_scheme_ports(std::string_view name) noexcept;

}  // namespace headroom

#endif  // HEADROOM_SCHEMES_PORTS_H
