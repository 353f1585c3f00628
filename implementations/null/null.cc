// SPDX-License-Identifier: Apache-2.0
//
// The null adapter: copies octets, whatever they are. What a measurement shows with it is the cost of everything but
// the implementation: the engine's loop, the call across the ABI and one copy.

#include <cstring>
#include <nlohmann/json.hpp>

#include "cxx/calls.h"
#include "headroom.h"

struct headroom_instance : headroom::Instance {};

namespace {

using Json = nlohmann::json;

Json description() {
  const Json names = {{"packet_types", {"copy"}},
                      {"modes", {"U", "O", "R"}},
                      {"compressor_states", Json::array()},
                      {"decompressor_states", Json::array()},
                      {"events", {"none"}}};
  const Json common = {{"roles", {"compressor", "decompressor"}},
                       {"max_channels", 1U << 20},
                       {"feedback", Json::array()},
                       {"names", names}};
  // Every profile of RFC 3095, 3843, 4019, 4362, 4815, 5225 and 6846: a copy of a packet is the same under all of
  // them.
  Json rohc = common;
  rohc["scheme"] = "rohc";
  rohc["profiles"] = {"0x0000", "0x0001", "0x0002", "0x0003", "0x0004", "0x0005", "0x0006", "0x0007",
                      "0x0008", "0x0101", "0x0102", "0x0103", "0x0104", "0x0107", "0x0108"};
  rohc["modes"] = {"U", "O", "R"};
  rohc["cids"] = {"small", "large"};
  rohc["max_cid"] = 16383;
  Json copy = common;
  copy["scheme"] = "copy";
  return {{"name", "null"},
          {"version", HEADROOM_VERSION},
          {"build", HEADROOM_BUILD},
          {"licence", "Apache-2.0"},
          {"schemes", {rohc, copy}}};
}

headroom_instance* make(std::int32_t role, const Json& config) {
  return new headroom_instance{{role, headroom::read_configuration(config, description()).channels}};
}

constexpr std::uint8_t kCopy = 0;  // of "packet_types"

std::int32_t copy(headroom_instance&, headroom_packet& p, std::uint64_t, headroom_detail* detail) {
  if (p.in_length > p.out_capacity) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, p.in, p.in_length);
  p.out_length = p.in_length;
  if (detail != nullptr) detail->packet_type = kCopy;
  return HEADROOM_OK;
}

Json statistics(const headroom_instance&) { return {{"memory_bytes", sizeof(headroom_instance)}, {"contexts", 0}}; }

constexpr headroom_api kApi = {
    .abi_version = HEADROOM_ABI_VERSION,
    .struct_size = sizeof(headroom_api),
    .describe = headroom::describe<description>,
    .create = headroom::create<make>,
    .destroy = [](headroom_instance* self) { delete self; },
    .compress = headroom::each<copy, HEADROOM_COMPRESSOR>,
    .decompress = headroom::each<copy, HEADROOM_DECOMPRESSOR>,
    .take_feedback = nullptr,
    .take_received_feedback = nullptr,
    .give_feedback = nullptr,
    .piggyback = nullptr,
    .statistics = headroom::statistics<statistics>,
    .control = nullptr,
};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
