// SPDX-License-Identifier: Apache-2.0
//
// A test fixture with endpoints that remember. A message is F8, its compartment in four octets, how many were accepted
// under that compartment before it, and the text. One that does not go on where the last one stopped cannot be
// decompressed. `options` has what is wrong with it:
//
//   wrong      what is decompressed has another last octet
//   different  messages are counted over all compartments, so that what one gets depends on the others
//   refuses    nothing is accepted
//   dies       at the first message that it decompresses
//   full       no compartment is opened
//   forks      its messages are others where it cannot start a process
//
// and `compartments`: only while so many are open. `keeps` is a file that it makes at its end; its messages are others
// if it was there at its beginning.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "cxx/endpoint.h"
#include "headroom_messages.h"

struct headroom_instance {
  struct Compartment {
    std::uint8_t sent = 0, received = 0;
  };
  std::string fault;
  std::size_t least_compartments = 0;
  std::string keeps;
  bool kept = std::filesystem::exists(keeps);  // at its beginning
  std::uint8_t sent_to_all = 0;
  std::uint32_t last = HEADROOM_NO_SESSION;
  std::map<std::uint32_t, Compartment> compartments{};

  [[nodiscard]] bool has(const char* name) const { return fault == name && compartments.size() >= least_compartments; }
};

namespace {

using nlohmann::json;
constexpr std::uint32_t kHeader = 6;

json description() {
  return {{"name", "speaker"},
          {"version", "1"},
          {"schemes",
           {{{"scheme", "sigcomp"}, {"roles", {"endpoint"}}, {"transports", {"udp"}}, {"names", json::object()}}}}};
}

headroom_instance* create(std::int32_t, const char* config, char*, std::size_t) {
  const json options = json::parse(config).value("options", json::object());
  return new headroom_instance{options.value("fault", ""), options.value("compartments", std::size_t{0}),
                               options.value("keeps", "")};
}

void destroy(headroom_instance* self) {
  if (!self->keeps.empty()) std::ofstream(self->keeps).put('1');
  delete self;
}

// True if this process can start another one.
bool can_fork() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  return child > 0 && waitpid(child, nullptr, 0) == child;
}

std::int32_t compress_one(headroom_instance& self, headroom_packet& packet, std::uint64_t) {
  const auto found = self.compartments.find(packet.channel);
  if (found == self.compartments.end()) return HEADROOM_ERR_CHANNEL;
  packet.out[0] = 0xF8;
  for (unsigned i = 0; i < 4; ++i) packet.out[1 + i] = static_cast<std::uint8_t>(packet.channel >> (8 * i));
  packet.out[5] = self.has("different") ? self.sent_to_all : found->second.sent;
  if (self.kept || (self.has("forks") && !can_fork())) packet.out[5] ^= 0x80;
  ++found->second.sent;
  ++self.sent_to_all;
  std::memcpy(packet.out + kHeader, packet.in, packet.in_length);
  packet.out_length = packet.in_length + kHeader;
  return HEADROOM_OK;
}

std::int32_t decompress_one(headroom_instance& self, headroom_packet& packet, std::uint64_t) {
  if (self.has("dies")) std::raise(SIGKILL);
  if (packet.in_length <= kHeader || packet.in[0] != 0xF8) return HEADROOM_ERR_MALFORMED;
  std::uint32_t number = 0;
  for (unsigned i = 0; i < 4; ++i) number |= std::uint32_t{packet.in[1 + i]} << (8 * i);
  const auto found = self.compartments.find(number);
  if (found != self.compartments.end() && packet.in[5] < found->second.received) return HEADROOM_ERR_DECOMPRESSION;
  self.last = number;
  packet.out_length = packet.in_length - kHeader;
  std::memcpy(packet.out, packet.in + kHeader, packet.out_length);
  if (self.has("wrong")) ++packet.out[packet.out_length - 1];
  return HEADROOM_OK;
}

json statistics_of(const headroom_instance& self) {
  return {{"memory_bytes", 100 * self.compartments.size()}, {"contexts", self.compartments.size()}};
}

void open(headroom_instance& self, std::uint32_t compartment, const json&) {
  if (self.fault == "full") throw std::runtime_error("there is no room here");
  self.compartments[compartment] = {};
}

std::int32_t close(headroom_instance* self, std::uint32_t compartment) {
  return static_cast<std::int32_t>(self->compartments.erase(compartment));
}

std::int32_t accept(headroom_instance* self, std::uint32_t compartment) {
  const auto found = self->compartments.find(compartment);
  if (found == self->compartments.end() || self->last != compartment || self->has("refuses")) return 0;
  ++found->second.received;
  self->last = HEADROOM_NO_SESSION;
  return 1;
}

constexpr headroom_sessions kSessions = {
    .struct_size = sizeof(headroom_sessions), .reserved = 0, .open = headroom::open_session<open>, .close = close};
constexpr headroom_messages kMessages = {
    .struct_size = sizeof(headroom_messages), .reserved = 0, .accept = accept, .detail = nullptr};

const void* extension(const char* name) {
  return headroom::find_extension({{HEADROOM_SESSIONS, &kSessions}, {HEADROOM_MESSAGES, &kMessages}}, name);
}

constexpr headroom_api kApi = {.abi_version = HEADROOM_ABI_VERSION,
                               .struct_size = sizeof(headroom_api),
                               .describe = headroom::describe<description>,
                               .create = create,
                               .destroy = destroy,
                               .compress = headroom::each_message<compress_one>,
                               .decompress = headroom::each_message<decompress_one>,
                               .statistics = headroom::statistics<statistics_of>,
                               .extension = extension};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
