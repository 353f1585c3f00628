// SPDX-License-Identifier: Apache-2.0
//
// The state handler where RFC 4465 does not reach: RFC 3320 6.2 step by step, RFC 4896 5, 6, 9 and 10.
#include "sigcomp/state/handler.h"

#include <gtest/gtest.h>

#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/test/support/hex.h"
#include "sigcomp/test/support/machine.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::to_hex;

constexpr StateHeader kHeader{128, 128, 6};

Bytes value(std::uint8_t fill, std::size_t octets = 100) { return Bytes(octets, fill); }

class HandlerTest : public testing::Test {
 protected:
  StateHandler states_{4};
  Sha1 sha1_;

  Sha1Digest name(Octets octets, const StateHeader& header = kHeader) { return identifier_of(sha1_, header, octets); }
  bool has(Octets octets, const StateHeader& header = kHeader) {
    const Sha1Digest digest = name(octets, header);
    return states_.find(digest).kind == StateFound::Kind::kOne;
  }
};

TEST(Dictionaries, HaveTheIdentifiersOfTheirRfcs) {
  Sha1 sha1;
  for (const Dictionary* dictionary : {&sip_sdp_dictionary(), &presence_dictionary()}) {
    EXPECT_EQ(to_hex(identifier_of(sha1, {}, dictionary->value)), to_hex(dictionary->identifier));
  }
  EXPECT_EQ(sip_sdp_dictionary().value.size(), 4836U);
  EXPECT_EQ(presence_dictionary().value.size(), 3475U);
}

