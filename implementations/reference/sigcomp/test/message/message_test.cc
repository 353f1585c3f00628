// SPDX-License-Identifier: Apache-2.0
//
// The message's header (RFC 3320 chapter 7), parameters and feedback (3.3.1, 9.4.9), NACKs (RFC 4077 3), record marking
// (RFC 3320 4.2.2).
#include <gtest/gtest.h>

#include <algorithm>

#include "sigcomp/message/feedback.h"
#include "sigcomp/message/header.h"
#include "sigcomp/message/nack.h"
#include "sigcomp/message/record_marking.h"
#include "sigcomp/test/support/hex.h"
#include "sigcomp/test/support/random.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::hex;
using test::Random;
using test::to_hex;

// ---- Figure 3

TEST(Header, ReadsEachForm) {
  Header h;
  const Bytes plain = hex("f8 002 3 aabb cc");
  ASSERT_EQ(read_header(plain, h), Reason::kNone);
  EXPECT_EQ(to_hex(h.code), "aabb");
  EXPECT_EQ(h.destination, 256);
  EXPECT_EQ(h.length, 5U);
  EXPECT_EQ(to_hex(h.rest), "cc");
  EXPECT_TRUE(h.returned_feedback.empty() && h.partial_identifier.empty());

  const Bytes with_item = hex("fd 83 010203 414243444546 99");
  ASSERT_EQ(read_header(with_item, h), Reason::kNone);
  EXPECT_EQ(to_hex(h.returned_feedback), "83010203");
  EXPECT_EQ(to_hex(h.partial_identifier), "414243444546");
  EXPECT_EQ(h.length, 11U);
  EXPECT_EQ(to_hex(h.rest), "99");

  const Bytes short_item = hex("fe 7f 010203040506070809");
  ASSERT_EQ(read_header(short_item, h), Reason::kNone);
  EXPECT_EQ(to_hex(h.returned_feedback), "7f");
  EXPECT_EQ(h.partial_identifier.size(), 9U);
  EXPECT_TRUE(h.rest.empty());

  const Bytes longest = hex("fb 0102030405060708090a0b0c");
  ASSERT_EQ(read_header(longest, h), Reason::kNone);
  EXPECT_EQ(h.partial_identifier.size(), 12U);
}

// "0001: 2 * 64 = 128 … 1111: 16 * 64 = 1024"
TEST(Header, EveryDestination) {
  for (unsigned encoding = 1; encoding < 16; ++encoding) {
    const Bytes message = {0xf8, 0, static_cast<std::uint8_t>(encoding)};
    Header h;
    ASSERT_EQ(read_header(message, h), Reason::kNone);
    EXPECT_EQ(h.destination, 64 * (encoding + 1));
  }
}

// Cut at each octet, a message is too short until its header is whole.
TEST(Header, EveryCut) {
  for (const auto& [text, whole] : {std::pair{"f8 0021 aabb cc", 5U},
                                    {"fd 83 010203 414243444546 99", 11U},
                                    {"fc ff", 200U},
                                    {"fc 7f 0001", 4U},
                                    {"fb 0102030405060708090a0b0c", 13U}}) {
    const Bytes message = hex(text);
    for (std::size_t length = 1; length <= message.size(); ++length) {
      Header h;
      EXPECT_EQ(read_header(Octets(message).first(length), h),
                length < whole ? Reason::kMessageTooShort : Reason::kNone)
          << text << " cut to " << length;
    }
  }
  Header h;
  EXPECT_EQ(read_header(hex("f8 0020"), h), Reason::kInvalidCodeLocation)
      << "before the length of the code is asked for";
}

TEST(Header, WhatIsSigComp) {
  for (unsigned first = 0; first < 256; ++first) {
    EXPECT_EQ(is_sigcomp(static_cast<std::uint8_t>(first)), first >= 0xf8);
  }
}

// ---- Parameters and feedback

