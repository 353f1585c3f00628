// SPDX-License-Identifier: Apache-2.0
//
// A complete adapter. Its scheme: a packet that equals the one before it on its channel becomes one octet, 1; any other
// goes as it is behind an octet 0. An adapter of yours calls your library where this one calls memcmp and memcpy.
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "headroom.h"

struct headroom_instance {
  bool compressor;
  std::vector<std::vector<std::uint8_t>> previous;  // by channel; empty: no context
};

namespace {

constexpr std::size_t kLargestPacket = 65'535;
constexpr char kDescription[] = R"({"name": "example", "version": "1.0", "licence": "Apache-2.0", "schemes": [{
  "scheme": "repeat", "roles": ["compressor", "decompressor"], "max_channels": 64, "feedback": [],
  "names": {"packet_types": ["WHOLE", "SAME"], "events": ["none"]}}]})";

std::size_t write_text(const std::string& text, char* json, std::size_t capacity) {
  if (text.size() < capacity) std::memcpy(json, text.c_str(), text.size() + 1);
  return text.size();
}

std::size_t describe(char* json, std::size_t capacity) { return write_text(kDescription, json, capacity); }

headroom_instance* create(std::int32_t role, const char* config_json, char* error, std::size_t error_capacity) {
  try {
    const auto config = nlohmann::json::parse(config_json);
    const auto channels = config.value("channels", nlohmann::json(1u));
    const auto require = [](bool holds, const char* sentence) {
      if (!holds) throw std::runtime_error(sentence);
    };
    require(role == HEADROOM_COMPRESSOR || role == HEADROOM_DECOMPRESSOR, "the role must be 1 or 2.");
    require(config.at("scheme") == "repeat", "the scheme must be \"repeat\".");
    require(channels.is_number_unsigned() && channels >= 1u && channels <= 64u, "\"channels\" must be 1 to 64.");
    require(config.value("options", nlohmann::json::object()) == nlohmann::json::object(), "there are no options.");
    auto* self = new headroom_instance{role == HEADROOM_COMPRESSOR, {}};
    self->previous.resize(channels.get<std::size_t>());
    for (auto& packet : self->previous) packet.reserve(kLargestPacket);  // so that no packet allocates
    return self;
  } catch (const std::exception& reason) {
    std::snprintf(error, error_capacity, "the configuration cannot be used: %s", reason.what());
    return nullptr;
  }
}

void destroy(headroom_instance* self) { delete self; }

headroom_status process(headroom_instance& self, headroom_packet& p, headroom_detail& detail) {
  if (p.channel >= self.previous.size()) return HEADROOM_ERR_CHANNEL;
  if (p.in_length == 0 || p.in_length > kLargestPacket) return HEADROOM_ERR_MALFORMED;
  auto& previous = self.previous[p.channel];
  const std::size_t type_octet = self.compressor ? 0 : 1;  // a link packet starts with one
  const bool same = self.compressor ? p.in_length == previous.size() && !std::memcmp(p.in, previous.data(), p.in_length)
                                    : p.in[0] == 1;
  if (!self.compressor && (p.in[0] > 1 || same != (p.in_length == 1))) return HEADROOM_ERR_MALFORMED;
  if (!self.compressor && same && previous.empty()) return HEADROOM_ERR_NO_CONTEXT;
  const std::size_t plain = same ? previous.size() : p.in_length - type_octet;
  const std::size_t length = !self.compressor ? plain : same ? 1 : plain + 1;
  if (length > p.out_capacity) return HEADROOM_ERR_NO_SPACE;
  if (!same) previous.assign(p.in + type_octet, p.in + p.in_length);
  if (self.compressor) p.out[0] = same ? 1 : 0;
  if (!self.compressor || !same) std::memcpy(p.out + 1 - type_octet, previous.data(), plain);
  p.out_length = static_cast<std::uint32_t>(length);
  detail.packet_type = same ? 1 : 0;
  return HEADROOM_OK;
}

void process_all(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t,
                 headroom_detail* details) {
  for (std::size_t i = 0; i < count; ++i) {
    headroom_detail detail = {0, 0xFFFF, 0xFFFF, 0xFFFF, 255, 255, 255, 0, 0};  // 255, 0xFFFF: not known
    packets[i].out_length = 0;
    packets[i].status = process(*self, packets[i], detail);
    if (details != nullptr) details[i] = detail;
  }
}

std::size_t statistics(const headroom_instance* self, char* json, std::size_t capacity) {
  const std::size_t contexts = self->previous.size();
  return write_text(nlohmann::json({{"memory_bytes", contexts * kLargestPacket}, {"contexts", contexts}}).dump(), json,
                    capacity);
}

// clang-format off
constexpr headroom_api kApi = {HEADROOM_ABI_VERSION, sizeof(headroom_api), describe, create, destroy, process_all,
                               process_all, nullptr, nullptr, nullptr, nullptr, statistics, nullptr};
// clang-format on

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
