// SPDX-License-Identifier: Apache-2.0
//
// Messages that are sent to do harm (Google Benchmark), each twice: "rfc" has nothing but the UDVM cycles of RFC 3320
// to bound it, "guarded" has the verifier and the limit of work, too. "messages" is how many a second fill one core,
// "work" the units of udvm/work.h done in a second: about the same for all, or a weight is wrong.
//
// The first is the attack of maenpaa-2005, 11.7: eight messages a second filled a Pentium 4 of 3.0 GHz.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sigcomp/assembler/assembler.h"
#include "sigcomp/decompressor.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/test/support/sip.h"

namespace {

using namespace headroom::sigcomp;

struct Attack {
  const char* name;
  const char* body;
};
constexpr Attack kAttacks[] = {
    {"thesis", "INPUT-BITS (16, 1024, loop) JUMP (128) :loop SHA-1 (0, 1, 1024) JUMP (loop)"},
    // As above, but each hash is another one.
    {"chain_of_hashes", "INPUT-BITS (16, 1024, loop) JUMP (128) :loop SHA-1 (1024, 20, 1024) JUMP (loop)"},
    // What the verifier can say nothing about: the loop takes input, bit by bit.
    {"hashes_for_each_bit",
     "INPUT-BITS (1, 1024, end) SHA-1 (0, 1, 1024) SHA-1 (0, 1, 1024) SHA-1 (0, 1, 1024) SHA-1 (0, 1, 1024)"
     "SHA-1 (0, 1, 1024) SHA-1 (0, 1, 1024) SHA-1 (0, 1, 1024) JUMP (128) :end JUMP (end)"},
    {"jump", "JUMP (128)"},
    // For each bit, six jumps whose addresses agree in their low octet, one in high memory before them: what is
    // kept of instructions is of no use.
    {"colliding_jumps",
     "LOAD (4864, 0x1680) LOAD (4866, (again + 60672)) JUMP (4864) :again INPUT-BITS (1, 32, end) JUMP (256) :end "
     "DECOMPRESSION-FAILURE at (256) JUMP (512) at (512) JUMP (768) at (768) JUMP (1024) at (1024) JUMP (1280) at "
     "(1280) JUMP (1536) at (1536) JUMP (again)"},
    {"sha1_of_nothing", "SHA-1 (0, 0, 32) JUMP (128)"},
    {"sha1_in_a_ring_of_one_octet", "LOAD (64, 32) LOAD (66, 33) :loop SHA-1 (32, 1000, 1000) JUMP (loop)"},
    {"copy_in_a_ring_of_one_octet", "LOAD (64, 32) LOAD (66, 33) :loop COPY (32, 1000, 32) JUMP (loop)"},
    {"copy_of_nothing", "COPY (32, 0, 32) JUMP (128)"},
    {"sort_of_two", "SORT-DESCENDING (300, 1, 2) JUMP (128)"},
    {"sort_of_48_turned_round", "SORT-DESCENDING (300, 1, 48) SORT-ASCENDING (300, 1, 48) JUMP (128)"},
    {"sort_of_49", "SORT-DESCENDING (300, 1, 49) JUMP (128)"},
    {"multiload", "MULTILOAD (400, 8, $32, $32, $32, $32, $32, $32, $32, $32) JUMP (128)"},
    {"switch", "SWITCH (8, 0, 128, $32, $32, $32, $32, $32, $32, $32)"},
    {"input_huffman", "INPUT-HUFFMAN (32, 128, 4, 1, 0, 1, $32, 0, 0, 0, $32, 0, 0, 0, $32, 0, 0, 0, $32)"},
    {"state_access", ":code STATE-ACCESS (id, 6, 0, 1, 40, 128) :id byte (0xfb, 0xe5, 0x07, 0xdf, 0xe5, 0xe6)"},
    {"crc_of_everything", "CRC (0, 0, 6000, 128) JUMP (128)"},
    {"memset", "MEMSET (300, 1000, 0, 1) JUMP (128)"},
};

// What stands after the bytecode, as in the thesis: the INVITE of a video call.
std::vector<std::uint8_t> invite() {
  for (const auto& sequence : test::sip_sequences()) {
    if (sequence.name == "3gpp-video-call") return sequence.messages[0];
  }
  std::fprintf(stderr, "there is no sequence 3gpp-video-call\n");
  std::exit(1);
}

// Decompression of each message, and its NACK.
void attack(benchmark::State& state, const Attack& attack, bool guarded) {
  const auto program = assembler::assemble("at (128) " + std::string(attack.body));
  if (const auto* error = std::get_if<assembler::SourceError>(&program)) {
    state.SkipWithError(error->text().c_str());
    return;
  }
  const auto message = assembler::upload(std::get<assembler::Program>(program), invite());
  if (message.index() != 0) {
    state.SkipWithError(std::get<1>(message).c_str());
    return;
  }
  StateHandler states(1);
  (void)states.offer({}, sip_sdp_dictionary().value);
  DecompressorConfig config;  // 16 cycles per bit, 8192 octets
  config.verify = guarded;
  if (!guarded) config.work_per_cycle = 0;
  Decompressor decompressor(config, states);
  std::uint64_t cycles = 0;
  std::uint64_t work = 0;
  for (auto _ : state) {
    const Outcome& outcome = decompressor.decompress(std::get<0>(message), Transport::kMessages);
    cycles += outcome.cycles;
    work += outcome.work;
    benchmark::DoNotOptimize(decompressor.nack(std::get<0>(message)).data());
  }
  using benchmark::Counter;
  state.counters["messages"] = Counter(static_cast<double>(state.iterations()), Counter::kIsRate);
  state.counters["work"] = Counter(static_cast<double>(work), Counter::kIsRate);
  state.counters["cycles_each"] = Counter(static_cast<double>(cycles), Counter::kAvgIterations);
}

}  // namespace

int main(int argc, char** argv) {
  for (const Attack& one : kAttacks) {
    for (const bool guarded : {false, true}) {
      benchmark::RegisterBenchmark((std::string(one.name) + (guarded ? "/guarded" : "/rfc")).c_str(),
                                   [&one, guarded](benchmark::State& state) { attack(state, one, guarded); });
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
