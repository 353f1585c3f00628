// SPDX-License-Identifier: Apache-2.0
#include "scheme.h"

#include <algorithm>
#include <array>
#include <string>

#include "cxx/calls.h"
#include "rohc/compressor.h"
#include "rohc/decompressor.h"
#include "rohc/options.h"

namespace headroom::rohc {
namespace {

using nlohmann::json;

static_assert(tcp::kFirstOwnName == wire::kPacketTypeNames.size() &&
              tcp::kIrName == static_cast<unsigned>(wire::PacketType::kIr) &&
              tcp::kIrDynName == static_cast<unsigned>(wire::PacketType::kIrDyn) &&
              tcp::kUnknownName == static_cast<unsigned>(wire::PacketType::kUnknown));
static_assert(static_cast<unsigned>(tcp::Event::kEstablished) == static_cast<unsigned>(Event::kEstablished) &&
              static_cast<unsigned>(tcp::Event::kDynamicDamage) == static_cast<unsigned>(Event::kDynamicDamage) &&
              static_cast<unsigned>(tcp::Event::kStaticDamage) == static_cast<unsigned>(Event::kStaticDamage));

// Of all families on a channel, in the order of their places in details.
constexpr auto kPacketNames = [] {
  std::array<std::string_view, wire::kPacketTypeNames.size() + tcp::kOwnNames.size()> all{};
  const auto behind = std::copy(wire::kPacketTypeNames.begin(), wire::kPacketTypeNames.end(), all.begin());
  std::copy(tcp::kOwnNames.begin(), tcp::kOwnNames.end(), behind);
  return all;
}();

constexpr std::string_view kCompressorStates[] = {"unused", "IR", "FO", "SO"};
constexpr std::string_view kDecompressorStates[] = {"NC", "SC", "FC"};
constexpr std::string_view kModes[] = {"none", "U", "O", "R"};

json description() {
  json names = {{"packet_types", kPacketNames},
                {"modes", kModes},
                {"compressor_states", kCompressorStates},
                {"decompressor_states", kDecompressorStates},
                {"events", kEventNames}};
  return {{"scheme", "rohc"},
          {"roles", {"compressor", "decompressor"}},
          {"profiles", {"0x0000", "0x0001", "0x0002", "0x0003", "0x0004", "0x0006", "0x0007", "0x0008"}},
          {"modes", {"U", "O", "R"}},
          {"cids", {"small", "large"}},
          {"max_cid", wire::kMaxLargeCid},
          {"max_channels", 1024},
          {"feedback", {"own", "interspersed", "piggybacked"}},
          {"features", {"segmentation", "timer-based"}},
          {"names", names}};
}

template <typename Counts, typename Names>
json named(const Counts& counts, const Names& names) {
  json result = json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) result[std::string(names[i])] = counts[i];
  }
  return result;
}

// What both families of a compressor or decompressor have counted, by place.
template <typename Family, typename Counts>
auto packets_of(const Counts& counts, const Family* tcp) {
  std::array<std::uint64_t, kPacketNames.size()> all{};
  std::copy(counts.begin(), counts.end(), all.begin());
  if (tcp == nullptr) return all;
  for (std::size_t type = 0; type < tcp::kPacketTypes; ++type)
    all[tcp::name_of(static_cast<tcp::PacketType>(type))] += tcp->packets()[type];
  return all;
}

[[noreturn]] void refuse_message() {
  throw ConfigError(
      "understood are {\"signal\": \"reinitialize\"} by a compressor and {\"mode\": \"U\"|\"O\"|\"R\"} by a "
      "decompressor");
}

class CompressorInstance final : public headroom_instance {
 public:
  explicit CompressorInstance(const CompressorConfig& config) : compressor_(config) {}

  std::size_t compress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                       headroom_detail* details) override {
    return compressor_.compress(packets, count, now_ns, details);
  }

  std::size_t drain(headroom_packet* packets, std::size_t count, std::uint64_t, headroom_detail* details) override {
    const std::size_t drained = compressor_.drain(packets, count);
    if (details != nullptr) std::fill_n(details, drained, kUnknown);
    return drained;
  }

  std::size_t give_reverse(headroom_packet* packets, std::size_t count, std::uint64_t now_ns) override {
    for (std::size_t i = 0; i < count; ++i) {
      headroom_packet& p = packets[i];
      p.out_length = 0;
      p.status = HEADROOM_OK;
      if (p.in_type == HEADROOM_REVERSE_NEAR) {
        compressor_.give_feedback(p.channel, {p.in, p.in_length}, now_ns);
      } else if (p.in_type != HEADROOM_REVERSE_FAR) {
        p.status = HEADROOM_ERR_UNSUPPORTED;
      } else if (!compressor_.piggyback(p.channel, {p.in, p.in_length})) {
        p.status = HEADROOM_ERR_NO_SPACE;
      }
    }
    return count;
  }

  [[nodiscard]] json statistics() const override {
    const CompressorCounters& n = compressor_.counters();
    return {{"memory_bytes", compressor_.memory_bytes()},
            {"contexts", compressor_.contexts_in_use()},
            {"packets", named(packets_of(n.packets, compressor_.tcp()), kPacketNames)},
            {"coverage_extensions", named(n.cce, wire::kCceNames)},
            {"fast_path", n.fast + (compressor_.tcp() != nullptr ? compressor_.tcp()->fast() : 0)},
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

  void control(const json& message) override {
    if (message != json{{"signal", "reinitialize"}}) refuse_message();
    compressor_.reinitialize();
  }

  void disable_fast_path() override { compressor_.disable_fast_path(); }

 private:
  Compressor compressor_;
};

class DecompressorInstance final : public headroom_instance {
 public:
  explicit DecompressorInstance(const DecompressorConfig& config) : decompressor_(config) {}

  std::size_t decompress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                         headroom_detail* details) override {
    decompressor_.decompress(packets, count, now_ns, details);
    return count;
  }

  std::size_t take_reverse(headroom_packet* packets, std::size_t count) override {
    return decompressor_.take_reverse(packets, count);
  }

  [[nodiscard]] json statistics() const override {
    const DecompressorCounters& n = decompressor_.counters();
    std::array<std::uint64_t, kEventNames.size()> events = n.events;
    if (decompressor_.tcp() != nullptr)
      for (std::size_t i = 1; i < tcp::kEvents; ++i) events[i] += decompressor_.tcp()->events()[i];
    return {{"memory_bytes", decompressor_.memory_bytes()},
            {"contexts", decompressor_.contexts_in_use()},
            {"packets", named(packets_of(n.packets, decompressor_.tcp()), kPacketNames)},
            {"coverage_extensions", named(n.cce, wire::kCceNames)},
            {"events", named(events, kEventNames)},
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

  // RFC 3095, 6.3.
  void control(const json& message) override {
    if (!message.is_object() || message.size() != 1 || !message.contains("mode")) refuse_message();
    decompressor_.set_mode(mode_from(message["mode"]));
  }

  void disable_fast_path() override { decompressor_.disable_fast_path(); }

 private:
  Decompressor decompressor_;
};

headroom_instance* make(std::int32_t role, const json& config) {
  require(role != HEADROOM_ENDPOINT, "the scheme rohc has compressors and decompressors (roles 1 and 2)");
  if (role == HEADROOM_COMPRESSOR) return new CompressorInstance(compressor_config(config));
  return new DecompressorInstance(decompressor_config(config));
}

}  // namespace

const reference::Scheme& reference_scheme() noexcept {
  static constexpr reference::Scheme kScheme = {.name = "rohc", .description = description, .make = make};
  return kScheme;
}

}  // namespace headroom::rohc
