// SPDX-License-Identifier: Apache-2.0
//
// Streams: messages in pieces, failures and framing errors, streams that are not SigComp's.
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

class Streams : public testing::Test {
 protected:
  json config_ = {{"transport", "tcp"},
                  {"options", {{"mechanism", "stateful-basic"}, {"acknowledgement", "transport"}}}};
  Side a_{config_}, b_{config_};

  void SetUp() override {
    ASSERT_EQ(a_.open(0), "");
    ASSERT_EQ(b_.open(0), "");
  }
};

TEST_F(Streams, MessagesComeOutOneByOneWhateverThePieces) {
  Bytes stream;
  for (int i = 0; i < 3; ++i) stream = test::joined(stream, a_.compress(kMessage, 0).octets);
  EXPECT_TRUE(b_.decompress({}, 0).is_none());
  EXPECT_TRUE(b_.decompress(Bytes(stream.begin(), stream.begin() + 5), 0).is_none());
  EXPECT_FALSE(b_.drain());
  std::optional<Result> next = b_.decompress(Bytes(stream.begin() + 5, stream.end()), 0);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(next && next->status == HEADROOM_OK);
    EXPECT_EQ(next->octets, kMessage);
    next = b_.drain();
  }
  EXPECT_FALSE(next);
  EXPECT_EQ(b_.detail().kind, HEADROOM_MESSAGE_COMPRESSED) << "of the message returned last";
  EXPECT_EQ(b_.decompress(stream, HEADROOM_NO_SESSION).status, HEADROOM_ERR_CHANNEL);
}

TEST_F(Streams, AMessageWithOthersBehindItEndsTheBurst) {
  ASSERT_EQ(b_.open(1), "");
  const Bytes one = a_.compress(kMessage, 0).octets;
  const Bytes two = test::joined(one, a_.compress(kMessage, 0).octets);
  EXPECT_EQ(b_.burst({{0, one}, {0, two}, {1, one}}), 2U);
  EXPECT_TRUE(b_.drain());
  EXPECT_FALSE(b_.drain());
}

TEST_F(Streams, AFailedMessageIsAnsweredAndTheStreamGoesOn) {
  (void)a_.compress(kMessage, 0);  // never sent
  Bytes stream = a_.compress(kMessage, 0).octets;
  const Result failed = b_.decompress(stream, 0);
  EXPECT_EQ(failed.status, HEADROOM_ERR_DECOMPRESSION);
  const Bytes nack = b_.nack().first;
  ASSERT_GT(nack.size(), 2u);
  EXPECT_EQ(Bytes(nack.end() - 2, nack.end()), (Bytes{0xff, 0xff})) << "with its record marking";
  EXPECT_EQ(a_.decompress(nack, 0).detail.kind, HEADROOM_MESSAGE_NACK);
  EXPECT_EQ(b_.decompress(a_.compress(kMessage, 0).octets, 0).octets, kMessage);
}

TEST_F(Streams, AFramingErrorEndsTheStreamUntilThereIsANewOne) {
  const Result broken = b_.decompress({0xf8, 0xff, 0x80, 1, 2, 3}, 0);
  EXPECT_EQ(broken.status, HEADROOM_ERR_DECOMPRESSION);
  EXPECT_EQ(broken.detail.reason, 25);
  const Bytes nack = b_.nack().first;
  ASSERT_FALSE(nack.empty());
  EXPECT_EQ(b_.decompress(a_.compress(kMessage, 0).octets, 0).detail.reason, 25);
  EXPECT_EQ(a_.decompress(nack, 0).detail.compartment, 0u) << "it names no message, but the stream has only one sender";
  EXPECT_EQ(b_.control(R"({"new_stream": 0})"), "");
  EXPECT_EQ(b_.decompress(a_.compress(kMessage, 0).octets, 0).octets, kMessage);
}

TEST_F(Streams, APlainStreamLosesNothingForWantOfRoom) {
  const Bytes text = test::text_octets("OPTIONS sip:a@b SIP/2.0");
  EXPECT_EQ(b_.decompress_into(text, 0, 0).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_FALSE(b_.drain(0)) << "a caller drains until nothing comes";
  Bytes came;
  for (std::optional<Result> next = b_.decompress_into(text, 0, 10); next; next = b_.drain(10)) {
    ASSERT_EQ(next->status, HEADROOM_OK);
    EXPECT_EQ(next->detail.kind, HEADROOM_MESSAGE_PLAIN);
    came = test::joined(came, next->octets);
    ASSERT_LE(came.size(), 2 * text.size());
  }
  EXPECT_EQ(came, test::joined(text, text));
}

TEST_F(Streams, APlainStreamIsPassedOnPieceByPiece) {
  EXPECT_EQ(b_.decompress(kMessage, 0).octets, kMessage);
  EXPECT_TRUE(b_.decompress({}, 0).is_none());
  EXPECT_EQ(b_.decompress({0xf8, 1}, 0).octets, (Bytes{0xf8, 1}));
}

}  // namespace
}  // namespace headroom::sigcomp
