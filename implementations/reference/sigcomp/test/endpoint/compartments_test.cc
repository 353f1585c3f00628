// SPDX-License-Identifier: Apache-2.0
//
// Compartments: opened and closed, told what their peer is, and what is kept before a message is accepted.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>

#include "sigcomp/test/endpoint/side.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::json;
using test::kMessage;
using test::Result;
using test::Side;
using test::stateful;

TEST(Endpoint, CompartmentsAreOpenedOnce) {
  Side side(json{{"compartments", 2}});
  EXPECT_EQ(side.compress(kMessage, 1).status, HEADROOM_ERR_CHANNEL);
  EXPECT_EQ(side.open(1), "");
  EXPECT_NE(side.open(1).find("is open already"), std::string::npos);
  EXPECT_EQ(side.open(4294967294U, "{}"), "");
  EXPECT_NE(side.open(3).find("as many as"), std::string::npos);
  EXPECT_TRUE(side.close(1));
  EXPECT_FALSE(side.close(1));
  EXPECT_EQ(side.open(3), "");
  EXPECT_NE(side.open(HEADROOM_NO_SESSION), "");
  EXPECT_EQ(side.decompress({0xf8, 0, 0}, 1).status, HEADROOM_ERR_CHANNEL);
}

TEST(Endpoint, WhatACompartmentIsToldReplacesTheConfiguration) {
  Side side(json{{"options", {{"mechanism", "dynamic"}}}});
  EXPECT_EQ(side.open(1, R"({"options": {"mechanism": "stateless-basic"}, "state_memory_size": 0})"), "");
  EXPECT_EQ(side.compress(kMessage, 1).detail.creations, 0);
  EXPECT_NE(side.open(2, R"({"state_memory_size": 1000})").find("2048"), std::string::npos);
  EXPECT_NE(side.open(2, R"({"statememory": 2048})").find("unknown key"), std::string::npos);
  EXPECT_NE(side.open(2, R"({"options": {"mechanism": "best"}})").find("stateless-basic"), std::string::npos);
  EXPECT_NE(side.open(2, R"({"peer": {"decompression_memory_size": 5}})").find("power of two"), std::string::npos);
  EXPECT_NE(side.open(2, "{"), "");
  EXPECT_NE(side.open(2, "[]"), "");
  EXPECT_NE(side.open(2, R"({"peer": {"state_memory_size": 0}})"), "") << "too little for dynamic compression";
  EXPECT_EQ(side.open(2, R"({"peer": {"state_memory_size": 65536}})"), "");
}

// What a compartment is told is treated as if the configuration had said it.
TEST(Endpoint, APeerOfACompartmentIsThePeerOfAConfiguration) {
  const json offers[] = {{{"state_memory_size", 0}},
                         {{"decompression_memory_size", 2048}},
                         {{"decompression_memory_size", 65536}, {"cycles_per_bit", 128}},
                         {{"version", 1}}};
  for (const json& offer : offers) {
    Side whole(json{{"peer", offer}});
    Side told(json::object());
    ASSERT_EQ(whole.open(1), "");
    ASSERT_EQ(told.open(1, json{{"peer", offer}}.dump().c_str()), "") << offer;
    for (int i = 0; i < 2; ++i) {
      const Result made = whole.compress(kMessage, 1);
      ASSERT_EQ(made.status, HEADROOM_OK);
      EXPECT_EQ(told.compress(kMessage, 1).octets, made.octets) << offer;
    }
  }
  // What this side offers is told where it is not the least, whoever says so.
  Side whole(json{{"state_memory_size", 8192}});
  Side told(json::object());
  ASSERT_EQ(whole.open(1), "");
  ASSERT_EQ(told.open(1, R"({"state_memory_size": 8192})"), "");
  ASSERT_EQ(told.open(2, R"({"state_memory_size": 8192, "options": {"tell_parameters": false}})"), "");
  const Bytes octets = whole.compress(kMessage, 1).octets;
  EXPECT_EQ(told.compress(kMessage, 1).octets, octets);
  EXPECT_NE(told.compress(kMessage, 2).octets, octets);
  Side sip(json{{"options", {{"sip", true}}}});
  EXPECT_NE(sip.open(1, R"({"peer": {"state_memory_size": 0}})").find("RFC 5049"), std::string::npos);
  EXPECT_NE(sip.open(1, R"({"peer": {"version": 1}})").find("RFC 5049"), std::string::npos);
  EXPECT_NE(sip.open(1, R"({"state_memory_size": 0})").find("RFC 5049"), std::string::npos);
}

