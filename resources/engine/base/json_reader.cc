// SPDX-License-Identifier: Apache-2.0
#include "base/json_reader.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/hex.h"

namespace headroom {
namespace {

// Line and column, both from 1, of the octet number `offset` of `text`.
std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = start == std::string_view::npos ? before.size() : before.size() - start - 1;
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(std::max<std::size_t>(column, 1));
}

std::string describe_type(const Json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list";
  if (json.is_string()) {
    const std::string& text = json.text();
    return "\"" + (text.size() > 40 ? text.substr(0, 40) + "…" : text) + "\"";
  }
  return json.dump();
}

std::string number_text(double value) {
  if (std::floor(value) == value && std::abs(value) < 1e15) return std::to_string(static_cast<long long>(value));
  return Json(value).dump();
}

// Builds a document from what the library's parser tells, and refuses what it would accept: keys given twice, and
// depths that would exhaust the stack of a reader.
class Builder {
 public:
  using Library = nlohmann::json;

  explicit Builder(std::string_view text) : text_(text) {}

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(Json(value)); }
  bool number_integer(std::int64_t value) { return add(Json(value)); }
  bool number_unsigned(std::uint64_t value) { return add(Json(value)); }
  bool number_float(double value, const std::string&) { return add(Json(value)); }
  bool string(std::string& value) { return add(Json(value)); }
  bool binary(Library::binary_t&) { return false; }  // of other formats than JSON's text
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return leave(); }
  bool end_array() { return leave(); }

  bool key(std::string& key) {
    check_depth();
    if (!keys_.back().insert(key).second)
      throw Error(ErrorKind::job, "the key \"" + key + "\" is given twice in one object; keep one of them.");
    key_ = key;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Library::exception& error) {
    std::string reason = error.what();
    const auto* mistake = dynamic_cast<const Library::parse_error*>(&error);
    if (mistake == nullptr)  // such as a number beyond what a double holds
      throw Error(ErrorKind::job, "the text is not JSON that can be used: " + reason + ".");
    if (const std::size_t colon = reason.rfind("; "); colon != std::string::npos) reason = reason.substr(colon + 2);
    throw Error(ErrorKind::job,
                "the text is not JSON, see " + line_and_column(text_, mistake->byte) + ": " + reason + ".");
  }

  [[nodiscard]] Json document() { return std::move(document_); }

 private:
  void check_depth() const {
    if (open_.size() > static_cast<std::size_t>(kLargestJsonDepth)) {
      throw Error(ErrorKind::job, "the document is nested more than " + std::to_string(kLargestJsonDepth) +
                                      " levels deep, which nothing here needs.");
    }
  }

  // Returns the place of a new value. No value moves while it is open: only the innermost one grows.
  Json& put(Json value) {
    check_depth();
    if (open_.empty()) return document_ = std::move(value);
    Json& around = *open_.back();
    if (around.is_array()) {
      around.push_back(std::move(value));
      return around.back();
    }
    return around[key_] = std::move(value);
  }

  bool add(Json value) {
    put(std::move(value));
    return true;
  }

  bool open(Json value) {
    open_.push_back(&put(std::move(value)));
    keys_.emplace_back();
    return true;
  }

  bool leave() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  std::string_view text_;
  Json document_;
  std::vector<Json*> open_;                  // objects and arrays that are not complete, the innermost one last
  std::vector<std::set<std::string>> keys_;  // of each of them, as far as they have come
  std::string key_;                          // of the next value
};

}  // namespace

Json parse_json(std::string_view text) {
  Builder builder(text);
  nlohmann::json::sax_parse(text, &builder);
  return builder.document();
}

void Value::fail(const std::string& sentence) const { throw Error(ErrorKind::job, sentence, pointer_); }

bool Value::boolean() const {
  if (!json_->is_boolean()) fail("true or false is expected here, not " + describe_type(*json_) + ".");
  return json_->get<bool>();
}

std::string Value::text() const {
  if (!json_->is_string()) fail("a text is expected here, not " + describe_type(*json_) + ".");
  return json_->get<std::string>();
}

std::uint64_t Value::integer(std::uint64_t smallest, std::uint64_t largest) const {
  const std::string expected =
      "an integer from " + std::to_string(smallest) + " to " + std::to_string(largest) + " is expected here, not ";
  if (!json_->is_number_unsigned()) fail(expected + describe_type(*json_) + ".");
  const auto value = json_->get<std::uint64_t>();
  if (value < smallest || value > largest) fail(expected + std::to_string(value) + ".");
  return value;
}

double Value::number(double smallest, double largest) const {
  const std::string expected =
      "a number from " + number_text(smallest) + " to " + number_text(largest) + " is expected here, not ";
  if (!json_->is_number()) fail(expected + describe_type(*json_) + ".");
  const double value = json_->get<double>();
  if (!(value >= smallest && value <= largest)) fail(expected + describe_type(*json_) + ".");
  return value;
}

Octets Value::hex() const {
  std::optional<Octets> octets = from_hex(text());
  if (!octets) fail("octets are written as an even number of hexadecimal digits; this text is something else.");
  return std::move(*octets);
}

std::size_t Value::choice(std::span<const std::string_view> choices) const {
  std::string list;
  if (json_->is_string()) {
    const auto& text = json_->text();
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (choices[i] == text) return i;
    }
  }
  for (const std::string_view choice : choices) list += (list.empty() ? "\"" : ", \"") + std::string(choice) + "\"";
  fail("one of " + list + " is expected here, not " + describe_type(*json_) + ".");
}

std::vector<Value> Value::items() const {
  if (!json_->is_array()) fail("a list is expected here, not " + describe_type(*json_) + ".");
  std::vector<Value> items;
  items.reserve(json_->size());
  for (std::size_t i = 0; i < json_->size(); ++i) items.emplace_back((*json_)[i], pointer_ + "/" + std::to_string(i));
  return items;
}

Object::Object(const Value& value) : json_(&value.json()), pointer_(value.pointer()) {
  if (!json_->is_object()) value.fail("an object is expected here, not " + describe_type(*json_) + ".");
}

std::string Object::below(std::string_view key) const {
  std::string escaped;
  for (const char c : key) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return pointer_ + "/" + escaped;
}

Value Object::required(std::string_view key) {
  std::optional<Value> value = optional(key);
  if (!value) fail("the key \"" + std::string(key) + "\" is missing here.");
  return *value;
}

std::optional<Value> Object::optional(std::string_view key) {
  asked_.emplace(key);
  const Json* member = json_->find(key);
  if (member == json_->end()) return std::nullopt;
  return Value(*member, below(key));
}

bool Object::boolean(std::string_view key, bool otherwise) {
  const std::optional<Value> value = optional(key);
  return value ? value->boolean() : otherwise;
}

std::uint64_t Object::integer(std::string_view key, std::uint64_t smallest, std::uint64_t largest,
                              std::uint64_t otherwise) {
  const std::optional<Value> value = optional(key);
  return value ? value->integer(smallest, largest) : otherwise;
}

double Object::probability(std::string_view key, double otherwise) {
  const std::optional<Value> value = optional(key);
  return value ? value->probability() : otherwise;
}

void Object::finish() const {
  for (const auto& [key, value] : json_->items()) {
    if (asked_.contains(key)) continue;
    std::string known;
    for (const std::string& name : asked_) known += (known.empty() ? "" : ", ") + name;
    throw Error(ErrorKind::job, "the key \"" + key + "\" is unknown here; known are: " + known + ".", below(key));
  }
}

void Object::fail(const std::string& sentence) const { throw Error(ErrorKind::job, sentence, pointer_); }

}  // namespace headroom
