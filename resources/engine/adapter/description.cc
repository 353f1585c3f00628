// SPDX-License-Identifier: Apache-2.0
#include "adapter/description.h"

namespace headroom {
namespace {

constexpr std::size_t kMostWords = 255;  // 255 in a headroom_detail means "not known"

std::vector<std::string> words(const Value& list, std::size_t most) {
  std::vector<std::string> words;
  for (const Value& item : list.items()) words.push_back(item.text());
  if (words.size() > most) list.fail("at most " + std::to_string(most) + " entries fit here.");
  return words;
}

// As `words`, each of them one of `allowed`.
std::vector<std::string> chosen(const Value& list, std::initializer_list<std::string_view> allowed) {
  std::vector<std::string> chosen;
  for (const Value& item : list.items()) chosen.emplace_back(*(allowed.begin() + item.choice(allowed)));
  return chosen;
}

Names parse_names(const Value& value) {
  Object object(value);
  Names names;
  const auto list = [&](const char* key) {
    const std::optional<Value> entry = object.optional(key);
    return entry ? words(*entry, kMostWords) : std::vector<std::string>();
  };
  names.packet_types = list("packet_types");
  names.modes = list("modes");
  names.compressor_states = list("compressor_states");
  names.decompressor_states = list("decompressor_states");
  names.events = list("events");
  return names;
}

SchemeDescription parse_scheme(const Value& value) {
  Object object(value);
  SchemeDescription scheme;
  scheme.scheme = object.required("scheme").text();
  for (const std::string& role :
       chosen(object.required("roles"), {"compressor", "decompressor", "endpoint", "user-plane"})) {
    (role == "compressor"     ? scheme.compressor
     : role == "decompressor" ? scheme.decompressor
     : role == "endpoint"     ? scheme.endpoint
                              : scheme.user_plane) = true;
  }
  if (!scheme.compressor && !scheme.decompressor && !scheme.endpoint && !scheme.user_plane) {
    object.fail("\"roles\" must list compressor, decompressor, both, endpoint, or user-plane.");
  }
  if (const auto v = object.optional("profiles")) scheme.profiles = words(*v, 65536);
  if (const auto v = object.optional("modes")) scheme.modes = words(*v, kMostWords);
  if (const auto v = object.optional("cids")) scheme.cids = chosen(*v, {"small", "large"});
  scheme.max_cid = object.integer("max_cid", 0, 16383, 0);
  scheme.max_channels = object.integer("max_channels", 1, 0xFFFFFFFF, 1);
  if (const auto v = object.optional("feedback")) scheme.feedback = chosen(*v, {"own", "interspersed", "piggybacked"});
  if (const auto v = object.optional("features")) scheme.features = words(*v, kMostWords);
  scheme.packs = object.boolean("packs", false);
  if (const auto v = object.optional("names")) scheme.names = parse_names(*v);
  return scheme;
}

}  // namespace

std::string_view Names::word(const std::vector<std::string>& words, std::uint8_t index) noexcept {
  return index < words.size() ? std::string_view(words[index]) : std::string_view();
}

const SchemeDescription* Description::find(std::string_view scheme) const noexcept {
  for (const SchemeDescription& candidate : schemes) {
    if (candidate.scheme == scheme) return &candidate;
  }
  return nullptr;
}

Description parse_description(const std::string& text) {
  try {
    Description description;
    description.document = parse_json(text);
    Object object(Value(description.document, ""));
    description.name = object.required("name").text();
    description.version = object.required("version").text();
    for (const char* key : {"build", "licence"}) {
      if (const auto value = object.optional(key)) (void)value->text();
    }
    for (const Value& scheme : object.required("schemes").items()) description.schemes.push_back(parse_scheme(scheme));
    if (description.schemes.empty()) object.fail("\"schemes\" is empty; an adapter does at least one.");
    return description;
  } catch (const Error& error) {
    const std::string place = error.where().empty() ? "" : " (at " + error.where() + ")";
    throw Error(ErrorKind::adapter,
                std::string("what the adapter's describe returns is wrong") + place + ": " + error.what());
  }
}

Description describe(const headroom_api& api) {
  return parse_description(
      fetch_text("describe", [&](char* json, std::size_t capacity) { return api.describe(json, capacity); }));
}

Json statistics(const headroom_api& api, const headroom_instance* instance) {
  const std::string text = fetch_text(
      "statistics", [&](char* json, std::size_t capacity) { return api.statistics(instance, json, capacity); });
  try {
    Json document = parse_json(text);
    Object object(Value(document, ""));
    for (const char* key : {"memory_bytes", "contexts"}) (void)object.required(key).integer(0, ~std::uint64_t{0});
    return document;
  } catch (const Error& error) {
    const std::string place = error.where().empty() ? "" : " (at " + error.where() + ")";
    throw Error(ErrorKind::adapter,
                std::string("what the adapter's statistics returns is wrong") + place + ": " + error.what());
  }
}

}  // namespace headroom
