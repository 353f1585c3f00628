// SPDX-License-Identifier: Apache-2.0
//
// The UDVM by itself (Google Benchmark): a loop of simple instructions, and the DEFLATE of RFC 4464 4.1.4 over bits
// that decode to literals and matches as they fall. "cycles" is UDVM cycles per second. Then the twelve messages of
// the 3GPP video call (maenpaa-2005, Table 9) between two endpoints, by mechanism: compression, and decompression with
// everything that it leaves (acceptance, states, acknowledgements); "messages" is messages per second.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sigcomp/assembler/assembler.h"
#include "sigcomp/compressor/compressor.h"
#include "sigcomp/decompressor.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/test/support/sip.h"

namespace {

using namespace headroom::sigcomp;

// The message that uploads `source`, with `input`; exits with a sentence where that cannot be.
std::vector<std::uint8_t> message_of(const std::string& source, const std::vector<std::uint8_t>& input) {
  const auto program = assembler::assemble(source);
  if (const auto* error = std::get_if<assembler::SourceError>(&program)) {
    std::fprintf(stderr, "%s\n", error->text().c_str());
    std::exit(1);
  }
  const auto message = assembler::upload(std::get<assembler::Program>(program), input);
  if (message.index() != 0) {
    std::fprintf(stderr, "%s\n", std::get<1>(message).c_str());
    std::exit(1);
  }
  return std::get<0>(message);
}

// Without the verifier, which would see that a loop goes nowhere.
void run(benchmark::State& state, const std::vector<std::uint8_t>& message) {
  StateHandler states(1);
  (void)states.offer({}, sip_sdp_dictionary().value);
  DecompressorConfig config{128, 65536, kVersionWithNack};
  config.verify = false;
  Decompressor decompressor(config, states);
  std::uint64_t cycles = 0;
  std::size_t octets = 0;
  for (auto _ : state) {
    const Outcome& outcome = decompressor.decompress(message, Transport::kMessages);
    cycles += outcome.cycles;
    octets += outcome.output.size();
    benchmark::DoNotOptimize(outcome.output.data());
  }
  state.counters["cycles"] = benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
  state.SetBytesProcessed(static_cast<std::int64_t>(octets));
}

// Each instruction costs one cycle; the loop ends when the cycles do.
void simple_instructions(benchmark::State& state) {
  run(state, message_of("at (128) LOAD (32, 7) :loop ADD ($32, 3) AND ($34, $32) LSHIFT ($36, 2) LOAD (38, $34)"
                        "COMPARE ($32, $34, less, loop, loop) :less JUMP (loop)",
                        {}));
}
BENCHMARK(simple_instructions);

void deflate(benchmark::State& state) {
  std::ifstream in(std::string(HEADROOM_SIGCOMP_VECTORS) + "/rfc4464/deflate.udvm");
  std::ostringstream source;
  source << in.rdbuf();
  std::vector<std::uint8_t> input(1000);
  std::uint64_t bits = 1;
  for (auto& octet : input) {
    bits = bits * 6364136223846793005U + 1442695040888963407U;
    // Codes 00110000 to 10111111 are literals; a length code now and then.
    octet = static_cast<std::uint8_t>(bits >> 56);
  }
  run(state, message_of(source.str(), input));
}
BENCHMARK(deflate);

// RFC 4896 chapter 11: three instructions for each octet.
void uncompressed(benchmark::State& state) {
  run(state,
      message_of("at (64) :place pad (2) at (128) :start INPUT-BYTES (1, place, end) OUTPUT (place, 1) JUMP (start)"
                 ":end END-MESSAGE (0, 0, 0, 0, 0, 0, 0)",
                 std::vector<std::uint8_t>(1300, 'x')));
}
BENCHMARK(uncompressed);

// ---- A call between two endpoints

struct Endpoint {
  explicit Endpoint(const CompressorConfig& config)
      : decompressor({config.peer.cycles_per_bit, config.peer.decompression_memory_size, kVersionWithNack}, states),
        factory(states) {
    (void)states.offer({}, sip_sdp_dictionary().value);
    (void)states.open(0, config.peer.state_memory_size);
    compressor = factory.make(config, 0);
  }
  void receive(Octets message) {
    const Outcome& outcome = decompressor.decompress(message, Transport::kMessages);
    benchmark::DoNotOptimize(outcome.output.data());
    if (outcome.kind != Outcome::Kind::kMessage || !decompressor.accept(0)) {
      std::fprintf(stderr, "a message of the call is not decompressed\n");
      std::exit(1);
    }
    cycles += outcome.cycles;
    compressor->heard(received_parts(outcome, decompressor.udvm().completion()));
  }
  std::uint64_t cycles = 0;
  StateHandler states{1};
  Decompressor decompressor;
  CompressorFactory factory;
  std::unique_ptr<Compressor> compressor;
};

constexpr std::string_view kCall = "3gpp-video-call";
constexpr std::string_view kDirections = "ABBABABBABBA";

// Compartments are opened anew for each call; that is not timed.
void call(benchmark::State& state, CompressorConfig config, bool compression) {
  const auto sequences = test::sip_sequences();
  const auto sequence =
      std::find_if(sequences.begin(), sequences.end(), [](const auto& one) { return one.name == kCall; });
  if (sequence == sequences.end() || sequence->messages.size() < kDirections.size()) {
    state.SkipWithError("the call is not there");
    return;
  }
  config.peer = {64, 16384, 131072};
  Endpoint a(config);
  Endpoint b(config);
  std::vector<std::uint8_t> compressed;
  for (auto _ : state) {
    state.PauseTiming();
    for (Endpoint* endpoint : {&a, &b}) {
      endpoint->compressor.reset();
      (void)endpoint->states.close(0);
      (void)endpoint->states.open(0, config.peer.state_memory_size);
      endpoint->compressor = endpoint->factory.make(config, 0);
    }
    for (std::size_t i = 0; i < kDirections.size(); ++i) {
      Endpoint& from = kDirections[i] == 'A' ? a : b;
      Endpoint& to = kDirections[i] == 'A' ? b : a;
      if (compression) state.ResumeTiming();
      const Octets made = from.compressor->compress(sequence->messages[i]);
      benchmark::DoNotOptimize(made.data());
      if (compression) state.PauseTiming();
      compressed.assign(made.begin(), made.end());
      if (!compression) state.ResumeTiming();
      to.receive(compressed);
      if (!compression) state.PauseTiming();
    }
    state.ResumeTiming();
  }
  if (!compression) {
    state.counters["cycles"] =
        benchmark::Counter(static_cast<double>(a.cycles + b.cycles), benchmark::Counter::kIsRate);
  }
  state.counters["messages"] = benchmark::Counter(
      static_cast<double>(kDirections.size()) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto algorithm : {"lzss", "deflate"}) {
    for (const auto mechanism :
         {"stateless-basic", "stateful-basic", "stateless-static", "stateful-static", "dynamic", "shared"}) {
      for (const auto search : {"hash", "linear"}) {
        CompressorConfig config;
        config.algorithm = *algorithm_named(algorithm);
        config.mechanism = *mechanism_named(mechanism);
        config.search = *search_named(search);
        config.length_bits = 8;
        for (const bool compression : {true, false}) {
          const std::string name = std::string("call/") + (compression ? "compress/" : "decompress/") + algorithm +
                                   "/" + mechanism + "/" + search;
          benchmark::RegisterBenchmark(
              name.c_str(), [config, compression](benchmark::State& state) { call(state, config, compression); });
        }
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