TEST(Endpoint, NothingIsKeptBeforeItIsAccepted) {
  Side a(stateful()), b(stateful());
  ASSERT_EQ(a.open(0), "");
  ASSERT_EQ(b.open(0), "");
  const auto items = b.statistics()["items"].get<int>();
  const Result first = a.compress(kMessage, 0);
  EXPECT_EQ(b.decompress(first.octets).octets, kMessage);
  EXPECT_EQ(b.statistics()["items"], items);
  EXPECT_FALSE(b.accept(1)) << "there is no such compartment";
  EXPECT_TRUE(b.accept(0));
  EXPECT_FALSE(b.accept(0)) << "accepted already";
  EXPECT_EQ(b.statistics()["items"], items + 1);
  EXPECT_EQ(b.decompress(a.compress(kMessage, 0).octets).octets, kMessage);
}

// The application has not seen the message, so it cannot know its sender (headroom.h, `accept`).
TEST(Endpoint, WhatThereWasNoRoomForCannotBeAccepted) {
  Side a(stateful()), b(stateful());
  ASSERT_EQ(a.open(0), "");
  ASSERT_EQ(b.open(0), "");
  const auto items = b.statistics()["items"].get<int>();
  const Result first = a.compress(kMessage, 0);
  EXPECT_EQ(b.decompress_into(first.octets, HEADROOM_NO_SESSION, kMessage.size() - 1).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_FALSE(b.accept(0));
  EXPECT_EQ(b.statistics()["items"], items);
  EXPECT_EQ(b.decompress(first.octets).octets, kMessage) << "it may be given again";
  EXPECT_TRUE(b.accept(0));
  EXPECT_EQ(b.statistics()["items"], items + 1);
}

TEST(Endpoint, AcceptanceMayComeAfterAnAnswer) {
  Side a(stateful()), b(stateful());
  ASSERT_EQ(a.open(0), "");
  ASSERT_EQ(b.open(0), "");
  EXPECT_EQ(b.decompress(a.compress(kMessage, 0).octets).status, HEADROOM_OK);
  EXPECT_EQ(b.compress(kMessage, 0).status, HEADROOM_OK);
  EXPECT_TRUE(b.accept(0));
}

// The input is the caller's again once decompress has returned: it may be overwritten, or gone, before the application
// has found out whose message it was. What the message brings back (RFC 3320 figure 3, T-bit) is an acknowledgement: of
// the bytecode, of a message by its number, and by its identifier, which takes the longest item of the three.
class AcceptedLater : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(AcceptedLater, FeedbackIsWhatCameBack) {
  const auto& [mechanism, acknowledgement] = GetParam();
  const json config = {{"state_memory_size", 8192},
                       {"peer", {{"state_memory_size", 8192}}},
                       {"options", {{"mechanism", mechanism}, {"acknowledgement", acknowledgement}}}};
  for (const bool freed : {false, true}) {
    Side a(config), b(config);
    ASSERT_EQ(a.open(0), "");
    ASSERT_EQ(b.open(0), "");
    const Result first = a.compress(kMessage, 0);
    EXPECT_GT(first.detail.code_length, 0);
    ASSERT_EQ(b.decompress(first.octets, 0).status, HEADROOM_OK);
    const Result answer = b.compress(kMessage, 0);
    ASSERT_GT(answer.detail.returned_length, 0) << "the case is about an item that comes back";
    auto input = std::make_unique<Bytes>(answer.octets);
    ASSERT_EQ(a.decompress(*input).status, HEADROOM_OK);
    std::ranges::fill(*input, std::uint8_t{0x55});
    if (freed) input.reset();
    ASSERT_TRUE(a.accept(0));
    EXPECT_GT(a.compress(kMessage, 0).detail.referred_length, 0) << "what was acknowledged is not built upon";
  }
}

INSTANTIATE_TEST_SUITE_P(Items, AcceptedLater,
                         testing::Values(std::tuple{"stateful-basic", "number"}, std::tuple{"dynamic", "number"},
                                         std::tuple{"dynamic", "identifier"}),
                         [](const auto& tested) {
                           std::string name = std::string(std::get<0>(tested.param)) + "_" + std::get<1>(tested.param);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace headroom::sigcomp
