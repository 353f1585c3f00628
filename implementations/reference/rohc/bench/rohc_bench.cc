// SPDX-License-Identifier: Apache-2.0
//
// Parts of the reference by themselves (Google Benchmark): CRCs, a flow's first packet at different numbers of
// contexts, and the packet types that the general path makes. For whole packets in random order see pool.cc.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "rohc/compressor.h"
#include "rohc/decompressor.h"
#include "rohc/framework/wire/crc.h"
#include "rohc/v1/header/chain.h"

namespace {

using namespace headroom::rohc;

constexpr std::uint32_t kPayload = 31;
constexpr std::uint32_t kPacket = 20 + 8 + 12 + kPayload;

// An RTP/UDP/IPv4 packet of flow `n`.
struct Packet {
  std::array<std::uint8_t, kPacket> octets{};

  explicit Packet(std::uint32_t n) {
    std::uint8_t* p = octets.data();
    p[0] = 0x45;
    wire::store16(p + 2, kPacket);
    p[8] = 64;
    p[9] = kProtocolUdp;
    wire::store32(p + 12, 0x0a000000 + n);
    wire::store32(p + 16, 0x0b000000 + n);
    wire::store16(p + 20, 10000);
    wire::store16(p + 22, 20000);
    wire::store16(p + 24, 8 + 12 + kPayload);
    p[28] = 0x80;
    p[29] = 96;
    wire::store32(p + 36, n);
    seal();
  }

  void advance(std::uint16_t packets, std::uint32_t ts) {
    std::uint8_t* p = octets.data();
    wire::store16(p + 4, static_cast<std::uint16_t>(wire::load16(p + 4) + packets));
    wire::store16(p + 30, static_cast<std::uint16_t>(wire::load16(p + 30) + packets));
    wire::store32(p + 32, wire::load32(p + 32) + ts);
    seal();
  }

  void seal() {
    std::uint8_t* p = octets.data();
    wire::store16(p + 10, 0);
    wire::store16(p + 10, wire::swap16(static_cast<std::uint16_t>(~ipv4_sum(p))));
  }
};

// A compressor with `flows` flows in steady state.
struct Rig {
  CompressorConfig config;
  std::unique_ptr<Compressor> compressor;
  std::array<std::uint8_t, 1024> out{};
  std::uint64_t now_ns = 0;

  Rig(std::uint32_t channels, std::uint32_t flows) {
    config.channel.channels = channels;
    config.channel.large_cids = true;
    config.channel.max_cid = wire::kMaxLargeCid;
    compressor = std::make_unique<Compressor>(config);
    for (std::uint32_t n = 0; n < flows; ++n) send(Packet(n), n / (wire::kMaxLargeCid + 1));
  }

  std::uint32_t send(const Packet& packet, std::uint32_t channel = 0) {
    headroom_packet p{};
    p.in = packet.octets.data();
    p.in_length = kPacket;
    p.out = out.data();
    p.out_capacity = static_cast<std::uint32_t>(out.size());
    p.channel = channel;
    compressor->compress(&p, 1, now_ns, nullptr);
    return p.out_length;
  }
};

void crc_over_header(benchmark::State& state) {
  const Packet packet(1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(wire::crc7({packet.octets.data(), 40}));
  }
}
BENCHMARK(crc_over_header);

// The first packet of a flow when there are so many contexts already, and none is free: one has to be replaced.
void new_flow(benchmark::State& state) {
  const auto channels = static_cast<std::uint32_t>(state.range(0));
  const std::uint32_t contexts = channels * (wire::kMaxLargeCid + 1);
  Rig rig(channels, contexts);
  std::vector<Packet> packets;
  for (std::uint32_t i = 0; i < 4096; ++i) packets.emplace_back(contexts + i * 7919);
  std::uint32_t turn = 0;
  for (auto _ : state) {
    Packet& packet = packets[turn % packets.size()];
    wire::store32(packet.octets.data() + 36, turn);  // another SSRC: another flow
    wire::store16(packet.octets.data() + 20, static_cast<std::uint16_t>(1024 + turn / packets.size()));
    benchmark::DoNotOptimize(rig.send(packet, turn % channels));
    ++turn;
  }
  state.counters["contexts"] = contexts;
}
BENCHMARK(new_flow)->Arg(1)->Arg(7)->Arg(64);

// One flow whose packets leave the pattern in the same way each time.
void general_path(benchmark::State& state, std::uint16_t packets, std::uint32_t ts, bool marker) {
  Rig rig(1, 0);
  Packet packet(1);
  for (int i = 0; i < 16; ++i) {
    packet.advance(1, 160);
    rig.send(packet);
  }
  packet.octets[29] = static_cast<std::uint8_t>(marker ? 0xe0 : 0x60);
  for (auto _ : state) {
    packet.advance(packets, ts);
    benchmark::DoNotOptimize(rig.send(packet));
  }
}
BENCHMARK_CAPTURE(general_path, uo_0, std::uint16_t{1}, 160U, false);
BENCHMARK_CAPTURE(general_path, marker_uo_1_ts, std::uint16_t{1}, 160U, true);
BENCHMARK_CAPTURE(general_path, lost_before_compressor, std::uint16_t{3}, 480U, false);

}  // namespace

BENCHMARK_MAIN();
