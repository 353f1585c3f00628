// SPDX-License-Identifier: Apache-2.0
//
// The carrier of a job of `replay`.
#ifndef HEADROOM_REPLAY_CARRIER_JOB_H
#define HEADROOM_REPLAY_CARRIER_JOB_H

#include <cstdint>
#include <optional>

#include "adapter/instance.h"
#include "base/json_reader.h"

namespace headroom::replay {

struct CarrierJob {
  AdapterJob compressor;
  std::optional<AdapterJob> decompressor;  // where the job has an inner one
  std::uint16_t type = 0;                  // of the PDUs: the Ethernet type of inner link packets
  bool ethernet = false;                   // PDUs are whole Ethernet frames with that type
};

// Reads {"compressor", "decompressor", "type", "ethernet"}. `ether_type` is that of the inner scheme, 0 if there is
// none.
[[nodiscard]] CarrierJob read_carrier(const Value& value, std::uint16_t ether_type);

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_CARRIER_JOB_H
