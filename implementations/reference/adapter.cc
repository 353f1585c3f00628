// SPDX-License-Identifier: Apache-2.0
//
// The reference as an adapter: the C ABI in front, its schemes behind. Exceptions, which only construction, state that
// is created and JSON can raise, end here.
#include <algorithm>
#include <iterator>
#include <new>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cxx/calls.h"
#include "cxx/endpoint.h"
#include "headroom.h"
#include "headroom_user_plane.h"
#include "scheme.h"

namespace {

using headroom::Settings;
using headroom::reference::all_schemes;
using headroom::reference::Scheme;
using nlohmann::json;

json description() {
  json schemes = json::array();
  for (const Scheme* const scheme : all_schemes()) schemes.push_back(scheme->description());
  return {{"name", "reference"},
          {"version", HEADROOM_VERSION},
          {"build", HEADROOM_BUILD},
          {"licence", "Apache-2.0"},
          {"schemes", std::move(schemes)}};
}

std::vector<std::string> names_of(std::span<const Scheme* const> schemes) {
  std::vector<std::string> names;
  for (const Scheme* const scheme : schemes) names.emplace_back(scheme->name);
  return names;
}

bool has_extension(const Scheme& scheme, std::string_view name) {
  return std::ranges::find(scheme.extensions, name) != scheme.extensions.end();
}

headroom_instance* make(std::int32_t role, const json& config) {
  const Settings settings(config, "the configuration");
  const std::vector<std::string> names = names_of(all_schemes());
  headroom::require(settings.find("scheme") != nullptr,
                    "\"scheme\" is missing; it must be one of " + headroom::listed(names));
  const Scheme& scheme = *all_schemes()[settings.choice("scheme", names, 0)];
  headroom::require(role != HEADROOM_USER_PLANE || has_extension(scheme, HEADROOM_USER_PLANE_EXTENSION),
                    "the scheme " + std::string(scheme.name) + " has no user planes (role 4)");
  return scheme.make(role, config);
}

void destroy(headroom_instance* self) { delete self; }

std::size_t compress(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                     headroom_detail* details) {
  return self->compress(packets, count, now_ns, details);
}

std::size_t decompress(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                       headroom_detail* details) {
  return self->decompress(packets, count, now_ns, details);
}

std::size_t drain(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                  headroom_detail* details) {
  return self->drain(packets, count, now_ns, details);
}

std::uint64_t next_deadline(const headroom_instance* self) { return self->next_deadline(); }

std::size_t take_reverse(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t) {
  return self->take_reverse(packets, count);
}

std::size_t give_reverse(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns) {
  return self->give_reverse(packets, count, now_ns);
}

json counters_of(const headroom_instance& self) { return self.statistics(); }

std::int32_t control(headroom_instance* self, const char* message, char* error, std::size_t capacity) {
  try {
    self->control(json::parse(message == nullptr ? "" : message));
    return 1;
  } catch (const std::exception& e) {
    headroom::put_error(e.what(), error, capacity);
  }
  return 0;
}

void open(headroom_instance& self, std::uint32_t session, const json& settings) { self.open(session, settings); }

std::int32_t close_session(headroom_instance* self, std::uint32_t session) { return self->close(session) ? 1 : 0; }

std::int32_t accept(headroom_instance* self, std::uint32_t session) { return self->accept(session) ? 1 : 0; }

void message_detail(const headroom_instance* self, headroom_message_detail* detail) {
  headroom::put_detail(self->message_detail(), detail);
}

headroom_instance* add_worker(headroom_instance* first, char* error, std::size_t capacity) {
  try {
    return first->add_worker();
  } catch (const std::bad_alloc&) {
    headroom::put_error("there is not enough memory for another worker", error, capacity);
  } catch (const std::exception& e) {
    headroom::put_error(e.what(), error, capacity);
  }
  return nullptr;
}

void forward(headroom_instance* self, headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns) {
  try {
    self->forward(packets, count, now_ns);
  } catch (const std::bad_alloc&) {  // a packet that was to be kept; what became of the others is not known
    for (std::size_t i = 0; i < count; ++i) packets[i].status = HEADROOM_ERR_INTERNAL;
  }
}

std::size_t take(headroom_instance* self, headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns) {
  return self->take(packets, count, now_ns);
}

// Without memory a message is lost, as a datagram may be: its sender sends it again.
void n4(headroom_instance* first, const headroom_n4_message* message, std::uint64_t now_ns) {
  try {
    first->n4(*message, now_ns);
  } catch (const std::bad_alloc&) {
    return;
  }
}

std::int32_t take_n4(headroom_instance* first, headroom_n4_message* message, std::uint64_t now_ns) {
  try {
    return first->take_n4(*message, now_ns) ? 1 : 0;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

std::uint64_t n4_deadline(const headroom_instance* first) { return first->n4_deadline(); }

json tool_answer(const json& request) {
  std::vector<const Scheme*> able;
  std::ranges::copy_if(all_schemes(), std::back_inserter(able),
                       [](const Scheme* scheme) { return scheme->tool_answer != nullptr; });
  return able[Settings(request, "the request").choice("scheme", names_of(able), 0)]->tool_answer(request);
}

constexpr auto describe = headroom::describe<description>;
constexpr auto create = headroom::create<make, true, true>;
constexpr auto statistics = headroom::statistics<counters_of>;
constexpr auto open_session = headroom::open_session<open>;

constexpr headroom_sessions kSessions = {
    .struct_size = sizeof(headroom_sessions), .reserved = 0, .open = open_session, .close = close_session};
constexpr headroom_messages kMessages = {
    .struct_size = sizeof(headroom_messages), .reserved = 0, .accept = accept, .detail = message_detail};
constexpr headroom_user_plane kUserPlane = {.struct_size = sizeof(headroom_user_plane),
                                            .reserved = 0,
                                            .add_worker = add_worker,
                                            .forward = forward,
                                            .take = take,
                                            .n4 = n4,
                                            .take_n4 = take_n4,
                                            .n4_deadline = n4_deadline};
constexpr headroom_tools kTools = {
    .struct_size = sizeof(headroom_tools), .reserved = 0, .ask = headroom::ask<tool_answer>};

const void* extension(const char* name) {
  const auto has_it = [name](const Scheme* scheme) { return has_extension(*scheme, name); };
  if (std::ranges::none_of(all_schemes(), has_it)) return nullptr;
  return headroom::find_extension({{HEADROOM_SESSIONS, &kSessions},
                                   {HEADROOM_MESSAGES, &kMessages},
                                   {HEADROOM_USER_PLANE_EXTENSION, &kUserPlane},
                                   {HEADROOM_TOOLS, &kTools}},
                                  name);
}

constexpr headroom_api kApi = {
    .abi_version = HEADROOM_ABI_VERSION,
    .struct_size = sizeof(headroom_api),
    .describe = describe,
    .create = create,
    .destroy = destroy,
    .compress = compress,
    .decompress = decompress,
    .statistics = statistics,
    .drain = drain,
    .next_deadline = next_deadline,
    .take_reverse = take_reverse,
    .give_reverse = give_reverse,
    .control = control,
    .extension = extension,
};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
