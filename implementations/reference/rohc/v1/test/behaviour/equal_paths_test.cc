// SPDX-License-Identifier: Apache-2.0
//
// The fast paths of compressor and decompressor against the general ones: the same bursts through two compressors, one
// of which never takes its fast path, give the same octets, statuses and details for every packet; and the same for two
// decompressors behind a link that loses, damages and repeats packets. Flows are of all shapes and eventful, contexts
// are re-used, feedback flows, modes change, refreshes fall due.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "rohc/framework/test/support/effort.h"
#include "rohc/v1/test/support/eventful_flow.h"
#include "rohc/v1/test/support/link.h"

namespace headroom::rohc {
namespace {

using test::EventfulFlow;
using test::FeedbackElement;
using test::Packet;
using test::Random;
using test::to_hex;

struct Case {
  const char* name;
  CompressorConfig compressor;
  DecompressorConfig decompressor;
  unsigned flows;
  double loss;
  double damage;
  double feedback_loss;
};

// A burst with a buffer for each packet.
struct Burst {
  std::vector<Packet> in;
  std::vector<std::uint32_t> channels;
  std::vector<Packet> out;
  std::vector<headroom_packet> packets;
  std::vector<headroom_detail> details;

  void add(Packet packet, std::uint32_t channel) {
    in.push_back(std::move(packet));
    channels.push_back(channel);
  }

  template <typename Call>
  void run(Call call) {
    out.resize(in.size());
    packets.resize(in.size());
    details.resize(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      out[i].assign(in[i].size() + HEADROOM_EXPANSION, 0);
      packets[i] = {};
      packets[i].in = in[i].data();
      packets[i].in_length = static_cast<std::uint32_t>(in[i].size());
      packets[i].out = out[i].data();
      packets[i].out_capacity = static_cast<std::uint32_t>(out[i].size());
      packets[i].channel = channels[i];
    }
    call(packets.data(), packets.size(), details.data());
  }

  [[nodiscard]] Octets result(std::size_t i) const { return {out[i].data(), packets[i].out_length}; }
};

bool same(const headroom_detail& a, const headroom_detail& b) {
  return a.cid == b.cid && a.profile == b.profile && a.plain_header == b.plain_header &&
         a.compressed_header == b.compressed_header && a.packet_type == b.packet_type && a.mode == b.mode &&
         a.state == b.state && a.event == b.event;
}

void expect_equal(const Burst& fast, const Burst& general, const char* role, std::size_t from) {
  for (std::size_t i = 0; i < fast.in.size(); ++i) {
    const auto where = [&] {
      return std::string(role) + ", packet " + std::to_string(from + i) + " [" + to_hex(fast.in[i]) +
             "]: " + std::string(test::name_of(static_cast<wire::PacketType>(fast.details[i].packet_type))) + " and " +
             std::string(test::name_of(static_cast<wire::PacketType>(general.details[i].packet_type))) + "\nfast    " +
             to_hex(fast.result(i)) + "\ngeneral " + to_hex(general.result(i));
    };
    ASSERT_EQ(fast.packets[i].status, general.packets[i].status) << where();
    ASSERT_TRUE(std::ranges::equal(fast.result(i), general.result(i))) << where();
    ASSERT_TRUE(same(fast.details[i], general.details[i])) << where();
  }
}

class Twins {
 public:
  Twins(const Case& c, std::uint64_t seed)
      : case_(c),
        random_(seed),
        fast_(c.compressor),
        general_(c.compressor),
        fast_decompressor_(c.decompressor),
        general_decompressor_(c.decompressor) {
    general_.disable_fast_path();
    general_decompressor_.disable_fast_path();
    for (unsigned i = 0; i < c.flows; ++i) new_flow();
  }

  void run(std::size_t packets) {
    for (std::size_t done = 0; done < packets && !testing::Test::HasFatalFailure();) {
      Burst burst = fill();
      const std::size_t size = burst.in.size();
      Burst link;
      compress(std::move(burst), done, link);
      if (testing::Test::HasFatalFailure()) return;
      decompress(std::move(link), done);
      if (testing::Test::HasFatalFailure()) return;
      interfere();
      done += size;
    }
  }

