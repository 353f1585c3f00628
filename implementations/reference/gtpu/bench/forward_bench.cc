// SPDX-License-Identifier: Apache-2.0
//
// Nanoseconds a packet: 600,000 sessions, bursts of 32 in place, of which only what `forward` overwrote is put back.
//
//   Forward/active/flows   active: users whose packets come; flows: whether there is a flow table, with an SDF filter,
//   a
//                          QER with a rate and a URR in each session
#include <benchmark/benchmark.h>

#include <random>

#include "gtpu/forward/worker.h"
#include "gtpu/sessions/sessions.h"
#include "gtpu/test/packets.h"

namespace {

using namespace headroom::gtpu;
using namespace headroom::gtpu::test;

constexpr std::uint32_t kSessions = 600'000, kBurst = 32;

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
        other.filters = {*parse_flow_description("permit out tcp from 203.0.113.0/24 443 to assigned")};
        rules.pdrs.push_back(other);
      }
    }
    for (std::uint32_t i = 0; i < kSessions; ++i) {
      for (Pdr& pdr : rules.pdrs) {
        pdr.user.ipv4 = 0x0A000000 + i;
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

// One packet in a place of its own, as a driver would have it.
constexpr std::size_t kPlace = 2048, kRoom = 128, kLength = 690;

void forward(benchmark::State& state) {
  const auto active = static_cast<std::uint32_t>(state.range(0));
  Load& l = load(state.range(1) != 0);
  const std::size_t count = 4096;
  std::vector<std::uint8_t> pool(count * kPlace);
  std::vector<Bytes> headers(count);
  std::mt19937 random(1);
  std::vector<std::uint32_t> users(active);
  for (std::uint32_t& user : users) user = random() % kSessions;
  std::vector<headroom_user_packet> packets(count);
  // The packets' users change with each pass, so that all active users are met.
  std::vector<std::uint32_t> order(std::max<std::size_t>(active, count) / count * count);
  for (std::uint32_t& user : order) user = users[random() % active];
  for (std::size_t i = 0; i < count; ++i) {
    Bytes inner = from_user(Bytes(kLength - 44 - 28));
    if (i % 2 != 0) inner = to_user(Bytes(kLength - 28));
    const Bytes packet = i % 2 != 0 ? inner : uplink(inner);
    headers[i].assign(packet.begin(), packet.begin() + 96);
    std::copy(packet.begin(), packet.end(), pool.begin() + static_cast<std::ptrdiff_t>(i * kPlace + kRoom));
  }
  std::size_t at = 0, pass = 0;
  std::uint64_t now = 0, ok = 0;
  for (auto _ : state) {
    state.PauseTiming();
    if (at == 0) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t user = order[(pass * count + i) % order.size()];
        std::uint8_t* const octets = &pool[i * kPlace + kRoom];
        std::copy(headers[i].begin(), headers[i].end(), octets);
        const std::size_t ip = i % 2 != 0 ? 0 : 44;
        write32(octets + ip + (i % 2 != 0 ? 16 : 12), 0x0A000000 + user);
        if (i % 2 == 0) write32(octets + 32, 1 + user);
        packets[i] = {
            octets, i % 2 != 0 ? kLength : kLength, kRoom, kRoom, i % 2 != 0 ? HEADROOM_N6 : HEADROOM_N3, 0, 0, 0, 0};
      }
      ++pass;
    }
    state.ResumeTiming();
    for (std::size_t i = at; i < at + 1024; i += kBurst) {
      l.worker->forward(&packets[i], kBurst, now);
      now += 2000;
    }
    at = (at + 1024) % count;
  }
  for (const headroom_user_packet& packet : packets) ok += packet.status == HEADROOM_OK;
  state.counters["ok"] = static_cast<double>(ok) / static_cast<double>(count);
  state.counters["ns"] = benchmark::Counter(static_cast<double>(state.iterations()) * 1024e-9,
                                            benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(forward)->Name("Forward")->ArgsProduct({{6'000, 600'000}, {0, 1}});

}  // namespace

BENCHMARK_MAIN();
