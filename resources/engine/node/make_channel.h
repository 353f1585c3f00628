// SPDX-License-Identifier: Apache-2.0
#ifndef HEADROOM_NODE_MAKE_CHANNEL_H
#define HEADROOM_NODE_MAKE_CHANNEL_H

#include <memory>

#include "node/forwarder.h"
#include "node/job.h"
#include "node/statistics.h"

namespace headroom::node {

// Channel `number` of the job's, of the kind that the job asks for; `plain` and `link` are the ports' addresses. Throws
// Error(adapter). The references must outlive the channel.
[[nodiscard]] std::unique_ptr<Forwarder> make_channel(const Job& job, std::uint16_t number, const MacAddress& plain,
                                                      const MacAddress& link, FrameStore& store,
                                                      Statistics& statistics);

}  // namespace headroom::node

#endif  // HEADROOM_NODE_MAKE_CHANNEL_H
