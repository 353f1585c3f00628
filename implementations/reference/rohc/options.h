// SPDX-License-Identifier: Apache-2.0
//
// JSON configurations (implementations/README.md, and README.md of this folder for `options`) into the structures
// of compressor and decompressor.
#pragma once

#include "cxx/settings.h"
#include "rohc/v1/compressor/config.h"
#include "rohc/v1/decompressor/config.h"

namespace headroom::rohc {

// Both throw ConfigError.
[[nodiscard]] CompressorConfig compressor_config(const nlohmann::json& json);
[[nodiscard]] DecompressorConfig decompressor_config(const nlohmann::json& json);

// "U", "O" or "R"; throws ConfigError for anything else.
[[nodiscard]] wire::Mode mode_from(const nlohmann::json& json);

}  // namespace headroom::rohc
