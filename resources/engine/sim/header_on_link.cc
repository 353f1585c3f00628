// SPDX-License-Identifier: Apache-2.0
#include "sim/header_on_link.h"

#include <algorithm>
#include <cstring>

namespace headroom::sim {
namespace {

// How many octets at the end of both are equal.
std::size_t common_suffix(OctetView a, OctetView b) noexcept {
  const std::size_t most = std::min(a.size(), b.size());
  const std::uint8_t* const end_of_a = a.data() + a.size();
  const std::uint8_t* const end_of_b = b.data() + b.size();
  std::size_t n = 0;
  while (n + 32 <= most && std::memcmp(end_of_a - n - 32, end_of_b - n - 32, 32) == 0) n += 32;
  while (n < most && a[a.size() - 1 - n] == b[b.size() - 1 - n]) ++n;
  return n;
}

}  // namespace

std::uint32_t header_on_link(OctetView link, OctetView original, std::uint32_t header_length,
                             const headroom_detail* detail) noexcept {
  const std::size_t common = common_suffix(link, original);
  const auto without = [&](std::size_t payload) { return static_cast<std::uint32_t>(link.size() - payload); };
  if (detail != nullptr && detail->plain_header != 0xFFFF && detail->plain_header <= original.size()) {
    const std::size_t payload = original.size() - detail->plain_header;
    if (payload <= common) return without(payload);
  }
  if (header_length != kUnknownLength && header_length <= original.size()) {
    const std::size_t payload = original.size() - header_length;
    if (payload <= common) return without(payload);
  }
  return without(common);
}

}  // namespace headroom::sim
