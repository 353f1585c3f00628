// SPDX-License-Identifier: Apache-2.0
//
// Configurations: what each key becomes, and that whatever is wrong gets a sentence that names the key and says what
// would be right.
#include "rohc/options.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace headroom::rohc {
namespace {

using nlohmann::json;

CompressorConfig compressor(const char* text) { return compressor_config(json::parse(text)); }
DecompressorConfig decompressor(const char* text) { return decompressor_config(json::parse(text)); }

// A configuration that is right but for these options.
std::string with_options(const std::string& options) { return R"({"scheme": "rohc", "options": )" + options + "}"; }
CompressorConfig compressor_options(const char* options) { return compressor(with_options(options).c_str()); }
DecompressorConfig decompressor_options(const char* options) { return decompressor(with_options(options).c_str()); }

template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "no error";
}
std::string compressor_error(const std::string& text) {
  return error_of([&] { (void)compressor(text.c_str()); });
}
std::string decompressor_error(const std::string& text) {
  return error_of([&] { (void)decompressor(text.c_str()); });
}

// --- Common keys -----------------------------------------------------------------------------------------------------

TEST(Options, DefaultsAreThoseOfTheDocument) {
  const CompressorConfig c = compressor(R"({"scheme": "rohc"})");
  EXPECT_EQ(c.channel.channels, 1U);
  EXPECT_FALSE(c.channel.large_cids);
  EXPECT_EQ(c.channel.max_cid, 15U);
  EXPECT_TRUE(c.channel.profiles.rtp && c.channel.profiles.udp && c.channel.profiles.ip);
  EXPECT_EQ(c.seed, 0U);
  const DecompressorConfig d = decompressor(R"({"scheme": "rohc"})");
  EXPECT_EQ(d.mode, wire::Mode::kUnidirectional);
  EXPECT_TRUE(d.feedback);
}

TEST(Options, CommonKeys) {
  const char* text = R"({
    "scheme": "rohc", "channels": 4, "cids": "large", "max_cid": 999, "profiles": ["0x0000", "0x0002"], "mode": "O",
    "mrru": 0, "feedback": false, "seed": 18446744073709551615, "options": {}, "of the future": [1]})";
  const CompressorConfig c = compressor(text);
  EXPECT_EQ(c.channel.channels, 4U);
  EXPECT_TRUE(c.channel.large_cids);
  EXPECT_EQ(c.channel.max_cid, 999U);
  EXPECT_FALSE(c.channel.profiles.rtp);
  EXPECT_TRUE(c.channel.profiles.udp);
  EXPECT_FALSE(c.channel.profiles.ip);
  EXPECT_EQ(c.highest_mode, wire::Mode::kOptimistic);
  EXPECT_EQ(c.seed, 0xffffffffffffffffU);
  const DecompressorConfig d = decompressor(text);
  EXPECT_EQ(d.mode, wire::Mode::kOptimistic);
  EXPECT_FALSE(d.feedback);
  EXPECT_EQ(compressor(R"({"scheme": "rohc", "mode": "U"})").highest_mode, wire::Mode::kUnidirectional);
}

TEST(Options, NoTimerInReliableMode) {
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "mode": "R", "options": {"timer_ts": "always"}})"),
            "\"timer_ts\" must be \"never\" with mode \"R\": it is for U- and O-mode");
}

TEST(Options, SegmentsAndFeedbackFor) {
  const CompressorConfig c = compressor(R"({"scheme": "rohc", "mrru": 1500, "largest_packet": 100})");
  EXPECT_EQ(c.channel.mrru, 1500U);
  EXPECT_EQ(c.largest_packet, 100U);
  const DecompressorConfig d =
      decompressor(R"({"scheme": "rohc", "channels": 3, "mrru": 65535, "feedback_for": [2, null, 0]})");
  EXPECT_EQ(d.channel.mrru, 65535U);
  EXPECT_EQ(d.feedback_for, (std::vector<std::uint32_t>{2, kNoContext, 0}));
  for (const char* bad : {"7", "[0]", "[0, 1, 3]", "[0, 1, -1]", "[0, 1, \"2\"]", "[0, 1, 2, null]"}) {
    EXPECT_EQ(decompressor_error(std::string(R"({"scheme": "rohc", "channels": 3, "feedback_for": )") + bad + "}"),
              "\"feedback_for\" must be a list with one entry for each of the 3 channels: the number of a channel, or "
              "null where feedback refers to none");
  }
}

