// SPDX-License-Identifier: Apache-2.0
//
// Compiled once for each faulty adapter: which promise this one breaks.
#include "faults.h"

const faulty::Fault faulty::kFault = faulty::Fault::HEADROOM_FAULT;
