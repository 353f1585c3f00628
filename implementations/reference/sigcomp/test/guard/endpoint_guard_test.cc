// SPDX-License-Identifier: Apache-2.0
//
// An endpoint with limits: who is refused, who is not, and how the configuration says so.
#include <gtest/gtest.h>

#include "cxx/settings.h"
#include "sigcomp/endpoint.h"
#include "sigcomp/guard/options.h"
#include "sigcomp/options.h"
#include "sigcomp/test/support/machine.h"

namespace headroom::sigcomp {
namespace {

using nlohmann::json;
using test::Bytes;

Bytes upload(const std::string& body) {
  const auto program = assembler::assemble("at (128) " + body);
  return std::get<0>(assembler::upload(std::get<assembler::Program>(program)));
}

class EndpointGuardTest : public testing::Test {
 protected:
  void configure(const json& guard, const char* transport = "udp") {
    const json whole = {{"scheme", "sigcomp"}, {"transport", transport}, {"options", {{"guard", guard}}}};
    endpoint_ = std::make_unique<Endpoint>(endpoint_config(whole));
    endpoint_->open(1);
    endpoint_->open(2);
  }
  std::int32_t give(std::uint32_t compartment, Bytes message, std::uint64_t now_ns, std::uint32_t source = 0) {
    Bytes room(65536);
    headroom_packet packet{};
    packet.in = message.data();
    packet.in_length = static_cast<std::uint32_t>(message.size());
    packet.out = room.data();
    packet.out_capacity = static_cast<std::uint32_t>(room.size());
    packet.channel = compartment;
    packet.source = source;
    const std::int32_t status = endpoint_->decompress(packet, now_ns);
    headroom_packet nack{};
    Bytes nack_room(200);
    nack.out = nack_room.data();
    nack.out_capacity = static_cast<std::uint32_t>(nack_room.size());
    answers_ += static_cast<unsigned>(endpoint_->take_reverse(&nack, 1));
    return status;
  }
  static std::string refusal_of(const json& guard) {
    try {
      (void)endpoint_config({{"scheme", "sigcomp"}, {"options", {{"guard", guard}}}});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }

  std::unique_ptr<Endpoint> endpoint_;
  unsigned answers_ = 0;
  const Bytes fails_ = upload("LOAD (32, 1) DECOMPRESSION-FAILURE");
  const Bytes works_ = upload("OUTPUT (0, 1) END-MESSAGE (0, 0, 0, 0, 0, 0, 0)");
};

constexpr std::uint64_t kSecond = 1'000'000'000;

TEST_F(EndpointGuardTest, WhoFailsTooOftenIsRefusedAndNobodyElse) {
  configure({{"failures", {{"per_minute", 6}, {"burst", 3}}}});
  unsigned failed = 0;
  for (std::uint64_t second = 0; second < 60; ++second) {
    const std::int32_t status = give(1, fails_, second * kSecond);
    failed += status == HEADROOM_ERR_DECOMPRESSION ? 1U : 0U;
    EXPECT_TRUE(status == HEADROOM_ERR_DECOMPRESSION || status == HEADROOM_ERR_STATE);
    EXPECT_EQ(give(2, works_, second * kSecond), HEADROOM_OK);
  }
  EXPECT_GE(failed, 8U);
  EXPECT_LE(failed, 9U);
  EXPECT_EQ(endpoint_->admission().refused_for_failures, 60U - failed);
  EXPECT_EQ(answers_, failed) << "what is refused gets no NACK";
}

TEST_F(EndpointGuardTest, StrangersDoNotTakeFromCompartments) {
  configure({{"strangers", {{"per_second", 1000}, {"burst", 1000}}}});
  EXPECT_EQ(give(2, works_, 0), HEADROOM_OK);  // by which it is no stranger
  unsigned admitted = 0;
  for (int i = 0; i < 100; ++i) {
    admitted += give(HEADROOM_NO_SESSION, fails_, 0) == HEADROOM_ERR_DECOMPRESSION ? 1U : 0U;
    EXPECT_EQ(give(2, works_, 0), HEADROOM_OK);
  }
  EXPECT_LE(admitted, 2U);
  EXPECT_GT(endpoint_->admission().refused_as_strangers, 90U);
}

// Nobody has a compartment yet; the application tells who sent what.
TEST_F(EndpointGuardTest, OneWhoFailsDoesNotLockOutAnother) {
  configure({{"failures", {{"per_minute", 6}, {"burst", 3}}}});
  constexpr std::uint32_t kHostile = 7, kHonest = 8;
  for (int i = 0; i < 20; ++i) (void)give(HEADROOM_NO_SESSION, fails_, 0, kHostile);
  EXPECT_EQ(give(HEADROOM_NO_SESSION, works_, 0, kHostile), HEADROOM_ERR_STATE);
  EXPECT_EQ(give(HEADROOM_NO_SESSION, works_, 0, kHonest), HEADROOM_OK);
  EXPECT_EQ(endpoint_->admission().refused_for_failures, 18U);
}

// A source and a compartment with the same number are two.
TEST_F(EndpointGuardTest, ASourceIsNoCompartment) {
  configure({{"failures", {{"per_minute", 6}, {"burst", 3}}}});
  for (int i = 0; i < 20; ++i) (void)give(HEADROOM_NO_SESSION, fails_, 0, 1);
  EXPECT_EQ(give(1, works_, 0), HEADROOM_OK);
}

// Whoever sent what the application recognised is no stranger, though no message named its compartment.
TEST_F(EndpointGuardTest, AcceptanceVouchesForTheSource) {
  configure({{"strangers", {{"per_second", 1000}, {"burst", 1000}}}});
  constexpr std::uint32_t kKnown = 5;
  EXPECT_EQ(give(HEADROOM_NO_SESSION, works_, 0, kKnown), HEADROOM_OK);
  EXPECT_TRUE(endpoint_->accept(1));
  for (std::uint32_t i = 0; i < 50; ++i) (void)give(HEADROOM_NO_SESSION, fails_, 0, 100 + i);
  EXPECT_EQ(give(HEADROOM_NO_SESSION, works_, 0, 99), HEADROOM_ERR_STATE);
  EXPECT_EQ(give(HEADROOM_NO_SESSION, works_, 0, kKnown), HEADROOM_OK);
}

// Where nobody tells the source, one message that is accepted does not make everybody known.
TEST_F(EndpointGuardTest, NobodyVouchesForEverybody) {
  configure({{"strangers", {{"per_second", 1000}, {"burst", 1000}}}});
  EXPECT_EQ(give(HEADROOM_NO_SESSION, works_, 0), HEADROOM_OK);
  EXPECT_TRUE(endpoint_->accept(1));
  unsigned admitted = 0;
  for (int i = 0; i < 50; ++i) {
    admitted += give(HEADROOM_NO_SESSION, fails_, 0) == HEADROOM_ERR_DECOMPRESSION ? 1U : 0U;
  }
  EXPECT_LE(admitted, 2U);
}

TEST_F(EndpointGuardTest, WhatIsRefusedIsNotAcceptedInTheNameOfTheOneBefore) {
  configure({{"work", {{"per_second", 1000}, {"burst", 1}}}});
  EXPECT_EQ(give(HEADROOM_NO_SESSION, works_, 0, 5), HEADROOM_OK);
  EXPECT_EQ(give(HEADROOM_NO_SESSION, works_, 0, 5), HEADROOM_ERR_STATE);
  EXPECT_FALSE(endpoint_->accept(1));
}

TEST_F(EndpointGuardTest, TimeThatGoesBackTakesNoAllowance) {
  configure({{"failures", {{"per_minute", 6}, {"burst", 3}}}});
  EXPECT_EQ(give(1, fails_, 1000 * kSecond), HEADROOM_ERR_DECOMPRESSION);
  EXPECT_EQ(give(1, works_, 0), HEADROOM_OK) << "one failure of three";
}

TEST_F(EndpointGuardTest, WhoeverIsClosedIsForgotten) {
  configure({{"failures", {{"per_minute", 6}, {"burst", 1}}}});
  EXPECT_EQ(give(1, fails_, 0), HEADROOM_ERR_DECOMPRESSION);
  EXPECT_EQ(give(1, works_, 0), HEADROOM_ERR_STATE);
  EXPECT_TRUE(endpoint_->close(1));
  endpoint_->open(1);
  EXPECT_EQ(give(1, works_, 0), HEADROOM_OK) << "another has the number now";
}

TEST_F(EndpointGuardTest, BrokenStreamsAreFailures) {
  const Bytes broken = {0xf8, 0xff, 0x80};
  Bytes too_long(9002, 0xf8);
  std::fill(too_long.end() - 2, too_long.end(), std::uint8_t{0xff});
  for (const Bytes& stream : {broken, too_long}) {
    configure({{"failures", {{"per_minute", 6}, {"burst", 2}}}}, "tcp");
    EXPECT_EQ(give(1, stream, 0), HEADROOM_ERR_DECOMPRESSION);
    EXPECT_EQ(give(1, stream, 0), HEADROOM_ERR_DECOMPRESSION);
    EXPECT_EQ(give(1, stream, 0), HEADROOM_ERR_STATE);
    EXPECT_GT(endpoint_->counters().work, 0U);
    EXPECT_EQ(give(2, {}, 0), HEADROOM_NOTHING);
  }
}

TEST_F(EndpointGuardTest, OnAStreamNothingIsTakenUntilThereIsAnAllowanceAgain) {
  configure({{"work", {{"per_second", 1000}, {"burst", 1}}}}, "tcp");
  Bytes record;
  write_record(works_, record);
  EXPECT_EQ(give(1, record, 0), HEADROOM_OK);
  EXPECT_EQ(give(1, record, 1000), HEADROOM_ERR_STATE);
  EXPECT_EQ(give(1, record, 2 * kSecond), HEADROOM_OK);
}

TEST_F(EndpointGuardTest, WhatWaitsOfARefusedStreamComesLater) {
  configure({{"work", {{"per_second", 1000}, {"burst", 1}}}}, "tcp");
  Bytes records;
  write_record(works_, records);
  write_record(works_, records);
  EXPECT_EQ(give(1, records, 0), HEADROOM_OK);
  ASSERT_TRUE(endpoint_->has_more());
  Bytes room(65536);
  headroom_packet packet{};
  packet.out = room.data();
  packet.out_capacity = static_cast<std::uint32_t>(room.size());
  EXPECT_TRUE(endpoint_->next(packet, 1000));
  EXPECT_EQ(packet.status, HEADROOM_ERR_STATE);
  EXPECT_FALSE(endpoint_->has_more()) << "until the stream goes on";
  EXPECT_EQ(give(1, {}, 2 * kSecond), HEADROOM_OK);
}

TEST_F(EndpointGuardTest, StateMemoryIsPromisedOnceOnly) {
  configure({{"state_memory", 5000}});
  try {
    endpoint_->open(3);
    ADD_FAILURE() << "more than there is";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("5000 octets of state memory"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(endpoint_->close(1));
  endpoint_->open(3);
}

TEST_F(EndpointGuardTest, WithoutTheVerifierAnAttackRuns) {
  const Bytes attack = upload(":loop SHA-1 (0, 1, 1024) JUMP (loop)");
  for (const bool verify : {true, false}) {
    configure({{"verify", verify}, {"work_per_cycle", 0}});
    EXPECT_EQ(give(1, attack, 0), HEADROOM_ERR_DECOMPRESSION);
    EXPECT_EQ(endpoint_->counters().endless, verify ? 1U : 0U);
    EXPECT_EQ(endpoint_->counters().work < 10'000, verify);
  }
}

TEST_F(EndpointGuardTest, MistakesAreToldInSentences) {
  EXPECT_NE(refusal_of({{"verfy", true}}).find("unknown key \"verfy\" in \"guard\""), std::string::npos);
  EXPECT_NE(refusal_of({{"work", {{"per_second", 5}}}}).find("needs \"burst\""), std::string::npos);
  EXPECT_NE(refusal_of({{"work", 7}}).find("must be an object"), std::string::npos);
  EXPECT_NE(refusal_of({{"sources", 0}}).find("a whole number from 1"), std::string::npos);
  EXPECT_EQ(refusal_of({{"sources", 5}}), "");
  const EndpointConfig endpoint;
  EXPECT_THROW((void)compartment_config({{"options", {{"guard", json::object()}}}}, endpoint), ConfigError);
}

}  // namespace
}  // namespace headroom::sigcomp