TEST(Options, UncompressedIsAlwaysThere) {
  const ProfileSet set = compressor(R"({"scheme": "rohc", "profiles": []})").channel.profiles;
  EXPECT_TRUE(set.has(wire::Profile::kUncompressed));
  EXPECT_FALSE(set.has(wire::Profile::kRtp) || set.has(wire::Profile::kUdp) || set.has(wire::Profile::kIp) ||
               set.has(wire::Profile::kNone));
}

TEST(Options, ErrorsInCommonKeys) {
  EXPECT_EQ(compressor_error("[1]"), "the configuration must be an object, not array");
  EXPECT_EQ(compressor_error("{}"), "\"scheme\" is missing; it must be \"rohc\"");
  EXPECT_EQ(compressor_error(R"({"scheme": "sigcomp"})"),
            "\"scheme\" in the configuration is \"sigcomp\", but must be one of \"rohc\"");
  EXPECT_EQ(compressor_error(R"({"scheme": 5})"), "\"scheme\" in the configuration is 5, but must be one of \"rohc\"");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "channels": 0})"),
            "\"channels\" in the configuration is 0, but must be a whole number from 1 to 1024");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "channels": -1})"),
            "\"channels\" in the configuration is -1, but must be a whole number from 1 to 1024");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "channels": 1.5})"),
            "\"channels\" in the configuration is 1.5, but must be a whole number from 1 to 1024");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "channels": "1"})"),
            "\"channels\" in the configuration is \"1\", but must be a whole number from 1 to 1024");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "cids": "medium"})"),
            "\"cids\" in the configuration is \"medium\", but must be one of \"small\", \"large\"");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "max_cid": 16})"),
            "\"max_cid\" in the configuration is 16, but must be a whole number from 0 to 15");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "cids": "large", "max_cid": 16384})"),
            "\"max_cid\" in the configuration is 16384, but must be a whole number from 0 to 16383");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "profiles": "0x0001"})"),
            "\"profiles\" must be a list of strings such as \"0x0001\"");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "profiles": ["0x0005"]})"),
            "profile 0x0005 is not implemented; implemented are 0x0000 to 0x0004 and 0x0006 to 0x0008, written so");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "profiles": [1]})"),
            "profile 1 is not implemented; implemented are 0x0000 to 0x0004 and 0x0006 to 0x0008, written so");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "mode": "X"})"),
            "mode \"X\" is not implemented; implemented are \"U\", \"O\" and \"R\"");
  EXPECT_EQ(decompressor_error(R"({"scheme": "rohc", "mode": 2})"),
            "mode 2 is not implemented; implemented are \"U\", \"O\" and \"R\"");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "largest_packet": 15})"),
            "\"largest_packet\" in the configuration is 15, but must be 0 (any) or from 16 to 65535");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "largest_packet": 39, "options": {"packet_sizes": [40]}})"),
            "\"largest_packet\" in the configuration is 39, but no size in \"packet_sizes\" is as small as that");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "mrru": 65536})"),
            "\"mrru\" in the configuration is 65536, but must be a whole number from 0 to 65535");
  EXPECT_EQ(decompressor_error(R"({"scheme": "rohc", "feedback": "yes"})"),
            "\"feedback\" in the configuration is \"yes\", but must be true or false");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "seed": -1})"),
            "\"seed\" in the configuration is -1, but must be a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(compressor_error(R"({"scheme": "rohc", "options": []})"),
            "\"options\" of the compressor must be an object, not array");
}

TEST(Options, ChannelsTimesContextsAreLimited) {
  EXPECT_EQ(compressor(R"({"scheme": "rohc", "cids": "large", "max_cid": 16383, "channels": 1024})").channel.contexts(),
            1U << 24);
  ChannelParameters p;
  p.channels = 3;
  p.max_cid = 15;
  EXPECT_EQ(p.contexts(), 48U);
  EXPECT_EQ(p.index_of(2, 15), 47U);
}

// --- Options of the compressor ---------------------------------------------------------------------------------------

