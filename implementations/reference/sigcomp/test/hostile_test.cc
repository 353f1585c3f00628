// SPDX-License-Identifier: Apache-2.0
//
// Messages that are sent to do harm: what each of them may cost, in work and in memory. No time is measured here:
// bench/sigcomp_bench.cc shows what a unit of work takes.
#include <gtest/gtest.h>

#include "sigcomp/decompressor.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/test/support/machine.h"
#include "sigcomp/udvm/work.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;

Bytes upload(const std::string& body, const Bytes& input = {}) {
  const auto program = assembler::assemble("at (128) " + body);
  if (const auto* error = std::get_if<assembler::SourceError>(&program)) {
    ADD_FAILURE() << error->text();
    return {};
  }
  const auto message = assembler::upload(std::get<assembler::Program>(program), input);
  EXPECT_EQ(message.index(), 0U) << body;
  return message.index() == 0 ? std::get<0>(message) : Bytes{};
}

std::uint64_t cycles_of(const Bytes& message, std::uint64_t cycles_per_bit) {
  return (1000 + 8 * message.size()) * cycles_per_bit;
}

// `one`, `count` times.
std::string times(unsigned count, const std::string& one) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += one;
  return text;
}

struct Attack {
  const char* name;
  std::string body;
};
void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.name; }

const char* const kNoEnd = " JUMP (128)";
const char* const kAll = "LOAD (64, 0) LOAD (66, 0) ";  // byte copying over all of the memory

