// SPDX-License-Identifier: Apache-2.0
#ifndef HEADROOM_SCHEMES_SIGCOMP_MESSAGE_MARK_H
#define HEADROOM_SCHEMES_SIGCOMP_MESSAGE_MARK_H

#include "schemes/scheme.h"

namespace headroom::sigcomp {

inline constexpr MessageMark kMessageMark = {0xF8, 0xF8};  // RFC 3320, 7.1

}  // namespace headroom::sigcomp

#endif  // HEADROOM_SCHEMES_SIGCOMP_MESSAGE_MARK_H
