// SPDX-License-Identifier: Apache-2.0
//
// The reference as an adapter: the C ABI in front, ROHC and SigComp behind. Exceptions, which only construction, state
// that is created and JSON can raise, end here.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "cxx/calls.h"
#include "headroom.h"
#include "rohc/compressor/compressor.h"
#include "rohc/decompressor/decompressor.h"
#include "rohc/options.h"
#ifdef HEADROOM_SIGCOMP
#include "cxx/endpoint.h"
#include "sigcomp/glue.h"
#endif

namespace {

using nlohmann::json;
using namespace headroom::rohc;

constexpr std::string_view kCompressorStates[] = {"unused", "IR", "FO", "SO"};
constexpr std::string_view kDecompressorStates[] = {"NC", "SC", "FC"};
constexpr std::string_view kModes[] = {"none", "U", "O", "R"};

json description() {
  json names = {{"packet_types", wire::kPacketTypeNames},
                {"modes", kModes},
                {"compressor_states", kCompressorStates},
                {"decompressor_states", kDecompressorStates},
                {"events", kEventNames}};
  json rohc = {{"scheme", "rohc"},
               {"roles", {"compressor", "decompressor"}},
               {"profiles", {"0x0000", "0x0001", "0x0002", "0x0003", "0x0004", "0x0007", "0x0008"}},
               {"modes", {"U", "O", "R"}},
               {"cids", {"small", "large"}},
               {"max_cid", wire::kMaxLargeCid},
               {"max_channels", 1024},
               {"feedback", {"own", "interspersed", "piggybacked"}},
               {"features", {"segmentation", "timer-based"}},
               {"names", names}};
  json schemes = json::array({rohc});
#ifdef HEADROOM_SIGCOMP
  schemes.push_back(headroom::sigcomp::scheme_description());
#endif
  return {{"name", "reference"},
          {"version", HEADROOM_VERSION},
          {"build", HEADROOM_BUILD},
          {"licence", "Apache-2.0"},
          {"schemes", schemes}};
}

template <typename Counts, typename Names>
json named(const Counts& counts, const Names& names) {
  json result = json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) result[std::string(names[i])] = counts[i];
  }
  return result;
}

json statistics_of(const Compressor& c) {
  const CompressorCounters& n = c.counters();
  return {{"memory_bytes", c.memory_bytes()},
          {"contexts", c.contexts_in_use()},
          {"packets", named(n.packets, wire::kPacketTypeNames)},
          {"coverage_extensions", named(n.cce, wire::kCceNames)},
          {"fast_path", n.fast},
          {"new_flows", n.new_flows},
          {"replaced_flows", n.replaced_flows},
          {"uncompressed", n.uncompressed},
          {"acks", n.acks},
          {"nacks", n.nacks},
          {"static_nacks", n.static_nacks},
          {"rejects", n.rejects},
          {"ignored_feedback", n.ignored_feedback},
          {"oversize", n.oversize},
          {"segmented", n.segmented}};
}

json statistics_of(const Decompressor& d) {
  const DecompressorCounters& n = d.counters();
  return {{"memory_bytes", d.memory_bytes()},
          {"contexts", d.contexts_in_use()},
          {"packets", named(n.packets, wire::kPacketTypeNames)},
          {"coverage_extensions", named(n.cce, wire::kCceNames)},
          {"events", named(n.events, kEventNames)},
          {"fast_path", n.fast},
          {"delivered", n.delivered},
          {"malformed", n.malformed},
          {"no_context", n.no_context},
          {"not_allowed", n.not_allowed},
          {"crc_failures", n.crc_failures},
          {"held_back", n.held_back},
          {"unsupported", n.unsupported},
          {"reassembled", n.reassembled},
          {"abandoned", n.abandoned},
          {"acks", n.acks},
          {"nacks", n.nacks},
          {"static_nacks", n.static_nacks},
          {"rejects", n.rejects}};
}

}  // namespace

