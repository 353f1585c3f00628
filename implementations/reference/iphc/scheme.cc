// SPDX-License-Identifier: Apache-2.0
#include "scheme.h"

#include <string>

#include "cxx/calls.h"
#include "iphc/compressor.h"
#include "iphc/decompressor.h"

namespace headroom::iphc {
namespace {

using nlohmann::json;

constexpr std::uint32_t kMostChannels = 1024;
constexpr std::uint32_t kMostPeriod = 65535, kMostTime = 255;  // RFC 2507, 14
constexpr std::uint64_t kMs = 1'000'000, kLongestMs = 3'600'000;

json description() {
  return {{"scheme", "iphc"},
          {"roles", {"compressor", "decompressor"}},
          {"tcp_space", kMostTcpSpace},
          {"non_tcp_space", kMostNonTcpSpace},
          {"max_header", kLongestMaxHeader},
          {"max_channels", kMostChannels},
          {"feedback", {"own"}},
          {"features", {"non-tcp", "no-delta", "twice", "header-requests", "packet-numbers"}},
          {"names", {{"packet_types", kPacketTypeNames}, {"events", kEventNames}}}};
}

// The keys that both sides agree upon, and the options of one.
Config config_of(std::int32_t role, const json& configuration) {
  json common = configuration;
  if (common.is_object()) common.erase("options");  // which are read here
  const Settings settings(configuration, "the configuration");
  Config config;
  const Configuration read = read_configuration(common, {{"schemes", {description()}}});
  config.channels = read.channels;
  config.feedback = read.feedback;
  settings.number("tcp_space", 0, kMostTcpSpace, config.tcp_space);
  settings.number("non_tcp_space", 0, kMostNonTcpSpace, config.non_tcp_space);
  settings.number("max_header", kShortestMaxHeader, kLongestMaxHeader, config.max_header);
  settings.number("f_max_period", 0, kMostPeriod, config.f_max_period);
  settings.number("f_max_time", 0, kMostTime, config.f_max_time);
  settings.boolean("reordering", config.reordering);
  const std::size_t compressed = settings.choice("compress", {"all", "tcp", "non-tcp"}, 0);
  config.compress_tcp = compressed != 2;
  config.compress_non_tcp = compressed != 1;

  const json none = json::object();
  const json* const given = settings.find("options");
  const Settings options(given != nullptr ? *given : none, "\"options\"");
  if (role == HEADROOM_COMPRESSOR) {
    options.only({"no_delta", "boot_wait_ms"});
    options.boolean("no_delta", config.no_delta);
    std::uint64_t wait_ms = config.boot_wait_ns / kMs;
    options.number("boot_wait_ms", 0, kLongestMs, wait_ms);
    config.boot_wait_ns = wait_ms * kMs;
  } else {
    options.only({"repair", "twice", "request_interval_ms", "hold_ms"});
    config.repair = static_cast<Repair>(
        options.choice("repair", {"none", "verify", "twice"}, static_cast<std::size_t>(config.repair)));
    options.number("twice", 1, 255, config.twice);
    std::uint64_t interval_ms = config.request_interval_ns / kMs;
    options.number("request_interval_ms", 0, kLongestMs, interval_ms);
    config.request_interval_ns = interval_ms * kMs;
    std::uint64_t hold_ms = config.hold_ns / kMs;
    options.number("hold_ms", 0, kLongestMs, hold_ms);
    config.hold_ns = hold_ms * kMs;
  }
  return config;
}

template <typename Codec>
class CodecInstance : public headroom_instance {
 public:
  explicit CodecInstance(const Config& config) : codec_(config), channels_(config.channels) {}

 protected:
  // std::int32_t one(headroom_packet&, headroom_detail*)
  template <typename One>
  std::size_t each(headroom_packet* packets, std::size_t count, headroom_detail* details, One&& one) {
    for (std::size_t i = 0; i < count; ++i) {
      headroom_packet& p = packets[i];
      headroom_detail* const detail = details != nullptr ? details + i : nullptr;
      if (detail != nullptr) *detail = kUnknown;
      p.out_length = 0;
      p.status = p.channel < channels_ ? one(p, detail) : static_cast<std::int32_t>(HEADROOM_ERR_CHANNEL);
      if (p.more != 0) return i + 1;
    }
    return count;
  }
  template <typename Counters>
  [[nodiscard]] json common_statistics(const Counters& n) const {
    return {{"memory_bytes", codec_.memory_bytes()},
            {"contexts", codec_.contexts_in_use()},
            {"packets",
             {{"IP", n.regular},
              {"FULL_HEADER", n.full},
              {"COMPRESSED_TCP", n.tcp},
              {"COMPRESSED_TCP_NODELTA", n.tcp_no_delta},
              {"COMPRESSED_NON_TCP", n.non_tcp}}}};
  }

