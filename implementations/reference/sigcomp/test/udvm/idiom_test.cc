// SPDX-License-Identifier: Apache-2.0
//
// Idioms against their instructions one by one: with whatever operands, cycles, memory and bounds, nothing may tell
// them apart.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <tuple>

#include "sigcomp/test/support/machine.h"

namespace headroom::sigcomp {
namespace {

using test::Machine;

// Everything that a run leaves: output, or why there is none; cycles; memory.
using Trail = std::tuple<bool, std::string, std::uint8_t, std::uint16_t, test::Bytes, std::uint64_t, test::Bytes>;

Trail trail_of(Machine& machine, const assembler::Program& program, bool keep) {
  machine.run.keep_decoded = keep;  // false: there are no idioms
  const bool finished = machine.execute(program.image, program.start);
  const Failure& failure = machine.udvm.failure();
  return {finished,
          finished ? "" : machine.reason(),
          failure.opcode,
          failure.pc,
          test::Bytes(machine.udvm.output().begin(), machine.udvm.output().end()),
          machine.udvm.cycles_used(),
          test::Bytes(machine.udvm.memory().octets().begin(), machine.udvm.memory().octets().end())};
}

std::string told(const Trail& trail) {
  return std::get<1>(trail) + " " + test::to_hex(std::get<4>(trail)) + " " + std::to_string(std::get<5>(trail));
}

void expect_alike(Machine& machine, const std::string& source) {
  const auto result = assembler::assemble(source);
  ASSERT_TRUE(std::holds_alternative<assembler::Program>(result)) << source;
  const auto& program = std::get<assembler::Program>(result);
  // Who watches, sees instructions; and of what is left out, it depends on when it is seen which output is missing.
  machine.run.verify = false;
  const Trail one_by_one = trail_of(machine, program, false);
  // Twice: at first everything is decoded, then it is known from the run before.
  for (int i = 0; i < 2; ++i) {
    const Trail at_once = trail_of(machine, program, true);
    ASSERT_TRUE(one_by_one == at_once) << source << "\n"
                                       << machine.run.cycles << " cycles: " << told(one_by_one) << "; at once "
                                       << told(at_once);
  }
}

// Addresses where something may go wrong: registers, words of the idiom, its own octets, the ends of the memory.
class Operands {
 public:
  explicit Operands(unsigned seed) : random_(seed) {}
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  std::string word() {
    const unsigned around[] = {0, 32, 34, 36, 40, 60, 64, 66, 68, 70, 128, 140, 160, 180, 400, 2040, 2046, 2048};
    return std::to_string(around[below(std::size(around))] + below(4));
  }
  std::string usual(const char* word_for_most) { return below(8) != 0 ? std::string(word_for_most) : word(); }
  std::string length() { return std::to_string(below(4) != 0 ? 1 + below(40) : below(3000)); }
  // What the idioms find in the words that they use.
  std::string start() {
    return "LOAD (64, " + usual("400") + ") LOAD (66, " + usual("600") + ") LOAD (40, " +
           (below(4) != 0 ? std::to_string(400 + below(200)) : word()) + ") LOAD (36, " +
           (below(4) != 0 ? std::to_string(below(60)) : std::to_string(below(65536))) + ") LOAD (34, " + length() +
           ") ";
  }