// RFC 3174 7.3: the test strings.
TEST(Sha1Test, KnownDigests) {
  Sha1 sha1;
  EXPECT_EQ(to_hex(sha1(test::text_octets("abc"))), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(to_hex(sha1(Octets{})), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  const Bytes a = test::text_octets("a");
  const Bytes bc = test::text_octets("bc");
  EXPECT_EQ(to_hex(sha1({a, Octets{}, bc})), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(to_hex(Sha1(std::move(sha1))(a)), "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8");
}

TEST_F(HandlerTest, CompartmentsOpenAndClose) {
  EXPECT_TRUE(states_.open(1, 2048));
  EXPECT_FALSE(states_.open(1, 2048)) << "there is one already";
  EXPECT_FALSE(states_.open(2, 2049));
  EXPECT_FALSE(states_.open(2, 1024));
  EXPECT_FALSE(states_.open(2, 262144));
  EXPECT_TRUE(states_.open(2, 131072));
  EXPECT_TRUE(states_.open(3, 0));
  EXPECT_TRUE(states_.open(4, 4096));
  EXPECT_FALSE(states_.open(5, 4096)) << "there are four";
  EXPECT_TRUE(states_.close(1));
  EXPECT_FALSE(states_.close(1));
  EXPECT_TRUE(states_.open(5, 4096));
}

TEST_F(HandlerTest, NothingIsCreatedWithoutCompartmentOrMemory) {
  EXPECT_FALSE(states_.create(9, kHeader, 0, value(1)));
  ASSERT_TRUE(states_.open(1, 0));
  EXPECT_FALSE(states_.create(1, kHeader, 0, value(1)));
  EXPECT_EQ(states_.items(), 0U);
  EXPECT_FALSE(states_.apply(9, {}, {}));
}

// 6.2, 2: what is longer than the memory is cut, and named for what is left.
TEST_F(HandlerTest, TooLongAStateIsCut) {
  ASSERT_TRUE(states_.open(1, 2048));
  const Bytes longest(2048 - 64, 7);
  EXPECT_TRUE(states_.create(1, kHeader, 0, Bytes(60000, 7)));
  EXPECT_TRUE(has(longest));
  EXPECT_EQ(states_.memory_of(1), 2048U);
}

TEST_F(HandlerTest, EveryFieldIsPartOfTheName) {
  ASSERT_TRUE(states_.open(1, 8192));
  for (const StateHeader& header :
       {StateHeader{1, 2, 6}, StateHeader{1, 2, 7}, StateHeader{1, 3, 6}, StateHeader{2, 2, 6}}) {
    EXPECT_TRUE(states_.create(1, header, 0, value(1)));
    EXPECT_TRUE(has(value(1), header));
  }
  EXPECT_TRUE(states_.create(1, {1, 2, 6}, 0, value(1, 101)));
  EXPECT_EQ(states_.items(), 5U);
}

// 6.2, 5: 65535 goes first, then 0, 1 …; among equals the oldest.
TEST_F(HandlerTest, TheOrderOfFreeing) {
  ASSERT_TRUE(states_.open(1, 2048));
  const std::size_t size = 512 - 64;  // four fit
  const auto put = [&](std::uint8_t fill, std::uint16_t priority) {
    EXPECT_TRUE(states_.create(1, kHeader, priority, value(fill, size)));
  };
  const auto present = [&] {
    std::string text;
    for (std::uint8_t fill = 1; fill < 10; ++fill) {
      if (has(value(fill, size))) text += static_cast<char>('0' + fill);
    }
    return text;
  };
  put(1, 1);
  put(2, 0);
  put(3, 65534);
  put(4, kLocalRetentionPriority);
  put(5, 0);
  EXPECT_EQ(present(), "1235");
  put(6, 0);  // of 2 and 5 the older
  EXPECT_EQ(present(), "1356");
  put(7, 0);
  put(8, 0);
  EXPECT_EQ(present(), "1378");
  put(9, 3);
  EXPECT_EQ(present(), "1389");
  put(2, 3);
  EXPECT_EQ(present(), "1239");
  put(4, 3);
  EXPECT_EQ(present(), "2349");
}

// RFC 4896 5.2 and 6: created again, it has the new priority and is as if just created; it counts once.
TEST_F(HandlerTest, CreatedAgain) {
  ASSERT_TRUE(states_.open(1, 2048));
  const std::size_t size = 1024 - 64;
  const auto put = [&](std::uint8_t fill, std::uint16_t priority) {
    EXPECT_TRUE(states_.create(1, kHeader, priority, value(fill, size)));
  };
  put(1, 0);
  put(2, 0);
  put(1, 0);
  EXPECT_EQ(states_.items_of(1), 2U);
  EXPECT_EQ(states_.memory_of(1), 2048U);
  put(3, 0);
  EXPECT_TRUE(has(value(1, size)));
  EXPECT_FALSE(has(value(2, size)));
  put(1, 5);
  put(4, 9);
  EXPECT_TRUE(has(value(1, size)));
  put(1, 10);
  put(5, 9);
  EXPECT_TRUE(has(value(1, size)));
  put(1, 0);
  put(6, 9);
  EXPECT_FALSE(has(value(1, size)));
}

// "a state item must not be physically deleted unless … it is no longer required by any compartment"
TEST_F(HandlerTest, SharedByCompartments) {
  ASSERT_TRUE(states_.open(1, 2048) && states_.open(2, 2048));
  EXPECT_TRUE(states_.create(1, kHeader, 0, value(1)));
  EXPECT_TRUE(states_.create(2, kHeader, 7, value(1)));
  EXPECT_EQ(states_.items(), 1U);
  EXPECT_EQ(states_.memory_of(1), 164U);
  EXPECT_EQ(states_.memory_of(2), 164U);
  const Sha1Digest id = name(value(1));
  EXPECT_TRUE(states_.free(1, Octets(id).first(6)));
  EXPECT_EQ(states_.items(), 1U);
  EXPECT_FALSE(states_.free(1, Octets(id).first(6))) << "it is the other's now";
  EXPECT_TRUE(states_.close(2));
  EXPECT_EQ(states_.items(), 0U);
}

TEST_F(HandlerTest, OfferedStateStays) {
  const Dictionary& dictionary = sip_sdp_dictionary();
  EXPECT_TRUE(states_.offer({}, dictionary.value));
  EXPECT_TRUE(states_.offer({}, dictionary.value)) << "the same again";
  ASSERT_TRUE(states_.open(1, 8192));
  EXPECT_FALSE(states_.free(1, Octets(dictionary.identifier).first(6))) << "of no compartment";
  EXPECT_TRUE(states_.create(1, {}, 0, dictionary.value));
  EXPECT_EQ(states_.items(), 1U);
  EXPECT_EQ(states_.memory_of(1), 4836U + 64U);
  EXPECT_TRUE(states_.close(1));
  EXPECT_EQ(states_.find(Octets(dictionary.identifier).first(6)).kind, StateFound::Kind::kOne);
}

TEST_F(HandlerTest, FindsByPrefix) {
  ASSERT_TRUE(states_.open(1, 131072));
  for (std::uint8_t fill = 0; fill < 200; ++fill) ASSERT_TRUE(states_.create(1, kHeader, 0, value(fill, 10)));
  for (std::uint8_t fill = 0; fill < 200; ++fill) {
    const Sha1Digest id = name(value(fill, 10));
    for (std::size_t length = kLeastIdentifier; length <= kMostIdentifier; ++length) {
      const StateFound found = states_.find(Octets(id).first(length));
      ASSERT_EQ(found.kind, StateFound::Kind::kOne);
      ASSERT_EQ(found.item->identifier, id);
      Sha1Digest other = id;
      other[length - 1] ^= 1;
      ASSERT_EQ(states_.find(Octets(other).first(length)).kind, StateFound::Kind::kNone);
    }
  }
  const Bytes zeros(20, 0);
  const Bytes ones(20, 0xff);
  EXPECT_EQ(states_.find(zeros).kind, StateFound::Kind::kNone);
  EXPECT_EQ(states_.find(ones).kind, StateFound::Kind::kNone);
}

// Two items of RFC 4465 2.15 share six octets of their identifiers.
TEST_F(HandlerTest, SeveralMatches) {
  ASSERT_TRUE(states_.open(1, 2048) && states_.open(2, 2048));
  const Bytes a = test::hex("c0cc3fee79bcfc8fd108");
  const Bytes b = test::hex("65e80352ee297717df57");
  ASSERT_TRUE(states_.create(1, {256, 0, 20}, 0, a));
  ASSERT_TRUE(states_.create(2, {266, 0, 20}, 0, b));
  const Sha1Digest id = name(a, {256, 0, 20});
  EXPECT_EQ(states_.find(Octets(id).first(6)).kind, StateFound::Kind::kSeveral);
  EXPECT_EQ(states_.find(Octets(id).first(7)).kind, StateFound::Kind::kOne);
  // "if more than one state item in the compartment matches": the other one is in another compartment.
  EXPECT_TRUE(states_.free(1, Octets(id).first(6)));
  EXPECT_EQ(states_.items(), 1U);
}

// ---- Feedback

class FeedbackTest : public HandlerTest {
 protected:
  test::Machine machine_;

  void SetUp() override { ASSERT_TRUE(states_.open(1, 2048)); }
  // A message whose END-MESSAGE points to `asked` and `told`, hexadecimal; empty for 0.
  void message(const std::string& asked, const std::string& told, const std::string& before = "") {
    const auto bytes = [](const char* label, const std::string& octets) {
      std::string text;
      for (const std::uint8_t octet : test::hex(octets)) {
        text += (text.empty() ? std::string(":") + label + " byte (" : ", ") + std::to_string(octet);
      }
      return text.empty() ? text : text + ")\n";
    };
    ASSERT_TRUE(machine_.execute("at (128)\n" + before + "END-MESSAGE (" + (asked.empty() ? "0" : "asked") + ", " +
                                 (told.empty() ? "0" : "told") + ", 0, 0, 0, 0, 0)\n" + bytes("asked", asked) +
                                 bytes("told", told)))
        << machine_.reason();
    ASSERT_TRUE(states_.apply(1, machine_.udvm.completion(), {}));
  }
};

// RFC 4896 9.2
TEST_F(FeedbackTest, WhatIsToBeReturned) {
  message("04 82 0102", "");
  EXPECT_EQ(to_hex(states_.feedback_to_return(1)), "820102");
  message("", "");
  EXPECT_EQ(to_hex(states_.feedback_to_return(1)), "820102") << "no request: left untouched";
  message("04 05", "");
  EXPECT_EQ(to_hex(states_.feedback_to_return(1)), "05");
  message("00", "");
  EXPECT_EQ(to_hex(states_.feedback_to_return(1)), "") << "Q = 0: no feedback data";
}

TEST_F(FeedbackTest, WhatCameBack) {
  message("", "");
  EXPECT_TRUE(states_.returned_feedback(1).empty());
  EXPECT_TRUE(states_.apply(1, machine_.udvm.completion(), test::hex("8155")));
  EXPECT_EQ(to_hex(states_.returned_feedback(1)), "8155");
  EXPECT_TRUE(states_.apply(1, machine_.udvm.completion(), {}));
  EXPECT_EQ(to_hex(states_.returned_feedback(1)), "8155") << "the last received value";
}

TEST_F(FeedbackTest, AnnouncedParametersAreTheLastOnes) {
  message("", "d902 06 010203040506 07 11121314151617 00");
  const Peer& peer = *states_.peer_of(1);
  EXPECT_EQ(peer.parameters, (Parameters{128, 8192, 2048}));
  EXPECT_EQ(peer.version, 2);
  ASSERT_EQ(peer.announced.size(), 2U);
  message("", "0000 06 212223242526 06 010203040506 00");
  EXPECT_EQ(peer.parameters, (Parameters{128, 8192, 2048})) << "not included";
  EXPECT_EQ(peer.version, 2);
  ASSERT_EQ(peer.announced.size(), 3U);
  EXPECT_EQ(to_hex(peer.announced.back()), "010203040506") << "announced again";
  for (unsigned i = 0; i < 100; ++i) {
    char identifier[32];
    std::snprintf(identifier, sizeof identifier, "0000 06 3132333435%02x 00", i);
    message("", identifier);
  }
  EXPECT_EQ(peer.announced.size(), Peer::kMostAnnouncements);
}

// 9.4.9: with the S-bit "the receiving endpoint can reclaim the state memory".
TEST_F(FeedbackTest, TheSAndTheIBit) {
  const std::string create = "STATE-CREATE (100, 300, 0, 6, 0)\n";
  message("", "", create);
  EXPECT_EQ(states_.items_of(1), 1U);
  message("03", "", create);
  EXPECT_EQ(states_.items_of(1), 0U);
  EXPECT_EQ(states_.memory_of(1), 0U);
  EXPECT_TRUE(states_.peer_of(1)->wants_no_state);
  EXPECT_TRUE(states_.peer_of(1)->wants_no_local_state);
  message("", "", create);
  EXPECT_EQ(states_.items_of(1), 0U) << "there is no state memory now";
  message("00", "", "");
  message("", "", create);
  EXPECT_EQ(states_.items_of(1), 1U);
  EXPECT_FALSE(states_.peer_of(1)->wants_no_local_state);
}

// "The requests are passed to the state handler in the same order as they are made."
TEST_F(FeedbackTest, RequestsInOrder) {
  const Bytes octets = value(0, 10);
  const Sha1Digest id = name(octets, {300, 0, 6});
  std::string identifier = "at (600) :id byte (";
  for (std::size_t i = 0; i < 6; ++i) identifier += std::to_string(id[i]) + (i < 5 ? ", " : ")");
  const std::string create = "STATE-CREATE (10, 300, 0, 6, 0)\n";
  const std::string free = "STATE-FREE (id, 6)\n";
  for (const auto& [requests, left] :
       {std::pair{create + free, 0U}, {free + create, 1U}, {create + free + create, 1U}}) {
    ASSERT_TRUE(machine_.execute("at (128)\n" + requests + std::string(test::kEnd) + identifier));
    ASSERT_TRUE(states_.apply(1, machine_.udvm.completion(), {}));
    EXPECT_EQ(states_.items_of(1), left) << requests;
  }
}

}  // namespace
}  // namespace headroom::sigcomp