TEST(Parameters, EveryOctet) {
  EXPECT_FALSE(decode_parameters(0));
  for (unsigned octet = 0; octet < 256; ++octet) {
    const auto p = decode_parameters(static_cast<std::uint8_t>(octet));
    ASSERT_EQ(p.has_value(), (octet & 0x38) != 0) << octet;
    if (!p) continue;
    EXPECT_TRUE(are_valid(*p));
    EXPECT_EQ(encode(*p), octet);
  }
  EXPECT_EQ(decode_parameters(0xff), (Parameters{128, 131072, 131072}));
  EXPECT_EQ(decode_parameters(0x08), (Parameters{16, 2048, 0}));
  EXPECT_EQ(decode_parameters(0x19), (Parameters{16, 8192, 2048}));
  EXPECT_FALSE(are_valid({16, 0, 0}));
  EXPECT_FALSE(are_valid({17, 2048, 0}));
  EXPECT_FALSE(are_valid({256, 2048, 0}));
  EXPECT_FALSE(are_valid({16, 262144, 0}));
  EXPECT_FALSE(are_valid({16, 2048, 1024}));
}

TEST(Feedback, Items) {
  EXPECT_FALSE(length_of_feedback_item({}));
  EXPECT_EQ(length_of_feedback_item(hex("00")), 1U);
  EXPECT_EQ(length_of_feedback_item(hex("7fff")), 1U);
  EXPECT_EQ(length_of_feedback_item(hex("80")), 1U);
  EXPECT_FALSE(length_of_feedback_item(hex("81")));
  EXPECT_EQ(length_of_feedback_item(hex("8101ff")), 2U);
  EXPECT_EQ(length_of_feedback_item(Bytes(128, 0xff)), 128U);
  EXPECT_FALSE(length_of_feedback_item(Bytes(127, 0xff)));
}

TEST(Feedback, RequestedData) {
  EXPECT_FALSE(read_requested_feedback({}));
  const auto none = read_requested_feedback(hex("f8"));  // "Non-zero values should be ignored"
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->present && !none->s && !none->i && none->item.empty());
  EXPECT_TRUE(read_requested_feedback(hex("02"))->s);
  EXPECT_TRUE(read_requested_feedback(hex("01"))->i);
  EXPECT_FALSE(read_requested_feedback(hex("04")));
  const Bytes with_item = hex("04 8101 55");
  EXPECT_EQ(to_hex(read_requested_feedback(with_item)->item), "8101");
}

TEST(Feedback, ReturnedParameters) {
  EXPECT_FALSE(length_of_returned_parameters(hex("0801")));
  EXPECT_EQ(length_of_returned_parameters(hex("080100")), 2U);
  EXPECT_EQ(length_of_returned_parameters(hex("080115")), 2U);
  EXPECT_FALSE(length_of_returned_parameters(hex("0801 06 0102030405")));
  EXPECT_FALSE(length_of_returned_parameters(hex("0801 06 010203040506")));
  const Bytes all = hex("1902 06 010203040506 07 11121314151617 05");
  ASSERT_EQ(length_of_returned_parameters(all), all.size() - 1);
  const ReturnedParameters returned(Octets(all).first(all.size() - 1));
  EXPECT_EQ(returned.parameters(), kLeastForSip);
  EXPECT_EQ(returned.version(), 2);
  std::vector<std::string> identifiers;
  returned.for_each_identifier([&](Octets identifier) { identifiers.push_back(to_hex(identifier)); });
  EXPECT_EQ(identifiers, (std::vector<std::string>{"010203040506", "11121314151617"}));
  const Bytes zeros = hex("0000");
  EXPECT_FALSE(ReturnedParameters(zeros).parameters());
  EXPECT_FALSE(ReturnedParameters(zeros).version());
  EXPECT_FALSE(ReturnedParameters({}).parameters());
  EXPECT_FALSE(ReturnedParameters({}).version());
}

// ---- NACK

TEST(Nack, IsWrittenAsInFigure1) {
  Failure failure;
  failure.reason = Reason::kStateNotFound;
  failure.opcode = 31;
  failure.pc = 0x1234;
  failure.set_details(hex("a1a2a3a4a5a6"));
  Sha1Digest message;
  message.fill(0x77);
  std::uint8_t room[kMostNack];
  const Octets written = write_nack(failure, message, room);
  EXPECT_EQ(to_hex(written),
            "f80001"
            "01"
            "1f"
            "1234" +
                to_hex(message) + "a1a2a3a4a5a6");
  Header h;
  ASSERT_EQ(read_header(written, h), Reason::kNone);
  ASSERT_TRUE(is_nack(h));
  const auto nack = read_nack(h);
  ASSERT_TRUE(nack);
  EXPECT_EQ(nack->reason, Reason::kStateNotFound);
  EXPECT_EQ(nack->opcode, 31);
  EXPECT_EQ(nack->pc, 0x1234);
  EXPECT_EQ(nack->message, message);
  EXPECT_EQ(to_hex(nack->details), "a1a2a3a4a5a6");
  for (std::size_t length = 3; length < 3 + kNackFixed; ++length) {
    ASSERT_EQ(read_header(written.first(length), h), Reason::kNone);
    EXPECT_TRUE(is_nack(h));
    EXPECT_FALSE(read_nack(h)) << length;
  }
}

