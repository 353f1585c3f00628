// SPDX-License-Identifier: Apache-2.0
//
// The tools behind the ABI: assemble, disassemble, trace.
#include <gtest/gtest.h>

#include <string>

#include "sigcomp/test/endpoint/side.h"
#include "sigcomp/test/support/hex.h"

namespace headroom::sigcomp {
namespace {

using test::ask;
using test::json;
using test::kMessage;
using test::Side;
using test::stateful;
using test::to_hex;

TEST(Tool, RefusesASourceThatSaysNothing) {
  for (const char* source : {"", "; RETURN", "at (128)", "at (65536)"}) {
    const json answer = ask({{"tool", "assemble"}, {"source", source}});
    EXPECT_EQ(answer["error"], "there is neither an instruction nor data in the source") << source;
  }
  const json low = ask({{"tool", "assemble"}, {"source", "RETURN"}});
  EXPECT_TRUE(low["why_no_message"].get<std::string>().ends_with("\"at (128)\" in front of it moves it there")) << low;
}

TEST(Tool, AssemblesAndDisassembles) {
  const char* const source = "at (128) :start OUTPUT (64, 1) END-MESSAGE (0, 0, 0, 0, 0, 0, 0)";
  const json assembled = ask({{"scheme", "sigcomp"}, {"tool", "assemble"}, {"source", source}});
  ASSERT_TRUE(assembled.contains("code")) << assembled;
  EXPECT_EQ(assembled["start"], 128);
  EXPECT_EQ(assembled["names"]["start"], 128);
  const json text = ask({{"tool", "disassemble"}, {"message", assembled["message"]}});
  const json again = ask({{"tool", "assemble"}, {"source", text["source"]}});
  EXPECT_EQ(again["code"], assembled["code"]);
  EXPECT_EQ(ask({{"tool", "disassemble"}, {"code", assembled["code"]}, {"start", 128}}), text);
}

TEST(Tool, TracesTheLastOfSeveralMessages) {
  Side a(stateful());
  ASSERT_EQ(a.open(0), "");
  const std::string first = to_hex(a.compress(kMessage, 0).octets);
  const std::string second = to_hex(a.compress(kMessage, 0).octets);
  const json traced = ask({{"tool", "trace"}, {"messages", {first, second}}, {"limit", 5}});
  EXPECT_EQ(traced["kind"], "compressed");
  EXPECT_EQ(traced["output"], to_hex(kMessage));
  EXPECT_EQ(traced["lines"].size(), 5u);
  EXPECT_EQ(traced["truncated"], true);
  const json alone = ask({{"tool", "trace"}, {"message", second}});
  EXPECT_EQ(alone["kind"], "failed");
  EXPECT_EQ(alone["reason_name"], "STATE_NOT_FOUND");
}

TEST(Tool, TracesEveryRoundOfALoopWithoutAnEnd) {
  // JUMP (128), whose rounds a verifier would leave out.
  const json question = {{"tool", "trace"}, {"message", "f800211600"}, {"limit", 100'000}};
  const json traced = ask(question);
  EXPECT_EQ(traced["reason_name"], "CYCLES_EXHAUSTED") << traced;
  EXPECT_EQ(traced["lines"].size(), traced["cycles"].get<std::size_t>() + 1) << "the last one is one too many";
}

TEST(Tool, SaysWhatIsWrong) {
  const json named = ask({{"tool", "disassemble"}, {"message", "f9000000000000"}});
  EXPECT_EQ(named["error"], "this SigComp message brings no bytecode: it names a state that has it");
  const json wrong = ask({{"tool", "assemble"}, {"source", "at (128)\nOUTPOT (1)"}});
  EXPECT_EQ(wrong["line"], 2);
  for (const json& question :
       {json{{"tool", "compile"}}, json::array(), json{{"tool", "assemble"}}, json{{"tool", "disassemble"}},
        json{{"tool", "disassemble"}, {"code", ""}}, json{{"tool", "disassemble"}, {"code", "00"}, {"message", "00"}},
        json{{"tool", "disassemble"}, {"message", "00"}}, json{{"tool", "trace"}},
        json{{"tool", "trace"}, {"message", "0"}}, json{{"tool", "trace"}, {"messages", 1}}, json{{"scheme", "rohc"}},
        json{{"tool", "trace"}, {"message", "f8001100"}, {"config", {{"scheme", "rohc"}}}}}) {
    EXPECT_GT(ask(question)["error"].get<std::string>().size(), 10u) << question;
  }
}

}  // namespace
}  // namespace headroom::sigcomp
