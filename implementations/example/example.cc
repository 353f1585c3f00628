// SPDX-License-Identifier: Apache-2.0
//
// A complete adapter. Its scheme: a packet that equals the one before it on its channel becomes one octet, 1; any other
// goes as it is behind an octet 0. An adapter of yours calls your library where this one calls memcmp and memcpy.
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "cxx/calls.h"
#include "headroom.h"

struct headroom_instance : headroom::Instance {
  std::vector<std::vector<std::uint8_t>> previous;  // by channel; empty: no context
};

namespace {

constexpr std::size_t kLargestPacket = 65'535;

nlohmann::json description() {
  return nlohmann::json::parse(R"({"name": "example", "version": "1.0", "licence": "Apache-2.0", "schemes": [{
    "scheme": "repeat", "roles": ["compressor", "decompressor"], "max_channels": 64, "feedback": [],
    "names": {"packet_types": ["WHOLE", "SAME"], "events": ["none"]}}]})");
}

// read_configuration checks the configuration against the description, and throws a sentence for each mistake.
headroom_instance* make(std::int32_t role, const nlohmann::json& config) {
  const auto channels = headroom::read_configuration(config, description()).channels;
  auto* self = new headroom_instance{{role, channels}, std::vector<std::vector<std::uint8_t>>(channels)};
  for (auto& packet : self->previous) packet.reserve(kLargestPacket);  // so that no packet allocates
  return self;
}

std::int32_t process(headroom_instance& self, headroom_packet& p, std::uint64_t, headroom_detail* detail) {
  if (p.in_length > kLargestPacket) return HEADROOM_ERR_MALFORMED;
  const bool compressor = self.role == HEADROOM_COMPRESSOR;
  auto& previous = self.previous[p.channel];
  const std::size_t type_octet = compressor ? 0 : 1;  // a link packet starts with one
  const bool same =
      compressor ? p.in_length == previous.size() && !std::memcmp(p.in, previous.data(), p.in_length) : p.in[0] == 1;
  if (!compressor && (p.in[0] > 1 || same != (p.in_length == 1))) return HEADROOM_ERR_MALFORMED;
  if (!compressor && same && previous.empty()) return HEADROOM_ERR_NO_CONTEXT;
  const std::size_t plain = same ? previous.size() : p.in_length - type_octet;
  const std::size_t length = !compressor ? plain : same ? 1 : plain + 1;
  if (length > p.out_capacity) return HEADROOM_ERR_NO_SPACE;
  if (!same) previous.assign(p.in + type_octet, p.in + p.in_length);
  if (compressor) p.out[0] = same ? 1 : 0;
  if (!compressor || !same) std::memcpy(p.out + 1 - type_octet, previous.data(), plain);
  p.out_length = static_cast<std::uint32_t>(length);
  if (detail != nullptr) detail->cid = 0, detail->packet_type = same ? 1 : 0;
  return HEADROOM_OK;
}

nlohmann::json statistics(const headroom_instance& self) {
  return {{"memory_bytes", self.channels * kLargestPacket}, {"contexts", self.channels}};
}

constexpr headroom_api kApi = {.abi_version = HEADROOM_ABI_VERSION,
                               .struct_size = sizeof(headroom_api),
                               .describe = headroom::describe<description>,
                               .create = headroom::create<make>,
                               .destroy = [](headroom_instance* self) { delete self; },
                               .compress = headroom::each<process, HEADROOM_COMPRESSOR>,
                               .decompress = headroom::each<process, HEADROOM_DECOMPRESSOR>,
                               .statistics = headroom::statistics<statistics>};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
