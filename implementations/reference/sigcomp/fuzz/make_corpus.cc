// SPDX-License-Identifier: Apache-2.0
//
// Makes the seeds of the fuzz targets from resources/vectors/sigcomp: each test of RFC 4465 as one stream of messages,
// and each program; choices at random for the verifier's, the compressors' and the endpoints'; and programs with what
// they read for the interpreter's.
//
//   sigcomp_fuzz_corpus implementations/reference/sigcomp/fuzz/corpus
#include <cstdio>
#include <fstream>

#include "sigcomp/compressor/compressor.h"
#include "sigcomp/message/header.h"
#include "sigcomp/message/record_marking.h"
#include "sigcomp/state/handler.h"
#include "sigcomp/test/support/random.h"
#include "sigcomp/test/support/vectors.h"

namespace {

using headroom::sigcomp::test::Bytes;

Bytes octets_of(const nlohmann::json& test, const nlohmann::json& run) {
  const std::string wanted = run.value("message", "upload");
  for (const auto& message : test["messages"]) {
    if (message["name"] != wanted) continue;
    std::string input = run["input"];
    if (input.starts_with("{version}")) input.replace(0, 9, "02");
    return headroom::sigcomp::test::hex(message["octets"].get<std::string>() + input);
  }
  return {};
}

Bytes stream_of(const nlohmann::json& test) {
  Bytes stream = {0};
  for (const auto& run : test["runs"]) headroom::sigcomp::write_record(octets_of(test, run), stream);
  const nlohmann::json streams = test.value("streams", nlohmann::json::array());
  for (const auto& one : streams) {
    const Bytes octets = headroom::sigcomp::test::hex(one["octets"].get<std::string>());
    stream.insert(stream.end(), octets.begin(), octets.end());
  }
  return stream;
}

// Ends the program with a sentence when the file cannot be written.
void write(const std::string& file, const Bytes& octets) {
  std::ofstream out(file, std::ios::binary);
  for (const std::uint8_t octet : octets) out.put(static_cast<char>(octet));
  if (out.flush()) return;
  std::fprintf(stderr, "%s cannot be written\n", file.c_str());
  std::exit(1);
}

void write_program(const std::string& folder, const std::string& name) {
  const std::string text = headroom::sigcomp::test::vector_file(name);
  write(folder + "/assembler/" + name.substr(name.find('/') + 1), Bytes(text.begin(), text.end()));
}

// Configurations that can work, most of them honest, and steps.
void write_calls(const std::string& folder) {
  for (std::uint8_t seed = 0; seed < 24; ++seed) {
    headroom::sigcomp::test::Random random(seed);
    Bytes steps(8 + 30 * 4);
    for (auto& octet : steps) octet = random.octet();
    steps[0] = seed;  // algorithm and mechanism
    steps[1] = static_cast<std::uint8_t>((seed / 12 + 1) % 2 | (steps[1] & (seed % 8 == 7 ? 0xf0 : 0x70)));
    steps[5] = static_cast<std::uint8_t>(2 + 4 * (3 + seed % 2) + 32 * 5);  // 64, 16384 or 32768, 65536
    steps[6] = 120;                                                         // 2880 octets
    write(folder + "/compressor/call-" + std::to_string(seed), steps);
  }
}

// Conversations of two endpoints: some in peace, some with everything that may come in between. The tests of RFC 4465
// are what lies begin with.
void write_conversations(const std::string& folder, const nlohmann::json& torture) {
  for (std::uint8_t seed = 0; seed < 24; ++seed) {
    headroom::sigcomp::test::Random random(seed);
    Bytes steps(4 + 40 * 5);
    for (auto& octet : steps) octet = random.octet();
    steps[0] = seed;                                               // algorithm, transport and mechanism
    steps[2] = seed % 4 == 3 ? steps[2] | 1 : steps[2] & 0xfe;     // a guard
    steps[3] = static_cast<std::uint8_t>((seed % 3) | (3U << 2));  // 16384 octets of state
    // Two compartments are opened on both sides; and in half of them nothing but talk follows.
    const Bytes opening = {4, 0, 12, 0, 4, 1, 12, 1};
    std::copy(opening.begin(), opening.end(), steps.begin() + 4);
    if (seed < 12) {
      for (std::size_t i = 12; i + 4 < steps.size(); i += 4) {
        steps[i] &= 0x19;
        steps[i + 1] &= 0x19;
      }
    }
    write(folder + "/endpoint/talk-" + std::to_string(seed), steps);
  }
  for (const auto& test : torture["tests"]) {
    Bytes steps = {0, 0, 0, 0x0d, 4, 0, 12, 0};
    for (const auto& run : test["runs"]) {
      const Bytes message = octets_of(test, run);
      if (message.size() > 4 * 255) continue;
      const std::size_t length = (message.size() + 3) / 4;
      steps.insert(steps.end(), {3, 0xc8, static_cast<std::uint8_t>(length)});
      steps.insert(steps.end(), message.begin(), message.end());
      steps.resize(steps.size() + 4 * length - message.size());
    }
    write(folder + "/endpoint/" + test["name"].get<std::string>(), steps);
  }
}

// What interpreter_fuzz.cc reads: the registers are all zero.
void write_run(const std::string& file, headroom::sigcomp::Octets code, headroom::sigcomp::Octets input) {
  Bytes octets = {0, 255, static_cast<std::uint8_t>((64 + code.size()) >> 8),
                  static_cast<std::uint8_t>(64 + code.size())};
  octets.resize(octets.size() + 64);
  octets.insert(octets.end(), code.begin(), code.end());
  octets.insert(octets.end(), input.begin(), input.end());
  write(file, octets);
}

// The programs of RFC 4465 with what they read, and those of compressors with a message.
void write_runs(const std::string& folder, const nlohmann::json& torture) {
  using namespace headroom::sigcomp;
  for (const auto& test : torture["tests"]) {
    if (test["runs"].empty()) continue;
    const Bytes message = octets_of(test, test["runs"].back());
    Header header;
    if (message.empty() || read_header(message, header) != Reason::kNone || header.code.empty()) continue;
    write_run(folder + "/interpreter/" + test["name"].get<std::string>(), header.code, header.rest);
  }
  StateHandler states(1);
  CompressorFactory factory(states);
  states.open(0, 8192);
  test::Random random(1);
  const Bytes call = test::text_octets("INVITE sip:a@b SIP/2.0\r\nVia: SIP/2.0/UDP b;branch=1\r\nVia: SIP/2.0/UDP a");
  Bytes far;  // more than once around the smallest buffer
  while (far.size() < 1500) far = test::random_message(random, 2000);
  for (const auto algorithm : {Algorithm::kLzss, Algorithm::kDeflate}) {
    for (const auto mechanism : {Mechanism::kStatelessBasic, Mechanism::kStatefulStatic, Mechanism::kShared}) {
      const bool round = mechanism == Mechanism::kStatelessBasic;
      CompressorConfig config;
      config.algorithm = algorithm;
      config.mechanism = mechanism;
      config.peer = {64, 8192, 8192};
      if (round) config.memory = 800;
      const auto compressor = factory.make(config, 0);
      const Octets message = compressor->compress(round ? far : call, 4096);
      Header header;
      if (read_header(message, header) != Reason::kNone) continue;
      const std::string name = algorithm == Algorithm::kLzss ? "lzss-" : "deflate-";
      write_run(folder + "/interpreter/" + name + std::to_string(static_cast<int>(mechanism)), header.code,
                header.rest);
    }
  }
}

void write_choices(const std::string& folder) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    headroom::sigcomp::test::Random random(seed);
    Bytes choices(150);
    for (auto& octet : choices) octet = random.octet();
    write(folder + "/verifier/choices-" + std::to_string(seed), choices);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs(
        "usage: sigcomp_fuzz_corpus FOLDER, which has the folders messages, assembler, compressor, endpoint, "
        "interpreter and verifier\n",
        stderr);
    return 2;
  }
  const std::string folder = argv[1];
  const nlohmann::json torture = headroom::sigcomp::test::vectors_of("rfc4465.json");
  for (const auto& test : torture["tests"]) {
    write(folder + "/messages/" + test["name"].get<std::string>(), stream_of(test));
    for (const auto& message : test["messages"]) {
      if (message.contains("program")) write_program(folder, "rfc4465/" + message["program"].get<std::string>());
    }
  }
  const nlohmann::json guide = headroom::sigcomp::test::vectors_of("rfc4464.json");
  for (const auto& program : guide["programs"])
    write_program(folder, "rfc4464/" + program["program"].get<std::string>());
  write_calls(folder);
  write_conversations(folder, torture);
  write_runs(folder, torture);
  write_choices(folder);
  return 0;
}
