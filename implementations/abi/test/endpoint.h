// SPDX-License-Identifier: Apache-2.0
//
// An endpoint of an adapter that a test has opened, for the tests of adapters over libraries of others.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "headroom_messages.h"
#include "headroom_sessions.h"

namespace headroom::test {

using Octets = std::vector<std::uint8_t>;

[[nodiscard]] inline Octets octets(std::string_view text) { return {text.begin(), text.end()}; }

struct Outcome {
  std::int32_t status;
  Octets octets;
};

class Endpoint {
 public:
  Endpoint(const char* adapter, const std::string& config, std::int32_t role = HEADROOM_ENDPOINT)
      : api_(open(adapter)),
        sessions_(*static_cast<const headroom_sessions*>(api_.extension(HEADROOM_SESSIONS))),
        messages_(*static_cast<const headroom_messages*>(api_.extension(HEADROOM_MESSAGES))) {
    std::array<char, 512> text{};
    self_ = api_.create(role, config.c_str(), text.data(), text.size());
    error = text.data();
  }
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  ~Endpoint() {
    if (self_ != nullptr) api_.destroy(self_);
  }

  std::string error;  // of what failed last
  [[nodiscard]] bool made() const { return self_ != nullptr; }

  bool open(std::uint32_t compartment, const char* settings = nullptr) {
    std::array<char, 512> text{};
    const bool opened = sessions_.open(self_, compartment, settings, text.data(), text.size()) == 1;
    error = text.data();
    return opened;
  }
  bool close(std::uint32_t compartment) { return sessions_.close(self_, compartment) == 1; }
  bool accept(std::uint32_t compartment) { return messages_.accept(self_, compartment) == 1; }
  Outcome compress(std::uint32_t compartment, const Octets& in, std::uint32_t room = 6000) {
    return run(true, compartment, in, room);
  }
  Outcome decompress(std::uint32_t compartment, const Octets& in, std::uint32_t room = HEADROOM_MESSAGE_MAX) {
    return run(false, compartment, in, room);
  }
  [[nodiscard]] headroom_message_detail detail() const {
    headroom_message_detail d{};
    d.struct_size = sizeof d;
    messages_.detail(self_, &d);
    return d;
  }
  // The next outcome of what was decompressed last; nothing (status -100) when there is none.
  Outcome drain(std::uint32_t room = HEADROOM_MESSAGE_MAX) {
    Octets out(room + 16, 0xEE);
    headroom_packet packet{};
    packet.out = out.data();
    packet.out_capacity = room;
    if (api_.drain == nullptr || api_.drain(self_, &packet, 1, 0, nullptr) == 0) return {-100, {}};
    return outcome(packet, out);
  }
  // What is to be sent to the peer: the compartment of what failed and the NACK; nothing where there is none.
  Outcome nack() {
    Octets room(HEADROOM_REVERSE_MAX);
    headroom_packet packet{};
    packet.out = room.data();
    packet.out_capacity = HEADROOM_REVERSE_MAX;
    if (api_.take_reverse(self_, &packet, 1, 0) == 0) return {-1, {}};
    EXPECT_EQ(packet.out_type, HEADROOM_REVERSE_FAR);
    room.resize(packet.out_length);
    return {static_cast<std::int32_t>(packet.channel), room};
  }
  [[nodiscard]] std::string statistics() const {
    std::array<char, 512> text{};
    api_.statistics(self_, text.data(), text.size());
    return text.data();
  }

 private:
  static const headroom_api& open(const char* adapter) {
    void* const handle = dlopen(adapter, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw std::runtime_error(dlerror());
    return *reinterpret_cast<const headroom_api* (*)()>(dlsym(handle, "headroom_implementation"))();
  }
  Outcome run(bool compress, std::uint32_t compartment, const Octets& in, std::uint32_t room) {
    Octets out(room + 16, 0xEE);
    headroom_packet packet{};
    packet.in = in.data();
    packet.in_length = static_cast<std::uint32_t>(in.size());
    packet.out = out.data();
    packet.out_capacity = room;
    packet.channel = compartment;
    EXPECT_EQ((compress ? api_.compress : api_.decompress)(self_, &packet, 1, 0, nullptr), 1U);
    return outcome(packet, out);
  }
  static Outcome outcome(const headroom_packet& packet, const Octets& out) {
    EXPECT_EQ(Octets(out.end() - 16, out.end()), Octets(16, 0xEE)) << "it wrote behind its room";
    return {packet.status, Octets(out.begin(), out.begin() + packet.out_length)};
  }

  const headroom_api& api_;
  const headroom_sessions& sessions_;
  const headroom_messages& messages_;
  headroom_instance* self_ = nullptr;
};

}  // namespace headroom::test