TEST(CompressorOptions, EachKey) {
  const CompressorConfig c = compressor_options(R"({
    "repeats": 7, "ir_refresh": {"packets": 100, "ms": 200}, "fo_refresh": {"packets": 50}, "ir_refresh_start": 8,
    "ir_repeats": 3, "flow_lookup": "linear", "acked_refresh_factor": 3, "rtp_detection": "ports", "rtp_ports": [[16384, 32767], [5004, 5004]],
    "ssrcs_per_flow": 2, "ip_id_largest_step": 256, "reject_hold_ms": 77, "packet_sizes": [40, 40, 100],
    "update_after": 20, "update_burst": 3, "update_pause": 15, "timer_ts": "negotiated", "timer_jitter_ms": 5,
    "timer_stride_ms": 30, "tcp_replication": false, "tcp_static_options": false})");
  EXPECT_FALSE(c.tcp_replication);
  EXPECT_FALSE(c.tcp_static_options);
  EXPECT_EQ(c.update_after, 20U);
  EXPECT_EQ(c.update_burst, 3U);
  EXPECT_EQ(c.update_pause, 15U);
  EXPECT_EQ(c.timer_ts, TimerTs::kNegotiated);
  EXPECT_EQ(c.timer_jitter_ms, 5U);
  EXPECT_EQ(c.timer_stride_ms, 30U);
  EXPECT_EQ(compressor_options("{}").timer_ts, TimerTs::kNever);
  EXPECT_EQ(c.repeats, 7U);
  EXPECT_EQ(c.ir_refresh.packets, 100U);
  EXPECT_EQ(c.ir_refresh.ms, 200U);
  EXPECT_EQ(c.fo_refresh.packets, 50U);
  EXPECT_EQ(c.fo_refresh.ms, CompressorConfig{}.fo_refresh.ms) << "what is not given keeps its default";
  EXPECT_EQ(c.ir_refresh_start, 8U);
  EXPECT_EQ(c.ir_repeats, 3U);
  EXPECT_EQ(c.flow_lookup, FlowLookup::kLinear);
  EXPECT_EQ(c.acked_refresh_factor, 3U);
  EXPECT_EQ(c.rtp_detection, RtpDetection::kPorts);
  ASSERT_EQ(c.rtp_ports.size(), 2U);
  EXPECT_EQ(c.rtp_ports[0], (std::pair<std::uint16_t, std::uint16_t>{16384, 32767}));
  EXPECT_EQ(c.ssrcs_per_flow, 2U);
  EXPECT_EQ(c.ip_id_largest_step, 256);
  EXPECT_EQ(c.reject_hold_ms, 77U);
  EXPECT_EQ(c.packet_sizes, (std::vector<std::uint16_t>{40, 40, 100}));
  EXPECT_EQ(compressor_options(R"({"rtp_detection": "none"})").rtp_detection, RtpDetection::kNone);
  EXPECT_EQ(compressor_options(R"({"rtp_detection": "heuristic"})").rtp_detection, RtpDetection::kHeuristic);
}

struct BadOption {
  const char* options;
  const char* sentence;
};

