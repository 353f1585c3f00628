// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

namespace headroom::common_keys {

// MAX_CID (RFC 5795, 5.1.2).
std::uint32_t flows_of_channel(Object& config) {
  return static_cast<std::uint32_t>(config.integer("max_cid", 0, 16383, 15)) + 1;
}

// MRRU (RFC 5795, 5.1.2). A wrong value is the adapter's to refuse.
std::uint32_t largest_restored(const Json& config) {
  if (!config.is_object() || !config.contains("mrru")) return 0;
  const Json& mrru = config["mrru"];
  return mrru.is_number_unsigned() && mrru <= 0xFFFFu ? mrru.get<std::uint32_t>() : 0;
}

// Only decompressors in unidirectional mode have none.
bool has_feedback(const Json& config) { return config.contains("mode") && config["mode"] != "U"; }

void allow_segments(Json& config, std::uint32_t largest_link_packet) {
  constexpr std::uint32_t kMrru = 4096;
  config["mrru"] = kMrru;
  config["largest_packet"] = largest_link_packet;
}

}  // namespace headroom::common_keys
