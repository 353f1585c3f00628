// SPDX-License-Identifier: Apache-2.0
#include "rohc/options.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace headroom::rohc {
namespace {

using nlohmann::json;

constexpr std::uint32_t kMaxChannels = 1024;
constexpr std::uint64_t kMaxContexts = 1U << 24;
constexpr std::uint32_t kMaxU32 = std::numeric_limits<std::uint32_t>::max();

ProfileSet read_profiles(const json& list) {
  if (!list.is_array()) throw ConfigError("\"profiles\" must be a list of strings such as \"0x0001\"");
  ProfileSet set{false, false, false, false, false, false};
  for (const json& item : list) {
    const std::string name = item.is_string() ? item.get<std::string>() : item.dump();
    if (name == "0x0001") {
      set.rtp = true;
    } else if (name == "0x0002") {
      set.udp = true;
    } else if (name == "0x0003") {
      set.esp = true;
    } else if (name == "0x0004") {
      set.ip = true;
    } else if (name == "0x0006") {
      set.tcp = true;
    } else if (name == "0x0007") {
      set.rtp_udp_lite = true;
    } else if (name == "0x0008") {
      set.udp_lite = true;
    } else if (name != "0x0000") {
      throw ConfigError("profile " + name +
                        " is not implemented; implemented are 0x0000 to 0x0004 and 0x0006 to 0x0008, written so");
    }
  }
  return set;
}

ChannelParameters read_channel(const Settings& o) {
  ChannelParameters p;
  if (o.choice("scheme", {"rohc"}, 1) != 0) throw ConfigError("\"scheme\" is missing; it must be \"rohc\"");
  o.number("channels", 1, kMaxChannels, p.channels);
  p.large_cids = o.choice("cids", {"small", "large"}, 0) == 1;
  const std::uint32_t highest = p.large_cids ? wire::kMaxLargeCid : wire::kMaxSmallCid;
  p.max_cid = wire::kMaxSmallCid;
  o.number("max_cid", 0, highest, p.max_cid);
  if (const json* profiles = o.find("profiles")) p.profiles = read_profiles(*profiles);
  if (std::uint64_t{p.channels} * p.contexts_per_channel() > kMaxContexts) {
    throw ConfigError("\"channels\" times (\"max_cid\" + 1) must not exceed " + std::to_string(kMaxContexts) +
                      " contexts");
  }
  o.number("mrru", 0, 0xffff, p.mrru);
  return p;
}

RefreshPeriod read_period(const Settings& options, const char* key, RefreshPeriod period) {
  const json* value = options.find(key);
  if (value == nullptr) return period;
  const Settings o(*value, options.where(key));
  o.only({"packets", "ms"});
  o.number("packets", 0, kMaxU32 - 1, period.packets);
  o.number("ms", 0, kMaxU32 - 1, period.ms);
  return period;
}

KOutOfN read_k_out_of_n(const Settings& options, const char* key, KOutOfN rule) {
  const json* value = options.find(key);
  if (value == nullptr) return rule;
  const Settings o(*value, options.where(key));
  o.only({"k", "n"});
  o.number("n", 1, 32, rule.n);
  o.number("k", 1, 32, rule.k);
  if (rule.k > rule.n) throw ConfigError("\"k\" must not exceed \"n\" in " + options.where(key));
  return rule;
}

void read_rtp_ports(const json& list, CompressorConfig& config) {
  const auto fail = [] { throw ConfigError("\"rtp_ports\" must be a list of port ranges such as [[16384, 32767]]"); };
  if (!list.is_array()) fail();
  for (const json& range : list) {
    if (!range.is_array() || range.size() != 2 || !range[0].is_number_unsigned() || !range[1].is_number_unsigned())
      fail();
    const auto low = range[0].get<std::uint64_t>();
    const auto high = range[1].get<std::uint64_t>();
    if (low > high || high > 0xffff) fail();
    config.rtp_ports.emplace_back(static_cast<std::uint16_t>(low), static_cast<std::uint16_t>(high));
  }
}

void read_packet_sizes(const json& list, CompressorConfig& config) {
  const auto fail = [] {
    throw ConfigError("\"packet_sizes\" must be an ascending list of packet lengths in octets, each 1 to 65535");
  };
  if (!list.is_array()) fail();
  for (const json& size : list) {
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() == 0 || size.get<std::uint64_t>() > 0xffff) fail();
    config.packet_sizes.push_back(static_cast<std::uint16_t>(size.get<std::uint64_t>()));
  }
  if (!std::is_sorted(config.packet_sizes.begin(), config.packet_sizes.end())) fail();
}

