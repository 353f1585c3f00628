// SPDX-License-Identifier: Apache-2.0
//
// The null adapter: copies octets, whatever they are. What a measurement shows with it is the cost of everything but
// the implementation: the engine's loop, the call across the ABI and one copy.

#include <cstring>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>

#include "cxx/calls.h"
#include "cxx/endpoint.h"
#include "headroom.h"
#include "headroom_user_plane.h"

namespace {

struct Endpoint {
  std::set<std::uint32_t> compartments{};  // that are open
  std::uint32_t most_compartments = 0;
  bool stream = false;
  headroom_message_detail last{};
};

}  // namespace

// What compressors and decompressors do not need is not in them: they are the floor under measurements of memory, too.
struct headroom_instance : headroom::Instance {
  std::unique_ptr<Endpoint> endpoint{};  // of the role endpoint; null in others
};

namespace {

using Json = nlohmann::json;

Json sigcomp_description() {
  return {{"scheme", "sigcomp"},
          {"roles", {"endpoint"}},
          {"transports", {"udp", "tcp"}},
          {"version", 2},
          {"max_decompression_memory_size", 131072},
          {"max_state_memory_size", 131072},
          {"max_cycles_per_bit", 128},
          {"max_compartments", 1U << 20},
          {"dictionaries", Json::array()},
          {"features", {"compression", "peer"}},
          {"choices", Json::object()},
          {"tools", Json::array()},
          {"names", Json::object()}};
}

Json gtpu_description() {
  return {{"scheme", "gtpu"},         {"roles", {"user-plane"}}, {"n4", false},
          {"max_sessions", 1U << 20}, {"max_workers", 64},       {"features", Json::array()}};
}

Json description() {
  const Json names = {{"packet_types", {"copy"}},
                      {"modes", {"U", "O", "R"}},
                      {"compressor_states", Json::array()},
                      {"decompressor_states", Json::array()},
                      {"events", {"none"}}};
  const Json common = {{"roles", {"compressor", "decompressor"}},
                       {"max_channels", 1U << 20},
                       {"feedback", Json::array()},
                       {"names", names}};
  // Every profile of RFC 3095, 3843, 4019, 4362, 4815, 5225 and 6846: a copy of a packet is the same under all of
  // them.
  Json rohc = common;
  rohc["scheme"] = "rohc";
  rohc["profiles"] = {"0x0000", "0x0001", "0x0002", "0x0003", "0x0004", "0x0005", "0x0006", "0x0007",
                      "0x0008", "0x0101", "0x0102", "0x0103", "0x0104", "0x0107", "0x0108"};
  rohc["modes"] = {"U", "O", "R"};
  rohc["cids"] = {"small", "large"};
  rohc["max_cid"] = 16383;
  Json copy = common;
  copy["scheme"] = "copy";
  return {{"name", "null"},
          {"version", HEADROOM_VERSION},
          {"build", HEADROOM_BUILD},
          {"licence", "Apache-2.0"},
          {"schemes", {rohc, copy, sigcomp_description(), gtpu_description()}}};
}

headroom_instance* make_endpoint(const Json& config) {
  const auto c = headroom::read_endpoint_configuration(config, sigcomp_description());
  if (config.contains("options")) headroom::Settings(config["options"], "\"options\"").only({});
  auto self = std::make_unique<headroom_instance>(headroom_instance{{HEADROOM_ENDPOINT, 0}});
  self->endpoint = std::make_unique<Endpoint>();
  self->endpoint->most_compartments = c.compartments;
  self->endpoint->stream = c.stream;
  return self.release();
}

headroom_instance* make(std::int32_t role, const Json& config) {
  const bool sigcomp = config.is_object() && config.value("scheme", Json()) == "sigcomp";
  headroom::require(!config.is_object() || config.value("scheme", Json()) != "gtpu",
                    "the scheme gtpu has user planes (role 4) only");
  headroom::require(sigcomp == (role == HEADROOM_ENDPOINT), "the scheme sigcomp has endpoints (role 3), and only it");
  if (sigcomp) return make_endpoint(config);
  return new headroom_instance{{role, headroom::read_configuration(config, description()).channels}};
}

constexpr std::uint8_t kCopy = 0;  // of "packet_types"

std::int32_t copy(headroom_instance&, headroom_packet& p, std::uint64_t, headroom_detail* detail) {
  if (p.in_length > p.out_capacity) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(p.out, p.in, p.in_length);
  p.out_length = p.in_length;
  if (detail != nullptr) detail->packet_type = kCopy;
  return HEADROOM_OK;
}

// ---- Endpoints: what goes in comes out, as a plain message does (RFC 5049 5). On a stream there is no telling where a
// message ends, so each piece is one.

std::int32_t copy_message(Endpoint& self, headroom_packet& p, bool compressing) {
  self.last = {};
  self.last.compartment = compressing ? p.channel : HEADROOM_NO_SESSION;
  const bool known = p.channel != HEADROOM_NO_SESSION;
  const bool needed = compressing || self.stream;
  if ((known || needed) && !self.compartments.contains(p.channel)) return HEADROOM_ERR_CHANNEL;
  if (p.in_length == 0) return self.stream && !compressing ? HEADROOM_NOTHING : HEADROOM_ERR_MALFORMED;
  if (p.in_length > p.out_capacity) return HEADROOM_ERR_NO_SPACE;
  self.last.kind = HEADROOM_MESSAGE_PLAIN;
  std::memcpy(p.out, p.in, p.in_length);
  p.out_length = p.in_length;
  return HEADROOM_OK;
}

template <bool compressing>
std::int32_t copy_one(headroom_instance& self, headroom_packet& p, std::uint64_t) {
  return copy_message(*self.endpoint, p, compressing);
}

template <bool compressing>
std::size_t process(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                    headroom_detail* details) {
  if (self->role == HEADROOM_ENDPOINT)
    return headroom::each_message<copy_one<compressing>>(self, packets, count, now_ns, details);
  constexpr std::int32_t role = compressing ? HEADROOM_COMPRESSOR : HEADROOM_DECOMPRESSOR;
  return headroom::each<copy, role>(self, packets, count, now_ns, details);
}

void open(headroom_instance& instance, std::uint32_t compartment, const Json& settings) {
  headroom::require(instance.endpoint != nullptr, "only endpoints have compartments");
  Endpoint& self = *instance.endpoint;
  const headroom::Settings s(settings, "the settings of the compartment");
  s.only({"state_memory_size", "peer", "options"});
  headroom::Offer offer;
  headroom::read_offer(s, offer);
  if (const Json* peer = s.find("peer")) headroom::read_offer(headroom::Settings(*peer, "\"peer\""), offer);
  if (const Json* options = s.find("options")) headroom::Settings(*options, "\"options\"").only({});
  headroom::require(!self.compartments.contains(compartment),
                    "compartment " + std::to_string(compartment) + " is open already");
  headroom::require(self.compartments.size() < self.most_compartments,
                    "there are as many compartments as \"compartments\" in the configuration allows");
  self.compartments.insert(compartment);
}

std::int32_t close_compartment(headroom_instance* self, std::uint32_t compartment) {
  return self->endpoint != nullptr && self->endpoint->compartments.erase(compartment) != 0 ? 1 : 0;
}

// There is nothing that a plain message asks for.
std::int32_t accept(headroom_instance*, std::uint32_t) { return 0; }

void message_detail(const headroom_instance* self, headroom_message_detail* detail) {
  headroom::put_detail(self->endpoint == nullptr ? headroom_message_detail{} : self->endpoint->last, detail);
}

Json statistics(const headroom_instance& self) {
  const std::size_t octets = sizeof(self) + (self.endpoint == nullptr ? 0 : sizeof(*self.endpoint));
  return {{"memory_bytes", octets}, {"contexts", self.endpoint == nullptr ? 0 : self.endpoint->compartments.size()}};
}

constexpr headroom_sessions kSessions = {.struct_size = sizeof(headroom_sessions),
                                         .reserved = 0,
                                         .open = headroom::open_session<open>,
                                         .close = close_compartment};
constexpr headroom_messages kMessages = {
    .struct_size = sizeof(headroom_messages), .reserved = 0, .accept = accept, .detail = message_detail};

// ---- User planes: each packet goes to the other side as it is.

headroom_instance* create(std::int32_t role, const char* config, char* error, std::size_t capacity) noexcept try {
  if (role != HEADROOM_USER_PLANE) return headroom::create<make, true>(role, config, error, capacity);
  const Json json = Json::parse(config == nullptr ? "" : config);
  headroom::require(json.is_object() && json.value("scheme", Json()) == "gtpu",
                    "the role 4 (user plane) is that of the scheme gtpu");
  headroom::require(json.contains("n3"), "a user plane needs \"n3\", its addresses");
  return new headroom_instance{{role, 1}};
} catch (const std::exception& e) {
  headroom::put_error(e.what(), error, capacity);
  return nullptr;
}

headroom_instance* add_worker(headroom_instance* first, char* error, std::size_t capacity) {
  auto* const worker = new (std::nothrow) headroom_instance{{first->role, 1}};
  if (worker == nullptr) headroom::put_error("there is not enough memory for a worker", error, capacity);
  return worker;
}

void forward(headroom_instance*, headroom_user_packet* packets, std::size_t count, std::uint64_t) {
  for (headroom_user_packet& packet : std::span(packets, count)) {
    packet.side = packet.side == HEADROOM_N6 ? HEADROOM_N3 : HEADROOM_N6;
    packet.status = packet.length == 0 ? HEADROOM_ERR_MALFORMED : HEADROOM_OK;
  }
}

std::size_t take(headroom_instance*, headroom_user_packet*, std::size_t, std::uint64_t) { return 0; }

constexpr headroom_user_plane kUserPlane = {.struct_size = sizeof(headroom_user_plane),
                                            .reserved = 0,
                                            .add_worker = add_worker,
                                            .forward = forward,
                                            .take = take};

const void* extension(const char* name) {
  return headroom::find_extension(
      {{HEADROOM_SESSIONS, &kSessions}, {HEADROOM_MESSAGES, &kMessages}, {HEADROOM_USER_PLANE_EXTENSION, &kUserPlane}},
      name);
}

constexpr headroom_api kApi = {
    .abi_version = HEADROOM_ABI_VERSION,
    .struct_size = sizeof(headroom_api),
    .describe = headroom::describe<description>,
    .create = create,
    .destroy = [](headroom_instance* self) { delete self; },
    .compress = process<true>,
    .decompress = process<false>,
    .statistics = headroom::statistics<statistics>,
    .extension = extension,
};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