TEST(CompressorOptions, ErrorOfEachKey) {
  constexpr const char* kPorts = "\"rtp_ports\" must be a list of port ranges such as [[16384, 32767]]";
  constexpr const char* kSizes =
      "\"packet_sizes\" must be an ascending list of packet lengths in octets, each 1 to 65535";
  const BadOption cases[] = {
      {R"({"repeats": 0})",
       "\"repeats\" in \"options\" of the compressor is 0, but must be a whole number from 1 to 8"},
      {R"({"repeats": 9})",
       "\"repeats\" in \"options\" of the compressor is 9, but must be a whole number from 1 to 8"},
      {R"({"ir_refresh": 5})", "\"ir_refresh\" in \"options\" of the compressor must be an object, not number"},
      {R"({"ir_refresh": {"packets": -1}})",
       "\"packets\" in \"ir_refresh\" in \"options\" of the compressor is -1, but must be a whole number from 0 to "
       "4294967294"},
      {R"({"fo_refresh": {"ms": 4294967295}})",
       "\"ms\" in \"fo_refresh\" in \"options\" of the compressor is 4294967295, but must be a whole number from 0 to "
       "4294967294"},
      {R"({"fo_refresh": {"seconds": 1}})",
       "unknown key \"seconds\" in \"fo_refresh\" in \"options\" of the compressor; known are: packets, ms"},
      {R"({"ir_refresh_start": true})",
       "\"ir_refresh_start\" in \"options\" of the compressor is true, but must be a whole number from 0 to "
       "4294967294"},
      {R"({"ir_repeats": 256})",
       "\"ir_repeats\" in \"options\" of the compressor is 256, but must be a whole number from 1 to 255"},
      {R"({"flow_lookup": "sorted"})",
       "\"flow_lookup\" in \"options\" of the compressor is \"sorted\", but must be one of \"hashed\", \"linear\""},
      {R"({"acked_refresh_factor": 0})",
       "\"acked_refresh_factor\" in \"options\" of the compressor is 0, but must be a whole number from 1 to 1000"},
      {R"({"rtp_detection": "guess"})",
       "\"rtp_detection\" in \"options\" of the compressor is \"guess\", but must be one of \"heuristic\", \"ports\", "
       "\"none\""},
      {R"({"rtp_ports": 5004})", kPorts},
      {R"({"rtp_ports": [5004]})", kPorts},
      {R"({"rtp_ports": [[5004]]})", kPorts},
      {R"({"rtp_ports": [[2, 1]]})", kPorts},
      {R"({"rtp_ports": [[1, 65536]]})", kPorts},
      {R"({"rtp_ports": [[-1, 5]]})", kPorts},
      {R"({"ssrcs_per_flow": 0})",
       "\"ssrcs_per_flow\" in \"options\" of the compressor is 0, but must be a whole number from 1 to "
       "16777216"},
      {R"({"ip_id_largest_step": 4097})",
       "\"ip_id_largest_step\" in \"options\" of the compressor is 4097, but must be a whole number from 1 to 4096"},
      {R"({"reject_hold_ms": 86400001})",
       "\"reject_hold_ms\" in \"options\" of the compressor is 86400001, but must be a whole number from 0 to "
       "86400000"},
      {R"({"packet_sizes": 40})", kSizes},
      {R"({"packet_sizes": [0]})", kSizes},
      {R"({"packet_sizes": [65536]})", kSizes},
      {R"({"packet_sizes": [50, 40]})", kSizes},
      {R"({"packet_sizes": ["40"]})", kSizes},
      {R"({"repeat": 3})",
       "unknown key \"repeat\" in \"options\" of the compressor; known are: repeats, ir_refresh, fo_refresh, "
       "ir_refresh_start, "
       "ir_repeats, acked_refresh_factor, rtp_detection, rtp_ports, ssrcs_per_flow, flow_lookup, ip_id_largest_step, "
       "reject_hold_ms, "
       "packet_sizes, update_after, update_burst, update_pause, "
       "timer_ts, timer_jitter_ms, timer_stride_ms, tcp_replication, "
       "tcp_static_options"},
      {R"({"update_after": 49})",
       "\"update_after\" in \"options\" of the compressor is 49, but must be a whole number from 1 to 48"},
      {R"({"update_burst": 0})",
       "\"update_burst\" in \"options\" of the compressor is 0, but must be a whole number from 1 to 255"},
      {R"({"update_pause": 1001})",
       "\"update_pause\" in \"options\" of the compressor is 1001, but must be a whole number from 0 to 1000"},
      {R"({"timer_ts": true})",
       "\"timer_ts\" in \"options\" of the compressor is true, but must be one of \"never\", \"negotiated\", "
       "\"always\""},
      {R"({"timer_jitter_ms": 60001})",
       "\"timer_jitter_ms\" in \"options\" of the compressor is 60001, but must be a whole number from 0 to 60000"},
      {R"({"timer_stride_ms": 65536})",
       "\"timer_stride_ms\" in \"options\" of the compressor is 65536, but must be a whole number from 0 to 65535"},
  };
  for (const BadOption& c : cases) EXPECT_EQ(compressor_error(with_options(c.options)), c.sentence) << c.options;
}

// --- Options of the decompressor -------------------------------------------------------------------------------------

TEST(DecompressorOptions, EachKey) {
  const DecompressorConfig d = decompressor_options(R"({
    "dynamic_damage": {"k": 3, "n": 5}, "static_damage": {"k": 1, "n": 32},
    "static_damage_in_u_mode": {"k": 2, "n": 31}, "repair_wraparound": false,
    "repair_reference": false, "ack_ir_in_u_mode": 2, "ack_updates": true, "nack_every": 9,
    "nack_unknown_contexts": true, "ack_sparse": 7, "mode_requests": 100, "clock_ms": 10, "report_jitter": true,
    "report_loss": true, "sn_option": true, "most_contexts": 7, "tcp_verify_checksum": true})");
  EXPECT_TRUE(d.tcp_verify_checksum);
  EXPECT_EQ(d.ack_sparse, 7U);
  EXPECT_EQ(d.mode_requests, 100U);
  EXPECT_EQ(d.clock_ms, 10);
  EXPECT_TRUE(d.report_jitter && d.report_loss && d.sn_option);
  EXPECT_EQ(d.most_contexts, 7U);
  EXPECT_EQ(d.dynamic_damage.k, 3);
  EXPECT_EQ(d.dynamic_damage.n, 5);
  EXPECT_EQ(d.static_damage.k, 1);
  EXPECT_EQ(d.static_damage.n, 32);
  EXPECT_EQ(d.static_damage_in_u_mode.k, 2);
  EXPECT_EQ(d.static_damage_in_u_mode.n, 31);
  EXPECT_FALSE(d.repair_wraparound || d.repair_reference);
  EXPECT_EQ(d.ack_ir_in_u_mode, 2U);
  EXPECT_TRUE(d.ack_updates && d.nack_unknown_contexts);
  EXPECT_EQ(d.nack_every, 9U);
}

