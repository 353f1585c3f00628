// SPDX-License-Identifier: Apache-2.0
//
// The UDVM's stack: RFC 3320 8.3.
#pragma once

#include "mutants.h"
#include "sigcomp/udvm/fetch.h"

namespace headroom::sigcomp::udvm {

// Push and pop a value of the stack. Both read stack_location first.
HEADROOM_ALWAYS_INLINE inline void push(Fetch& f, std::uint16_t value) noexcept {
  const std::uint16_t location = f.word(kStackLocation);
  const std::uint16_t fill = f.word(location);
  f.store(static_cast<std::uint16_t>(location + 2 * fill + 2), value);
  // RFC 4896 3.4: the fill that was read is increased, even if the value has been written over it.
  f.store(location, static_cast<std::uint16_t>((mutant("sigcomp-fill-read-again") ? f.word(location) : fill) + 1));
}

HEADROOM_ALWAYS_INLINE [[nodiscard]] inline std::uint16_t pop(Fetch& f) noexcept {
  const std::uint16_t location = f.word(kStackLocation);
  const std::uint16_t fill = f.word(location);
  if (f.trouble == Reason::kNone && fill == 0) f.trouble = Reason::kStackUnderflow;
  if (f.trouble != Reason::kNone) return 0;
  f.store(location, static_cast<std::uint16_t>(fill - 1));
  return f.word(static_cast<std::uint16_t>(location + 2 * (fill - 1) + 2));
}

}  // namespace headroom::sigcomp::udvm
