// SPDX-License-Identifier: Apache-2.0
//
// An adapter whose link packets have types: 0x2D and 0x2F in turn. What it puts on the link is masked with the type, so
// that it comes out right only where the link carries the type. With the option `twice` each packet comes out twice,
// and something comes out for each report of a lost frame. With `again` each link packet is also sent on that channel.
// A test fixture.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cxx/calls.h"
#include "headroom.h"

struct headroom_instance : headroom::Instance {
  std::uint64_t packets = 0;
  bool twice = false;
  std::optional<std::uint32_t> again{};  // channel
  std::string waiting{};
  std::uint16_t waiting_type = 0;
  std::uint32_t waiting_channel = 0;
};

namespace {

constexpr std::uint16_t kTypes[] = {0x2D, 0x2F};

nlohmann::json description() {
  return nlohmann::json::parse(R"({"name": "typed", "version": "1", "schemes": [{
    "scheme": "rohc", "roles": ["compressor", "decompressor"], "feedback": [], "max_channels": 2,
    "names": {"packet_types": ["even", "odd"], "events": ["none"]}}]})");
}

headroom_instance* make(std::int32_t role, const nlohmann::json& config) {
  nlohmann::json rest = config;
  const nlohmann::json options = rest.value("options", nlohmann::json::object());
  rest.erase("options");
  auto* self = new headroom_instance{{role, headroom::read_configuration(rest, description()).channels}};
  self->twice = options.value("twice", false);
  if (options.contains("again")) self->again = options["again"].get<std::uint32_t>();
  return self;
}

std::int32_t process(headroom_instance& self, headroom_packet& p, std::uint64_t, headroom_detail*) {
  const bool compressor = self.role == HEADROOM_COMPRESSOR;
  const std::uint16_t type = compressor ? kTypes[self.packets++ % 2] : p.in_type;
  if (!compressor && type != kTypes[0] && type != kTypes[1]) return HEADROOM_ERR_MALFORMED;
  if (p.in_length > p.out_capacity) return HEADROOM_ERR_NO_SPACE;
  for (std::uint32_t i = 0; i < p.in_length; ++i) p.out[i] = static_cast<std::uint8_t>(p.in[i] ^ type);
  p.out_length = p.in_length;
  if (compressor) p.out_type = type;
  if (compressor ? self.again.has_value() : self.twice) {
    self.waiting.assign(p.out, p.out + p.out_length);
    self.waiting_type = p.out_type;
    self.waiting_channel = self.again.value_or(0);
    p.more = 1;
  }
  return HEADROOM_OK;
}

std::size_t decompress(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                       headroom_detail* details) {
  const std::size_t done = headroom::each<process, HEADROOM_DECOMPRESSOR>(self, packets, count, now_ns, details);
  if (self->twice && packets[0].in_type == HEADROOM_TYPE_LOST) {
    self->waiting = "none of the source's";
    packets[0].more = 1;
  }
  return done;
}

std::size_t drain(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t,
                  headroom_detail* details) {
  if (count == 0 || self->waiting.empty()) return 0;
  if (details != nullptr) *details = headroom::kUnknown;
  packets->status = HEADROOM_OK;
  packets->channel = self->waiting_channel;
  packets->out_type = self->waiting_type;
  packets->out_length = static_cast<std::uint32_t>(self->waiting.size());
  std::ranges::copy(self->waiting, packets->out);
  self->waiting.clear();
  return 1;
}

nlohmann::json statistics(const headroom_instance&) { return {{"memory_bytes", 0}, {"contexts", 0}}; }

constexpr headroom_api kApi = {.abi_version = HEADROOM_ABI_VERSION,
                               .struct_size = sizeof(headroom_api),
                               .describe = headroom::describe<description>,
                               .create = headroom::create<make>,
                               .destroy = [](headroom_instance* self) { delete self; },
                               .compress = headroom::each<process, HEADROOM_COMPRESSOR>,
                               .decompress = decompress,
                               .statistics = headroom::statistics<statistics>,
                               .drain = drain};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
