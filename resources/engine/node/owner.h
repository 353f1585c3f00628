// SPDX-License-Identifier: Apache-2.0
//
// Finds the worker of a frame. All frames of a flow, and all packets of a user on either side, have the same worker.
#ifndef HEADROOM_NODE_OWNER_H
#define HEADROOM_NODE_OWNER_H

#include <cstdint>

#include "base/octets.h"
#include "node/job.h"

namespace headroom::node {

enum class PortSide : std::uint8_t { plain, link };

// Returns the worker of a frame from a side; `otherwise` for frames that any worker may take. A plain packet belongs to
// the worker of its flow, a link packet to the worker of its channel. A scheme's own kind of channel may define which
// packets belong together on either side; its other packets belong to the worker of their flow.
[[nodiscard]] unsigned owner_of(const Job& job, PortSide side, OctetView frame, unsigned otherwise) noexcept;

}  // namespace headroom::node

#endif  // HEADROOM_NODE_OWNER_H
