// SPDX-License-Identifier: Apache-2.0
//
// Parses JSON configurations (implementations/README.md, and README.md of this folder for `options`) into the
// configurations of compressor and decompressor.
#pragma once

#include "cxx/settings.h"
#include "rohc/v1/compressor/config.h"
#include "rohc/v1/decompressor/config.h"

namespace headroom::rohc {

// Both functions throw ConfigError if the configuration is invalid.
[[nodiscard]] CompressorConfig compressor_config(const nlohmann::json& json);
[[nodiscard]] DecompressorConfig decompressor_config(const nlohmann::json& json);

// Returns the mode for "U", "O" or "R"; throws ConfigError for anything else.
[[nodiscard]] wire::Mode mode_from(const nlohmann::json& json);

}  // namespace headroom::rohc
