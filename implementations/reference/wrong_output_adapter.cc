// SPDX-License-Identifier: Apache-2.0
//
// The reference with wrong outputs (wrong_output.h).
#include "wrong_output.h"

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) {
  return &headroom::ChangedAdapter<WrongOutput>::kApi;
}
