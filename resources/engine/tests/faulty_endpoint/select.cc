// SPDX-License-Identifier: Apache-2.0
//
// Compiled once for each faulty endpoint: which promise this one breaks.
#include "faults.h"

const faulty_endpoint::Fault faulty_endpoint::kFault = faulty_endpoint::Fault::HEADROOM_FAULT;
