// SPDX-License-Identifier: Apache-2.0
//
// The calling conventions of headroom.h for adapters in C++ that like it: JSON out, a sentence where an instance cannot
// be made, a burst packet by packet. Each template stands in the table of functions in its place:
//
//   constexpr headroom_api kApi = {…, headroom::describe<description>, headroom::create<make>, …};
#pragma once

#include <cstring>
#include <exception>
#include <initializer_list>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "cxx/settings.h"
#include "headroom.h"

namespace headroom {

// Instance is the base class of `headroom_instance`: the templates below use its fields.
struct Instance {
  std::int32_t role;
  std::uint32_t channels;
};

// AmpleInstance is the base class for a library that writes beyond the end of a buffer with less room than the ABI
// promises. Such a call gets `room` in place of the caller's buffer.
struct AmpleInstance : Instance {
  std::vector<std::uint8_t> room{};
};

inline void put_error(const std::string& sentence, char* error, std::size_t capacity) noexcept {
  if (error == nullptr || capacity == 0) return;
  const std::size_t length = std::min(sentence.size(), capacity - 1);
  std::memcpy(error, sentence.data(), length);
  error[length] = 0;
}

// Writes the JSON of document() to `room` if it fits, as `describe` and `statistics` do. Returns its length, or 0 if
// there is no memory for it.
template <typename Document>
std::size_t put_json(char* room, std::size_t capacity, Document document) noexcept try {
  const std::string text = nlohmann::json(document()).dump();
  if (text.size() < capacity) std::memcpy(room, text.c_str(), text.size() + 1);
  return text.size();
} catch (...) {
  return 0;
}

// json document()
template <auto document>
std::size_t describe(char* room, std::size_t capacity) noexcept {
  return put_json(room, capacity, document);
}

// json document(const headroom_instance&)
template <auto document>
std::size_t statistics(const headroom_instance* self, char* room, std::size_t capacity) noexcept {
  return put_json(room, capacity, [self] { return document(*self); });
}

// The function `create`. headroom_instance* make(std::int32_t role, const json& config) makes the instance, or throws
// an exception with a sentence. The role is compressor or decompressor; with `endpoints` it may also be endpoint, and
// with `user_planes` it may be any of the four roles. `make` checks that the configuration's scheme has the role.
template <auto make, bool endpoints = false, bool user_planes = false>
headroom_instance* create(std::int32_t role, const char* config, char* error, std::size_t capacity) noexcept try {
  require(role == HEADROOM_COMPRESSOR || role == HEADROOM_DECOMPRESSOR || (endpoints && role == HEADROOM_ENDPOINT) ||
              (user_planes && role == HEADROOM_USER_PLANE),
          user_planes ? "the role must be 1 (compressor), 2 (decompressor), 3 (endpoint) or 4 (user plane)"
          : endpoints ? "the role must be 1 (compressor), 2 (decompressor) or 3 (endpoint)"
                      : "the role must be 1 (compressor) or 2 (decompressor)");
  return make(role, nlohmann::json::parse(config == nullptr ? "" : config));
} catch (const nlohmann::json::exception& e) {
  put_error(std::string("the configuration is not valid JSON: ") + e.what(), error, capacity);
  return nullptr;
} catch (const std::bad_alloc&) {
  put_error("there is not enough memory for so many contexts", error, capacity);
  return nullptr;
} catch (const std::exception& e) {
  put_error(e.what(), error, capacity);
  return nullptr;
}

// The detail of a packet of which nothing is known.
inline constexpr headroom_detail kUnknown = {0xFFFFFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 255, 255, 255, 0, 0};

// Calls `one` with the room that the ABI promises: in the instance's own buffer if the caller's buffer is smaller.
// REQUIRES: `self` is an AmpleInstance.
template <auto one>
std::int32_t in_ample_room(auto& self, headroom_packet& p, std::uint64_t now_ns, headroom_detail* detail) {
  const std::uint32_t needed = p.in_length + HEADROOM_EXPANSION;
  if (p.out_capacity >= needed) return one(self, p, now_ns, detail);
  if (self.room.size() < needed) self.room.resize(needed);
  headroom_packet ample = p;
  ample.out = self.room.data();
  ample.out_capacity = needed;
  const std::int32_t status = one(self, ample, now_ns, detail);
  if (ample.out_length > p.out_capacity) return HEADROOM_ERR_NO_SPACE;
  p.out_length = ample.out_length;
  if (p.out_length != 0) std::memcpy(p.out, ample.out, p.out_length);
  return status;
}

// The function `compress` or `decompress`, which `role` chooses, if each packet has one output. std::int32_t
// one(headroom_instance&, headroom_packet&, std::uint64_t now_ns, headroom_detail*) returns the status of a packet that
// has octets and a channel; the detail is nullptr or kUnknown.
template <auto one, std::int32_t role, typename Self = headroom_instance>
std::size_t each(Self* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                 headroom_detail* details) {
  for (std::size_t i = 0; i < count; ++i) {
    headroom_packet& p = packets[i];
    headroom_detail* const detail = details != nullptr ? details + i : nullptr;
    if (detail != nullptr) *detail = kUnknown;
    p.out_length = 0;
    if (self->role != role) {
      p.status = HEADROOM_ERR_UNSUPPORTED;
    } else if (p.channel >= self->channels) {
      p.status = HEADROOM_ERR_CHANNEL;
    } else if (p.in_length == 0) {
      p.status = p.in_type == HEADROOM_TYPE_LOST ? HEADROOM_NOTHING : HEADROOM_ERR_MALFORMED;
    } else if constexpr (std::is_base_of_v<AmpleInstance, Self>) {
      p.status = in_ample_room<one>(*self, p, now_ns, detail);
    } else {
      p.status = one(*self, p, now_ns, detail);
    }
  }
  return count;
}

// The functions of an extension among those that an adapter has, by name; for `extension` of the table.
struct Extension {
  const char* name;
  const void* functions;
};
[[nodiscard]] inline const void* find_extension(std::initializer_list<Extension> extensions, const char* name) {
  for (const Extension& each : extensions) {
    if (std::strcmp(each.name, name) == 0) return each.functions;
  }
  return nullptr;
}

}  // namespace headroom
