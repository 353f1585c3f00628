// SPDX-License-Identifier: Apache-2.0
//
// The null adapter: copies octets, whatever they are. What a measurement shows with it is the cost of everything but
// the implementation: the engine's loop, the call across the ABI and one copy.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

#include "headroom.h"

struct headroom_instance {
  std::uint32_t channels;
};

namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kMostChannels = 1u << 20;

const std::string& description() {
  static const std::string text = [] {
    const Json names = {{"packet_types", {"copy"}},
                        {"modes", {"U", "O", "R"}},
                        {"compressor_states", Json::array()},
                        {"decompressor_states", Json::array()},
                        {"events", {"none"}}};
    const Json common = {{"roles", {"compressor", "decompressor"}},
                         {"max_channels", kMostChannels},
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
    const Json document = {{"name", "null"},
                           {"version", HEADROOM_VERSION},
                           {"build", HEADROOM_BUILD},
                           {"licence", "Apache-2.0"},
                           {"schemes", {rohc, copy}}};
    return document.dump();
  }();
  return text;
}

std::size_t write_text(const std::string& text, char* json, std::size_t capacity) {
  if (text.size() < capacity) std::memcpy(json, text.c_str(), text.size() + 1);
  return text.size();
}

std::size_t null_describe(char* json, std::size_t capacity) { return write_text(description(), json, capacity); }

// The sentence for what is wrong with `config`; empty, and `instance` filled, when nothing is.
std::string configure(const Json& config, headroom_instance& instance) {
  if (!config.is_object()) return "the configuration must be a JSON object.";
  const Json scheme = config.value("scheme", Json());
  if (scheme != "rohc" && scheme != "copy") return "\"scheme\" must be \"rohc\" or \"copy\".";
  const Json channels = config.value("channels", Json(1u));
  if (!channels.is_number_unsigned() || channels < 1u || channels > kMostChannels) {
    return "\"channels\" must be an integer from 1 to " + std::to_string(kMostChannels) + ".";
  }
  instance.channels = channels.get<std::uint32_t>();
  const Json cids = config.value("cids", Json("small"));
  if (cids != "small" && cids != "large") return "\"cids\" must be \"small\" or \"large\".";
  const unsigned highest = cids == "small" ? 15 : 16383;
  const Json max_cid = config.value("max_cid", Json(15u));
  if (!max_cid.is_number_unsigned() || max_cid > highest) {
    return "\"max_cid\" must be an integer from 0 to " + std::to_string(highest) + " with " + cids.get<std::string>() +
           " CIDs.";
  }
  const Json known = Json::parse(description())["schemes"][0]["profiles"];
  const Json profiles = config.value("profiles", known);
  if (!profiles.is_array()) return "\"profiles\" must be a list of hexadecimal strings.";
  for (const Json& profile : profiles) {
    if (std::find(known.begin(), known.end(), profile) == known.end()) {
      return "the profile " + profile.dump(-1, ' ', true, Json::error_handler_t::replace) +
             " is none that describe lists.";
    }
  }
  const Json mode = config.value("mode", Json("U"));
  if (mode != "U" && mode != "O" && mode != "R") return "\"mode\" must be \"U\", \"O\" or \"R\".";
  if (!config.value("feedback", Json(true)).is_boolean()) return "\"feedback\" must be true or false.";
  if (!config.value("mrru", Json(0u)).is_number_unsigned()) return "\"mrru\" must be a number of octets.";
  if (!config.value("seed", Json(0u)).is_number_unsigned()) return "\"seed\" must be an integer that is not negative.";
  const Json options = config.value("options", Json::object());
  if (!options.is_object() || !options.empty())
    return "\"options\" must be an empty object: there is nothing to choose here.";
  return {};
}

headroom_instance* null_create(std::int32_t role, const char* config_json, char* error, std::size_t error_capacity) {
  headroom_instance configured{};
  std::string sentence;
  try {
    if (role != HEADROOM_COMPRESSOR && role != HEADROOM_DECOMPRESSOR) {
      sentence = "the role must be 1 (compressor) or 2 (decompressor).";
    } else {
      sentence = configure(Json::parse(config_json), configured);
    }
    if (sentence.empty()) return new headroom_instance(configured);
  } catch (const std::exception& reason) {
    sentence = std::string("the configuration cannot be read: ") + reason.what();
  }
  if (error != nullptr && error_capacity > 0) std::snprintf(error, error_capacity, "%s", sentence.c_str());
  return nullptr;
}

void null_destroy(headroom_instance* self) { delete self; }

void null_copy(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t,
               headroom_detail* details) {
  for (std::size_t i = 0; i < count; ++i) {
    headroom_packet& packet = packets[i];
    packet.out_length = 0;
    if (packet.channel >= self->channels) {
      packet.status = HEADROOM_ERR_CHANNEL;
    } else if (packet.in_length == 0) {
      packet.status = HEADROOM_ERR_MALFORMED;
    } else if (packet.in_length > packet.out_capacity) {
      packet.status = HEADROOM_ERR_NO_SPACE;
    } else {
      std::memcpy(packet.out, packet.in, packet.in_length);
      packet.out_length = packet.in_length;
      packet.status = HEADROOM_OK;
    }
    if (details != nullptr) details[i] = {0xFFFFFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0, 255, 255, 0, 0};
  }
}

std::size_t null_statistics(const headroom_instance*, char* json, std::size_t capacity) {
  return write_text("{\"memory_bytes\": " + std::to_string(sizeof(headroom_instance)) + ", \"contexts\": 0}", json,
                    capacity);
}

constexpr headroom_api kApi = {
    .abi_version = HEADROOM_ABI_VERSION,
    .struct_size = sizeof(headroom_api),
    .describe = null_describe,
    .create = null_create,
    .destroy = null_destroy,
    .compress = null_copy,
    .decompress = null_copy,
    .take_feedback = nullptr,
    .take_received_feedback = nullptr,
    .give_feedback = nullptr,
    .piggyback = nullptr,
    .statistics = null_statistics,
    .control = nullptr,
};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