TEST(Nack, IsNothingElse) {
  Header h;
  for (const char* message : {"f8 0002 00", "f8 0011 00", "f9 010203040506 01"}) {
    ASSERT_EQ(read_header(hex(message), h), Reason::kNone);
    EXPECT_FALSE(is_nack(h)) << message;
  }
}

TEST(Nack, ReasonsHaveTheNamesOfFigure2) {
  EXPECT_EQ(name_of(Reason::kStateNotFound), "STATE_NOT_FOUND");
  EXPECT_EQ(name_of(static_cast<Reason>(8)), "OUTPUT_OVERFLOW");
  EXPECT_EQ(name_of(static_cast<Reason>(16)), "MESSAGE_TOO_SHORT");
  EXPECT_EQ(name_of(static_cast<Reason>(22)), "MULTILOAD_OVERWRITTEN");
  EXPECT_EQ(name_of(static_cast<Reason>(25)), "FRAMING_ERROR");
  EXPECT_EQ(name_of(static_cast<Reason>(26)), "UNKNOWN");
  EXPECT_EQ(name_of(static_cast<Reason>(255)), "UNKNOWN");
}

// ---- Record marking

using Event = RecordReader::Event;

// All that is told of a stream, in pieces of `piece` octets.
std::string told(const Bytes& stream, std::size_t piece, std::size_t most = 1000) {
  RecordReader reader(most);
  std::string text;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    Octets rest = Octets(stream).subspan(at, std::min(piece, stream.size() - at));
    while (!rest.empty()) {
      switch (reader.read(rest)) {
        case Event::kMore:
          EXPECT_TRUE(rest.empty());
          break;
        case Event::kMessage:
          text += to_hex(reader.message()) + ";";
          break;
        case Event::kTooLong:
          text += "long;";
          break;
        case Event::kFramingError:
          return text + "framing";
      }
    }
  }
  return text;
}

TEST(RecordMarking, ReadsWhateverThePieces) {
  struct Case {
    const char* stream;
    const char* messages;
  };
  for (const Case& c : {Case{"01 02 ff ff 03 ff ff", "0102;03;"}, Case{"ff ff ff ff 01 ff ff ff ff", "01;"},
                        Case{"01 ff 00 02 ff ff", "01ff02;"}, Case{"ff 02 ff 80 03 ff ff", "ffff8003;"},
                        Case{"ff 01 ff ff ff", "ffff;"}, Case{"01 ff ff 02", "01;"}, Case{"01 ff 80 ff ff", "framing"},
                        Case{"01 ff ff 02 ff fe", "01;framing"}, Case{"ff 02 ff", ""}, Case{"ff 00 ff ff", "ff;"}}) {
    for (const std::size_t piece : {1U, 2U, 3U, 100U}) EXPECT_EQ(told(hex(c.stream), piece), c.messages) << c.stream;
  }
}

TEST(RecordMarking, PassesOverWhatIsTooLong) {
  EXPECT_EQ(told(hex("010203 ffff 01020304 ff 02 ffff ffff 05 ffff"), 2, 3), "010203;long;05;");
}

TEST(RecordMarking, WhatIsWrittenReadsBackAndGrowsLittle) {
  Random random(6);
  for (int round = 0; round < 500; ++round) {
    Bytes message(1 + random.below(600));
    const std::uint32_t dense = 1 + random.below(40);
    for (auto& octet : message) octet = random.below(dense) == 0 ? std::uint8_t{0xff} : random.octet();
    Bytes stream;
    write_record(message, stream);
    EXPECT_EQ(told(stream, 7), to_hex(message) + ";");
    EXPECT_LE(stream.size(), message.size() + message.size() / 128 + 1 + 2);
  }
  Bytes stream;
  write_record(hex("ff ff ff 01 ff"), stream);
  EXPECT_EQ(to_hex(stream), "ff04ffff01ffffff");
}

}  // namespace
}  // namespace headroom::sigcomp
