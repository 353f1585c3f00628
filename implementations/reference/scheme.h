// SPDX-License-Identifier: Apache-2.0
//
// The interface between the adapter and a scheme. Each folder with a CMakeLists.txt is a scheme: the folder builds a
// library reference_<folder>, which defines headroom::<folder>::reference_scheme(). Code outside the folder never names
// the scheme.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "cxx/settings.h"
#include "headroom.h"
#include "headroom_messages.h"
#include "headroom_user_plane.h"

// A compressor, decompressor, endpoint or user plane of a scheme, with the functions of headroom.h and of its
// extensions. The functions that a scheme does not override behave as the ABI requires of an instance that does not
// support them.
struct headroom_instance {
  headroom_instance() = default;
  headroom_instance(const headroom_instance&) = delete;
  headroom_instance& operator=(const headroom_instance&) = delete;
  virtual ~headroom_instance() = default;

  virtual std::size_t compress(headroom_packet* packets, std::size_t count, std::uint64_t, headroom_detail*) {
    return refuse(packets, count);
  }
  virtual std::size_t decompress(headroom_packet* packets, std::size_t count, std::uint64_t, headroom_detail*) {
    return refuse(packets, count);
  }
  virtual std::size_t drain(headroom_packet*, std::size_t, std::uint64_t, headroom_detail*) { return 0; }
  [[nodiscard]] virtual std::uint64_t next_deadline() const { return HEADROOM_NO_DEADLINE; }
  virtual std::size_t take_reverse(headroom_packet*, std::size_t) { return 0; }
  virtual std::size_t give_reverse(headroom_packet* packets, std::size_t count, std::uint64_t) {
    return refuse(packets, count);
  }
  [[nodiscard]] virtual nlohmann::json statistics() const = 0;
  // Throws an exception with one sentence if the message is not understood.
  virtual void control(const nlohmann::json& message) = 0;

  // Sessions and messages (headroom_sessions.h, headroom_messages.h). On failure `open` throws an exception with one
  // sentence.
  virtual void open(std::uint32_t, const nlohmann::json&) {
    throw headroom::ConfigError("only endpoints have compartments");
  }
  virtual bool close(std::uint32_t) { return false; }
  virtual bool accept(std::uint32_t) { return false; }
  [[nodiscard]] virtual headroom_message_detail message_detail() const { return {}; }

  // User planes (headroom_user_plane.h). On failure `add_worker` throws an exception with one sentence.
  virtual headroom_instance* add_worker() { throw headroom::ConfigError("only user planes have workers"); }
  virtual void forward(headroom_user_packet* packets, std::size_t count, std::uint64_t) {
    for (std::size_t i = 0; i < count; ++i) packets[i].status = HEADROOM_ERR_UNSUPPORTED;
  }
  virtual std::size_t take(headroom_user_packet*, std::size_t, std::uint64_t) { return 0; }
  virtual void n4(const headroom_n4_message&, std::uint64_t) {}
  virtual bool take_n4(headroom_n4_message&, std::uint64_t) { return false; }
  [[nodiscard]] virtual std::uint64_t n4_deadline() const { return HEADROOM_NO_DEADLINE; }

  // Sends every packet along the general path; used by changed_adapter.h.
  virtual void disable_fast_path() {}

 protected:
  // Refuses each packet of a burst for a role that the instance does not have.
  static std::size_t refuse(headroom_packet* packets, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      packets[i].status = HEADROOM_ERR_UNSUPPORTED;
      packets[i].out_length = 0;
    }
    return count;
  }
};

namespace headroom::reference {

struct Scheme {
  std::string_view name;            // the scheme's name in configurations
  nlohmann::json (*description)();  // the scheme's entry in the output of `describe`
  // Makes an instance; on failure throws an exception with one sentence. The role is one of three, or one of four if
  // `extensions` includes user planes.
  headroom_instance* (*make)(std::int32_t role, const nlohmann::json& config);
  std::span<const std::string_view> extensions{};  // the ABI extensions that the instances implement
  // Answers a request of `ask` (headroom_tools.h); on failure throws an exception with one sentence. nullptr if the
  // scheme has no tools.
  nlohmann::json (*tool_answer)(const nlohmann::json& request) = nullptr;
};

// Returns all schemes of this build in the order of their folders' names.
[[nodiscard]] std::span<const Scheme* const> all_schemes() noexcept;

}  // namespace headroom::reference