  void expect_same_counters() const {
    CompressorCounters a = fast_.counters();
    const CompressorCounters& b = general_.counters();
    EXPECT_EQ(a.packets, b.packets);
    EXPECT_EQ(a.new_flows, b.new_flows);
    EXPECT_EQ(a.replaced_flows, b.replaced_flows);
    EXPECT_EQ(a.uncompressed, b.uncompressed);
    EXPECT_EQ(a.acks, b.acks);
    EXPECT_EQ(a.nacks, b.nacks);
    EXPECT_EQ(a.static_nacks, b.static_nacks);
    EXPECT_EQ(a.ignored_feedback, b.ignored_feedback);
    EXPECT_EQ(a.oversize, b.oversize);
    EXPECT_EQ(b.fast, 0U);
    EXPECT_EQ(fast_.contexts_in_use(), general_.contexts_in_use());
    EXPECT_EQ(fast_.memory_bytes(), general_.memory_bytes());
    const DecompressorCounters& c = fast_decompressor_.counters();
    const DecompressorCounters& d = general_decompressor_.counters();
    EXPECT_EQ(c.packets, d.packets);
    EXPECT_EQ(c.events, d.events);
    EXPECT_EQ(c.delivered, d.delivered);
    EXPECT_EQ(c.malformed, d.malformed);
    EXPECT_EQ(c.no_context, d.no_context);
    EXPECT_EQ(c.not_allowed, d.not_allowed);
    EXPECT_EQ(c.crc_failures, d.crc_failures);
    EXPECT_EQ(c.held_back, d.held_back);
    EXPECT_EQ(c.unsupported, d.unsupported);
    EXPECT_EQ(c.acks, d.acks);
    EXPECT_EQ(c.nacks, d.nacks);
    EXPECT_EQ(c.static_nacks, d.static_nacks);
    EXPECT_EQ(d.fast, 0U);
  }

  [[nodiscard]] const Compressor& compressor() const { return fast_; }
  [[nodiscard]] const Decompressor& decompressor() const { return fast_decompressor_; }

 private:
  void new_flow() {
    const auto number = static_cast<std::uint16_t>(++flows_made_);
    flows_.push_back(std::make_unique<EventfulFlow>(test::drawn_character(random_, number), random_.next()));
    flow_channels_.push_back(random_.below(case_.compressor.channel.channels));
  }

  Burst fill() {
    Burst burst;
    const unsigned size = random_.chance(0.3) ? 1 : random_.between(1, 70);
    // A few flows are busy for a while, so that runs on the fast path happen.
    if (random_.chance(0.05)) busy_ = random_.below(static_cast<std::uint32_t>(flows_.size()));
    std::uint32_t pause_ms = 0;
    for (unsigned i = 0; i < size; ++i) {
      const std::size_t f = random_.chance(0.5) ? busy_ : random_.below(static_cast<std::uint32_t>(flows_.size()));
      burst.add(flows_[f]->next(), flow_channels_[f]);
      pause_ms = std::max(pause_ms, flows_[f]->pause_ms());
    }
    now_ns_ += (1 + pause_ms) * test::kMillisecond;
    return burst;
  }

