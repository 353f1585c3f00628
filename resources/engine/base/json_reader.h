// SPDX-License-Identifier: Apache-2.0
//
// Reads JSON from outside. Every value knows its place; wrong types, impossible values, unknown keys and repeated keys
// are errors that name the place (JSON pointer, RFC 6901) and say what would be right.
#ifndef HEADROOM_BASE_JSON_READER_H
#define HEADROOM_BASE_JSON_READER_H

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/octets.h"

namespace headroom {

inline constexpr int kLargestJsonDepth = 64;  // the engine's own documents have at most a dozen levels

// Parses a whole document. Throws Error(job) with the line and column of the mistake.
[[nodiscard]] Json parse_json(std::string_view text);

// Value is a JSON value and its place in the document.
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
  // Returns the index of the text in `choices`.
  [[nodiscard]] std::size_t choice(std::span<const std::string_view> choices) const;
  [[nodiscard]] std::size_t choice(std::initializer_list<std::string_view> choices) const {
    return choice(std::span(choices.begin(), choices.size()));
  }
  [[nodiscard]] std::vector<Value> items() const;  // items of an array

  [[noreturn]] void fail(const std::string& sentence) const;

 private:
  const Json* json_;
  std::string pointer_;
};

// Object is a JSON object whose keys are read one by one; `finish` then refuses keys that were not read.
class Object {
 public:
  explicit Object(const Value& value);

  [[nodiscard]] Value required(std::string_view key);
  [[nodiscard]] std::optional<Value> optional(std::string_view key);
  [[nodiscard]] bool has(std::string_view key) const { return json_->contains(key); }

  // Functions that return a default for an absent key.
  [[nodiscard]] bool boolean(std::string_view key, bool otherwise);
  [[nodiscard]] std::uint64_t integer(std::string_view key, std::uint64_t smallest, std::uint64_t largest,
                                      std::uint64_t otherwise);
  [[nodiscard]] double probability(std::string_view key, double otherwise);

  // Throws Error(job) for the first key that was read neither as required nor as optional.
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
