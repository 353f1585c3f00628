// SPDX-License-Identifier: Apache-2.0
//
// A test fixture that speaks on every feedback path. A link packet is any number of feedback elements (F1 and an
// octet), then, unless it is feedback alone, an octet 00 and the packet. The decompressor has something to say after
// every fifth packet. Modes and states move, so that transitions can be seen: the compressor goes from IR to SO with
// its third packet, and control sets the mode.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "headroom.h"

struct headroom_instance {
  std::uint64_t packets = 0;
  std::uint64_t given = 0;
  std::uint64_t last_now_ns = 0;
  std::uint8_t mode = 0;
  bool time_went_back = false;
  bool slow = false;
  std::deque<std::uint8_t> to_send;  // octets behind F1, of feedback to piggyback or to take
  std::deque<std::uint8_t> received;
};

namespace {

constexpr std::size_t kMostWaiting = 4;  // elements to piggyback

std::size_t write_text(const std::string& text, char* json, std::size_t capacity) {
  if (text.size() < capacity) std::memcpy(json, text.c_str(), text.size() + 1);
  return text.size();
}

std::size_t describe(char* json, std::size_t capacity) {
  return write_text(
      R"({"name": "talker", "version": "1", "schemes": [{"scheme": "rohc", "roles": ["compressor", "decompressor"],
    "max_channels": 4, "feedback": ["own", "interspersed", "piggybacked"],
    "names": {"packet_types": ["IR", "SMALL"], "modes": ["U", "O"], "compressor_states": ["IR", "SO"],
              "decompressor_states": ["NC", "FC"], "events": ["none", "spoke"]}}]})",
      json, capacity);
}

headroom_instance* create(std::int32_t, const char* config, char*, std::size_t) {
  auto* const self = new headroom_instance;
  self->slow = std::strstr(config, "\"slow\"") != nullptr;
  return self;
}

void destroy(headroom_instance* self) { delete self; }

std::size_t compress(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                     headroom_detail* details) {
  if (now_ns < self->last_now_ns) self->time_went_back = true;
  self->last_now_ns = now_ns;
  for (std::size_t i = 0; i < count; ++i) {
    headroom_packet& packet = packets[i];
    const auto length = static_cast<std::uint32_t>(2 * self->to_send.size() + 1 + packet.in_length);
    packet.out_length = 0;
    packet.status = HEADROOM_ERR_NO_SPACE;
    if (length > packet.out_capacity) continue;
    std::uint8_t* out = packet.out;
    for (const std::uint8_t octet : self->to_send) {
      *out++ = 0xF1;
      *out++ = octet;
    }
    self->to_send.clear();
    *out++ = 0;
    std::memcpy(out, packet.in, packet.in_length);
    packet.out_length = length;
    packet.status = HEADROOM_OK;
    const std::uint8_t state = self->packets++ < 2 ? 0 : 1;
    if (details != nullptr) details[i] = {7, 1, 0, 1, state, self->mode, state, 0, 0};
  }
  return count;
}

std::size_t decompress(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                       headroom_detail* details) {
  if (now_ns < self->last_now_ns) self->time_went_back = true;
  self->last_now_ns = now_ns;
  for (std::size_t i = 0; i < count; ++i) {
    headroom_packet& packet = packets[i];
    std::uint32_t at = 0;
    packet.out_length = 0;
    while (at + 1 < packet.in_length && packet.in[at] == 0xF1) {
      self->received.push_back(packet.in[at + 1]);
      at += 2;
    }
    packet.status = at == packet.in_length ? HEADROOM_NOTHING : HEADROOM_ERR_MALFORMED;
    if (details != nullptr) details[i] = {7, 1, 0xFFFF, 0xFFFF, 255, self->mode, 1, 0, 0};
    if (at >= packet.in_length || packet.in[at] != 0 || packet.in_length == at + 1) continue;
    if (packet.in_length - at - 1 > packet.out_capacity) {
      packet.status = HEADROOM_ERR_NO_SPACE;
      continue;
    }
    packet.out_length = packet.in_length - at - 1;
    std::memcpy(packet.out, packet.in + at + 1, packet.out_length);
    packet.status = HEADROOM_OK;
    if (++self->packets % 5 != 0) continue;
    self->to_send.push_back(static_cast<std::uint8_t>(self->packets));
    if (details != nullptr) details[i].event = 1;
  }
  return count;
}

bool take_from(std::deque<std::uint8_t>& waiting, headroom_packet& packet, std::uint16_t type) {
  if (waiting.empty()) return false;
  packet.out[0] = 0xF1;
  packet.out[1] = waiting.front();
  packet.out_length = 2;
  packet.out_type = type;
  packet.status = HEADROOM_OK;
  packet.channel = 0;
  waiting.pop_front();
  return true;
}

std::size_t take_reverse(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t) {
  std::size_t taken = 0;
  if (self->slow) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  while (taken < count && (take_from(self->to_send, packets[taken], HEADROOM_REVERSE_FAR) ||
                           take_from(self->received, packets[taken], HEADROOM_REVERSE_NEAR)))
    ++taken;
  return taken;
}

std::size_t give_reverse(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns) {
  if (now_ns < self->last_now_ns) self->time_went_back = true;
  self->last_now_ns = now_ns;
  for (std::size_t i = 0; i < count; ++i) {
    headroom_packet& packet = packets[i];
    packet.out_length = 0;
    packet.status = HEADROOM_OK;
    if (packet.in_type == HEADROOM_REVERSE_NEAR) {
      ++self->given;
    } else if (packet.in_length != 2 || self->to_send.size() == kMostWaiting) {
      packet.status = HEADROOM_ERR_NO_SPACE;
    } else {
      self->to_send.push_back(packet.in[1]);
    }
  }
  return count;
}

std::size_t statistics(const headroom_instance* self, char* json, std::size_t capacity) {
  const nlohmann::json counters = {
      {"memory_bytes", 64}, {"contexts", 1}, {"given", self->given}, {"time_went_back", self->time_went_back}};
  return write_text(counters.dump(), json, capacity);
}

std::int32_t control(headroom_instance* self, const char* text, char* error, std::size_t error_capacity) {
  const auto message = nlohmann::json::parse(text, nullptr, false);
  if (message.is_object() && message.contains("mode") && (message["mode"] == "U" || message["mode"] == "O")) {
    self->mode = message["mode"] == "O" ? 1 : 0;
    return 1;
  }
  std::snprintf(error, error_capacity, "the mode must be U or O.");
  return 0;
}

constexpr headroom_api kApi = {.abi_version = HEADROOM_ABI_VERSION,
                               .struct_size = sizeof(headroom_api),
                               .describe = describe,
                               .create = create,
                               .destroy = destroy,
                               .compress = compress,
                               .decompress = decompress,
                               .statistics = statistics,
                               .take_reverse = take_reverse,
                               .give_reverse = give_reverse,
                               .control = control};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