  void compress(Burst burst, std::size_t from, Burst& link) {
    Burst general = burst;
    burst.run([&](headroom_packet* p, std::size_t n, headroom_detail* d) { fast_.compress(p, n, now_ns_, d); });
    general.run([&](headroom_packet* p, std::size_t n, headroom_detail* d) { general_.compress(p, n, now_ns_, d); });
    expect_equal(burst, general, "compressor", from);
    for (std::size_t i = 0; i < burst.in.size(); ++i) {
      if (burst.packets[i].status != HEADROOM_OK || random_.chance(case_.loss)) continue;
      Packet p = test::copy_of(burst.result(i));
      if (random_.chance(case_.damage)) {
        for (unsigned flips = random_.between(1, 3); flips > 0; --flips) {
          const std::size_t at = random_.below(static_cast<std::uint32_t>(std::min<std::size_t>(p.size(), 12)));
          p[at] = static_cast<std::uint8_t>(p[at] ^ 1U << random_.below(8));
        }
      }
      if (random_.chance(case_.damage)) p.resize(random_.below(static_cast<std::uint32_t>(p.size())));
      link.add(p, burst.channels[i]);
      if (random_.chance(case_.damage)) link.add(std::move(p), burst.channels[i]);
    }
  }

  void decompress(Burst burst, std::size_t from) {
    Burst general = burst;
    burst.run([&](headroom_packet* p, std::size_t n, headroom_detail* d) {
      fast_decompressor_.decompress(p, n, now_ns_, d);
    });
    general.run([&](headroom_packet* p, std::size_t n, headroom_detail* d) {
      general_decompressor_.decompress(p, n, now_ns_, d);
    });
    expect_equal(burst, general, "decompressor", from);
    const std::vector<FeedbackElement> feedback = test::take_all(fast_decompressor_.own_feedback());
    const std::vector<FeedbackElement> other = test::take_all(general_decompressor_.own_feedback());
    ASSERT_EQ(feedback.size(), other.size());
    for (std::size_t i = 0; i < feedback.size(); ++i) {
      ASSERT_EQ(to_hex(feedback[i].octets), to_hex(other[i].octets));
      if (random_.chance(case_.feedback_loss)) continue;
      fast_.give_feedback(feedback[i].channel, feedback[i].octets, now_ns_);
      general_.give_feedback(feedback[i].channel, feedback[i].octets, now_ns_);
    }
  }

  // Signals from outside and a change of population.
  void interfere() {
    if (random_.chance(0.002)) {
      fast_.reinitialize();
      general_.reinitialize();
    }
    if (random_.chance(0.002)) {
      wire::Mode mode = random_.flip() ? wire::Mode::kOptimistic : wire::Mode::kUnidirectional;
      if (case_.compressor.highest_mode == wire::Mode::kReliable && random_.chance(0.6)) mode = wire::Mode::kReliable;
      fast_decompressor_.set_mode(mode);
      general_decompressor_.set_mode(mode);
    }
    if (random_.chance(0.01)) {
      const std::size_t f = random_.below(static_cast<std::uint32_t>(flows_.size()));
      flows_[f] = std::make_unique<EventfulFlow>(
          test::drawn_character(random_, static_cast<std::uint16_t>(++flows_made_)), random_.next());
    }
  }

