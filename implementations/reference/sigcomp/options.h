// SPDX-License-Identifier: Apache-2.0
//
// Reads the JSON configuration of an endpoint into EndpointConfig and CompartmentConfig (see implementations/README.md,
// and README.md of this folder for `options`).
#pragma once

#include <nlohmann/json.hpp>

#include "sigcomp/endpoint.h"

namespace headroom::sigcomp {

// Returns the scheme's part of the answer to `describe`.
[[nodiscard]] nlohmann::json scheme_description();

// Returns the configuration of an endpoint. Throws ConfigError.
[[nodiscard]] EndpointConfig endpoint_config(const nlohmann::json& json);

// Returns the configuration of a compartment: the settings given to `open_compartment`, and the endpoint's
// configuration for the rest. Throws ConfigError.
[[nodiscard]] CompartmentConfig compartment_config(const nlohmann::json& json, const EndpointConfig& endpoint);

// Converts hexadecimal digits ("00ff") to octets. Throws ConfigError, which names `what`, if the text is not made of
// pairs of hexadecimal digits.
[[nodiscard]] std::vector<std::uint8_t> octets_from_hex(const nlohmann::json& text, const std::string& what);
[[nodiscard]] std::string hex_of(Octets octets);

}  // namespace headroom::sigcomp
