// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "cxx/sigcomp_message.h"
#include "test/endpoint.h"

namespace {

using headroom::test::Endpoint;
using headroom::test::octets;
using headroom::test::Octets;

constexpr char kPlain[] = R"({"scheme": "sigcomp"})";
constexpr char kStream[] = R"({"scheme": "sigcomp", "transport": "tcp"})";

void use(const std::string& library) { setenv("HEADROOM_OPENSIGCOMP", library.c_str(), 1); }

Endpoint endpoint(const std::string& config, std::int32_t role = HEADROOM_ENDPOINT) {
  use(std::string(HEADROOM_FAKES) + "/fake.so");
  return {HEADROOM_ADAPTER, config, role};
}

// What the stand-in makes of `text`.
Octets made_of(std::string_view text, std::uint8_t accepted = 0, std::uint8_t reliable = 0) {
  const std::string head{'\xf9', static_cast<char>(accepted), static_cast<char>(reliable), 1, 16, 2, 8};
  return octets(head + std::string(text));
}

TEST(OpenSigcomp, NoLibraryIsASentence) {
  use("/nowhere/libopensigcomp.so");
  const Endpoint e(HEADROOM_ADAPTER, kPlain);
  EXPECT_FALSE(e.made());
  EXPECT_NE(e.error.find("libopensigcomp.so cannot be opened (/nowhere/libopensigcomp.so"), std::string::npos)
      << e.error;
  EXPECT_NE(e.error.find("HEADROOM_OPENSIGCOMP"), std::string::npos);
}

TEST(OpenSigcomp, ALibraryThatIsAnotherIsASentence) {
  use(std::string(HEADROOM_FAKES) + "/fake_too_old.so");
  const Endpoint e(HEADROOM_ADAPTER, kPlain);
  EXPECT_NE(e.error.find("has no _ZN3osc5Stack7getNackEv: it is no Open SigComp"), std::string::npos) << e.error;
}

TEST(OpenSigcomp, RefusesWhatTheLibraryCannot) {
  EXPECT_NE(endpoint(R"({"scheme": "rohc"})").error.find("\"scheme\""), std::string::npos);
  EXPECT_NE(endpoint(kPlain, HEADROOM_COMPRESSOR).error.find("role"), std::string::npos);
  EXPECT_NE(endpoint(R"({"scheme": "sigcomp", "options": {"mechanism": "shared"}})").error.find("dynamic"),
            std::string::npos);
  EXPECT_NE(endpoint(R"({"scheme": "sigcomp", "options": {"speed": 1}})").error.find("speed"), std::string::npos);
  EXPECT_NE(endpoint(R"({"scheme": "sigcomp", "peer": {"decompression_memory_size": 131072,
                         "state_memory_size": 131072}})")
                .error.find("writes beyond its memory"),
            std::string::npos);
  EXPECT_NE(endpoint(R"({"scheme": "sigcomp", "version": 1})").error.find("begins at 2"), std::string::npos);
  EXPECT_TRUE(endpoint(R"({"scheme": "sigcomp", "options": {"algorithm": "deflate", "mechanism": "dynamic"}})").made());
}

TEST(OpenSigcomp, TheConfigurationArrives) {
  Endpoint e = endpoint(R"({"scheme": "sigcomp", "cycles_per_bit": 64, "dictionaries": [],
                            "peer": {"decompression_memory_size": 16384}})");
  ASSERT_TRUE(e.open(7));
  EXPECT_EQ(e.compress(7, octets("INVITE")).octets, (Octets{0xf9, 0, 0, 0, 64, 2, 16, 'I', 'N', 'V', 'I', 'T', 'E'}));
  EXPECT_EQ(e.detail().compartment, 7U);
  EXPECT_EQ(e.detail().referred_length, 6);
}

TEST(OpenSigcomp, Compartments) {
  Endpoint e = endpoint(R"({"scheme": "sigcomp", "compartments": 1})");
  EXPECT_EQ(e.compress(1, octets("INVITE")).status, HEADROOM_ERR_CHANNEL);
  EXPECT_EQ(e.decompress(1, made_of("INVITE")).status, HEADROOM_ERR_CHANNEL);
  EXPECT_FALSE(e.open(1, R"({"state_memory_size": 4096})"));
  EXPECT_NE(e.error.find("\"state_memory_size\""), std::string::npos);
  ASSERT_TRUE(e.open(1));
  EXPECT_FALSE(e.open(1));
  EXPECT_FALSE(e.open(2)) << "one more than configured";
  EXPECT_EQ(e.statistics(), R"({"contexts":1,"memory_bytes":0})");
  (void)e.decompress(1, made_of("INVITE"));
  EXPECT_EQ(e.compress(1, octets("ACK")).octets, made_of("ACK", 1));
  EXPECT_TRUE(e.close(1));
  EXPECT_FALSE(e.close(1));
  ASSERT_TRUE(e.open(1));
  EXPECT_EQ(e.compress(1, octets("ACK")).octets, made_of("ACK", 0)) << "it is another compartment";
}

