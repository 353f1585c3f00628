// SPDX-License-Identifier: Apache-2.0
#include "node/owner.h"

#include "node/frame.h"

namespace headroom::node {

unsigned owner_of(const Job& job, PortSide side, OctetView frame, unsigned otherwise) noexcept {
  const ChannelKind* const kind = job.kind.get();
  if (side == PortSide::link && !kind) return channel_of(frame, job.tags()).value_or(otherwise);
  const FrameParts parts = find_parts(frame);
  if (parts.carries != Carries::ip) return otherwise;
  const OctetView packet = frame.subspan(parts.payload_at, parts.packet);
  const auto workers = static_cast<unsigned>(job.workers.size());
  if (kind != nullptr) {
    if (const auto owner = kind->owner_of(packet, side == PortSide::plain))
      return static_cast<unsigned>(*owner % workers);
  }
  return worker_of(packet, workers);
}

}  // namespace headroom::node
