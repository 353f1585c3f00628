// SPDX-License-Identifier: Apache-2.0
//
// A complete adapter of an endpoint. Its messages are SigComp's, which any UDVM decompresses: bytecode that outputs the
// octets behind it. It has no UDVM, so it decompresses only its own messages. An adapter of yours calls your
// library in the two places where this one puts kBytecode in front and takes it off.
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "cxx/endpoint.h"
#include "headroom_messages.h"

struct headroom_instance : headroom::Instance {
  std::uint32_t most_compartments = 0;
  std::set<std::uint32_t> compartments{};  // that are open
  bool acceptable = false;                 // the message decompressed last waits for `accept`
  headroom_message_detail last{};
};

namespace {

// RFC 3320 7: no state, no feedback, ten octets of bytecode for address 128. They are, as `./headroom udvm` shows:
// :loop INPUT-BYTES (1, 64, done) OUTPUT (64, 1) JUMP (loop) :done END-MESSAGE (0, 0, 0, 0, 0, 0, 0)
constexpr std::array<std::uint8_t, 13> kBytecode = {0xf8, 0x00, 0xa1, 0x1c, 0x01, 0x86, 0x09,
                                                    0x22, 0x86, 0x01, 0x16, 0xf9, 0x23};
constexpr std::uint32_t kHeader = kBytecode.size();

nlohmann::json scheme() {
  return nlohmann::json::parse(R"({"scheme": "sigcomp", "roles": ["endpoint"], "transports": ["udp"], "version": 1,
    "max_decompression_memory_size": 131072, "max_state_memory_size": 131072, "max_cycles_per_bit": 128,
    "max_compartments": 1048576, "dictionaries": [], "features": ["compression", "peer"], "choices": {}, "tools": [],
    "names": {}})");
}

nlohmann::json description() {
  return {{"name", "example-endpoint"}, {"version", "1.0"}, {"licence", "Apache-2.0"}, {"schemes", {scheme()}}};
}

headroom_instance* make(std::int32_t role, const nlohmann::json& config) {
  headroom::require(role == HEADROOM_ENDPOINT, "the scheme sigcomp has endpoints (role 3) only");
  const auto c = headroom::read_endpoint_configuration(config, scheme());
  if (config.contains("options")) headroom::Settings(config["options"], "\"options\"").only({});
  return new headroom_instance{{role, 0}, c.compartments};
}

void open(headroom_instance& self, std::uint32_t compartment, const nlohmann::json& settings) {
  const headroom::Settings s(settings, "the settings of the compartment");
  s.only({"state_memory_size", "peer", "options"});  // which change nothing here: each message stands for itself
  if (const auto* options = s.find("options")) headroom::Settings(*options, "\"options\"").only({});
  headroom::require(self.compartments.size() < self.most_compartments, "there are too many compartments");
  headroom::require(self.compartments.insert(compartment).second, "this compartment is open already");
}

std::int32_t compress(headroom_instance& self, headroom_packet& p, std::uint64_t) {
  self.acceptable = false;
  self.last = {};
  self.last.compartment = p.channel;
  if (!self.compartments.contains(p.channel)) return HEADROOM_ERR_CHANNEL;
  if (p.in_length == 0) return HEADROOM_ERR_MALFORMED;
  if (p.out_capacity < kHeader || p.in_length > p.out_capacity - kHeader) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, kBytecode.data(), kHeader);
  std::memcpy(p.out + kHeader, p.in, p.in_length);
  p.out_length = p.in_length + kHeader;
  self.last.kind = HEADROOM_MESSAGE_COMPRESSED, self.last.header_length = kHeader, self.last.code_length = kHeader - 3;
  return HEADROOM_OK;
}

std::int32_t decompress(headroom_instance& self, headroom_packet& p, std::uint64_t) {
  const bool told = p.channel != HEADROOM_NO_SESSION;
  self.acceptable = false;
  self.last = {};
  self.last.compartment = HEADROOM_NO_SESSION;
  if (told && !self.compartments.contains(p.channel)) return HEADROOM_ERR_CHANNEL;
  if (p.in_length == 0) return HEADROOM_ERR_MALFORMED;
  const bool plain = p.in[0] < 0xf8;  // RFC 5049 5: no SigComp message begins like that
  const bool known = p.in_length >= kHeader && !std::memcmp(p.in, kBytecode.data(), kHeader);
  if (!plain && !known) return HEADROOM_ERR_UNSUPPORTED;
  const std::uint32_t skipped = plain ? 0 : kHeader;
  if (p.in_length - skipped > p.out_capacity) return HEADROOM_ERR_NO_SPACE;
  p.out_length = p.in_length - skipped;
  std::memcpy(p.out, p.in + skipped, p.out_length);
  self.last.kind = plain ? HEADROOM_MESSAGE_PLAIN : HEADROOM_MESSAGE_COMPRESSED;
  self.last.flags = known && told ? HEADROOM_MESSAGE_ACCEPTED : 0;
  if (known && told) self.last.compartment = p.channel;
  self.acceptable = known && !told;
  return HEADROOM_OK;
}

std::int32_t close_compartment(headroom_instance* self, std::uint32_t compartment) {
  return self->compartments.erase(compartment) != 0 ? 1 : 0;
}

std::int32_t accept(headroom_instance* self, std::uint32_t compartment) {
  if (!self->acceptable || !self->compartments.contains(compartment)) return 0;
  self->acceptable = false, self->last.compartment = compartment, self->last.flags |= HEADROOM_MESSAGE_ACCEPTED;
  return 1;
}

void message_detail(const headroom_instance* self, headroom_message_detail* detail) {
  headroom::put_detail(self->last, detail);
}

nlohmann::json statistics(const headroom_instance& self) {
  return {{"memory_bytes", sizeof(self)}, {"contexts", self.compartments.size()}};
}

constexpr headroom_sessions kSessions = {.struct_size = sizeof(headroom_sessions),
                                         .reserved = 0,
                                         .open = headroom::open_session<open>,
                                         .close = close_compartment};
constexpr headroom_messages kMessages = {
    .struct_size = sizeof(headroom_messages), .reserved = 0, .accept = accept, .detail = message_detail};

const void* extension(const char* name) {
  return headroom::find_extension({{HEADROOM_SESSIONS, &kSessions}, {HEADROOM_MESSAGES, &kMessages}}, name);
}

constexpr headroom_api kApi = {.abi_version = HEADROOM_ABI_VERSION,
                               .struct_size = sizeof(headroom_api),
                               .describe = headroom::describe<description>,
                               .create = headroom::create<make, true>,
                               .destroy = [](headroom_instance* self) { delete self; },
                               .compress = headroom::each_message<compress>,
                               .decompress = headroom::each_message<decompress>,
                               .statistics = headroom::statistics<statistics>,
                               .extension = extension};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
