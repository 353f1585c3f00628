// SPDX-License-Identifier: Apache-2.0
//
// Compiled once for each faulty endpoint: which promise this one breaks.
#include "faults.h"

const faulty_user_plane::Fault faulty_user_plane::kFault = faulty_user_plane::Fault::HEADROOM_FAULT;
