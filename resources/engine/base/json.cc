// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

namespace headroom {
namespace {

// The library's text of a value without children: escapes, numbers in the shortest form that reads back the same.
template <typename T>
std::string scalar_text(const T& value) {
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_pair(const JsonItem& item) {
  return item.value.is_array() && item.value.size() == 2 && item.value.at(std::size_t{0}).is_string();
}

// Takes the first token off a JSON pointer, without its escapes (RFC 6901, 4).
std::string take_token(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::size_t length = std::min(pointer.find('/'), pointer.size());
  std::string token;
  for (std::size_t i = 0; i < length; ++i) {
    const bool is_escape = pointer[i] == '~' && i + 1 < length;
    token += is_escape ? (pointer[++i] == '1' ? '/' : '~') : pointer[i];
  }
  pointer.remove_prefix(length);
  return token;
}

bool is_index(std::string_view token) {
  return !token.empty() && token.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Json::Json() noexcept = default;
Json::Json(std::nullptr_t) noexcept {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;
Json::Json(Value value) noexcept : value_(std::move(value)) {}

Json::Json(JsonItems items) : Json(std::all_of(items.begin(), items.end(), is_pair) ? object(items) : array(items)) {}

Json Json::array() { return Json(Value(Array())); }

Json Json::array(JsonItems items) {
  Array values;
  values.reserve(items.size());
  for (const JsonItem& item : items) values.push_back(std::move(item.value));
  return Json(Value(std::move(values)));
}

Json Json::object() { return Json(Value(Object())); }

Json Json::object(JsonItems items) {
  Json json = object();
  for (const JsonItem& item : items) {
    Array& pair = std::get<Array>(item.value.value_);
    json[pair.at(0).text()] = std::move(pair.at(1));
  }
  return json;
}

Json Json::of_double(double value) { return Json(Value(value)); }
Json Json::of_signed(std::int64_t value) { return Json(Value(value)); }
Json Json::of_unsigned(std::uint64_t value) { return Json(Value(value)); }
Json Json::of_text(std::string_view text) { return Json(Value(std::string(text))); }

bool Json::is_null() const noexcept { return std::holds_alternative<std::nullptr_t>(value_); }
bool Json::is_boolean() const noexcept { return std::holds_alternative<bool>(value_); }
bool Json::is_string() const noexcept { return std::holds_alternative<std::string>(value_); }
bool Json::is_array() const noexcept { return std::holds_alternative<Array>(value_); }
bool Json::is_object() const noexcept { return std::holds_alternative<Object>(value_); }

bool Json::is_number() const noexcept {
  return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<std::uint64_t>(value_) ||
         std::holds_alternative<double>(value_);
}

bool Json::is_number_unsigned() const noexcept {
  const auto* value = std::get_if<std::int64_t>(&value_);
  return std::holds_alternative<std::uint64_t>(value_) || (value != nullptr && *value >= 0);
}

void Json::refuse(const char* expected) const {
  throw std::invalid_argument(std::string("the JSON value is not ") + expected + ": " + dump() + ".");
}

bool Json::truth() const {
  if (!is_boolean()) refuse("true or false");
  return std::get<bool>(value_);
}

const std::string& Json::text() const {
  if (!is_string()) refuse("a text");
  return std::get<std::string>(value_);
}

double Json::number() const {
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*value);
  return static_cast<double>(signed_integer());
}

std::uint64_t Json::unsigned_integer() const {
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return *value;
  return static_cast<std::uint64_t>(signed_integer());
}

std::int64_t Json::signed_integer() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return *value;
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<std::int64_t>(*value);
  if (const auto* value = std::get_if<double>(&value_)) return static_cast<std::int64_t>(*value);
  refuse("a number");
}

const Json::Array* Json::children() const noexcept {
  if (const auto* values = std::get_if<Array>(&value_)) return values;
  if (const auto* object = std::get_if<Object>(&value_)) return &object->values;
  return nullptr;
}

std::size_t Json::size() const noexcept {
  const Array* values = children();
  return values != nullptr ? values->size() : is_null() ? 0 : 1;
}

const Json* Json::begin() const noexcept {
  const Array* values = children();
  return values != nullptr ? values->data() : nullptr;
}

const Json* Json::end() const noexcept {
  const Array* values = children();
  return values != nullptr ? values->data() + values->size() : nullptr;
}

Json* Json::begin() noexcept { return const_cast<Json*>(std::as_const(*this).begin()); }
Json* Json::end() noexcept { return const_cast<Json*>(std::as_const(*this).end()); }

const Json& Json::back() const {
  if (begin() == end()) refuse("an array or object with an item");
  return *(end() - 1);
}

Json& Json::back() { return const_cast<Json&>(std::as_const(*this).back()); }

Json::Members Json::items() const {
  const auto* object = std::get_if<Object>(&value_);
  return {object != nullptr ? &object->keys : nullptr, object != nullptr ? object->values.data() : nullptr};
}

const Json* Json::find(std::string_view key) const noexcept {
  const auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) return end();
  return begin() + (std::find(object->keys.begin(), object->keys.end(), key) - object->keys.begin());
}

Json* Json::find(std::string_view key) noexcept { return const_cast<Json*>(std::as_const(*this).find(key)); }

const Json& Json::at(std::string_view key) const {
  const Json* member = find(key);
  if (member == end()) throw std::out_of_range("the JSON value has no member \"" + std::string(key) + "\".");
  return *member;
}

const Json& Json::at(std::size_t index) const {
  const auto* values = std::get_if<Array>(&value_);
  if (values == nullptr || index >= values->size())
    throw std::out_of_range("the JSON value has no item " + std::to_string(index) + ".");
  return (*values)[index];
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object();
  auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) refuse("an object");
  if (Json* member = find(key); member != end()) return *member;
  object->keys.emplace_back(key);
  return object->values.emplace_back();
}

Json& Json::item(std::size_t index) {
  if (is_null()) value_ = Array();
  auto* values = std::get_if<Array>(&value_);
  if (values == nullptr) refuse("an array");
  if (index >= values->size()) values->resize(index + 1);
  return (*values)[index];
}

const Json* Json::find_pointer(std::string_view pointer) const {
  const Json* json = this;
  while (!pointer.empty()) {
    const std::string token = take_token(pointer);
    if (json->is_array()) {
      if (!is_index(token) || token.size() > 9 || std::stoul(token) >= json->size()) return nullptr;
      json = &json->at(std::stoul(token));
    } else if (const Json* member = json->find(token); member != json->end()) {
      json = member;
    } else {
      return nullptr;
    }
  }
  return json;
}

Json& Json::at_pointer(std::string_view pointer) {
  Json* json = this;
  while (!pointer.empty()) {
    const std::string token = take_token(pointer);
    json = json->is_array() ? &json->item(std::stoul(token)) : &(*json)[token];
  }
  return *json;
}

void Json::push_back(Json value) {
  if (is_null()) value_ = Array();
  auto* values = std::get_if<Array>(&value_);
  if (values == nullptr) refuse("an array");
  values->push_back(std::move(value));
}

void Json::update(const Json& object) {
  for (const auto& [key, value] : object.items()) (*this)[key] = value;
}

void Json::erase(std::string_view key) noexcept {
  const Json* member = find(key);
  if (!is_object() || member == end()) return;
  auto& object = std::get<Object>(value_);
  const std::ptrdiff_t index = member - begin();
  object.keys.erase(object.keys.begin() + index);
  object.values.erase(object.values.begin() + index);
}

void Json::erase_item(std::size_t index) noexcept {
  auto* values = std::get_if<Array>(&value_);
  if (values != nullptr && index < values->size()) values->erase(values->begin() + static_cast<std::ptrdiff_t>(index));
}

std::string Json::dump(int indent) const {
  std::string text;
  write(text, indent, 0);
  return text;
}

void Json::write(std::string& text, int indent, int depth) const {
  const Array* values = children();
  if (values == nullptr) {
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (!std::same_as<T, Array> && !std::same_as<T, Object>) text += scalar_text(value);
        },
        value_);
    return;
  }
  const auto* object = std::get_if<Object>(&value_);
  const auto begin_line = [&](int level) {
    if (indent >= 0 && !values->empty()) text.append(1, '\n').append(static_cast<std::size_t>(indent * level), ' ');
  };
  text += object != nullptr ? '{' : '[';
  for (std::size_t i = 0; i < values->size(); ++i) {
    if (i != 0) text += ',';
    begin_line(depth + 1);
    if (object != nullptr) text += scalar_text(object->keys[i]) + (indent >= 0 ? ": " : ":");
    (*values)[i].write(text, indent, depth + 1);
  }
  begin_line(depth);
  text += object != nullptr ? '}' : ']';
}

