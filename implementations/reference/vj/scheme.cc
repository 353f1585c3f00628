// SPDX-License-Identifier: Apache-2.0
#include "scheme.h"

#include <string>

#include "cxx/calls.h"
#include "vj/compressor.h"
#include "vj/decompressor.h"

namespace headroom::vj {
namespace {

using nlohmann::json;

constexpr std::uint32_t kMostChannels = 1024;

json description() {
  return {{"scheme", "vj"},
          {"roles", {"compressor", "decompressor"}},
          {"max_slot_id", kMostSlots - 1},
          {"slot_ids", {"compressed", "explicit"}},
          {"max_channels", kMostChannels},
          {"feedback", json::array()},
          {"features", json::array()},
          {"names", {{"packet_types", kPacketTypeNames}, {"events", {"none"}}}}};
}

// The keys that both sides agree upon, and the options that none has.
Config config_of(const json& configuration) {
  const Settings settings(configuration, "the configuration");
  Config config;
  config.channels = read_configuration(configuration, {{"schemes", {description()}}}).channels;
  std::uint32_t max_slot_id = config.slots - 1;  // RFC 1332, 4.1
  settings.number("max_slot_id", 0, kMostSlots - 1, max_slot_id);
  config.slots = max_slot_id + 1;
  config.compress_slot_id = settings.choice("slot_ids", {"compressed", "explicit"}, 0) == 0;
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
            {"new_connections", n.new_connections},
            {"replaced_connections", n.replaced_connections},
            {"resynchronised", n.resynchronised}};
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
            {"errors", n.errors},
            {"tossed", n.tossed},
            {"bad_slot", n.bad_slot},
            {"no_context", n.no_context},
            {"malformed", n.malformed}};
  }
};

headroom_instance* make(std::int32_t role, const json& configuration) {
  require(role != HEADROOM_ENDPOINT, "the scheme vj has compressors and decompressors (roles 1 and 2)");
  const Config config = config_of(configuration);
  if (role == HEADROOM_COMPRESSOR) return new CompressorInstance(config);
  return new DecompressorInstance(config);
}

}  // namespace

const reference::Scheme& reference_scheme() noexcept {
  static constexpr reference::Scheme kScheme = {.name = "vj", .description = description, .make = make};
  return kScheme;
}

}  // namespace headroom::vj