TEST(OpenSigcomp, CompressionThatFails) {
  Endpoint e = endpoint(kPlain);
  ASSERT_TRUE(e.open(1));
  EXPECT_EQ(e.compress(1, octets("refuse")).status, HEADROOM_ERR_UNSUPPORTED);
  EXPECT_EQ(e.compress(1, octets("INVITE"), 12).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(e.compress(1, Octets(43'691), 100'000).status, HEADROOM_ERR_UNSUPPORTED);
  EXPECT_EQ(e.compress(1, Octets(43'690), 100'000).status, HEADROOM_OK);
}

TEST(OpenSigcomp, NothingHappensBeforeAMessageIsAccepted) {
  Endpoint e = endpoint(kPlain);
  ASSERT_TRUE(e.open(1));
  EXPECT_EQ(e.decompress(HEADROOM_NO_SESSION, made_of("INVITE")).octets, octets("INVITE"));
  EXPECT_EQ(e.detail().kind, HEADROOM_MESSAGE_COMPRESSED);
  EXPECT_EQ(e.detail().flags & HEADROOM_MESSAGE_ACCEPTED, 0);
  EXPECT_EQ(e.compress(1, octets("ACK")).octets, made_of("ACK", 0));
  EXPECT_FALSE(e.accept(2));
  EXPECT_TRUE(e.accept(1));
  EXPECT_FALSE(e.accept(1)) << "it has been already";
  EXPECT_EQ(e.compress(1, octets("ACK")).octets, made_of("ACK", 1));
}

TEST(OpenSigcomp, WhatComesOut) {
  Endpoint e = endpoint(kPlain);
  ASSERT_TRUE(e.open(1));
  EXPECT_EQ(e.decompress(1, octets("INVITE")).octets, octets("INVITE")) << "not SigComp's";
  EXPECT_EQ(e.detail().kind, HEADROOM_MESSAGE_PLAIN);
  EXPECT_EQ(e.decompress(1, octets("INVITE"), 5).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(e.decompress(1, made_of("INVITE"), 6).octets, octets("INVITE"));
  EXPECT_EQ(e.decompress(1, made_of("INVITE"), 5).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(e.decompress(1, made_of("-")).status, HEADROOM_NOTHING);
  EXPECT_EQ(e.detail().kind, HEADROOM_MESSAGE_SILENT);
  EXPECT_EQ(e.decompress(1, {}).status, HEADROOM_ERR_MALFORMED);
}

TEST(OpenSigcomp, NacksInAndOut) {
  Endpoint e = endpoint(kPlain);
  ASSERT_TRUE(e.open(3));
  EXPECT_EQ(e.decompress(3, made_of("!")).status, HEADROOM_ERR_DECOMPRESSION);
  const auto failed = e.detail();
  EXPECT_EQ(failed.kind, HEADROOM_MESSAGE_FAILED);
  EXPECT_EQ((std::array{int{failed.reason}, int{failed.opcode}, int{failed.pc}, int{failed.details_length}}),
            (std::array{12, 3, 0x102, 7}));
  const auto nack = e.nack();
  EXPECT_EQ(nack.status, 3) << "the compartment";
  ASSERT_EQ(nack.octets.size(), 34U);
  EXPECT_TRUE(e.nack().octets.empty());
  EXPECT_FALSE(e.accept(3)) << "nothing of it is left";
  EXPECT_EQ(e.decompress(3, nack.octets).status, HEADROOM_NOTHING);
  EXPECT_EQ(e.detail().kind, HEADROOM_MESSAGE_NACK);
  EXPECT_EQ(e.detail().reason, 12);
  EXPECT_EQ(e.detail().named[19], 'S');
  EXPECT_EQ(e.decompress(3, {nack.octets.begin(), nack.octets.begin() + 26}).status, HEADROOM_NOTHING);
  EXPECT_EQ(e.detail().kind, HEADROOM_MESSAGE_IGNORED);
}

TEST(OpenSigcomp, Streams) {
  Endpoint e = endpoint(kStream);
  ASSERT_TRUE(e.open(1));
  EXPECT_EQ(e.decompress(HEADROOM_NO_SESSION, made_of("INVITE")).status, HEADROOM_ERR_CHANNEL);
  Octets stream = e.compress(1, octets("INVITE")).octets;
  const Octets expected = made_of("INVITE\xff\xff", 0, 1);
  EXPECT_EQ(stream, expected);
  stream.insert(stream.end(), expected.begin(), expected.end());
  stream.push_back(0xf9);
  EXPECT_EQ(e.decompress(1, {stream.begin(), stream.begin() + 4}).status, HEADROOM_NOTHING);
  EXPECT_EQ(e.detail().kind, HEADROOM_MESSAGE_NONE);
  EXPECT_EQ(e.decompress(1, {stream.begin() + 4, stream.end()}).octets, octets("INVITE"));
  EXPECT_EQ(e.drain().octets, octets("INVITE"));
  EXPECT_EQ(e.drain().status, -100);
  EXPECT_EQ(e.detail().kind, HEADROOM_MESSAGE_COMPRESSED) << "of the message returned last";
  EXPECT_EQ(e.decompress(1, octets("123456!\xff\xff")).status, HEADROOM_ERR_DECOMPRESSION);
  const auto nack = e.nack().octets;
  ASSERT_EQ(nack.size(), 36U);
  EXPECT_EQ(nack.back(), 0xff) << "with record marking";
  EXPECT_EQ(e.decompress(1, nack).status, HEADROOM_NOTHING);
}

TEST(OpenSigcomp, AFramingErrorEndsTheStream) {
  Endpoint e = endpoint(kStream);
  ASSERT_TRUE(e.open(1));
  Octets stream = made_of("INVITE\xff\xff", 0, 1);
  stream.insert(stream.end(), {0xf8, 0xff, 0x80});
  EXPECT_EQ(e.decompress(1, stream).octets, octets("INVITE")) << "what was whole before it comes out";
  EXPECT_EQ(e.drain().status, HEADROOM_ERR_DECOMPRESSION);
  EXPECT_EQ(e.detail().kind, HEADROOM_MESSAGE_FAILED);
  EXPECT_EQ(e.detail().reason, 25);
  EXPECT_EQ(e.drain().status, -100);
  for (const Octets& more : {Octets{}, stream}) {
    EXPECT_EQ(e.decompress(1, more).status, HEADROOM_ERR_DECOMPRESSION);
    EXPECT_EQ(e.detail().reason, 25);
  }
}

TEST(OpenSigcomp, APlainStreamComesOutAsItCame) {
  Endpoint e = endpoint(kStream);
  ASSERT_TRUE(e.open(1));
  EXPECT_EQ(e.decompress(1, octets("OPTIONS")).octets, octets("OPTIONS"));
  EXPECT_EQ(e.detail().kind, HEADROOM_MESSAGE_PLAIN);
  EXPECT_EQ(e.decompress(1, {}).status, HEADROOM_NOTHING);
  EXPECT_EQ(e.decompress(1, octets("\xf8\xff\xff")).octets, octets("\xf8\xff\xff")) << "what it is stays";
}

TEST(OpenSigcomp, RoomForTheLongestMessage) {
  Endpoint e = endpoint(kPlain);
  ASSERT_TRUE(e.open(1));
  const std::string longest(HEADROOM_MESSAGE_MAX, 'x');
  EXPECT_EQ(e.decompress(1, made_of(longest), HEADROOM_MESSAGE_MAX).octets.size(), HEADROOM_MESSAGE_MAX);
}

TEST(SigcompMessage, IsReadAsFarAsItGoes) {
  const auto header = [](const Octets& message) {
    const auto d = headroom::read_message(message);
    return std::array{int{d.kind}, int{d.returned_length}, int{d.referred_length}, int{d.code_length},
                      static_cast<int>(d.header_length)};
  };
  using Is = std::array<int, 5>;
  EXPECT_EQ(header({}), (Is{HEADROOM_MESSAGE_PLAIN, 0, 0, 0, 0}));
  EXPECT_EQ(header({0xf8}), (Is{HEADROOM_MESSAGE_COMPRESSED, 0, 0, 0, 0}));
  EXPECT_EQ(header({0xf8, 0x00, 0x32, 1, 2, 3, 9}), (Is{HEADROOM_MESSAGE_COMPRESSED, 0, 0, 3, 6}));
  EXPECT_EQ(header({0xf8, 0x00, 0x42, 1, 2, 3}), (Is{HEADROOM_MESSAGE_COMPRESSED, 0, 0, 0, 3})) << "one octet short";
  EXPECT_EQ(header({0xfd, 0x05, 1, 2, 3, 4, 5, 6}), (Is{HEADROOM_MESSAGE_COMPRESSED, 1, 6, 0, 8}));
  EXPECT_EQ(header({0xff, 0x82, 7, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
            (Is{HEADROOM_MESSAGE_COMPRESSED, 3, 12, 0, 16}));
  EXPECT_EQ(header({0xfd, 0xff, 1}), (Is{HEADROOM_MESSAGE_COMPRESSED, 0, 0, 0, 0})) << "an item of 127 octets";
  EXPECT_EQ(header({0xfa, 1, 2, 3, 4, 5, 6, 7, 8}), (Is{HEADROOM_MESSAGE_COMPRESSED, 0, 0, 0, 0})) << "nine are needed";
  EXPECT_EQ(header({0xf8, 0x00, 0x01, 5}), (Is{HEADROOM_MESSAGE_IGNORED, 0, 0, 0, 0}));
}

}  // namespace
