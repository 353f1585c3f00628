// SPDX-License-Identifier: Apache-2.0
//
// What is not a message of SigComp's, cannot be compressed, or has no room.
#include <gtest/gtest.h>

#include "sigcomp/test/endpoint/side.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::json;
using test::kMessage;
using test::Result;
using test::Side;
using test::stateful;

TEST(Endpoint, PlainMessagesComeOutAsTheyWentIn) {
  Side side(json::object());
  const Result plain = side.decompress(kMessage);
  EXPECT_EQ(plain.status, HEADROOM_OK);
  EXPECT_EQ(plain.octets, kMessage);
  EXPECT_EQ(plain.detail.kind, HEADROOM_MESSAGE_PLAIN);
  EXPECT_FALSE(side.accept(0));
  EXPECT_EQ(side.decompress({}).status, HEADROOM_ERR_MALFORMED);
}

TEST(Endpoint, WhatCannotBeCompressedIsLeftToTheApplication) {
  Side side(json::object());
  ASSERT_EQ(side.open(0), "");
  EXPECT_EQ(side.compress(Bytes(65536, 'a'), 0).status, HEADROOM_ERR_UNSUPPORTED);
  EXPECT_EQ(side.compress({}, 0).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(side.compress_into(kMessage, 0, 10).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(side.compress(kMessage, 0).status, HEADROOM_OK);
}

// What had no room was not sent, and the compressor does not take for granted that it was.
TEST(Endpoint, WhatHasNoRoomLeavesTheRestAsItWas) {
  Side a(stateful()), b(stateful());
  ASSERT_EQ(a.open(0), "");
  ASSERT_EQ(b.open(0), "");
  EXPECT_EQ(a.compress_into(kMessage, 0, 70).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(b.decompress(a.compress(kMessage, 0).octets, 0).octets, kMessage);
  EXPECT_EQ(a.compress_into(kMessage, 0, 10).status, HEADROOM_ERR_NO_SPACE);
  const Result next = a.compress(kMessage, 0);
  EXPECT_EQ(next.detail.code_length, 0) << "what the peer has is known as before";
  EXPECT_EQ(b.decompress(next.octets, 0).octets, kMessage);
}

}  // namespace
}  // namespace headroom::sigcomp
