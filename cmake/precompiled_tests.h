// SPDX-License-Identifier: Apache-2.0
//
// The headers of precompiled.h, and those of tests alone.
#pragma once

#include <gtest/gtest.h>

#include "precompiled.h"
