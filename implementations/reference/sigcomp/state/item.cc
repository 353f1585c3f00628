// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/state/item.h"

namespace headroom::sigcomp {

Sha1Digest identifier_of(Sha1& sha1, const StateHeader& header, Octets value) noexcept {
  std::uint8_t fields[8];
  store16(fields, static_cast<std::uint16_t>(value.size()));
  store16(fields + 2, header.address);
  store16(fields + 4, header.instruction);
  store16(fields + 6, header.minimum_access_length);
  return sha1({fields, value});
}

}  // namespace headroom::sigcomp
