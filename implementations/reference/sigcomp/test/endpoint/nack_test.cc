// SPDX-License-Identifier: Apache-2.0
//
// NACKs both ways (RFC 4077).
#include <gtest/gtest.h>

#include "sigcomp/test/endpoint/side.h"
#include "sigcomp/test/support/sip.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::json;
using test::kMessage;
using test::Result;
using test::Side;
using test::stateful;

TEST(Endpoint, ANackMakesTheCompressorBringItsBytecodeAgain) {
  Side a(stateful()), b(stateful());
  ASSERT_EQ(a.open(5), "");
  ASSERT_EQ(b.open(6), "");
  ASSERT_EQ(a.compress(kMessage, 5).detail.code_length == 0, false);  // lost
  const Result refers = a.compress(kMessage, 5);
  ASSERT_EQ(refers.detail.code_length, 0);
  const Result failed = b.decompress(refers.octets, 6);
  EXPECT_EQ(failed.status, HEADROOM_ERR_DECOMPRESSION);
  EXPECT_EQ(failed.detail.kind, HEADROOM_MESSAGE_FAILED);
  EXPECT_EQ(failed.detail.reason, 1) << "STATE_NOT_FOUND";
  EXPECT_EQ(failed.detail.details_length, 6);
  const auto [nack, channel] = b.nack();
  ASSERT_FALSE(nack.empty());
  EXPECT_EQ(channel, 6u);
  EXPECT_TRUE(b.nack().first.empty());
  const Result told = a.decompress(nack);
  EXPECT_EQ(told.status, HEADROOM_NOTHING);
  EXPECT_EQ(told.detail.kind, HEADROOM_MESSAGE_NACK);
  EXPECT_EQ(told.detail.compartment, 5u) << "found by the message that it names";
  EXPECT_EQ(told.detail.reason, 1);
  EXPECT_TRUE(a.nack().first.empty()) << "a NACK is not answered";
  const Result again = a.compress(kMessage, 5);
  EXPECT_NE(again.detail.code_length, 0);
  EXPECT_EQ(b.decompress(again.octets, 6).octets, kMessage);
}

TEST(Endpoint, ANackAboutNothingThatWasSentDoesNothing) {
  Side a(stateful()), b(stateful()), stranger(stateful());
  ASSERT_EQ(a.open(0), "");
  ASSERT_EQ(a.open(1), "");
  ASSERT_EQ(stranger.open(0), "");
  ASSERT_EQ(stranger.compress(kMessage, 0).status, HEADROOM_OK);
  const Result refers = stranger.compress(kMessage, 0);
  (void)b.decompress(refers.octets);
  const Bytes nack = b.nack().first;
  ASSERT_FALSE(nack.empty());
  (void)a.compress(test::text_octets("another message"), 0);
  const Result told = a.decompress(nack);
  EXPECT_EQ(told.detail.kind, HEADROOM_MESSAGE_NACK);
  EXPECT_EQ(told.detail.compartment, HEADROOM_NO_SESSION);
  EXPECT_EQ(a.statistics()["nacks_unknown"], 1);
  EXPECT_EQ(a.compress(kMessage, 0).detail.code_length, 0);
  // One that names a message of another compartment than the one it came for is as unknown.
  EXPECT_EQ(stranger.open(3), "");
  EXPECT_EQ(stranger.decompress(nack, 3).detail.compartment, HEADROOM_NO_SESSION);
  EXPECT_EQ(stranger.decompress(nack, 0).detail.compartment, 0u);
}

TEST(Endpoint, ANackAboutAClosedCompartmentIsNotForItsSuccessor) {
  Side a(stateful()), b(stateful());
  ASSERT_EQ(a.open(0), "");
  (void)a.compress(kMessage, 0);  // never sent
  (void)b.decompress(a.compress(kMessage, 0).octets);
  const Bytes nack = b.nack().first;
  ASSERT_FALSE(nack.empty());
  EXPECT_TRUE(a.close(0));
  ASSERT_EQ(a.open(0), "");
  (void)a.compress(test::text_octets("another"), 0);
  EXPECT_EQ(a.decompress(nack).detail.compartment, HEADROOM_NO_SESSION);
  EXPECT_EQ(a.statistics()["nacks_unknown"], 1);
  EXPECT_EQ(a.compress(kMessage, 0).detail.code_length, 0) << "it is not told to begin anew";
}

TEST(Endpoint, InVersion1ThereAreNoNacks) {
  Side a(json{{"version", 1}});
  EXPECT_EQ(a.decompress({0xf9, 1, 2, 3, 4, 5, 6}).status, HEADROOM_ERR_DECOMPRESSION);
  EXPECT_TRUE(a.nack().first.empty());
}

}  // namespace
}  // namespace headroom::sigcomp
