// SPDX-License-Identifier: Apache-2.0
//
// JSON configurations of an endpoint (implementations/README.md, and README.md of this folder for `options`) into
// its structures.
#pragma once

#include <nlohmann/json.hpp>

#include "sigcomp/endpoint.h"

namespace headroom::sigcomp {

// What `describe` says of the scheme.
[[nodiscard]] nlohmann::json scheme_description();

// Throws ConfigError.
[[nodiscard]] EndpointConfig endpoint_config(const nlohmann::json& json);

// What `open_compartment` is given, over the configuration of the endpoint. Throws ConfigError.
[[nodiscard]] CompartmentConfig compartment_config(const nlohmann::json& json, const EndpointConfig& endpoint);

// "00ff" -> octets. Throws ConfigError, which names `what`, for anything but pairs of hexadecimal digits.
[[nodiscard]] std::vector<std::uint8_t> octets_from_hex(const nlohmann::json& text, const std::string& what);
[[nodiscard]] std::string hex_of(Octets octets);

}  // namespace headroom::sigcomp
