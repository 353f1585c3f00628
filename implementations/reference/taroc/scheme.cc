// SPDX-License-Identifier: Apache-2.0
#include "scheme.h"

#include <string>

#include "cxx/calls.h"
#include "taroc/compressor.h"
#include "taroc/decompressor.h"

namespace headroom::taroc {
namespace {

using nlohmann::json;

constexpr std::uint32_t kMostChannels = 1024;
constexpr std::uint32_t kFewestContexts = 4;            // RFC 2507, 14: "TCP_SPACE must be at least 3"
constexpr std::uint32_t kLargestSegment = 65'535;       // octets
constexpr std::uint32_t kLargestThreshold = 1u << 30u;  // octets: a window of 65,535 with the largest shift count
constexpr std::uint32_t kLargestK = 16;

json description() {
  return {{"scheme", "taroc"},
          {"roles", {"compressor", "decompressor"}},
          {"tcp_space", kMostContexts - 1},
          {"max_channels", kMostChannels},
          {"feedback", json::array()},
          {"features", json::array()},
          {"options", {"issthresh", "k", "mss", "rescue", "window_scale"}},
          {"names", {{"packet_types", kPacketTypeNames}, {"compressor_states", kStateNames}, {"events", {"none"}}}}};
}

Config config_of(const json& configuration) {
  json common = configuration;
  if (common.is_object()) common.erase("options");  // which are read here
  const Settings settings(configuration, "the configuration");
  Config config;
  config.channels = read_configuration(common, {{"schemes", {description()}}}).channels;
  std::uint32_t tcp_space = config.contexts - 1;
  settings.number("tcp_space", kFewestContexts - 1, kMostContexts - 1, tcp_space);
  config.contexts = tcp_space + 1;
  const json none = json::object();
  const json* const given = settings.find("options");
  const Settings options(given != nullptr ? *given : none, "\"options\"");
  options.only({"issthresh", "k", "mss", "rescue", "window_scale"});
  options.number("mss", 1, kLargestSegment, config.mss);
  options.number("issthresh", 0, kLargestThreshold, config.issthresh);
  options.number("k", 1, kLargestK, config.k);
  options.number("window_scale", 0, kLargestWindowScale, config.window_scale);
  options.boolean("rescue", config.rescue);
  return config;
}

template <typename Codec>
class CodecInstance : public headroom_instance {
 public:
  explicit CodecInstance(const Config& config) : codec_(config), channels_(config.channels) {}

  void control(const json&) override { throw ConfigError("there is no message that this scheme understands"); }

 protected:
  // std::int32_t one(headroom_packet&, headroom_detail*)
  template <typename One>
  std::size_t each(headroom_packet* packets, std::size_t count, headroom_detail* details, One&& one) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      headroom_packet& p = packets[i];
      headroom_detail* const detail = details != nullptr ? details + i : nullptr;
      if (detail != nullptr) *detail = kUnknown;
      p.out_length = 0;
      p.status = p.channel < channels_ ? one(p, detail) : static_cast<std::int32_t>(HEADROOM_ERR_CHANNEL);
    }
    return count;
  }

  Codec codec_;

 private:
  std::uint32_t channels_;
};

class CompressorInstance final : public CodecInstance<Compressor> {
 public:
  using CodecInstance::CodecInstance;

  std::size_t compress(headroom_packet* packets, std::size_t count, std::uint64_t, headroom_detail* details) override {
    return each(packets, count, details, [this](headroom_packet& p, headroom_detail* detail) {
      return p.in_length != 0 ? codec_.compress(p, detail) : static_cast<std::int32_t>(HEADROOM_ERR_MALFORMED);
    });
  }

  [[nodiscard]] json statistics() const override {
    const CompressorCounters& n = codec_.counters();
    return {{"memory_bytes", codec_.memory_bytes()},
            {"contexts", codec_.contexts_in_use()},
            {"packets", {{"IP", n.ip}, {"UNCOMPRESSED_TCP", n.uncompressed}, {"COMPRESSED_TCP", n.compressed}}},
            {"new_contexts", n.new_contexts},
            {"replaced_contexts", n.replaced_contexts},
            {"slow_start", n.slow_start},
            {"repeated", n.repeated},
            {"changed", n.changed},
            {"fell_behind", n.fell_behind}};
  }
};

class DecompressorInstance final : public CodecInstance<Decompressor> {
 public:
  using CodecInstance::CodecInstance;

  std::size_t decompress(headroom_packet* packets, std::size_t count, std::uint64_t,
                         headroom_detail* details) override {
    return each(packets, count, details,
                [this](headroom_packet& p, headroom_detail* detail) { return codec_.decompress(p, detail); });
  }

  [[nodiscard]] json statistics() const override {
    const DecompressorCounters& n = codec_.counters();
    return {{"memory_bytes", codec_.memory_bytes()},
            {"contexts", codec_.contexts_in_use()},
            {"packets", {{"IP", n.ip}, {"UNCOMPRESSED_TCP", n.uncompressed}, {"COMPRESSED_TCP", n.compressed}}},
            {"unverified", n.unverified},
            {"older", n.older},
            {"errors", n.errors},
            {"wrong_checksum", n.wrong_checksum},
            {"bad_cid", n.bad_cid},
            {"no_context", n.no_context},
            {"malformed", n.malformed}};
  }
};

headroom_instance* make(std::int32_t role, const json& configuration) {
  require(role != HEADROOM_ENDPOINT, "the scheme taroc has compressors and decompressors (roles 1 and 2)");
  const Config config = config_of(configuration);
  if (role == HEADROOM_COMPRESSOR) return new CompressorInstance(config);
  return new DecompressorInstance(config);
}

}  // namespace

const reference::Scheme& reference_scheme() noexcept {
  static constexpr reference::Scheme kScheme = {.name = "taroc", .description = description, .make = make};
  return kScheme;
}

}  // namespace headroom::taroc
