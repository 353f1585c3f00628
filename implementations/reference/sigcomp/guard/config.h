// SPDX-License-Identifier: Apache-2.0
//
// Limits of an endpoint beyond those of the RFCs, in addition to the limits of its decompressor.
#pragma once

#include "sigcomp/guard/admission.h"
#include "sigcomp/state/handler.h"

namespace headroom::sigcomp {

struct GuardConfig {
  AdmissionConfig admission = {};
  std::uint64_t state_memory = StateHandler::kAnyMemory;  // limit on the octets promised to all compartments together
};

}  // namespace headroom::sigcomp
