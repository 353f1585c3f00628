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

#include "headroom.h"

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
      : api_(open(adapter)) {
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
    const bool opened = api_.open_compartment(self_, compartment, settings, text.data(), text.size()) == 1;
    error = text.data();
    return opened;
  }
  bool close(std::uint32_t compartment) { return api_.close_compartment(self_, compartment) == 1; }
  bool accept(std::uint32_t compartment) { return api_.accept(self_, compartment) == 1; }
  Outcome compress(std::uint32_t compartment, const Octets& in, std::uint32_t room = 6000) {
    return run(true, compartment, in, room);
  }
  Outcome decompress(std::uint32_t compartment, const Octets& in, std::uint32_t room = HEADROOM_MESSAGE_MAX) {
    return run(false, compartment, in, room);
  }
  [[nodiscard]] headroom_message_detail detail() const {
    headroom_message_detail d{};
    d.struct_size = sizeof d;
    api_.message_detail(self_, &d);
    return d;
  }
  // What is to be sent to the peer: the compartment of what failed and the NACK; nothing where there is none.
  Outcome nack() {
    Octets room(HEADROOM_FEEDBACK_MAX);
    headroom_feedback f{room.data(), HEADROOM_FEEDBACK_MAX, 0, 0, 0};
    if (api_.take_feedback(self_, &f) == 0) return {-1, {}};
    room.resize(f.length);
    return {static_cast<std::int32_t>(f.channel), room};
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
    headroom_packet packet{in.data(), out.data(), static_cast<std::uint32_t>(in.size()), room, compartment, 0, 0, 0};
    (compress ? api_.compress : api_.decompress)(self_, &packet, 1, 0, nullptr);
    EXPECT_EQ(Octets(out.end() - 16, out.end()), Octets(16, 0xEE)) << "it wrote behind its room";
    return {packet.status, Octets(out.begin(), out.begin() + packet.out_length)};
  }

  const headroom_api& api_;
  headroom_instance* self_ = nullptr;
};

}  // namespace headroom::test
