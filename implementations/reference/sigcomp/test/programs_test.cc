// SPDX-License-Identifier: Apache-2.0
//
// The decompression algorithms of the users' guide, RFC 4464 chapter 4: each program through the assembler, its message
// through the dispatcher, and a second message that finds the first one's state.
#include <gtest/gtest.h>

#include <algorithm>

#include "sigcomp/assembler/assembler.h"
#include "sigcomp/decompressor.h"
#include "sigcomp/test/support/vectors.h"

namespace headroom::sigcomp {
namespace {

using nlohmann::json;
using test::Bytes;
using test::hex;
using test::to_hex;

const json& guide() {
  static const json all = test::vectors_of("rfc4464.json");
  return all;
}

std::string text_of(Octets octets) { return {octets.begin(), octets.end()}; }

class ProgramsTest : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] const json& program() const { return guide()["programs"][GetParam()]; }

  [[nodiscard]] assembler::Program assembled() const {
    const auto result = assembler::assemble(test::vector_file("rfc4464/" + program()["program"].get<std::string>()));
    if (const auto* error = std::get_if<assembler::SourceError>(&result)) {
      ADD_FAILURE() << error->text();
      return {};
    }
    return std::get<assembler::Program>(result);
  }
};

TEST_P(ProgramsTest, AssemblesToTheOctetsPrinted) {
  const assembler::Program ours = assembled();
  EXPECT_EQ(to_hex(assembler::code_of(ours)), program()["code"].get<std::string>());
}

// What decompresses with the printed octets and with ours, and again with the state that the first message has left.
TEST_P(ProgramsTest, DecompressesItsExampleTwice) {
  const Bytes input = hex(program()["input"].get<std::string>());
  const Bytes printed = hex(program()["code"].get<std::string>());
  const assembler::Program ours = assembled();
  const Octets code_of_ours = assembler::code_of(ours);
  for (const Bytes& code : {printed, Bytes(code_of_ours.begin(), code_of_ours.end())}) {
    StateHandler states(1);
    ASSERT_TRUE(states.open(1, guide()["state_memory_size"]));
    Decompressor decompressor({16, guide()["decompression_memory_size"], kVersionWithNack}, states);
    Bytes message = {kPrefix, static_cast<std::uint8_t>(code.size() >> 4),
                     static_cast<std::uint8_t>(code.size() << 4 | (ours.start / 64U - 1U))};
    message = test::joined(test::joined(message, code), input);
    const Outcome& outcome = decompressor.decompress(message, Transport::kMessages);
    ASSERT_EQ(outcome.kind, Outcome::Kind::kMessage) << name_of(outcome.failure.reason) << " at " << outcome.failure.pc;
    EXPECT_EQ(text_of(outcome.output), program()["text"].get<std::string>());
    const auto requests = decompressor.udvm().completion().requests();
    ASSERT_EQ(requests.size(), 1U);
    Sha1 sha1;
    const Sha1Digest identifier = identifier_of(sha1, requests[0].header, requests[0].octets);
    ASSERT_TRUE(decompressor.accept(1));

    Bytes again = {kPrefix | 1};
    again = test::joined(test::joined(again, Octets(identifier).first(6)), input);
    ASSERT_EQ(decompressor.decompress(again, Transport::kMessages).kind, Outcome::Kind::kMessage);
    EXPECT_FALSE(outcome.output.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Rfc4464, ProgramsTest, testing::Range(std::size_t{0}, guide()["programs"].size()),
                         [](const auto& one) {
                           std::string name = guide()["programs"][one.param]["name"];
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace headroom::sigcomp
