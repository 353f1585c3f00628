// SPDX-License-Identifier: Apache-2.0
//
// Messages over a stream, and what goes back.
#include "sigcomp/stream.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sigcomp/test/support/hex.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::hex;
using test::to_hex;
using Event = StreamReceiver::Event;

// RFC 4896 chapter 11: puts out what comes behind it.
Bytes echo(std::string_view text) { return test::joined(hex("f800a11c01860922860116f923"), test::text_octets(text)); }

class StreamTest : public testing::Test {
 protected:
  StateHandler states_{1};
  Decompressor decompressor_{{16, 2048, kVersionWithNack}, states_};
  StreamReceiver receiver_{decompressor_};

  // What comes of a stream in pieces of `piece` octets: outputs, reasons, events.
  std::string told(const Bytes& stream, std::size_t piece) {
    std::string text;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      Octets rest = Octets(stream).subspan(at, std::min(piece, stream.size() - at));
      while (!rest.empty()) {
        switch (receiver_.read(rest)) {
          case Event::kMore:
            break;
          case Event::kMessage: {
            const Outcome& outcome = receiver_.outcome();
            text += outcome.kind == Outcome::Kind::kFailure ? std::string(name_of(outcome.failure.reason))
                                                            : std::string(outcome.output.begin(), outcome.output.end());
            text += ";";
            break;
          }
          case Event::kTooLong:
            text += "too long;";
            break;
          case Event::kPlain:
            return text + "plain";
          case Event::kBroken:
            return text + "broken";
        }
      }
    }
    return text;
  }
};

TEST_F(StreamTest, MessagesOneAfterAnother) {
  for (const std::size_t piece : {1U, 3U, 1000U}) {
    Bytes stream = hex("ffff ffff");
    write_record(echo("one"), stream);
    write_record(hex("f8"), stream);
    write_record(Bytes(3000, 0xf8), stream);
    write_record(echo("t\xffw\xff\xffo"), stream);
    EXPECT_EQ(told(stream, piece), "one;MESSAGE_TOO_SHORT;too long;t\xffw\xff\xffo;") << piece;
  }
}

// RFC 5049 chapter 5: "the stream is assumed to contain uncompressed SIP messages"
TEST_F(StreamTest, APlainStreamIsForTheApplication) {
  EXPECT_EQ(told(test::text_octets("INVITE sip:a@b SIP/2.0\r\n\xff\xff"), 4), "plain");
  const Bytes more = echo("late");
  Octets rest = more;
  EXPECT_EQ(receiver_.read(rest), Event::kPlain);
  EXPECT_EQ(rest.size(), more.size());
  EXPECT_TRUE(receiver_.answer().empty());
}

TEST_F(StreamTest, AFailureIsAnsweredWithItsDelimiter) {
  Bytes stream;
  const Bytes failing = hex("f800 11 00 ff");
  write_record(failing, stream);
  Octets rest = stream;
  ASSERT_EQ(receiver_.read(rest), Event::kMessage);
  Sha1 sha1;
  // "any 0xFFxx escape sequences are un-escaped before performing the hash operation"
  Bytes expected;
  write_record(test::joined(hex("f80001 03 00 0080"), sha1(failing)), expected);
  EXPECT_EQ(to_hex(receiver_.answer()), to_hex(expected));
  stream.clear();
  write_record(echo("fine"), stream);
  rest = stream;
  ASSERT_EQ(receiver_.read(rest), Event::kMessage);
  EXPECT_TRUE(receiver_.answer().empty());
}

TEST_F(StreamTest, AFramingErrorEndsIt) {
  EXPECT_EQ(told(hex("f8 ff 80"), 1), "broken");
  EXPECT_EQ(to_hex(receiver_.answer()),
            "f80001"
            "19"
            "00"
            "0000" +
                std::string(40, '0') + "ffff");
  const Bytes more = echo("late");
  Octets rest = more;
  EXPECT_EQ(receiver_.read(rest), Event::kBroken);
  EXPECT_EQ(rest.size(), more.size());
}

}  // namespace
}  // namespace headroom::sigcomp