// Each instruction of figure 11 in a loop, and what is known to hurt.
const Attack kAttacks[] = {
    {"decompression_failure", "LOAD (32, 1) DECOMPRESSION-FAILURE"},
    {"and", std::string("AND ($32, 7)") + kNoEnd},
    {"or", std::string("OR ($32, 7)") + kNoEnd},
    {"not", std::string("NOT ($32)") + kNoEnd},
    {"lshift", std::string("LSHIFT ($32, 1)") + kNoEnd},
    {"rshift", std::string("RSHIFT ($32, 1)") + kNoEnd},
    {"add", std::string("ADD ($32, 1)") + kNoEnd},
    {"subtract", std::string("SUBTRACT ($32, 1)") + kNoEnd},
    {"multiply", std::string("MULTIPLY ($32, 3)") + kNoEnd},
    {"divide", std::string("DIVIDE ($32, 3)") + kNoEnd},
    {"remainder", std::string("REMAINDER ($32, 3)") + kNoEnd},
    {"sort_bomb",
     "MEMSET (300, 6000, 255, 255) SORT-ASCENDING (300, 1, 3000) SORT-DESCENDING (300, 1, 3000) JUMP (133)"},
    {"sort_of_many_lists", std::string("SORT-DESCENDING (300, 3000, 1)") + kNoEnd},
    {"sort_of_two", std::string("SORT-DESCENDING (300, 1, 2) SORT-ASCENDING (300, 1, 2)") + kNoEnd},
    {"sha1_of_nothing", std::string("SHA-1 (0, 0, 300)") + kNoEnd},
    {"sha1_of_everything", std::string("SHA-1 (0, 7000, 300)") + kNoEnd},
    {"sha1_again_and_again", std::string(kAll) + times(800, "SHA-1 (32, 0, 32)") + kNoEnd},
    {"load", std::string("LOAD ($32, $34)") + kNoEnd},
    {"multiload_bomb", "MULTILOAD (2000, 500" + times(500, ", $32") + ")" + kNoEnd},
    {"push_and_pop", std::string("LOAD (70, 400) PUSH ($32) POP (34)") + kNoEnd},
    {"copy_bomb", std::string("LOAD (64, 32) LOAD (66, 33) COPY (32, 7000, 32)") + kNoEnd},
    {"copy_of_nothing", std::string("COPY (32, 0, 32)") + kNoEnd},
    {"copy_literal", std::string("LOAD (32, 400) COPY-LITERAL (300, 100, $32)") + kNoEnd},
    {"copy_offset",
     std::string("LOAD (64, 300) LOAD (66, 301) LOAD (32, 300) COPY-OFFSET (65535, 7000, $32)") + kNoEnd},
    {"memset", std::string("MEMSET (300, 7000, 1, 1)") + kNoEnd},
    {"jump", "JUMP (128)"},
    // Their addresses agree in their low octet.
    {"colliding_jumps",
     "LOAD (4864, 0x1680) LOAD (4866, (again + 60672)) JUMP (4864) :again INPUT-BITS (1, 32, end) JUMP (256) :end "
     "DECOMPRESSION-FAILURE at (256) JUMP (512) at (512) JUMP (768) at (768) JUMP (1024) at (1024) JUMP (1280) at "
     "(1280) JUMP (1536) at (1536) JUMP (again)"},
    {"compare", "COMPARE ($32, $34, 128, 128, 128)"},
    {"call", "LOAD (70, 400) :again CALL (again)"},
    {"call_and_return", "LOAD (70, 400) :again CALL (sub) JUMP (again) :sub RETURN"},
    {"switch_bomb", "SWITCH (500, 0" + times(500, ", 128") + ")"},
    {"crc_of_everything", std::string("CRC (0, 0, 7000, 128)") + kNoEnd},
    {"input_bytes", "INPUT-BYTES (1, 300, more)" + std::string(kNoEnd) + " :more JUMP (128)"},
    {"input_bits", "INPUT-BITS (1, 300, more)" + std::string(kNoEnd) + " :more JUMP (128)"},
    {"input_huffman", "INPUT-HUFFMAN (300, 128, 200, 1, 2, 1, 0" + times(199, ", 0, 1, 0, 0") + ")"},
    {"hash_for_each_bit", "INPUT-BITS (1, 300, more) SHA-1 (300, 2, 300) SHA-1 (300, 2, 300) SHA-1 (300, 2, 300)" +
                              std::string(kNoEnd) + " :more JUMP (128)"},
    {"state_access", ":again STATE-ACCESS (id, 6, 0, 1, 40, again) :id byte (0xfb, 0xe5, 0x07, 0xdf, 0xe5, 0xe6)"},
    {"state_access_of_all",
     "LOAD (64, 3000) LOAD (66, 7000) :again STATE-ACCESS (id, 6, 0, 4000, 3000, again) :id byte (0xfb, 0xe5, 0x07, "
     "0xdf, 0xe5, 0xe6)"},
    {"state_create", std::string("STATE-CREATE (0, 0, 0, 6, 0)") + kNoEnd},
    {"state_free", std::string("STATE-FREE (300, 6)") + kNoEnd},
    {"output_bomb", std::string("OUTPUT (0, 7000)") + kNoEnd},
    {"output_of_nothing", std::string("OUTPUT (0, 0)") + kNoEnd},
    {"thesis", "INPUT-BITS (16, 1024, loop)" + std::string(kNoEnd) + " :loop SHA-1 (0, 1, 1024) JUMP (loop)"},
};

class AttackTest : public testing::TestWithParam<Attack> {};

