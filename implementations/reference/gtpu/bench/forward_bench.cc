// SPDX-License-Identifier: Apache-2.0
//
// Nanoseconds a packet: 600,000 sessions, bursts of 32 in place, of which only what `forward` overwrote is put back.
//
//   Forward/active/flows   active: users whose packets come; flows: 1 with a flow table, and an SDF filter, a QER with
//                          a rate and a URR in each session
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <vector>

#include "gtpu/forward/worker.h"
#include "gtpu/sessions/sessions.h"
#include "gtpu/test/packets.h"

namespace {

using namespace headroom::gtpu;
using namespace headroom::gtpu::test;

constexpr std::uint32_t kSessions = 600'000, kBurst = 32, kFirstUser = 0x0A000000;

struct Load {
  explicit Load(bool rich) : config(config_of(rich)), sessions(config.addresses, kSessions) {
    Rules rules = basic_rules();
    if (rich) {
      rules.urrs.emplace_back();
      rules.urrs[0].id = 1;
      rules.qers[0].uplink_mbr = rules.qers[0].downlink_mbr = 100'000'000;
      for (std::size_t i = 0; i < 2; ++i) {
        Pdr& pdr = rules.pdrs[i];
        pdr.urrs = {1};
        pdr.qers = {1};
        Pdr other = pdr;
        other.id = static_cast<std::uint16_t>(3 + i);
        other.precedence = 50;
        static const auto kFilter = std::make_shared<const SdfFilter>(
            *parse_flow_description("permit out tcp from 203.0.113.0/24 443 to assigned"));
        other.filters = {kFilter};
        rules.pdrs.push_back(other);
      }
    }
    for (std::uint32_t i = 0; i < kSessions; ++i) {
      for (Pdr& pdr : rules.pdrs) {
        pdr.user.ipv4 = kFirstUser + i;
        if (pdr.source == Interface::access) pdr.teid.teid = 1 + i;
      }
      rules.fars[1].forwarding.teid = 1 + i;
      Refusal refusal;
      if (sessions.create(rules, refusal) == nullptr) std::abort();
    }
    worker = std::make_unique<Worker>(config, sessions, true);
  }
  static Config config_of(bool rich) {
    Config config = test::config(rich ? 65536 : 0);
    config.max_sessions = kSessions;
    return config;
  }

  Config config;
  Sessions sessions;
  std::unique_ptr<Worker> worker;
};

Load& load(bool rich) {
  static Load basic(false), other(true);
  return rich ? other : basic;
}

// A packet in a place of its own, as a driver has it.
constexpr std::size_t kPlace = 2048, kRoom = HEADROOM_USER_PLANE_ROOM, kPackets = 1024;
constexpr std::uint32_t kLength = 690;
constexpr std::size_t kOuter = 44;

// Packets of both directions in turn, of users at random.
class Pool {
 public:
  Pool() : octets_(kPackets * kPlace) {
    const Bytes up = uplink(from_user(Bytes(kLength - kOuter - 28))), down = to_user(Bytes(kLength - 28));
    for (std::size_t i = 0; i < kPackets; ++i) {
      const Bytes& packet = is_uplink(i) ? up : down;
      std::copy(packet.begin(), packet.end(), begin(i));
      headers_[i % 2].assign(packet.begin(), packet.begin() + 2 * kOuter);
    }
  }

  // Puts back what has been overwritten.
  template <typename NextUser>
  void renew(NextUser&& next_user) {
    for (std::size_t i = 0; i < kPackets; ++i) {
      std::uint8_t* const octets = begin(i);
      std::copy(headers_[i % 2].begin(), headers_[i % 2].end(), octets);
      const std::uint32_t user = next_user();
      if (is_uplink(i)) {
        write32(octets + 32, 1 + user);
        write32(octets + kOuter + 12, kFirstUser + user);
      } else {
        write32(octets + 16, kFirstUser + user);
      }
      packets[i] = {octets, kLength, kRoom, kRoom, is_uplink(i) ? HEADROOM_N3 : HEADROOM_N6, 0, 0, 0, 0};
    }
  }

  std::vector<headroom_user_packet> packets = std::vector<headroom_user_packet>(kPackets);

 private:
  static bool is_uplink(std::size_t i) { return i % 2 == 0; }
  std::uint8_t* begin(std::size_t i) { return &octets_[i * kPlace + kRoom]; }

  Bytes octets_;
  Bytes headers_[2];
};

void forward(benchmark::State& state) {
  const auto active = static_cast<std::uint32_t>(state.range(0));
  Load& l = load(state.range(1) != 0);
  Pool pool;
  std::mt19937 random(1);
  static std::uint64_t now = 0;  // of all runs: meters are the same, and time does not go back
  for (auto _ : state) {
    pool.renew([&] { return static_cast<std::uint32_t>(random() % active * (kSessions / active)); });
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kPackets; i += kBurst) l.worker->forward(&pool.packets[i], kBurst, now += 2000);
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  for (const headroom_user_packet& packet : pool.packets) {
    if (packet.status != HEADROOM_OK) state.SkipWithError("not all packets were forwarded");
  }
  state.counters["packet"] = benchmark::Counter(static_cast<double>(state.iterations()) * kPackets,
                                                benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(forward)->Name("Forward")->ArgsProduct({{6'000, 600'000}, {0, 1}})->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
