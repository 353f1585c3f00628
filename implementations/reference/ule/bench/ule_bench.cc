// SPDX-License-Identifier: Apache-2.0
//
// What an SNDU costs, by the octets of its PDU, the kernel of its CRC and the number of PIDs in turn.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ule/encapsulator.h"
#include "ule/receiver.h"

namespace headroom::ule {
namespace {

// Of which a receiver gets the TS packets again and again: few enough for them to stay in a cache.
constexpr std::size_t kSndus = 64;

Config config_of(const benchmark::State& state) {
  Config config;
  config.address = false;
  config.crc = static_cast<wire::CrcKernel>(state.range(1));
  config.channels = static_cast<std::uint32_t>(state.range(2));
  return config;
}

bool is_possible(benchmark::State& state, const Config& config) {
  if (config.crc == wire::CrcKernel::none || wire::is_offered(config.crc)) return true;
  state.SkipWithError("this processor does not offer the kernel");
  return false;
}

void name(benchmark::State& state, const Config& config) {
  const auto kernel = static_cast<std::size_t>(config.crc);
  state.SetLabel(kernel < wire::kCrcKernelNames.size() ? std::string(wire::kCrcKernelNames[kernel]) : "no CRC");
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

struct TsPacket {
  std::uint32_t channel;
  std::array<std::uint8_t, wire::kTsOctets> octets;
};

// Gives a PDU to the encapsulator at time `i`; `take(p)` is for each TS packet.
template <typename Take>
void encapsulate(Encapsulator& encapsulator, const std::vector<std::uint8_t>& pdu, std::uint8_t* room, std::size_t i,
                 std::uint32_t channel, Take&& take) {
  headroom_packet p{};
  p.in = pdu.data();
  p.in_length = static_cast<std::uint32_t>(pdu.size());
  p.out = room;
  p.out_capacity = wire::kTsOctets;
  p.channel = channel;
  if (encapsulator.encapsulate(p, i, nullptr) == HEADROOM_OK) take(p);
  if (p.more == 0) return;
  while (encapsulator.drain(p, i)) take(p);
}

std::vector<std::uint8_t> pdu_of(const benchmark::State& state) {
  std::vector<std::uint8_t> pdu(static_cast<std::size_t>(state.range(0)), 0x5A);
  pdu[0] = 0x45;
  return pdu;
}

void Encapsulate(benchmark::State& state) {
  const Config config = config_of(state);
  if (!is_possible(state, config)) return;
  Encapsulator encapsulator(config);
  const std::vector<std::uint8_t> pdu = pdu_of(state);
  std::vector<std::uint8_t> room(wire::kTsOctets);
  std::size_t i = 0;
  std::uint32_t channel = 0;
  for (auto _ : state) {
    encapsulate(encapsulator, pdu, room.data(), i++, channel,
                [](headroom_packet& p) { benchmark::DoNotOptimize(p.out[0]); });
    if (++channel == config.channels) channel = 0;
  }
  name(state, config);
}

void Receive(benchmark::State& state) {
  const Config config = config_of(state);
  if (!is_possible(state, config)) return;
  Encapsulator encapsulator(config);
  Receiver receiver(config);
  const std::vector<std::uint8_t> pdu = pdu_of(state);
  std::vector<std::uint8_t> room(wire::kTsOctets), out(2048);
  std::vector<TsPacket> packets;
  // Until the continuity counters of all PIDs begin again: sixteen times what follows has whole cycles of them.
  const std::size_t sndus = (kSndus + config.channels - 1) / config.channels * config.channels;
  for (std::size_t n = 0; n < 16 * sndus; ++n) {
    encapsulate(encapsulator, pdu, room.data(), n, static_cast<std::uint32_t>(n % config.channels),
                [&](headroom_packet& p) {
                  packets.push_back({p.channel, {}});
                  std::copy_n(p.out, wire::kTsOctets, packets.back().octets.begin());
                });
  }
  std::size_t i = 0;
  std::uint64_t before = 0;
  for (auto _ : state) {
    // As many TS packets as bring one SNDU.
    while (receiver.counters().delivered == before) {
      headroom_packet p{};
      p.in = packets[i].octets.data();
      p.in_length = wire::kTsOctets;
      p.out = out.data();
      p.out_capacity = static_cast<std::uint32_t>(out.size());
      p.channel = packets[i].channel;
      benchmark::DoNotOptimize(receiver.receive(p, nullptr));
      if (p.more != 0) {
        while (receiver.drain(p, nullptr)) benchmark::DoNotOptimize(p.out[0]);
      }
      if (++i == packets.size()) i = 0;
    }
    before = receiver.counters().delivered;
  }
  state.counters["sndus"] = benchmark::Counter(static_cast<double>(before), benchmark::Counter::kIsRate);
  name(state, config);
}

void arguments(benchmark::internal::Benchmark* benchmark) {
  for (const int octets : {682, 52, 1400}) {
    for (int kernel = 0; kernel <= static_cast<int>(wire::CrcKernel::none); ++kernel)
      benchmark->Args({octets, kernel, 1});
  }
  for (const wire::CrcKernel kernel : {wire::CrcKernel::wide_carry_less, wire::CrcKernel::widest_carry_less})
    benchmark->Args({682, static_cast<int>(kernel), 1000});
}
BENCHMARK(Encapsulate)->Apply(arguments);
BENCHMARK(Receive)->Apply(arguments);

}  // namespace
}  // namespace headroom::ule

BENCHMARK_MAIN();
