// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

namespace headroom::sigcomp {

const Scheme& scheme() noexcept {
  static constexpr Scheme kScheme = {.name = "sigcomp", .message_mark = MessageMark{0xF8, 0xF8}};  // RFC 3320, 7.1
  return kScheme;
}

}  // namespace headroom::sigcomp