 private:
  std::mt19937 random_;
};

const std::string kText =
    "MEMSET (400, 250, 65, 3) ADD ($32, 1) COMPARE ($32, 6, on, done, done) :done END-MESSAGE (0, 0, 0, 0, 0, 0, 0) "
    ":on ";

void try_many(const std::function<std::string(Operands&)>& body) {
  Machine machine;
  for (unsigned seed = 0; seed < 5000; ++seed) {
    Operands operands(seed);
    machine.memory_size = operands.below(6) != 0 ? 2048 : operands.below(2) != 0 ? 65536 : 300 + operands.below(300);
    machine.run.cycles = operands.below(3) != 0 ? 20000 : operands.below(900);
    expect_alike(machine, "at (128) " + operands.start() + ":next " + kText + body(operands));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(IdiomTest, AnOctet) {
  try_many([](Operands& o) {
    const std::string at = o.usual("37");
    return "OUTPUT (" + at + ", " + (o.below(9) != 0 ? "1" : "2") + ") COPY-LITERAL (" +
           (o.below(4) != 0 ? at : o.word()) + ", " + (o.below(9) != 0 ? "1" : "0") + ", $" + o.usual("40") +
           ") JUMP (" + o.usual("next") + ")";
  });
}

TEST(IdiomTest, AMatch) {
  try_many([](Operands& o) {
    const std::string old = o.usual("38"), length = o.usual("34"), pointer = o.usual("40");
    return "LOAD (" + old + ", $" + pointer + ") COPY-OFFSET ($" + o.usual("36") + ", $" + length + ", $" + pointer +
           ") OUTPUT ($" + old + ", $" + length + ") JUMP (" + o.usual("next") + ")";
  });
}

// A decoder as programs/lzss.udvm has it, of codes with 9 bits for a distance and 4 for a length, and with whatever
// operands `usual` puts in the place of those.
std::string decoder(const std::function<std::string(const char*)>& usual) {
  const std::string code = usual("36"), length = usual("34"), old = usual("38"), pointer = usual("40");
  return ":codes INPUT-HUFFMAN (" + code + ", end, " + "2, " + usual("9") + ", " + usual("0") + ", " + usual("255") +
         ", " + usual("32768") + ", " + usual("1") + ", " + usual("512") + ", " + usual("1023") + ", " + usual("1") +
         ") COMPARE ($" + code + ", " + usual("32768") + ", " + usual("match") + ", " + usual("literal") + ", " +
         usual("literal") + ") :literal OUTPUT (" + usual("37") + ", 1) COPY-LITERAL (" + usual("37") + ", 1, $" +
         pointer + ") JUMP (" + usual("codes") + ") :match INPUT-BITS (" + usual("4") + ", " + length +
         ", end) ADD ($" + length + ", " + usual("3") + ") LOAD (" + old + ", $" + pointer + ") COPY-OFFSET ($" + code +
         ", $" + length + ", $" + pointer + ") OUTPUT ($" + old + ", $" + length + ") JUMP (" + usual("codes") +
         ") :end END-MESSAGE (0, 0, 0, 0, 0, 0, 0)";
}
std::string usual_operand(const char* operand) { return operand; }

test::Bytes some_codes(Operands& random, std::size_t octets) {
  test::Bytes input(octets);
  for (std::uint8_t& octet : input) octet = static_cast<std::uint8_t>(random.below(256));
  return input;
}

TEST(IdiomTest, Codes) {
  Machine machine;
  for (unsigned seed = 0; seed < 8000; ++seed) {
    Operands operands(seed);
    machine.memory_size = operands.below(6) != 0 ? 2048 : operands.below(2) != 0 ? 65536 : 300 + operands.below(300);
    machine.run.cycles = operands.below(3) != 0 ? 5000 : operands.below(900);
    machine.input = some_codes(operands, operands.below(120));
    const std::string order = operands.below(12) != 0 ? "" : "LOAD (68, " + std::to_string(operands.below(9)) + ") ";
    const unsigned odd = operands.below(2) != 0 ? 30 : 10'000;
    expect_alike(machine, "at (128) " + operands.start() + order + decoder([&](const char* operand) {
                            if (operands.below(odd) != 0) return std::string(operand);
                            return operands.below(2) != 0 ? operands.word() : std::to_string(operands.below(20));
                          }));
    if (testing::Test::HasFatalFailure()) return;
  }
}

// To the last bit and the last cycle, with what a bit grants.
TEST(IdiomTest, CodesEndInTheMiddle) {
  Machine machine;
  Operands random(1);
  const test::Bytes input = some_codes(random, 40);
  const std::string source = "at (128) LOAD (64, 400) LOAD (66, 600) LOAD (40, 590) " + decoder(usual_operand);
  for (std::size_t octets = 0; octets <= input.size(); ++octets) {
    machine.input.assign(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(octets));
    expect_alike(machine, source);
  }
  for (machine.run.cycles = 0; machine.run.cycles < 400; ++machine.run.cycles) {
    machine.run.cycles_per_bit = machine.run.cycles % 2 == 0 ? 16 : 1;
    expect_alike(machine, source);
  }
}

// To the last cycle.
TEST(IdiomTest, CyclesEndInTheMiddle) {
  Machine machine;
  const std::string start = "at (128) LOAD (64, 400) LOAD (66, 600) LOAD (40, 590) LOAD (36, 7) LOAD (34, 12) :next ";
  for (std::uint64_t cycles = 0; cycles < 400; ++cycles) {
    machine.run.cycles = cycles;
    expect_alike(machine, start + kText + "OUTPUT (37, 1) COPY-LITERAL (37, 1, $40) JUMP (next)");
    expect_alike(machine, start + kText + "LOAD (38, $40) COPY-OFFSET ($36, $34, $40) OUTPUT ($38, $34) JUMP (next)");
  }
}

TEST(IdiomTest, OutputIsFull) {
  Machine machine;
  machine.run.cycles = 1'000'000;
  const std::string start = "at (128) LOAD (64, 400) LOAD (66, 2000) LOAD (40, 400) LOAD (36, 7) LOAD (34, 12) ";
  const std::string fill =
      "LOAD (42, 0) :fill OUTPUT (0, 2047) ADD ($42, 1) COMPARE ($42, 32, fill, full, full) :full ";
  for (unsigned left = 0; left < 32; ++left) {
    const std::string rest = "OUTPUT (0, " + std::to_string(32 - left) + ") :next ";
    expect_alike(machine, start + fill + rest + kText + "OUTPUT (37, 1) COPY-LITERAL (37, 1, $40) JUMP (next)");
    expect_alike(machine, start + fill + rest + kText +
                              "LOAD (38, $40) COPY-OFFSET ($36, $34, $40) OUTPUT ($38, $34) JUMP (next)");
    Operands random(left);
    machine.input = some_codes(random, 80);
    expect_alike(machine, start + fill + rest + decoder(usual_operand));
  }
}

// The idiom changes its own instructions, or what its later ones look at.
TEST(IdiomTest, CodeInTheBuffer) {
  Machine machine;
  for (unsigned buffer = 130; buffer < 260; ++buffer) {
    const std::string start = "at (128) LOAD (64, 0) LOAD (66, 0) LOAD (40, " + std::to_string(buffer) +
                              ") LOAD (36, 400) LOAD (34, 3) :next ADD ($32, 1) COMPARE ($32, 6, on, done, done) :done "
                              "END-MESSAGE (0, 0, 0, 0, 0, 0, 0) :on ";
    expect_alike(machine, start + "OUTPUT (37, 1) COPY-LITERAL (37, 1, $40) JUMP (next)");
    expect_alike(machine, start + "LOAD (38, $40) COPY-OFFSET ($36, $34, $40) OUTPUT ($38, $34) JUMP (next)");
    Operands random(buffer);
    machine.input = some_codes(random, 30);
    // At the end of the buffer it goes on in the middle of the code, or in front of it.
    for (const char* left : {"0", "20", "150"}) {
      expect_alike(machine, "at (128) LOAD (64, " + std::string(left) + ") LOAD (66, " + std::to_string(buffer + 20) +
                                ") LOAD (40, " + std::to_string(buffer) + ") " + decoder(usual_operand));
    }
  }
}

}  // namespace
}  // namespace headroom::sigcomp
