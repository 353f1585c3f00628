// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

#include "schemes/gtpu/header.h"

namespace headroom::gtpu {

const Scheme& scheme() noexcept {
  static const Scheme kScheme = {.name = kGPdu.protocol, .tunnels = {&kGPdu, 1}};
  return kScheme;
}

}  // namespace headroom::gtpu