void read_feedback_for(const json& list, DecompressorConfig& config) {
  const std::uint32_t channels = config.channel.channels;
  const auto fail = [&] {
    throw ConfigError("\"feedback_for\" must be a list with one entry for each of the " + std::to_string(channels) +
                      " channels: the number of a channel, or null where feedback refers to none");
  };
  if (!list.is_array() || list.size() != channels) fail();
  for (const json& entry : list) {
    if (!entry.is_null() && (!entry.is_number_unsigned() || entry.get<std::uint64_t>() >= channels)) fail();
    config.feedback_for.push_back(entry.is_null() ? kNoContext : entry.get<std::uint32_t>());
  }
}

// Segments smaller than this would be mostly overhead, and their overhead not fit into what the ABI leaves room for.
constexpr std::uint32_t kSmallestLimit = 16;

void read_largest_packet(const Settings& o, CompressorConfig& config) {
  o.number("largest_packet", 0, 0xffff, config.largest_packet);
  if (config.largest_packet == 0) return;
  if (config.largest_packet < kSmallestLimit) {
    throw ConfigError(o.where("largest_packet") + " is " + std::to_string(config.largest_packet) +
                      ", but must be 0 (any) or from " + std::to_string(kSmallestLimit) + " to 65535");
  }
  if (!config.packet_sizes.empty() && config.packet_sizes.front() > config.largest_packet) {
    throw ConfigError(o.where("largest_packet") + " is " + std::to_string(config.largest_packet) +
                      ", but no size in \"packet_sizes\" is as small as that");
  }
}

const json kNoOptions = json::object();

}  // namespace

wire::Mode mode_from(const nlohmann::json& value) {
  if (value == "U") return wire::Mode::kUnidirectional;
  if (value == "O") return wire::Mode::kOptimistic;
  if (value == "R") return wire::Mode::kReliable;
  throw ConfigError("mode " + value.dump() + " is not implemented; implemented are \"U\", \"O\" and \"R\"");
}