struct headroom_instance {
  explicit headroom_instance(const CompressorConfig& config) : codec(std::in_place_type<Compressor>, config) {}
  explicit headroom_instance(const DecompressorConfig& config) : codec(std::in_place_type<Decompressor>, config) {}

#ifdef HEADROOM_SIGCOMP
  using Endpoint = headroom::sigcomp::Endpoint;
  explicit headroom_instance(const headroom::sigcomp::EndpointConfig& config)
      : codec(std::in_place_type<Endpoint>, config) {}

  [[nodiscard]] Endpoint* endpoint() noexcept { return std::get_if<Endpoint>(&codec); }
  [[nodiscard]] const Endpoint* endpoint() const noexcept { return std::get_if<Endpoint>(&codec); }

  std::variant<Compressor, Decompressor, Endpoint> codec;
#else
  std::variant<Compressor, Decompressor> codec;
#endif

  [[nodiscard]] Compressor* compressor() noexcept { return std::get_if<Compressor>(&codec); }
  [[nodiscard]] Decompressor* decompressor() noexcept { return std::get_if<Decompressor>(&codec); }
};

namespace {

constexpr auto describe = headroom::describe<description>;

headroom_instance* make(std::int32_t role, const json& config) {
#ifdef HEADROOM_SIGCOMP
  if (config.is_object() && config.value("scheme", json()) == "sigcomp") {
    headroom::require(role == HEADROOM_ENDPOINT, "the scheme sigcomp has endpoints (role 3) only");
    return new headroom_instance(headroom::sigcomp::endpoint_config(config));
  }
#endif
  headroom::require(role != HEADROOM_ENDPOINT, "the scheme rohc has compressors and decompressors (roles 1 and 2)");
  return role == HEADROOM_COMPRESSOR ? new headroom_instance(compressor_config(config))
                                     : new headroom_instance(decompressor_config(config));
}

constexpr auto create = headroom::create<make, true>;

void destroy(headroom_instance* self) { delete self; }

// A burst for the other role is refused packet by packet.
std::size_t refuse(headroom_packet* packets, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    packets[i].status = HEADROOM_ERR_UNSUPPORTED;
    packets[i].out_length = 0;
  }
  return count;
}

std::size_t compress(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                     headroom_detail* details) {
  if (Compressor* c = self->compressor()) return c->compress(packets, count, now_ns, details);
#ifdef HEADROOM_SIGCOMP
  if (headroom_instance::Endpoint* e = self->endpoint())
    return headroom::each_message<headroom::sigcomp::compress>(e, packets, count, now_ns, details);
#endif
  return refuse(packets, count);
}

std::size_t decompress(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                       headroom_detail* details) {
  if (Decompressor* d = self->decompressor()) {
    d->decompress(packets, count, now_ns, details);
    return count;
  }
#ifdef HEADROOM_SIGCOMP
  using headroom::sigcomp::has_more;
  if (headroom_instance::Endpoint* e = self->endpoint())
    return headroom::each_message<headroom::sigcomp::decompress, has_more>(e, packets, count, now_ns, details);
#endif
  return refuse(packets, count);
}

std::size_t drain(headroom_instance* self, headroom_packet* packets, std::size_t count,
                  [[maybe_unused]] std::uint64_t now_ns, headroom_detail* details) {
  if (Compressor* c = self->compressor()) {
    const std::size_t drained = c->drain(packets, count);
    if (details != nullptr) std::fill_n(details, drained, headroom::kUnknown);
    return drained;
  }
#ifdef HEADROOM_SIGCOMP
  if (headroom_instance::Endpoint* e = self->endpoint())
    return headroom::drain<headroom::sigcomp::next>(e, packets, count, now_ns, details);
#endif
  return 0;
}

std::size_t take_reverse(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t) {
  if (Decompressor* d = self->decompressor()) return d->take_reverse(packets, count);
#ifdef HEADROOM_SIGCOMP
  if (headroom_instance::Endpoint* e = self->endpoint()) return e->take_reverse(packets, count);
#endif
  return 0;
}

