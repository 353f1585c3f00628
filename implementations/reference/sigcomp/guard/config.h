// SPDX-License-Identifier: Apache-2.0
//
// Limits of an endpoint beyond those of the RFCs, besides the ones of its decompressor.
#pragma once

#include "sigcomp/guard/admission.h"
#include "sigcomp/state/handler.h"

namespace headroom::sigcomp {

struct GuardConfig {
  AdmissionConfig admission = {};
  std::uint64_t state_memory = StateHandler::kAnyMemory;  // octets that all compartments together are promised
};

}  // namespace headroom::sigcomp
