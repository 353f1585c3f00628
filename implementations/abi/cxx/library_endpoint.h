// SPDX-License-Identifier: Apache-2.0
//
// The common part of adapters over an external SigComp library that has one algorithm, one mechanism and named
// compartments: its configuration, the settings of compartments, the details of the message handled last, and the
// tables of functions.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cxx/endpoint.h"
#include "cxx/reverse_queue.h"
#include "cxx/sigcomp_message.h"
#include "headroom_messages.h"

namespace headroom {

// LibraryEndpoint is the base class of `headroom_instance` in an adapter of a library.
struct LibraryEndpoint : Instance {
  EndpointConfiguration config{};
  headroom_message_detail last = read_message({});
  ReverseQueue<128> nacks{};
  std::vector<std::uint8_t> room = std::vector<std::uint8_t>(HEADROOM_MESSAGE_MAX);

  // Returns a buffer with room for the longest message, for a library that does not check the room: the packet's own
  // buffer if it is large enough, else `room`.
  [[nodiscard]] std::uint8_t* output_for(const headroom_packet& p) {
    return p.out_capacity >= HEADROOM_MESSAGE_MAX ? p.out : room.data();
  }
};

// Returns an instance with its configuration. `description` is the adapter's description. The only options are
// "algorithm" and "mechanism", with the values that the description lists. Throws ConfigError.
template <typename Self>
std::unique_ptr<Self> make_library_endpoint(std::int32_t role, const nlohmann::json& settings,
                                            const nlohmann::json& description) {
  require(settings.is_object() && settings.value("scheme", "") == "sigcomp", R"("scheme" must be "sigcomp")");
  require(role == HEADROOM_ENDPOINT, "the role must be 3 (endpoint)");
  const nlohmann::json& scheme = description["schemes"][0];
  auto self = std::make_unique<Self>();
  self->role = role;
  self->config = read_endpoint_configuration(settings, scheme);
  if (const auto options = settings.find("options"); options != settings.end()) {
    const Settings s(*options, "\"options\"");
    s.only({"algorithm", "mechanism"});
    for (const char* key : {"algorithm", "mechanism"}) (void)s.choice(key, scheme["choices"][key], 0);
  }
  return self;
}

// Throws ConfigError unless the compartment `compartment` may be opened: it is not among the open ones, fewer than
// `most` are open, and `settings` has no key, because `library` (a name for sentences) has one setting for all
// compartments.
template <typename Compartments>
void require_new_compartment(const Compartments& open, std::uint32_t most, std::uint32_t compartment,
                             const nlohmann::json& settings, const std::string& library) {
  require(!open.contains(compartment), "there is a compartment " + std::to_string(compartment) + " already");
  require(open.size() < most, "there are as many compartments as were configured");
  Settings(settings, "the settings of the compartment").only({"state_memory_size", "peer", "options"});
  for (const char* key : {"state_memory_size", "peer", "options"})
    require(!settings.contains(key), library + " cannot have another \"" + key + "\" for one compartment");
}

// Returns the status of a message that a library did not decompress, without a reason. A NACK, or a message that looks
// like one, gives no output; any other message is a failure.
[[nodiscard]] inline std::int32_t not_decompressed(LibraryEndpoint& self) {
  const auto kind = self.last.kind;
  if (kind == HEADROOM_MESSAGE_NACK || kind == HEADROOM_MESSAGE_IGNORED) return HEADROOM_NOTHING;
  self.last.kind = HEADROOM_MESSAGE_FAILED;
  return HEADROOM_ERR_DECOMPRESSION;
}

// Records that the message was accepted for a compartment.
inline void note_accepted(LibraryEndpoint& self, std::uint32_t compartment) {
  self.last.flags |= HEADROOM_MESSAGE_ACCEPTED;
  self.last.compartment = compartment;
}

// LibraryEndpointTables makes the ABI's tables from these functions: nlohmann::json description(); headroom_instance*
// make(role, settings); std::int32_t compress(self, packet, now), and decompress with the same parameters; void
// open(self, compartment, settings); close and accept as the ABI's headers declare them; for streams, waits and next as
// in each_message() and drain(). The memory that such a library uses is not known.
template <auto description, auto make, auto compress, auto decompress, auto open, auto close, auto accept,
          auto waits = nullptr, auto next = nullptr, typename Self = headroom_instance>
struct LibraryEndpointTables {
  static constexpr headroom_sessions kSessions = {
      .struct_size = sizeof(headroom_sessions), .reserved = 0, .open = open_session<open>, .close = close};
  static constexpr headroom_messages kMessages = {
      .struct_size = sizeof(headroom_messages),
      .reserved = 0,
      .accept = accept,
      .detail = [](const Self* self, headroom_message_detail* d) { put_detail(self->last, d); }};

  static nlohmann::json statistics_of(const Self& self) {
    return {{"memory_bytes", 0}, {"contexts", self.compartments.size()}};
  }
  static constexpr auto drain_or_none() -> decltype(headroom_api::drain) {
    if constexpr (next == nullptr) {
      return nullptr;
    } else {
      return headroom::drain<next>;
    }
  }

  static constexpr headroom_api kApi = {
      .abi_version = HEADROOM_ABI_VERSION,
      .struct_size = sizeof(headroom_api),
      .describe = describe<description>,
      .create = create<make, true>,
      .destroy = [](Self* self) { delete self; },
      .compress = each_message<compress>,
      .decompress = each_message<decompress, waits>,
      .statistics = statistics<statistics_of>,
      .drain = drain_or_none(),
      .take_reverse = [](Self* self, headroom_packet* packets, std::size_t count,
                         std::uint64_t) { return self->nacks.take(packets, count, HEADROOM_REVERSE_FAR); },
      .extension =
          [](const char* name) {
            return find_extension({{HEADROOM_SESSIONS, &kSessions}, {HEADROOM_MESSAGES, &kMessages}}, name);
          }};
};

}  // namespace headroom
