// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "test/endpoint.h"

namespace {

using headroom::test::Endpoint;
using headroom::test::octets;
using headroom::test::Octets;

constexpr char kPlain[] = R"({"scheme": "sigcomp"})";

void use(const std::string& library) { setenv("HEADROOM_TINYSIGCOMP", library.c_str(), 1); }

Endpoint endpoint(const std::string& config, std::int32_t role = HEADROOM_ENDPOINT) {
  use(std::string(HEADROOM_FAKES) + "/fake.so");
  return {HEADROOM_ADAPTER, config, role};
}

// What the stand-in makes of `text`.
Octets made_of(std::string_view text, std::uint8_t accepted = 0) {
  const std::string head{'\xf9', static_cast<char>(accepted), 2, 16, 2, 8, 2};
  return octets(head + std::string(text));
}

TEST(Tinysigcomp, NoLibraryIsASentence) {
  use("/nowhere/libtinySIGCOMP.so");
  const Endpoint e(HEADROOM_ADAPTER, kPlain);
  EXPECT_FALSE(e.made());
  EXPECT_NE(e.error.find("libtinySIGCOMP.so cannot be opened (/nowhere/libtinySIGCOMP.so"), std::string::npos)
      << e.error;
  EXPECT_NE(e.error.find("HEADROOM_TINYSIGCOMP"), std::string::npos);
}

TEST(Tinysigcomp, ALibraryThatIsAnotherIsASentence) {
  use(std::string(HEADROOM_FAKES) + "/fake_too_old.so");
  const Endpoint e(HEADROOM_ADAPTER, kPlain);
  EXPECT_NE(e.error.find("has no tcomp_manager_provideCompartmentId: it is no tinySIGCOMP"), std::string::npos)
      << e.error;
}

TEST(Tinysigcomp, RefusesWhatTheLibraryCannot) {
  EXPECT_NE(endpoint(R"({"scheme": "rohc"})").error.find("\"scheme\""), std::string::npos);
  EXPECT_NE(endpoint(kPlain, HEADROOM_DECOMPRESSOR).error.find("role"), std::string::npos);
  EXPECT_NE(endpoint(R"({"scheme": "sigcomp", "transport": "tcp"})").error.find("udp"), std::string::npos);
  EXPECT_NE(endpoint(R"({"scheme": "sigcomp", "state_memory_size": 0})").error.find("begins at 2048"),
            std::string::npos);
  EXPECT_NE(endpoint(R"({"scheme": "sigcomp", "version": 1})").error.find("begins at 2"), std::string::npos);
  EXPECT_NE(endpoint(R"({"scheme": "sigcomp", "decompression_memory_size": 131072})").error.find("65536"),
            std::string::npos);
  EXPECT_NE(
      endpoint(R"({"scheme": "sigcomp", "peer": {"cycles_per_bit": 64}})").error.find("\"peer\" must be the same"),
      std::string::npos);
  EXPECT_NE(endpoint(R"({"scheme": "sigcomp", "options": {"algorithm": "lzss"}})").error.find("deflate"),
            std::string::npos);
  EXPECT_TRUE(endpoint(R"({"scheme": "sigcomp", "peer": {}, "options": {"mechanism": "dynamic"}})").made());
}

TEST(Tinysigcomp, TheConfigurationArrives) {
  Endpoint e = endpoint(R"({"scheme": "sigcomp", "cycles_per_bit": 64, "dictionaries": ["presence"],
                            "decompression_memory_size": 16384, "state_memory_size": 32768})");
  ASSERT_TRUE(e.open(7));
  EXPECT_EQ(e.compress(7, octets("ACK")).octets, (Octets{0xf9, 0, 1, 64, 2, 16, 32, 'A', 'C', 'K'}));
  EXPECT_EQ(e.detail().compartment, 7U);
  EXPECT_EQ(e.detail().referred_length, 6);
}