  Case case_;
  Random random_;
  Compressor fast_;
  Compressor general_;
  Decompressor fast_decompressor_;
  Decompressor general_decompressor_;
  std::vector<std::unique_ptr<EventfulFlow>> flows_;
  std::vector<std::uint32_t> flow_channels_;
  unsigned flows_made_ = 0;
  std::size_t busy_ = 0;
  std::uint64_t now_ns_ = 1'000'000'000;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

Case base(const char* name) { return {name, {}, {}, 12, 0.02, 0.01, 0.05}; }

Case optimistic(const char* name) {
  Case c = base(name);
  c.decompressor.mode = wire::Mode::kOptimistic;
  return c;
}

Case reliable(const char* name) {
  Case c = base(name);
  c.compressor.highest_mode = wire::Mode::kReliable;
  c.decompressor.mode = wire::Mode::kReliable;
  return c;
}

void set_channel(Case& c, std::uint32_t channels, bool large, std::uint32_t max_cid) {
  c.compressor.channel.channels = c.decompressor.channel.channels = channels;
  c.compressor.channel.large_cids = c.decompressor.channel.large_cids = large;
  c.compressor.channel.max_cid = c.decompressor.channel.max_cid = max_cid;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  cases.push_back(base("UnidirectionalSmallCids"));
  cases.push_back(optimistic("OptimisticSmallCids"));
  Case c = base("PerfectLink");
  c.loss = c.damage = c.feedback_loss = 0;
  cases.push_back(c);
  c = base("LargeCidsManyChannels");
  set_channel(c, 7, true, 300);
  c.flows = 200;
  cases.push_back(c);
  c = optimistic("LargeCidsOptimistic");
  set_channel(c, 2, true, 16383);
  c.flows = 60;
  cases.push_back(c);
  c = optimistic("FewContextsForManyFlows");
  set_channel(c, 2, false, 3);
  c.flows = 40;
  cases.push_back(c);
  c = base("OneContext");
  set_channel(c, 1, false, 0);
  c.flows = 2;
  cases.push_back(c);
  c = base("FrequentRefreshes");
  c.compressor.ir_refresh = {100, 5000};
  c.compressor.fo_refresh = {17, 700};
  c.compressor.ir_refresh_start = 10;
  c.decompressor.ack_ir_in_u_mode = 3;
  cases.push_back(c);
  c = base("NoRefreshes");
  c.compressor.ir_refresh = {0, 0};
  c.compressor.fo_refresh = {0, 0};
  cases.push_back(c);
  c = optimistic("OneRepeat");
  c.compressor.repeats = 1;
  cases.push_back(c);
  c = optimistic("EightRepeatsAndAcksForUpdates");
  c.compressor.repeats = 8;
  c.decompressor.ack_updates = true;
  cases.push_back(c);
  c = base("LargestIdSteps");
  c.compressor.ip_id_largest_step = 4096;
  cases.push_back(c);
  c = base("SmallestIdSteps");
  c.compressor.ip_id_largest_step = 1;
  cases.push_back(c);
  c = base("IpOnly");
  c.compressor.channel.profiles = {false, false, true};
  cases.push_back(c);
  c = base("UdpButNoRtp");
  c.compressor.rtp_detection = RtpDetection::kNone;
  cases.push_back(c);
  c = base("RtpButNoUdp");
  c.compressor.channel.profiles = {true, false, true};
  cases.push_back(c);
  cases.push_back(reliable("ReliableSmallCids"));
  c = reliable("ReliableLargeCids");
  set_channel(c, 2, true, 300);
  c.flows = 60;
  cases.push_back(c);
  c = reliable("ReliablePerfectLink");
  c.loss = c.damage = c.feedback_loss = 0;
  cases.push_back(c);
  c = reliable("ReliableFewContextsForManyFlows");
  set_channel(c, 2, false, 3);
  c.flows = 40;
  cases.push_back(c);
  c = reliable("ReliableHardlyAnyFeedback");
  c.feedback_loss = 0.8;
  c.compressor.update_after = 48;
  c.compressor.update_pause = 40;
  cases.push_back(c);
  c = base("OneSsrcPerFlow");
  c.compressor.ssrcs_per_flow = 1;
  cases.push_back(c);
  return cases;
}

class EqualPaths : public testing::TestWithParam<Case> {};

TEST_P(EqualPaths, EveryPacket) {
  std::uint64_t zero = 0;
  std::uint64_t fast = 0;
  std::uint64_t fast_at_decompressor = 0;
  for (std::uint64_t seed = 1; seed <= test::seeds(3); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Twins twins(GetParam(), seed);
    twins.run(12'000);
    twins.expect_same_counters();
    if (HasFailure()) return;
    for (const wire::PacketType type : {wire::PacketType::kUo0, wire::PacketType::kR0})
      zero += twins.compressor().counters().packets[static_cast<std::size_t>(type)];
    fast += twins.compressor().counters().fast;
    fast_at_decompressor += twins.decompressor().counters().fast;
  }
  // Without this the comparison would say nothing.
  EXPECT_GT(fast, zero / 4);
  EXPECT_GT(fast_at_decompressor, zero / 8);
}

INSTANTIATE_TEST_SUITE_P(All, EqualPaths, testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<Case>& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace headroom::rohc
