// SPDX-License-Identifier: Apache-2.0
//
// The key "guard" of an endpoint's options (README.md): limits beyond those of the RFCs.
#pragma once

#include <nlohmann/json.hpp>

#include "sigcomp/decompressor.h"
#include "sigcomp/guard/config.h"

namespace headroom::sigcomp {

// Reads the limits into the two configurations. Throws ConfigError.
void read_guard(const nlohmann::json& json, DecompressorConfig& decompressor, GuardConfig& guard);

}  // namespace headroom::sigcomp
