// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/message/reason.h"

#include <algorithm>
#include <cassert>

#include "cxx/nack_reasons.h"

namespace headroom::sigcomp {

std::string_view name_of(Reason reason) noexcept { return name_of_reason(static_cast<std::uint8_t>(reason)); }

void Failure::set_details(Octets octets) noexcept {
  assert(octets.size() <= kMostDetails);
  details_length = static_cast<std::uint8_t>(std::min(octets.size(), kMostDetails));
  std::copy_n(octets.begin(), details_length, details_room.begin());
}

}  // namespace headroom::sigcomp
