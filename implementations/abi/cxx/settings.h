// SPDX-License-Identifier: Apache-2.0
//
// The JSON configuration of an instance (implementations/README.md), read key by key with a sentence for whatever is
// wrong. For adapters in C++ that like it: headroom.h alone suffices to write one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace headroom {

// ConfigError is an error in a configuration. Its sentence names the key and says which values are allowed.
class ConfigError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool holds, const std::string& sentence) {
  if (!holds) throw ConfigError(sentence);
}

// Returns words in quotes, separated by commas, for a sentence.
[[nodiscard]] inline std::string listed(const std::vector<std::string>& words, const char* quote = "\"") {
  std::string list;
  for (const std::string& word : words) list.append(list.empty() ? "" : ", ").append(quote).append(word).append(quote);
  return list;
}

// Settings reads a JSON object. REQUIRES: the JSON value outlives the Settings. Functions throw ConfigError if a value
// is not allowed. Functions with a target do not change it if the key is missing.
class Settings {
 public:
  Settings(const nlohmann::json& value, std::string name) : value_(value), name_(std::move(name)) {
    require(value.is_object(), name_ + " must be an object, not " + value.type_name());
  }

  // The value of `key`, or nullptr.
  [[nodiscard]] const nlohmann::json* find(const char* key) const {
    const auto it = value_.find(key);
    return it == value_.end() ? nullptr : &*it;
  }

  void number(const char* key, std::uint64_t low, std::uint64_t high, auto& target) const {
    const nlohmann::json* v = find(key);
    if (v == nullptr) return;
    const bool natural = v->is_number_unsigned() || (v->is_number_integer() && v->get<std::int64_t>() >= 0);
    require(natural && v->get<std::uint64_t>() >= low && v->get<std::uint64_t>() <= high,
            wrong(key, *v) + "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    target = static_cast<std::remove_reference_t<decltype(target)>>(v->get<std::uint64_t>());
  }

  void boolean(const char* key, bool& target) const {
    const nlohmann::json* v = find(key);
    if (v == nullptr) return;
    require(v->is_boolean(), wrong(key, *v) + "true or false");
    target = v->get<bool>();
  }

  // Returns the position of the key's string in `names`, or `missing` if the key is missing.
  [[nodiscard]] std::size_t choice(const char* key, const std::vector<std::string>& names, std::size_t missing) const {
    const nlohmann::json* v = find(key);
    if (v == nullptr) return missing;
    const auto it = v->is_string() ? std::find(names.begin(), names.end(), v->get<std::string>()) : names.end();
    require(it != names.end(), wrong(key, *v) + "one of " + listed(names));
    return static_cast<std::size_t>(it - names.begin());
  }

  // Returns the key's list of strings, each of which must be in `names`; all of `names` if the key is missing.
  [[nodiscard]] std::vector<std::string> some(const char* key, const std::vector<std::string>& names) const {
    const nlohmann::json* v = find(key);
    if (v == nullptr) return names;
    const auto known = [&](const nlohmann::json& item) {
      return item.is_string() && std::find(names.begin(), names.end(), item.get<std::string>()) != names.end();
    };
    require(v->is_array() && std::all_of(v->begin(), v->end(), known),
            wrong(key, *v) + "a list of some of " + listed(names));
    return v->get<std::vector<std::string>>();
  }

  void only(const std::vector<std::string>& known) const {
    for (const auto& [key, unused] : value_.items()) {
      require(std::find(known.begin(), known.end(), key) != known.end(),
              "unknown key \"" + key + "\" in " + name_ + "; known are: " + listed(known, ""));
    }
  }

  [[nodiscard]] std::string where(const char* key) const {
    std::string words(1, '"');  // not "\"" + …, of which GCC 12 says at -O3 that it overlaps itself
    return words.append(key).append("\" in ").append(name_);
  }

 private:
  [[nodiscard]] std::string wrong(const char* key, const nlohmann::json& value) const {
    const std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return where(key) + " is " + text + ", but must be ";
  }

  const nlohmann::json& value_;
  std::string name_;
};

// Configuration holds the keys that have the same meaning for every implementation.
struct Configuration {
  std::string scheme;
  std::uint32_t channels = 1;
  bool large_cids = false;
  std::uint32_t max_cid = 15;
  std::vector<std::string> profiles;
  std::string mode = "U";
  bool feedback = true;
  std::uint32_t mrru = 0;  // octets
  std::uint64_t seed = 0;
};

// Reads them all. `description` is the adapter's, as `describe` returns it: what it declares is what is accepted. No
// `options` are. Throws ConfigError.
[[nodiscard]] inline Configuration read_configuration(const nlohmann::json& json, const nlohmann::json& description) {
  const Settings s(json, "the configuration");
  std::vector<std::string> schemes;
  for (const nlohmann::json& one : description.at("schemes")) schemes.push_back(one.at("scheme"));
  require(s.find("scheme") != nullptr, "\"scheme\" is missing; it must be one of " + listed(schemes));
  const nlohmann::json& scheme = description["schemes"][s.choice("scheme", schemes, 0)];
  const auto declared = [&](const char* key) { return scheme.value(key, std::vector<std::string>{}); };

  Configuration c;
  c.scheme = scheme["scheme"];
  s.number("channels", 1, scheme.value("max_channels", 1U), c.channels);
  const std::vector<std::string> cids = declared("cids"), modes = declared("modes"), features = declared("features");
  if (!cids.empty()) {
    c.large_cids = cids[s.choice("cids", cids, 0)] == "large";
    s.number("max_cid", 0, c.large_cids ? scheme.value("max_cid", 16383U) : 15U, c.max_cid);
  }
  if (!modes.empty()) c.mode = modes[s.choice("mode", modes, 0)];
  c.profiles = s.some("profiles", declared("profiles"));
  s.boolean("feedback", c.feedback);
  const bool segments = std::find(features.begin(), features.end(), "segmentation") != features.end();
  s.number("mrru", 0, segments || scheme.value("packs", false) ? 0xffff : 0, c.mrru);
  s.number("seed", 0, ~std::uint64_t{0}, c.seed);
  if (const nlohmann::json* options = s.find("options")) Settings(*options, "\"options\"").only({});
  return c;
}

}  // namespace headroom