  Codec codec_;
  std::uint32_t channels_;
};

class CompressorInstance final : public CodecInstance<Compressor> {
 public:
  using CodecInstance::CodecInstance;

  std::size_t compress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                       headroom_detail* details) override {
    return each(packets, count, details, [&](headroom_packet& p, headroom_detail* detail) {
      return p.in_length != 0 ? codec_.compress(p, now_ns, detail) : static_cast<std::int32_t>(HEADROOM_ERR_MALFORMED);
    });
  }
  std::size_t give_reverse(headroom_packet* packets, std::size_t count, std::uint64_t) override {
    return each(packets, count, nullptr, [&](headroom_packet& p, headroom_detail*) {
      return p.in_type == HEADROOM_REVERSE_NEAR ? codec_.take_context_state(p.channel, {p.in, p.in_length})
                                                : static_cast<std::int32_t>(HEADROOM_ERR_UNSUPPORTED);
    });
  }
  void control(const json&) override { throw ConfigError("a compressor understands no message"); }

  [[nodiscard]] json statistics() const override {
    const CompressorCounters& n = codec_.counters();
    json all = common_statistics(n);
    all.update({{"new_streams", n.new_streams},
                {"replaced_streams", n.replaced_streams},
                {"resynchronised", n.resynchronised},
                {"requested", n.requested},
                {"wraps_avoided", n.wraps_avoided},
                {"bad_requests", n.bad_requests}});
    return all;
  }
};

class DecompressorInstance final : public CodecInstance<Decompressor> {
 public:
  using CodecInstance::CodecInstance;

  std::size_t decompress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                         headroom_detail* details) override {
    return each(packets, count, details,
                [&](headroom_packet& p, headroom_detail* detail) { return codec_.decompress(p, now_ns, detail); });
  }
  std::size_t drain(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                    headroom_detail* details) override {
    for (std::size_t i = 0; details != nullptr && i < count; ++i) details[i] = kUnknown;
    return codec_.drain(packets, count, now_ns, details);
  }
  [[nodiscard]] std::uint64_t next_deadline() const override { return codec_.next_deadline(); }
  std::size_t take_reverse(headroom_packet* packets, std::size_t count) override {
    return codec_.take_reverse(packets, count);
  }
  // {"signal": "disconnected"}
  void control(const json& message) override {
    const Settings settings(message, "the message");
    settings.only({"signal"});
    require(settings.find("signal") != nullptr && *settings.find("signal") == "disconnected",
            "the message that a decompressor understands is {\"signal\": \"disconnected\"}");
    codec_.link_was_down();
  }

  [[nodiscard]] json statistics() const override {
    const DecompressorCounters& n = codec_.counters();
    json all = common_statistics(n);
    all.update({{"errors", n.errors},
                {"no_context", n.no_context},
                {"obsolete", n.obsolete},
                {"wrong_checksum", n.wrong_checksum},
                {"repaired", n.repaired},
                {"held", n.held},
                {"late", n.late},
                {"malformed", n.malformed},
                {"requests", n.requests}});
    return all;
  }
};

headroom_instance* make(std::int32_t role, const json& configuration) {
  require(role != HEADROOM_ENDPOINT, "the scheme iphc has compressors and decompressors (roles 1 and 2)");
  const Config config = config_of(role, configuration);
  if (role == HEADROOM_COMPRESSOR) return new CompressorInstance(config);
  return new DecompressorInstance(config);
}

}  // namespace

const reference::Scheme& reference_scheme() noexcept {
  static constexpr reference::Scheme kScheme = {.name = "iphc", .description = description, .make = make};
  return kScheme;
}

}  // namespace headroom::iphc