TEST(DecompressorOptions, ErrorOfEachKey) {
  const BadOption cases[] = {
      {R"({"dynamic_damage": {"k": 5, "n": 4}})",
       "\"k\" must not exceed \"n\" in \"dynamic_damage\" in \"options\" of the decompressor"},
      {R"({"dynamic_damage": {"k": 0}})",
       "\"k\" in \"dynamic_damage\" in \"options\" of the decompressor is 0, but must be a whole number from 1 to 32"},
      {R"({"static_damage": {"n": 33}})",
       "\"n\" in \"static_damage\" in \"options\" of the decompressor is 33, but must be a whole number from 1 to 32"},
      {R"({"static_damage": {"m": 3}})",
       "unknown key \"m\" in \"static_damage\" in \"options\" of the decompressor; known are: k, n"},
      {R"({"static_damage": null})",
       "\"static_damage\" in \"options\" of the decompressor must be an object, not null"},
      {R"({"repair_wraparound": 1})",
       "\"repair_wraparound\" in \"options\" of the decompressor is 1, but must be true or false"},
      {R"({"repair_reference": "no"})",
       "\"repair_reference\" in \"options\" of the decompressor is \"no\", but must be true or false"},
      {R"({"ack_ir_in_u_mode": 256})",
       "\"ack_ir_in_u_mode\" in \"options\" of the decompressor is 256, but must be a whole number from 0 to 255"},
      {R"({"ack_updates": 0})", "\"ack_updates\" in \"options\" of the decompressor is 0, but must be true or false"},
      {R"({"nack_every": 0})",
       "\"nack_every\" in \"options\" of the decompressor is 0, but must be a whole number from 1 to 255"},
      {R"({"nack_unknown_contexts": 5})",
       "\"nack_unknown_contexts\" in \"options\" of the decompressor is 5, but must be true or false"},
      {R"({"repeats": 3})",
       "unknown key \"repeats\" in \"options\" of the decompressor; known are: dynamic_damage, static_damage, "
       "static_damage_in_u_mode, "
       "repair_wraparound, "
       "repair_reference, ack_ir_in_u_mode, ack_updates, nack_every, nack_unknown_contexts, ack_sparse, mode_requests, "
       "clock_ms, report_jitter, report_loss, sn_option, most_contexts, "
       "tcp_verify_checksum"},
      {R"({"ack_sparse": 101})",
       "\"ack_sparse\" in \"options\" of the decompressor is 101, but must be a whole number from 1 to 100"},
      {R"({"mode_requests": 0})",
       "\"mode_requests\" in \"options\" of the decompressor is 0, but must be a whole number from 1 to 250"},
      {R"({"clock_ms": 256})",
       "\"clock_ms\" in \"options\" of the decompressor is 256, but must be a whole number from 0 to 255"},
      {R"({"report_jitter": 1})",
       "\"report_jitter\" in \"options\" of the decompressor is 1, but must be true or false"},
      {R"({"report_loss": 1})", "\"report_loss\" in \"options\" of the decompressor is 1, but must be true or false"},
      {R"({"sn_option": 20})", "\"sn_option\" in \"options\" of the decompressor is 20, but must be true or false"},
      {R"({"most_contexts": -1})",
       "\"most_contexts\" in \"options\" of the decompressor is -1, but must be a whole number from 0 to 16777216"},
  };
  for (const BadOption& c : cases) EXPECT_EQ(decompressor_error(with_options(c.options)), c.sentence) << c.options;
}

TEST(Options, ModeFrom) {
  EXPECT_EQ(mode_from("U"), wire::Mode::kUnidirectional);
  EXPECT_EQ(mode_from("O"), wire::Mode::kOptimistic);
  EXPECT_EQ(mode_from("R"), wire::Mode::kReliable);
  EXPECT_THROW((void)mode_from("r"), ConfigError);
  EXPECT_THROW((void)mode_from(nullptr), ConfigError);
}

}  // namespace
}  // namespace headroom::rohc
