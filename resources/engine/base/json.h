// SPDX-License-Identifier: Apache-2.0
//
// JSON values, for jobs and results. The functions are compiled once, in json.cc, where a library parses: its header of
// templates costs each unit that includes it seconds.
#ifndef HEADROOM_BASE_JSON_H
#define HEADROOM_BASE_JSON_H

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace headroom {

class Json;

namespace json_types {

template <typename T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

template <typename T>
concept Text = std::convertible_to<const T&, std::string_view> && !std::same_as<T, std::nullptr_t>;

// A list or a map of what converts to JSON.
template <typename T>
concept Range = std::ranges::range<const T> && !Text<T> && !std::same_as<T, Json>;

template <typename T>
concept Map = Range<T> && requires {
  typename T::mapped_type;
};

}  // namespace json_types

// JsonItem is an item of an initializer list: `Json job = {{"flows", 2}, {"octets", {1, 2}}}`.
struct JsonItem;
using JsonItems = std::initializer_list<JsonItem>;

// Json is null, a truth value, a number, a text, an array, or an object, whose members keep their order.
class Json {
 public:
  Json() noexcept;
  Json(std::nullptr_t) noexcept;
  // An object if each item is a pair that begins with a text, else an array.
  Json(JsonItems items);
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  template <std::same_as<bool> T>
  Json(T value) : Json(Value(std::in_place_type<bool>, value)) {}
  template <json_types::Number T>
  Json(T value) : Json(of_number(value)) {}
  template <json_types::Text T>
  Json(const T& text) : Json(of_text(std::string_view(text))) {}
  template <json_types::Range T>
  Json(const T& values) : Json(array_or_object<T>()) {
    if constexpr (json_types::Map<T>) {
      for (const auto& [key, value] : values) (*this)[key] = Json(value);
    } else {
      for (const auto& value : values) push_back(Json(value));
    }
  }

  [[nodiscard]] static Json array();
  [[nodiscard]] static Json array(JsonItems items);
  [[nodiscard]] static Json object();
  [[nodiscard]] static Json object(JsonItems items);  // REQUIRES: each is a pair that begins with a text

  [[nodiscard]] bool is_null() const noexcept;
  [[nodiscard]] bool is_boolean() const noexcept;
  [[nodiscard]] bool is_number() const noexcept;
  [[nodiscard]] bool is_number_unsigned() const noexcept;  // an integer that is not negative
  [[nodiscard]] bool is_string() const noexcept;
  [[nodiscard]] bool is_array() const noexcept;
  [[nodiscard]] bool is_object() const noexcept;

  // Returns the value as a T: bool, a number (converted as C++ does), std::string, or a std::vector of these. Throws
  // std::invalid_argument if it is of another type.
  template <typename T>
  [[nodiscard]] T get() const {
    if constexpr (std::same_as<T, Json>) {
      return *this;
    } else if constexpr (std::same_as<T, bool>) {
      return truth();
    } else if constexpr (std::floating_point<T>) {
      return static_cast<T>(number());
    } else if constexpr (std::unsigned_integral<T>) {
      return static_cast<T>(unsigned_integer());
    } else if constexpr (std::signed_integral<T>) {
      return static_cast<T>(signed_integer());
    } else if constexpr (std::same_as<T, std::string>) {
      return text();
    } else {
      T values;
      for (const Json& value : *this) values.push_back(value.get<typename T::value_type>());
      return values;
    }
  }
  [[nodiscard]] const std::string& text() const;

  // Items of an array, or members of an object, without their keys; null has none.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] Json* begin() noexcept;
  [[nodiscard]] Json* end() noexcept;
  [[nodiscard]] const Json* begin() const noexcept;
  [[nodiscard]] const Json* end() const noexcept;
  [[nodiscard]] Json& back();
  [[nodiscard]] const Json& back() const;

  // Members with their keys: `for (const auto& [key, value] : json.items())`.
  class Members;
  [[nodiscard]] Members items() const;

  // Return a member, or `end()`.
  [[nodiscard]] Json* find(std::string_view key) noexcept;
  [[nodiscard]] const Json* find(std::string_view key) const noexcept;
  [[nodiscard]] bool contains(std::string_view key) const noexcept { return find(key) != end(); }
  template <typename T>
  [[nodiscard]] T value(std::string_view key, const T& otherwise) const {
    const Json* member = find(key);
    return member == end() ? otherwise : member->get<T>();
  }
  [[nodiscard]] std::string value(std::string_view key, const char* otherwise) const {
    return value(key, std::string(otherwise));
  }

  // Return a member or an item. Throw std::out_of_range if there is none; but a value that can be changed gains a null
  // there, and null becomes an object or an array.
  [[nodiscard]] Json& operator[](std::string_view key);
  [[nodiscard]] const Json& operator[](std::string_view key) const { return at(key); }
  template <std::integral T>
  [[nodiscard]] Json& operator[](T index) {
    return item(static_cast<std::size_t>(index));
  }
  template <std::integral T>
  [[nodiscard]] const Json& operator[](T index) const {
    return at(static_cast<std::size_t>(index));
  }
  [[nodiscard]] const Json& at(std::string_view key) const;
  [[nodiscard]] const Json& at(std::size_t index) const;

  // Return the value at a JSON pointer (RFC 6901): nullptr without one; or as operator[] does.
  [[nodiscard]] const Json* find_pointer(std::string_view pointer) const;
  [[nodiscard]] Json& at_pointer(std::string_view pointer);

  // Null becomes an array.
  void push_back(Json value);
  template <typename T>
  Json& emplace_back(T&& value) {
    push_back(Json(std::forward<T>(value)));
    return back();
  }
  void update(const Json& object);  // takes over its members
  void erase(std::string_view key) noexcept;
  template <std::integral T>
  void erase(T index) {
    erase_item(static_cast<std::size_t>(index));
  }

  // The text of the document, on one line, or with an indent of so many spaces. What is not UTF-8 is replaced by
  // U+FFFD.
  [[nodiscard]] std::string dump(int indent = -1) const;

  // Numbers are equal by value, whatever their types.
  friend bool operator==(const Json& a, const Json& b) { return a.equals(b); }
  friend std::partial_ordering operator<=>(const Json& a, const Json& b) { return a.compare(b); }
  friend std::ostream& operator<<(std::ostream& stream, const Json& json);

 private:
  struct Object {
    std::vector<std::string> keys;
    std::vector<Json> values;
  };
  using Array = std::vector<Json>;
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object>;

  explicit Json(Value value) noexcept;
  template <json_types::Number T>
  [[nodiscard]] static Json of_number(T value) {
    if constexpr (std::floating_point<T>) {
      return of_double(static_cast<double>(value));
    } else if constexpr (std::is_signed_v<T>) {
      return of_signed(static_cast<std::int64_t>(value));
    } else {
      return of_unsigned(static_cast<std::uint64_t>(value));
    }
  }
  [[nodiscard]] static Json of_double(double value);
  [[nodiscard]] static Json of_signed(std::int64_t value);
  [[nodiscard]] static Json of_unsigned(std::uint64_t value);
  [[nodiscard]] static Json of_text(std::string_view text);
  template <typename T>
  [[nodiscard]] static Json array_or_object() {
    return json_types::Map<T> ? object() : array();
  }

  [[nodiscard]] bool truth() const;
  [[nodiscard]] double number() const;
  [[nodiscard]] std::int64_t signed_integer() const;
  [[nodiscard]] std::uint64_t unsigned_integer() const;
  [[nodiscard]] const Array* children() const noexcept;
  [[nodiscard]] Json& item(std::size_t index);
  void erase_item(std::size_t index) noexcept;
  [[nodiscard]] bool equals(const Json& other) const;
  [[nodiscard]] std::partial_ordering compare(const Json& other) const;
  void write(std::string& text, int indent, int depth) const;
  [[noreturn]] void refuse(const char* expected) const;

  Value value_;
};

struct JsonItem {
  template <typename T>
  requires std::constructible_from<Json, T> JsonItem(T&& given) : value(std::forward<T>(given)) {}
  JsonItem(JsonItems items) : value(items) {}

  mutable Json value;  // the items of an initializer list are const; this one is moved out of it
};

class Json::Members {
 public:
  Members(const std::vector<std::string>* keys, const Json* values) : keys_(keys), values_(values) {}

  class iterator {
   public:
    iterator(const std::string* key, const Json* value) : key_(key), value_(value) {}
    std::pair<const std::string&, const Json&> operator*() const { return {*key_, *value_}; }
    iterator& operator++() {
      ++key_;
      ++value_;
      return *this;
    }
    bool operator==(const iterator& other) const { return value_ == other.value_; }

   private:
    const std::string* key_;
    const Json* value_;
  };

  [[nodiscard]] iterator begin() const { return {keys_ ? keys_->data() : nullptr, values_}; }
  [[nodiscard]] iterator end() const { return {nullptr, keys_ ? values_ + keys_->size() : values_}; }

 private:
  const std::vector<std::string>* keys_;  // nullptr if it is no object
  const Json* values_;
};

}  // namespace headroom

#endif  // HEADROOM_BASE_JSON_H
