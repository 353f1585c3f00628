// SPDX-License-Identifier: Apache-2.0
//
// An adapter that wraps the ordinary adapter, for builds in which an instance can be created with a change: a mutant
// (mutant_adapter.cc), or habits and a proxy (double_adapter.cc). Each call into an instance runs within the scope of
// the change of that instance. The ordinary adapter knows nothing of changes.
//
// An instance with a change does not use the fast paths, because changes exist on the general path alone. The unit
// tests show that the fast paths equal the general path.
#pragma once

#define headroom_implementation headroom_ordinary_implementation
#include "adapter.cc"
#undef headroom_implementation

namespace headroom {

// A change of instances, copied into each instance. A Change class has
//   static Change take(nlohmann::json& options)   removes the change's key from "options"; throws ConfigError
//   explicit operator bool() const                true if the Change has an effect
//   Scope                                         made of a Change; activates the change while it exists
//   wrap(instance, config)                        optional: returns the instance, or another instance in front of it
template <typename Change>
struct ChangedAdapter {
  struct Instance {
    headroom_instance* ordinary;
    Change change;
  };

  static const Instance& of(const headroom_instance* self) noexcept { return *reinterpret_cast<const Instance*>(self); }

  static headroom_instance* create(std::int32_t role, const char* config, char* error, std::size_t capacity) {
    try {
      std::string text = config == nullptr ? "" : config;
      Change change;
      auto parsed =
          nlohmann::json::parse(text, nullptr, false);  // the ordinary adapter itself refuses text that is not JSON
      if (parsed.is_object() && parsed.contains("options") && parsed["options"].is_object()) {
        change = Change::take(parsed["options"]);
        if (change) text = parsed.dump();
      }
      const typename Change::Scope scope(change);
      headroom_instance* ordinary = ::create(role, text.c_str(), error, capacity);
      if (ordinary == nullptr) return nullptr;
      if constexpr (requires { change.wrap(ordinary, parsed); }) ordinary = change.wrap(ordinary, parsed);
      if (change) ordinary->disable_fast_path();
      return reinterpret_cast<headroom_instance*>(new Instance{ordinary, change});
    } catch (const std::exception& e) {
      put_error(e.what(), error, capacity);
    }
    return nullptr;
  }

  static void destroy(headroom_instance* self) {
    if (self == nullptr) return;
    ::destroy(of(self).ordinary);
    delete reinterpret_cast<Instance*>(self);
  }

  // Calls the ordinary adapter's function within the scope of the instance's change.
  template <auto kFunction, typename Self, typename... Arguments>
  static auto call(Self* self, Arguments... arguments) {
    const typename Change::Scope scope(of(self).change);
    return kFunction(of(self).ordinary, arguments...);
  }

  static constexpr headroom_sessions kSessions = {.struct_size = sizeof(headroom_sessions),
                                                  .reserved = 0,
                                                  .open = call<::open_session>,
                                                  .close = call<::close_session>};
  static constexpr headroom_messages kMessages = {.struct_size = sizeof(headroom_messages),
                                                  .reserved = 0,
                                                  .accept = call<::accept>,
                                                  .detail = call<::message_detail>};

  // Adds a worker to a user plane. The worker has the same change as the first instance.
  static headroom_instance* add_worker(headroom_instance* first, char* error, std::size_t capacity) {
    const Change& change = of(first).change;
    const typename Change::Scope scope(change);
    headroom_instance* const worker = ::add_worker(of(first).ordinary, error, capacity);
    if (worker == nullptr) return nullptr;
    if (change) worker->disable_fast_path();
    return reinterpret_cast<headroom_instance*>(new Instance{worker, change});
  }
  static constexpr headroom_user_plane kUserPlane = {.struct_size = sizeof(headroom_user_plane),
                                                     .reserved = 0,
                                                     .add_worker = add_worker,
                                                     .forward = call<::forward>,
                                                     .take = call<::take>,
                                                     .n4 = call<::n4>,
                                                     .take_n4 = call<::take_n4>,
                                                     .n4_deadline = call<::n4_deadline>};

  static const void* extension(const char* name) {
    if (::extension(name) == nullptr) return nullptr;
    return find_extension({{HEADROOM_SESSIONS, &kSessions},
                           {HEADROOM_MESSAGES, &kMessages},
                           {HEADROOM_USER_PLANE_EXTENSION, &kUserPlane},
                           {HEADROOM_TOOLS, &::kTools}},
                          name);
  }

  static constexpr headroom_api kApi = {
      .abi_version = HEADROOM_ABI_VERSION,
      .struct_size = sizeof(headroom_api),
      .describe = ::describe,
      .create = create,
      .destroy = destroy,
      .compress = call<::compress>,
      .decompress = call<::decompress>,
      .statistics = call<::statistics>,
      .drain = call<::drain>,
      .next_deadline = call<::next_deadline>,
      .take_reverse = call<::take_reverse>,
      .give_reverse = call<::give_reverse>,
      .control = call<::control>,
      .extension = extension,
  };
};

}  // namespace headroom