CompressorConfig compressor_config(const nlohmann::json& json) {
  const Settings o(json, "the configuration");
  CompressorConfig c;
  c.channel = read_channel(o);
  if (const auto* mode = o.find("mode")) c.highest_mode = mode_from(*mode);
  o.number("seed", 0, std::numeric_limits<std::uint64_t>::max(), c.seed);
  const auto* options = o.find("options");
  const Settings p(options != nullptr ? *options : kNoOptions, "\"options\" of the compressor");
  p.only({"repeats",           "ir_refresh",           "fo_refresh",         "ir_refresh_start",
          "ir_repeats",        "acked_refresh_factor", "rtp_detection",      "rtp_ports",
          "ssrcs_per_flow",    "flow_lookup",          "ip_id_largest_step", "reject_hold_ms",
          "packet_sizes",      "update_after",         "update_burst",       "update_pause",
          "timer_ts",          "timer_jitter_ms",      "timer_stride_ms",    "tcp_replication",
          "tcp_static_options"});
  p.number("repeats", 1, kMaxReferences, c.repeats);
  p.number("update_after", 1, 48, c.update_after);
  p.number("update_burst", 1, 255, c.update_burst);
  p.number("update_pause", 0, 1000, c.update_pause);
  c.ir_refresh = read_period(p, "ir_refresh", c.ir_refresh);
  c.fo_refresh = read_period(p, "fo_refresh", c.fo_refresh);
  p.number("ir_refresh_start", 0, kMaxU32 - 1, c.ir_refresh_start);
  p.number("ir_repeats", 1, 255, c.ir_repeats);
  p.number("acked_refresh_factor", 1, 1000, c.acked_refresh_factor);
  c.rtp_detection = static_cast<RtpDetection>(p.choice("rtp_detection", {"heuristic", "ports", "none"}, 0));
  if (const auto* ports = p.find("rtp_ports")) read_rtp_ports(*ports, c);
  p.number("ssrcs_per_flow", 1, kMaxContexts, c.ssrcs_per_flow);
  c.flow_lookup = static_cast<FlowLookup>(p.choice("flow_lookup", {"hashed", "linear"}, 0));
  p.number("ip_id_largest_step", 1, 4096, c.ip_id_largest_step);
  p.number("reject_hold_ms", 0, 86'400'000, c.reject_hold_ms);
  c.timer_ts = static_cast<TimerTs>(p.choice("timer_ts", {"never", "negotiated", "always"}, 0));
  // In R-mode the reference is not the last header, and what TIME_STRIDE is must be acknowledged before it is used.
  if (c.timer_ts != TimerTs::kNever && c.highest_mode == wire::Mode::kReliable)
    throw ConfigError("\"timer_ts\" must be \"never\" with mode \"R\": it is for U- and O-mode");
  p.number("timer_jitter_ms", 0, 60'000, c.timer_jitter_ms);
  p.number("timer_stride_ms", 0, 0xffff, c.timer_stride_ms);
  p.boolean("tcp_replication", c.tcp_replication);
  p.boolean("tcp_static_options", c.tcp_static_options);
  if (const auto* sizes = p.find("packet_sizes")) read_packet_sizes(*sizes, c);
  read_largest_packet(o, c);
  return c;
}

DecompressorConfig decompressor_config(const nlohmann::json& json) {
  const Settings o(json, "the configuration");
  DecompressorConfig c;
  c.channel = read_channel(o);
  if (const auto* mode = o.find("mode")) c.mode = mode_from(*mode);
  o.boolean("feedback", c.feedback);
  if (const auto* list = o.find("feedback_for")) read_feedback_for(*list, c);
  const auto* options = o.find("options");
  const Settings p(options != nullptr ? *options : kNoOptions, "\"options\" of the decompressor");
  p.only({"dynamic_damage", "static_damage", "static_damage_in_u_mode", "repair_wraparound", "repair_reference",
          "ack_ir_in_u_mode", "ack_updates", "nack_every", "nack_unknown_contexts", "ack_sparse", "mode_requests",
          "clock_ms", "report_jitter", "report_loss", "sn_option", "most_contexts", "tcp_verify_checksum"});
  c.dynamic_damage = read_k_out_of_n(p, "dynamic_damage", c.dynamic_damage);
  c.static_damage = read_k_out_of_n(p, "static_damage", c.static_damage);
  c.static_damage_in_u_mode = read_k_out_of_n(p, "static_damage_in_u_mode", c.static_damage_in_u_mode);
  p.boolean("repair_wraparound", c.repair_wraparound);
  p.boolean("repair_reference", c.repair_reference);
  p.number("ack_ir_in_u_mode", 0, 255, c.ack_ir_in_u_mode);
  p.boolean("ack_updates", c.ack_updates);
  p.number("nack_every", 1, 255, c.nack_every);
  p.number("ack_sparse", 1, 100, c.ack_sparse);
  p.number("mode_requests", 1, 250, c.mode_requests);
  p.boolean("nack_unknown_contexts", c.nack_unknown_contexts);
  p.number("clock_ms", 0, 255, c.clock_ms);
  p.boolean("report_jitter", c.report_jitter);
  p.boolean("report_loss", c.report_loss);
  p.boolean("sn_option", c.sn_option);
  p.number("most_contexts", 0, kMaxContexts, c.most_contexts);
  p.boolean("tcp_verify_checksum", c.tcp_verify_checksum);
  return c;
}

}  // namespace headroom::rohc