std::size_t give_reverse(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns) {
  Compressor* const c = self->compressor();
  if (c == nullptr) return refuse(packets, count);
  for (std::size_t i = 0; i < count; ++i) {
    headroom_packet& p = packets[i];
    p.out_length = 0;
    p.status = HEADROOM_OK;
    if (p.in_type == HEADROOM_REVERSE_NEAR) {
      c->give_feedback(p.channel, {p.in, p.in_length}, now_ns);
    } else if (p.in_type != HEADROOM_REVERSE_FAR) {
      p.status = HEADROOM_ERR_UNSUPPORTED;
    } else if (!c->piggyback(p.channel, {p.in, p.in_length})) {
      p.status = HEADROOM_ERR_NO_SPACE;
    }
  }
  return count;
}

json counters_of(const headroom_instance& self) {
  return std::visit([](const auto& codec) { return statistics_of(codec); }, self.codec);
}

constexpr auto statistics = headroom::statistics<counters_of>;

// {"signal": "reinitialize"} for a compressor, {"mode": "U", "O" or "R"} for a decompressor (RFC 3095 6.3).
std::int32_t control(headroom_instance* self, const char* message, char* error, std::size_t capacity) {
  try {
    const json parsed = json::parse(message == nullptr ? "" : message);
    if (Compressor* c = self->compressor(); c != nullptr && parsed == json{{"signal", "reinitialize"}}) {
      c->reinitialize();
      return 1;
    }
    if (Decompressor* d = self->decompressor();
        d != nullptr && parsed.is_object() && parsed.size() == 1 && parsed.contains("mode")) {
      d->set_mode(mode_from(parsed["mode"]));
      return 1;
    }
#ifdef HEADROOM_SIGCOMP
    if (headroom_instance::Endpoint* e = self->endpoint()) {
      headroom::sigcomp::control(*e, parsed);
      return 1;
    }
#endif
    headroom::put_error(
        "understood are {\"signal\": \"reinitialize\"} by a compressor and {\"mode\": \"U\"|\"O\"|\"R\"} by a "
        "decompressor",
        error, capacity);
  } catch (const std::exception& e) {
    headroom::put_error(e.what(), error, capacity);
  }
  return 0;
}

#ifdef HEADROOM_SIGCOMP
void open(headroom_instance& self, std::uint32_t compartment, const json& settings) {
  headroom::require(self.endpoint() != nullptr, "only endpoints have compartments");
  headroom::sigcomp::open(*self.endpoint(), compartment, settings);
}

constexpr auto open_compartment = headroom::open_session<open>;

std::int32_t close_compartment(headroom_instance* self, std::uint32_t compartment) {
  return self->endpoint() != nullptr && self->endpoint()->close(compartment) ? 1 : 0;
}

std::int32_t accept(headroom_instance* self, std::uint32_t compartment) {
  return self->endpoint() != nullptr && headroom::sigcomp::accept(*self->endpoint(), compartment) ? 1 : 0;
}

void message_detail(const headroom_instance* self, headroom_message_detail* detail) {
  headroom::put_detail(self->endpoint() != nullptr ? self->endpoint()->detail() : headroom_message_detail{}, detail);
}

constexpr headroom_sessions kSessions = {
    .struct_size = sizeof(headroom_sessions), .reserved = 0, .open = open_compartment, .close = close_compartment};
constexpr headroom_messages kMessages = {
    .struct_size = sizeof(headroom_messages), .reserved = 0, .accept = accept, .detail = message_detail};
constexpr headroom_tools kTools = {
    .struct_size = sizeof(headroom_tools), .reserved = 0, .ask = headroom::ask<headroom::sigcomp::tool_answer>};

const void* extension(const char* name) {
  return headroom::find_extension(
      {{HEADROOM_SESSIONS, &kSessions}, {HEADROOM_MESSAGES, &kMessages}, {HEADROOM_TOOLS, &kTools}}, name);
}
#else
constexpr decltype(headroom_api::extension) extension = nullptr;
#endif

constexpr headroom_api kApi = {
    .abi_version = HEADROOM_ABI_VERSION,
    .struct_size = sizeof(headroom_api),
    .describe = describe,
    .create = create,
    .destroy = destroy,
    .compress = compress,
    .decompress = decompress,
    .statistics = statistics,
    .drain = drain,
    .take_reverse = take_reverse,
    .give_reverse = give_reverse,
    .control = control,
    .extension = extension,
};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
