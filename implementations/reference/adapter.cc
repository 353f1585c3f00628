// SPDX-License-Identifier: Apache-2.0
//
// The reference as an adapter: the C ABI in front, ROHC and SigComp behind. Exceptions, which only construction, state
// that is created and JSON can raise, end here.
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
void refuse(headroom_packet* packets, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    packets[i].status = HEADROOM_ERR_UNSUPPORTED;
    packets[i].out_length = 0;
  }
}

void compress(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
              headroom_detail* details) {
  if (Compressor* c = self->compressor()) {
    c->compress(packets, count, now_ns, details);
#ifdef HEADROOM_SIGCOMP
  } else if (headroom_instance::Endpoint* e = self->endpoint()) {
    headroom::each_message<headroom::sigcomp::compress>(e, packets, count, now_ns, details);
#endif
  } else {
    refuse(packets, count);
  }
}

void decompress(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                headroom_detail* details) {
  if (Decompressor* d = self->decompressor()) {
    d->decompress(packets, count, now_ns, details);
#ifdef HEADROOM_SIGCOMP
  } else if (headroom_instance::Endpoint* e = self->endpoint()) {
    headroom::each_message<headroom::sigcomp::decompress>(e, packets, count, now_ns, details);
#endif
  } else {
    refuse(packets, count);
  }
}

std::int32_t take_feedback(headroom_instance* self, headroom_feedback* feedback) {
#ifdef HEADROOM_SIGCOMP
  if (headroom_instance::Endpoint* e = self->endpoint()) return e->take_feedback(*feedback);
#endif
  Decompressor* d = self->decompressor();
  return d != nullptr ? d->own_feedback().take(*feedback) : 0;
}

std::int32_t take_received_feedback(headroom_instance* self, headroom_feedback* feedback) {
  Decompressor* d = self->decompressor();
  return d != nullptr ? d->received_feedback().take(*feedback) : 0;
}

void give_feedback(headroom_instance* self, const headroom_feedback* feedback, std::uint64_t now_ns) {
  if (Compressor* c = self->compressor())
    c->give_feedback(feedback->channel, {feedback->data, feedback->length}, now_ns);
}

std::int32_t piggyback(headroom_instance* self, const headroom_feedback* feedback) {
  Compressor* c = self->compressor();
  return c != nullptr && c->piggyback(feedback->channel, {feedback->data, feedback->length}) ? 1 : 0;
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

constexpr auto open_compartment = headroom::open_compartment<open>;

std::int32_t close_compartment(headroom_instance* self, std::uint32_t compartment) {
  return self->endpoint() != nullptr && self->endpoint()->close(compartment) ? 1 : 0;
}

std::int32_t accept(headroom_instance* self, std::uint32_t compartment) {
  return self->endpoint() != nullptr && headroom::sigcomp::accept(*self->endpoint(), compartment) ? 1 : 0;
}

void message_detail(const headroom_instance* self, headroom_message_detail* detail) {
  headroom::put_detail(self->endpoint() != nullptr ? self->endpoint()->detail() : headroom_message_detail{}, detail);
}

constexpr auto tool = headroom::tool<headroom::sigcomp::tool_answer>;
#else
constexpr decltype(headroom_api::open_compartment) open_compartment = nullptr;
constexpr decltype(headroom_api::close_compartment) close_compartment = nullptr;
constexpr decltype(headroom_api::accept) accept = nullptr;
constexpr decltype(headroom_api::message_detail) message_detail = nullptr;
constexpr decltype(headroom_api::tool) tool = nullptr;
#endif

constexpr headroom_api kApi = {
    HEADROOM_ABI_VERSION,
    sizeof(headroom_api),
    describe,
    create,
    destroy,
    compress,
    decompress,
    take_feedback,
    take_received_feedback,
    give_feedback,
    piggyback,
    statistics,
    control,
    open_compartment,
    close_compartment,
    accept,
    message_detail,
    tool,
};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