TEST(Tinysigcomp, Compartments) {
  Endpoint e = endpoint(R"({"scheme": "sigcomp", "compartments": 1})");
  EXPECT_EQ(e.compress(1, octets("INVITE")).status, HEADROOM_ERR_CHANNEL);
  EXPECT_EQ(e.decompress(1, made_of("INVITE")).status, HEADROOM_ERR_CHANNEL);
  EXPECT_FALSE(e.open(1, R"({"peer": {}})"));
  EXPECT_NE(e.error.find("\"peer\""), std::string::npos);
  ASSERT_TRUE(e.open(1));
  EXPECT_FALSE(e.open(1));
  EXPECT_FALSE(e.open(2)) << "one more than configured";
  EXPECT_EQ(e.statistics(), R"({"contexts":1,"memory_bytes":0})");
  (void)e.decompress(1, made_of("INVITE"));
  EXPECT_EQ(e.compress(1, octets("ACK")).octets, made_of("ACK", 1));
  EXPECT_TRUE(e.close(1));
  EXPECT_FALSE(e.close(1));
  ASSERT_TRUE(e.open(1));
  EXPECT_EQ(e.compress(1, octets("ACK")).octets, made_of("ACK", 0)) << "the library has closed it";
}

TEST(Tinysigcomp, CompressionThatFails) {
  Endpoint e = endpoint(kPlain);
  ASSERT_TRUE(e.open(1));
  EXPECT_EQ(e.compress(1, octets("refuse")).status, HEADROOM_ERR_UNSUPPORTED);
  EXPECT_EQ(e.compress(1, octets("INVITE"), 12).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(e.compress(1, Octets(60'000), 65'536).status, HEADROOM_OK);
}

TEST(Tinysigcomp, NothingHappensBeforeAMessageIsAccepted) {
  Endpoint e = endpoint(kPlain);
  ASSERT_TRUE(e.open(1));
  EXPECT_EQ(e.decompress(HEADROOM_NO_SESSION, made_of("INVITE")).octets, octets("INVITE"));
  EXPECT_EQ(e.detail().flags & HEADROOM_MESSAGE_ACCEPTED, 0);
  EXPECT_EQ(e.detail().cycles, 100U);
  EXPECT_EQ(e.detail().creations, 1);
  EXPECT_EQ(e.compress(1, octets("ACK")).octets, made_of("ACK", 0));
  EXPECT_FALSE(e.accept(2));
  EXPECT_TRUE(e.accept(1));
  EXPECT_FALSE(e.accept(1)) << "it has been already";
  EXPECT_EQ(e.compress(1, octets("ACK")).octets, made_of("ACK", 1));
}

TEST(Tinysigcomp, WhatComesOut) {
  Endpoint e = endpoint(kPlain);
  ASSERT_TRUE(e.open(1));
  EXPECT_EQ(e.decompress(1, octets("INVITE")).octets, octets("INVITE")) << "not SigComp's";
  EXPECT_EQ(e.detail().kind, HEADROOM_MESSAGE_PLAIN);
  EXPECT_EQ(e.decompress(1, made_of("INVITE"), 6).octets, octets("INVITE"));
  EXPECT_EQ(e.decompress(1, made_of("INVITE"), 5).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(e.decompress(1, made_of("")).status, HEADROOM_NOTHING);
  EXPECT_EQ(e.detail().kind, HEADROOM_MESSAGE_SILENT);
  EXPECT_EQ(e.decompress(1, {}).status, HEADROOM_ERR_MALFORMED);
}

TEST(Tinysigcomp, NacksInAndOut) {
  Endpoint e = endpoint(kPlain);
  ASSERT_TRUE(e.open(3));
  EXPECT_EQ(e.decompress(3, made_of("!")).status, HEADROOM_ERR_DECOMPRESSION);
  const auto failed = e.detail();
  EXPECT_EQ((std::array{int{failed.kind}, int{failed.reason}, int{failed.opcode}, int{failed.pc},
                        static_cast<int>(failed.cycles)}),
            (std::array{int{HEADROOM_MESSAGE_FAILED}, 12, 3, 0x102, 7}));
  const auto nack = e.nack();
  EXPECT_EQ(nack.status, 3) << "the compartment";
  ASSERT_EQ(nack.octets.size(), 34U);
  EXPECT_TRUE(e.nack().octets.empty());
  EXPECT_FALSE(e.accept(3)) << "nothing of it is left";
  EXPECT_EQ(e.decompress(3, nack.octets).status, HEADROOM_NOTHING);
  EXPECT_EQ(e.detail().kind, HEADROOM_MESSAGE_NACK);
  EXPECT_EQ(e.decompress(3, {0xf9, 1}).status, HEADROOM_ERR_DECOMPRESSION);
  EXPECT_EQ(e.detail().kind, HEADROOM_MESSAGE_FAILED);
  EXPECT_TRUE(e.nack().octets.empty());
}

}  // namespace
