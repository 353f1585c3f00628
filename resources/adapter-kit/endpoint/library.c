/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#include "settings.h"

@PART@
