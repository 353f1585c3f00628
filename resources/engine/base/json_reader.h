// SPDX-License-Identifier: Apache-2.0
//
// Reading JSON from outside: every value knows where it stands, wrong types, impossible values, unknown
// keys and keys given twice are errors that name the place (JSON pointer, RFC 6901) and say what would be right.
#ifndef HEADROOM_BASE_JSON_READER_H
#define HEADROOM_BASE_JSON_READER_H

#include <cstdint>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/octets.h"

namespace headroom {

using Json = nlohmann::ordered_json;

inline constexpr int kLargestJsonDepth = 64;  // nothing of ours is deeper than a dozen

// Parses a whole document. Throws Error(job) with the line and column of what is wrong.
[[nodiscard]] Json parse_json(std::string_view text);

// One value and its place.
class Value {
 public:
  Value(const Json& json, std::string pointer) : json_(&json), pointer_(std::move(pointer)) {}

  [[nodiscard]] const Json& json() const noexcept { return *json_; }
  [[nodiscard]] const std::string& pointer() const noexcept { return pointer_; }
  [[nodiscard]] bool is_null() const noexcept { return json_->is_null(); }

  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::uint64_t integer(std::uint64_t smallest, std::uint64_t largest) const;
  [[nodiscard]] double number(double smallest, double largest) const;
  [[nodiscard]] double probability() const { return number(0, 1); }
  [[nodiscard]] Octets hex() const;
  // The position of the text in `choices`.
  [[nodiscard]] std::size_t choice(std::span<const std::string_view> choices) const;
  [[nodiscard]] std::size_t choice(std::initializer_list<std::string_view> choices) const {
    return choice(std::span(choices.begin(), choices.size()));
  }
  [[nodiscard]] std::vector<Value> items() const;  // of an array

  [[noreturn]] void fail(const std::string& sentence) const;

 private:
  const Json* json_;
  std::string pointer_;
};

// A JSON object whose keys are read one by one; `finish` then refuses the keys that were not read.
class Object {
 public:
  explicit Object(const Value& value);

  [[nodiscard]] Value required(std::string_view key);
  [[nodiscard]] std::optional<Value> optional(std::string_view key);
  [[nodiscard]] bool has(std::string_view key) const { return json_->contains(key); }

  // With defaults for what is absent.
  [[nodiscard]] bool boolean(std::string_view key, bool otherwise);
  [[nodiscard]] std::uint64_t integer(std::string_view key, std::uint64_t smallest, std::uint64_t largest,
                                      std::uint64_t otherwise);
  [[nodiscard]] double probability(std::string_view key, double otherwise);

  // Throws Error(job) for the first key that was neither required nor optional.
  void finish() const;

  [[noreturn]] void fail(const std::string& sentence) const;
  [[nodiscard]] const std::string& pointer() const noexcept { return pointer_; }

 private:
  [[nodiscard]] std::string below(std::string_view key) const;

  const Json* json_;
  std::string pointer_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace headroom

#endif  // HEADROOM_BASE_JSON_READER_H