bool Json::equals(const Json& other) const {
  if (is_number() && other.is_number()) return compare(other) == std::partial_ordering::equivalent;
  if (value_.index() != other.value_.index()) return false;
  if (const auto* object = std::get_if<Object>(&value_); object != nullptr) {
    if (object->keys != std::get<Object>(other.value_).keys) return false;
  }
  if (children() != nullptr) return std::equal(begin(), end(), other.begin(), other.end());
  return is_string() ? text() == other.text() : is_null() || truth() == other.truth();
}

std::partial_ordering Json::compare(const Json& other) const {
  if (is_string() && other.is_string()) return text() <=> other.text();
  if (!is_number() || !other.is_number()) {
    return equals(other) ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
  }
  if (std::holds_alternative<double>(value_) || std::holds_alternative<double>(other.value_))
    return number() <=> other.number();
  if (is_number_unsigned() && other.is_number_unsigned()) return unsigned_integer() <=> other.unsigned_integer();
  if (is_number_unsigned() != other.is_number_unsigned())
    return is_number_unsigned() ? std::partial_ordering::greater : std::partial_ordering::less;
  return signed_integer() <=> other.signed_integer();
}

std::ostream& operator<<(std::ostream& stream, const Json& json) { return stream << json.dump(); }

}  // namespace headroom
