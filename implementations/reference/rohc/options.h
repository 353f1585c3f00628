// SPDX-License-Identifier: Apache-2.0
//
// JSON configurations (implementations/README.md, and README.md beside this folder for `options`) into the structures
// of compressor and decompressor.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

#include "rohc/compressor/config.h"
#include "rohc/decompressor/config.h"

namespace headroom::rohc {

// What is wrong with a configuration, as a sentence that names the key and says what would be right.
class ConfigError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Both throw ConfigError.
[[nodiscard]] CompressorConfig compressor_config(const nlohmann::json& json);
[[nodiscard]] DecompressorConfig decompressor_config(const nlohmann::json& json);

// "U", "O" or "R"; throws ConfigError for anything else.
[[nodiscard]] wire::Mode mode_from(const nlohmann::json& json);

}  // namespace headroom::rohc