TEST_P(AttackTest, IsBoundedInWorkAndFails) {
  for (const unsigned bits : {16U, 128U}) {
    const auto cycles_per_bit = static_cast<std::uint16_t>(bits);
    StateHandler states(1);
    ASSERT_TRUE(states.offer({}, sip_sdp_dictionary().value));
    Decompressor decompressor({cycles_per_bit, 8192, kVersionWithNack}, states);
    Bytes message = upload(GetParam().body, Bytes(500, 0x55));
    const Outcome& outcome = decompressor.decompress(message, Transport::kMessages);
    ASSERT_EQ(outcome.kind, Outcome::Kind::kFailure);
    const std::uint64_t cycles = cycles_of(message, cycles_per_bit);
    EXPECT_LE(outcome.cycles, cycles);
    // What a slice and a window of the verifier may go beyond.
    EXPECT_LE(outcome.work, 4 * cycles + 200'000);
    // Most loops are seen through; what is not is bounded by cycles, and by work.
    if (outcome.is_endless) {
      EXPECT_LE(outcome.work, 100'000 + 100 * 8 * message.size());
    }
    EXPECT_EQ(states.items(), 1U);
  }
}

INSTANTIATE_TEST_SUITE_P(Instructions, AttackTest, testing::ValuesIn(kAttacks),
                         [](const auto& one) { return one.param.name; });

// Of all the loops that never end, so few are executed to the end of their cycles.
TEST(HostileTest, MostAttacksAreSeenThrough) {
  StateHandler states(1);
  ASSERT_TRUE(states.offer({}, sip_sdp_dictionary().value));
  Decompressor decompressor({}, states);
  std::string others;
  for (const Attack& attack : kAttacks) {
    const Bytes message = upload(attack.body, Bytes(500, 0x55));
    const Outcome& outcome = decompressor.decompress(message, Transport::kMessages);
    if (outcome.failure.reason == Reason::kCyclesExhausted && outcome.cycles > 10'000 && !outcome.is_endless)
      others += std::string(" ") + attack.name;
  }
  EXPECT_EQ(others, "");
}

TEST(HostileTest, WorkBoundsWhatCyclesDoNot) {
  StateHandler states(1);
  DecompressorConfig config;
  config.verify = false;
  const Bytes message = upload("LOAD (32, 0)" + times(900, "SHA-1 (32, 0, 32)") + kNoEnd);
  for (const std::uint32_t factor : {0U, 4U, 1U}) {
    config.work_per_cycle = factor;
    Decompressor decompressor(config, states);
    const Outcome& outcome = decompressor.decompress(message, Transport::kMessages);
    EXPECT_EQ(outcome.failure.reason, Reason::kCyclesExhausted);
    const std::uint64_t cycles = cycles_of(message, 16);
    EXPECT_GT(outcome.work, (factor == 0 ? 25 : factor) * cycles * 9 / 10);
    EXPECT_LT(outcome.work, (factor == 0 ? 30 : factor) * cycles + 20'000);
    EXPECT_FALSE(decompressor.nack(message).empty());
  }
  config.work_per_cycle = 4;
  config.most_work = 5000;
  Decompressor decompressor(config, states);
  EXPECT_LT(decompressor.decompress(message, Transport::kMessages).work, 20'000U);
}

TEST(HostileTest, AMessageThatIsTooLongIsNotRun) {
  StateHandler states(1);
  Decompressor decompressor({}, states);
  for (const std::size_t size : {8193U, 65535U, 1U << 20U}) {
    Bytes message = upload("JUMP (128)");
    message.resize(size);
    const Outcome& outcome = decompressor.decompress(message, Transport::kMessages);
    EXPECT_EQ(outcome.failure.reason, Reason::kBytecodesTooLarge);
    EXPECT_EQ(outcome.work, 0U);
  }
}

// ---- State

constexpr std::uint32_t kStateMemory = 4096;

const char* const kFourStates =
    "INPUT-BYTES (2, 400, end) :end STATE-CREATE (2000, 400, 128, 6, 0) STATE-CREATE (2001, 400, 128, 6, 65534)"
    "STATE-CREATE (7000, 400, 128, 6, 5) END-MESSAGE (0, 0, 0, 400, 128, 6, 65534)";

// Each compartment makes as much state as it can, in turn; none gets another's memory.
TEST(HostileTest, StateBombsTakeTheirOwnCompartmentsMemoryOnly) {
  constexpr std::size_t kCompartments = 16;
  StateHandler states(100, kCompartments * kStateMemory + kStateMemory / 2);
  Decompressor decompressor({}, states);
  for (CompartmentId id = 0; id < kCompartments; ++id) ASSERT_TRUE(states.open(id, kStateMemory));
  EXPECT_FALSE(states.open(kCompartments, kStateMemory)) << "more memory than there may be";
  EXPECT_EQ(states.promised(), kCompartments * kStateMemory);
  const Bytes quiet = upload("END-MESSAGE (0, 0, 1000, 400, 128, 6, 0)");
  ASSERT_EQ(decompressor.decompress(quiet, Transport::kMessages).kind, Outcome::Kind::kNoOutput);
  ASSERT_TRUE(decompressor.accept(0));
  for (unsigned i = 0; i < 2000; ++i) {
    const Bytes message = upload(kFourStates, {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8)});
    ASSERT_EQ(decompressor.decompress(message, Transport::kMessages).kind, Outcome::Kind::kNoOutput);
    ASSERT_TRUE(decompressor.accept(1 + i % (kCompartments - 1)));
    for (CompartmentId id = 0; id < kCompartments; ++id) ASSERT_LE(states.memory_of(id), kStateMemory);
    ASSERT_LE(states.items(), kCompartments * kStateMemory / kItemCost);
  }
  EXPECT_EQ(states.items_of(0), 1U) << "the quiet one has lost its state";
  for (CompartmentId id = 0; id < kCompartments; ++id) ASSERT_TRUE(states.close(id));
  EXPECT_EQ(states.promised(), 0U);
  EXPECT_EQ(states.items(), 0U);
}

TEST(HostileTest, StateThatNobodyVouchesForIsNotKept) {
  StateHandler states(1);
  ASSERT_TRUE(states.open(1, kStateMemory));
  Decompressor decompressor({}, states);
  const Bytes message = upload(kFourStates, {1, 2});
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(decompressor.decompress(message, Transport::kMessages).kind, Outcome::Kind::kNoOutput);
    EXPECT_FALSE(decompressor.accept(7));
  }
  EXPECT_EQ(states.items(), 0U);
}

// ---- Feedback

// Requested feedback with S- and I-bit and the longest item; returned parameters with as many identifiers as there is
// room for.
TEST(HostileTest, FeedbackIsBoundedAndConcernsItsCompartmentOnly) {
  StateHandler states(2);
  ASSERT_TRUE(states.open(1, kStateMemory) && states.open(2, kStateMemory));
  Decompressor decompressor({}, states);
  for (const CompartmentId id : {1U, 2U}) {
    const Bytes quiet = upload("END-MESSAGE (0, 0, 1000, 400, 128, 6, 0)", {static_cast<std::uint8_t>(id)});
    (void)decompressor.decompress(quiet, Transport::kMessages);
    ASSERT_TRUE(decompressor.accept(id));
  }
  std::string identifiers;
  for (unsigned i = 0; i < 300; ++i) {
    identifiers += "byte (6, " + std::to_string(i % 256) + ", " + std::to_string(i / 256) + ", 0, 0, 0, 0) ";
  }
  const Bytes message = upload(
      "MEMSET (1001, 1, 255, 0) MEMSET (1002, 127, 7, 1) END-MESSAGE (1000, 1200, 0, 0, 0, 0, 0)"
      " at (1000) byte (7) at (1200) byte (0, 2) " +
      identifiers + "byte (255)");
  for (int i = 0; i < 5; ++i) {
    const Outcome& outcome = decompressor.decompress(message, Transport::kMessages);
    ASSERT_EQ(outcome.kind, Outcome::Kind::kNoOutput) << name_of(outcome.failure.reason);
    ASSERT_TRUE(decompressor.accept(1));
  }
  EXPECT_TRUE(states.peer_of(1)->wants_no_state);
  EXPECT_EQ(states.items_of(1), 0U);
  EXPECT_EQ(states.peer_of(1)->announced.size(), Peer::kMostAnnouncements);
  EXPECT_EQ(states.feedback_to_return(1).size(), 128U);
  EXPECT_EQ(states.items_of(2), 1U);
  EXPECT_FALSE(states.peer_of(2)->wants_no_state);
  EXPECT_TRUE(states.peer_of(2)->announced.empty());
}

}  // namespace
}  // namespace headroom::sigcomp
