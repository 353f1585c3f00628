// SPDX-License-Identifier: Apache-2.0
//
// An endpoint behind the functions of the ABI: exceptions become statuses, JSON becomes calls.
#pragma once

#include <nlohmann/json.hpp>

#include "sigcomp/endpoint.h"
#include "sigcomp/options.h"
#include "sigcomp/tool.h"

namespace headroom::sigcomp {

// The first two return a headroom_status: HEADROOM_ERR_INTERNAL where there was no memory for state.
[[nodiscard]] std::int32_t compress(Endpoint& endpoint, headroom_packet& packet, std::uint64_t now_ns) noexcept;
[[nodiscard]] std::int32_t decompress(Endpoint& endpoint, headroom_packet& packet, std::uint64_t now_ns) noexcept;
[[nodiscard]] bool has_more(const Endpoint& endpoint) noexcept;
[[nodiscard]] bool next(Endpoint& endpoint, headroom_packet& packet, std::uint64_t now_ns) noexcept;
[[nodiscard]] bool accept(Endpoint& endpoint, std::uint32_t compartment) noexcept;

// These throw sentences.
void open(Endpoint& endpoint, std::uint32_t compartment, const nlohmann::json& settings);
// {"new_stream": 7}, {"forget": 7}, {"acknowledge": {"compartment": 7, "identifier": "0123456789ab"}}.
void control(Endpoint& endpoint, const nlohmann::json& message);

[[nodiscard]] nlohmann::json statistics_of(const Endpoint& endpoint);

}  // namespace headroom::sigcomp
