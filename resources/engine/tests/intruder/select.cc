// SPDX-License-Identifier: Apache-2.0
//
// Compiled once for each intruder: which attack this one makes.
#include "faults.h"

const intruder::Attack intruder::kAttack = intruder::Attack::HEADROOM_FAULT;
