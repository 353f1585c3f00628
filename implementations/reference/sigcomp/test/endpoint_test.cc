// SPDX-License-Identifier: Apache-2.0
//
// Two endpoints through the ABI, as the engine sees them: messages both ways in each mechanism, compartments, what is
// accepted and what is not, NACKs both ways, streams, details, mistakes in configurations, tools.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "headroom.h"
#include "sigcomp/test/support/hex.h"
#include "sigcomp/test/support/sip.h"

namespace headroom::sigcomp {
namespace {

using nlohmann::json;
using test::Bytes;
using test::to_hex;

const headroom_api& api() { return *headroom_implementation(); }

struct Destroy {
  void operator()(headroom_instance* i) const { api().destroy(i); }
};

struct Result {
  std::int32_t status = HEADROOM_ERR_INTERNAL;
  Bytes octets;
  headroom_message_detail detail{};
};

class Side {
 public:
  explicit Side(const json& config) {
    json whole = {{"scheme", "sigcomp"}};
    whole.update(config);
    char error[400] = "";
    self_.reset(api().create(HEADROOM_ENDPOINT, whole.dump().c_str(), error, sizeof error));
    EXPECT_TRUE(self_) << error;
  }

  std::string open(std::uint32_t compartment, const char* settings = nullptr) {
    char error[400] = "";
    return api().open_compartment(self_.get(), compartment, settings, error, sizeof error) == 1 ? "" : error;
  }
  bool close(std::uint32_t compartment) { return api().close_compartment(self_.get(), compartment) == 1; }
  bool accept(std::uint32_t compartment) { return api().accept(self_.get(), compartment) == 1; }

  Result compress(const Bytes& message, std::uint32_t compartment) {
    return process(api().compress, message, compartment, 2 * message.size() + HEADROOM_MESSAGE_EXPANSION);
  }
  Result decompress(const Bytes& message, std::uint32_t compartment = HEADROOM_NO_COMPARTMENT) {
    return process(api().decompress, message, compartment, std::max<std::size_t>(HEADROOM_MESSAGE_MAX, message.size()));
  }
  Result compress_into(const Bytes& message, std::uint32_t compartment, std::size_t room) {
    return process(api().compress, message, compartment, room);
  }
  // The NACK that waits, and for whom; empty when there is none.
  std::pair<Bytes, std::uint32_t> nack() {
    Bytes room(HEADROOM_FEEDBACK_MAX);
    headroom_feedback feedback{room.data(), HEADROOM_FEEDBACK_MAX, 0, 0, 0};
    if (api().take_feedback(self_.get(), &feedback) == 0) return {};
    room.resize(feedback.length);
    return {room, feedback.channel};
  }
  std::string control(const char* message) {
    char error[400] = "";
    return api().control(self_.get(), message, error, sizeof error) == 1 ? "" : error;
  }
  // As it is left unasked for until now.
  headroom_message_detail detail() {
    headroom_message_detail detail{};
    detail.struct_size = sizeof detail;
    api().message_detail(self_.get(), &detail);
    return detail;
  }
  void compress_unasked(const Bytes& message, std::uint32_t compartment) {
    asks_ = false;
    EXPECT_EQ(compress(message, compartment).status, HEADROOM_OK);
    asks_ = true;
  }
  json statistics() {
    std::string text(api().statistics(self_.get(), nullptr, 0) + 1, '\0');
    api().statistics(self_.get(), text.data(), text.size());
    return json::parse(text.c_str());
  }

 private:
  using Function = void (*)(headroom_instance*, headroom_packet*, std::size_t, std::uint64_t, headroom_detail*);
  Result process(Function function, const Bytes& in, std::uint32_t compartment, std::size_t room) {
    Bytes out(room + 16, 0xa5);
    headroom_packet p{};
    p.in = in.data();
    p.in_length = static_cast<std::uint32_t>(in.size());
    p.out = out.data();
    p.out_capacity = static_cast<std::uint32_t>(room);
    p.channel = compartment;
    p.out_length = 12345;
    function(self_.get(), &p, 1, ++now_, nullptr);
    EXPECT_EQ(out.back(), 0xa5);
    EXPECT_LE(p.out_length, room);
    EXPECT_TRUE(p.status == HEADROOM_OK || p.out_length == 0);
    out.resize(p.out_length);
    return {p.status, out, asks_ ? detail() : headroom_message_detail{}};
  }

  std::unique_ptr<headroom_instance, Destroy> self_;
  std::uint64_t now_ = 0;
  bool asks_ = true;  // for the detail of each message
};

std::string creation_error(const char* config, std::int32_t role = HEADROOM_ENDPOINT) {
  char error[400] = "nothing was written";
  headroom_instance* const made = api().create(role, config, error, sizeof error);
  EXPECT_EQ(made, nullptr);
  if (made != nullptr) api().destroy(made);
  return error;
}

json ask(const json& question) {
  const std::string text = question.dump();
  std::string answer(api().tool(text.c_str(), nullptr, 0) + 1, '\0');
  EXPECT_EQ(api().tool(text.c_str(), answer.data(), answer.size()), answer.size() - 1);
  return json::parse(answer.c_str());
}

// ---- messages both ways

struct Setup {
  const char* mechanism;
  const char* transport;
};

class EachMechanism : public testing::TestWithParam<Setup> {};

TEST_P(EachMechanism, BringsCallsBackBothWays) {
  const json config = {{"transport", GetParam().transport},
                       {"state_memory_size", 131072},
                       {"decompression_memory_size", 16384},
                       {"peer", {{"state_memory_size", 131072}, {"decompression_memory_size", 16384}}},
                       {"options",
                        {{"mechanism", GetParam().mechanism},
                         {"acknowledgement", std::string(GetParam().transport) == "tcp" ? "transport" : "number"}}}};
  Side a(config), b(config);
  ASSERT_EQ(a.open(7), "");
  ASSERT_EQ(b.open(9), "");
  std::size_t plain = 0, sent = 0, number = 0;
  const auto sequences = test::sip_sequences();
  const auto call = std::ranges::find(sequences, "3gpp-video-call", &test::SipSequence::name);
  ASSERT_NE(call, sequences.end());
  for (const Bytes& message : call->messages) {
    const bool forward = number++ % 2 == 0;
    Side& from = forward ? a : b;
    Side& to = forward ? b : a;
    const Result made = from.compress(message, forward ? 7 : 9);
    ASSERT_EQ(made.status, HEADROOM_OK);
    EXPECT_EQ(made.detail.kind, HEADROOM_MESSAGE_SIGCOMP);
    EXPECT_EQ(made.detail.compartment, forward ? 7u : 9u);
    EXPECT_GT(made.detail.header_length, 0u);
    EXPECT_NE(made.detail.code_length == 0, made.detail.referred_length == 0);
    const Result back = to.decompress(made.octets, forward ? 9 : 7);
    ASSERT_EQ(back.status, HEADROOM_OK) << unsigned{back.detail.reason};
    EXPECT_EQ(back.octets, message);
    EXPECT_GT(back.detail.cycles, 0u);
    EXPECT_NE(back.detail.flags & HEADROOM_MESSAGE_ACCEPTED, 0);
    EXPECT_EQ(back.detail.header_length, made.detail.header_length);
    plain += message.size();
    sent += made.octets.size();
  }
  EXPECT_LT(sent, plain);
  EXPECT_TRUE(b.nack().first.empty());
}

INSTANTIATE_TEST_SUITE_P(All, EachMechanism,
                         testing::Values(Setup{"stateless-basic", "udp"}, Setup{"stateful-basic", "udp"},
                                         Setup{"stateless-static", "udp"}, Setup{"stateful-static", "udp"},
                                         Setup{"dynamic", "udp"}, Setup{"stateful-static", "tcp"},
                                         Setup{"dynamic", "tcp"}),
                         [](const auto& tested) {
                           std::string name = std::string(tested.param.mechanism) + "_" + tested.param.transport;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// ---- compartments and acceptance

const Bytes kMessage = test::text_octets("REGISTER sip:example.com SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.1\r\n\r\n");

json stateful(const char* acknowledgement = "transport") {
  return {{"options", {{"mechanism", "stateful-basic"}, {"acknowledgement", acknowledgement}}}};
}

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
  EXPECT_NE(side.open(HEADROOM_NO_COMPARTMENT), "");
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

TEST(Endpoint, AcceptanceMayComeAfterAnAnswer) {
  Side a(stateful()), b(stateful());
  ASSERT_EQ(a.open(0), "");
  ASSERT_EQ(b.open(0), "");
  EXPECT_EQ(b.decompress(a.compress(kMessage, 0).octets).status, HEADROOM_OK);
  EXPECT_EQ(b.compress(kMessage, 0).status, HEADROOM_OK);
  EXPECT_TRUE(b.accept(0));
}

TEST(Endpoint, TheDetailNamesTheStateThatIsMade) {
  Side a(stateful()), b(stateful());
  ASSERT_EQ(a.open(0), "");
  ASSERT_EQ(b.open(0), "");
  const Result made = a.compress(kMessage, 0);
  const Result back = b.decompress(made.octets, 0);
  EXPECT_EQ(back.detail.creations, 1);
  EXPECT_EQ(Bytes(back.detail.created, back.detail.created + 20), Bytes(made.detail.created, made.detail.created + 20));
  const Result second = a.compress(kMessage, 0);
  EXPECT_EQ(second.detail.referred_length, 6);
  EXPECT_EQ(second.detail.code_length, 0);
  EXPECT_EQ(Bytes(second.detail.referred, second.detail.referred + 6),
            Bytes(made.detail.created, made.detail.created + 6));
}

// An identifier is computed when it is asked for: it is that of the message as it was made, whatever has happened
// since.
TEST(Endpoint, TheDetailNamesTheStateAlsoAfterwards) {
  const json config = {{"options", {{"mechanism", "dynamic"}}}, {"peer", {{"state_memory_size", 8192}}}};
  Side asked(config);
  ASSERT_EQ(asked.open(1), "");
  const headroom_message_detail expected = asked.compress(kMessage, 1).detail;
  ASSERT_EQ(expected.creations, 1);
  const std::string identifier = to_hex(Octets(expected.created).first(20));
  const json acknowledge = {{"acknowledge", {{"compartment", 1}, {"identifier", identifier}}}};
  const std::vector<std::function<void(Side&)>> events = {
      [](Side&) {}, [](Side& side) { EXPECT_TRUE(side.close(1)); },
      [](Side& side) { EXPECT_EQ(side.control(R"({"forget": 1})"), ""); },
      [&](Side& side) { EXPECT_EQ(side.control(acknowledge.dump().c_str()), ""); }};
  for (const auto& event : events) {
    Side side(config);
    ASSERT_EQ(side.open(1), "");
    side.compress_unasked(kMessage, 1);
    event(side);
    for (int i = 0; i < 2; ++i) {
      const headroom_message_detail detail = side.detail();
      EXPECT_EQ(detail.creations, 1);
      EXPECT_EQ(to_hex(Octets(detail.created).first(20)), identifier);
    }
  }
}

TEST(Endpoint, ASmallerDetailIsFilledAsFarAsItGoes) {
  Side side(json::object());
  ASSERT_EQ(side.open(0), "");
  (void)side.compress(kMessage, 0);
  headroom_message_detail detail;
  std::memset(&detail, 0x5a, sizeof detail);
  detail.struct_size = 8;
  headroom_instance* self = nullptr;
  char error[100];
  self = api().create(HEADROOM_ENDPOINT, R"({"scheme": "sigcomp"})", error, sizeof error);
  api().message_detail(self, &detail);
  EXPECT_EQ(detail.struct_size, 8u);
  EXPECT_EQ(detail.kind, HEADROOM_MESSAGE_NONE);
  EXPECT_EQ(detail.requested_feedback[127], 0x5a);
  EXPECT_EQ(detail.cycles, 0x5a5a5a5a5a5a5a5aU);
  api().destroy(self);
}

// ---- NACKs

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
  EXPECT_EQ(told.detail.compartment, HEADROOM_NO_COMPARTMENT);
  EXPECT_EQ(a.statistics()["nacks_unknown"], 1);
  EXPECT_EQ(a.compress(kMessage, 0).detail.code_length, 0);
  // One that names a message of another compartment than the one it came for is as unknown.
  EXPECT_EQ(stranger.open(3), "");
  EXPECT_EQ(stranger.decompress(nack, 3).detail.compartment, HEADROOM_NO_COMPARTMENT);
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
  EXPECT_EQ(a.decompress(nack).detail.compartment, HEADROOM_NO_COMPARTMENT);
  EXPECT_EQ(a.statistics()["nacks_unknown"], 1);
  EXPECT_EQ(a.compress(kMessage, 0).detail.code_length, 0) << "it is not told to begin anew";
}

TEST(Endpoint, InVersion1ThereAreNoNacks) {
  Side a(json{{"version", 1}});
  EXPECT_EQ(a.decompress({0xf9, 1, 2, 3, 4, 5, 6}).status, HEADROOM_ERR_DECOMPRESSION);
  EXPECT_TRUE(a.nack().first.empty());
}

// ---- what is not a message of SigComp's

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

// ---- streams

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
  EXPECT_EQ(b_.decompress({}, 0).status, HEADROOM_MORE);
  EXPECT_EQ(b_.decompress(Bytes(stream.begin(), stream.begin() + 5), 0).status, HEADROOM_MORE);
  Result next = b_.decompress(Bytes(stream.begin() + 5, stream.end()), 0);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(next.status, HEADROOM_OK);
    EXPECT_EQ(next.octets, kMessage);
    next = b_.decompress({}, 0);
  }
  EXPECT_EQ(next.status, HEADROOM_MORE);
  EXPECT_EQ(b_.decompress(stream, HEADROOM_NO_COMPARTMENT).status, HEADROOM_ERR_CHANNEL);
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

TEST_F(Streams, APlainStreamIsPassedOnPieceByPiece) {
  EXPECT_EQ(b_.decompress(kMessage, 0).octets, kMessage);
  EXPECT_EQ(b_.decompress({}, 0).status, HEADROOM_MORE);
  EXPECT_EQ(b_.decompress({0xf8, 1}, 0).octets, (Bytes{0xf8, 1}));
}

// ---- configurations

TEST(Endpoint, MistakesInTheConfigurationAreSentences) {
  EXPECT_NE(creation_error(R"({"scheme": "sigcomp", "transport": "sctp"})").find("\"udp\", \"tcp\""),
            std::string::npos);
  EXPECT_NE(creation_error(R"({"scheme": "sigcomp", "cycles_per_bit": 17})").find("16 to 128"), std::string::npos);
  EXPECT_NE(creation_error(R"({"scheme": "sigcomp", "state_memory_size": 1024})").find("or 0"), std::string::npos);
  EXPECT_NE(creation_error(R"({"scheme": "sigcomp", "version": 3})").find("version"), std::string::npos);
  EXPECT_NE(creation_error(R"({"scheme": "sigcomp", "dictionaries": ["none"]})").find("sip-sdp"), std::string::npos);
  EXPECT_NE(creation_error(R"({"scheme": "sigcomp", "options": {"speed": 1}})").find("unknown key"), std::string::npos);
  EXPECT_NE(creation_error(R"({"scheme": "sigcomp", "options": {"length_bits": 5}})").find("4, 6 or 8"),
            std::string::npos);
  EXPECT_NE(creation_error(R"({"scheme": "sigcomp", "options": {"user_dictionary": "abc"}})").find("hexadecimal"),
            std::string::npos);
  EXPECT_NE(creation_error(R"({"scheme": "sigcomp"})", HEADROOM_COMPRESSOR).find("endpoints"), std::string::npos);
  EXPECT_NE(creation_error(R"({"scheme": "rohc"})").find("compressors"), std::string::npos);
  const char* const less = R"({"scheme": "sigcomp", "decompression_memory_size": 4096, "options": {"sip": true}})";
  EXPECT_NE(creation_error(less).find("RFC 5049"), std::string::npos);
  const char* const none = R"({"scheme": "sigcomp", "dictionaries": ["presence"], "options": {"sip": true}})";
  EXPECT_NE(creation_error(none).find("sip-sdp"), std::string::npos);
}

TEST(Endpoint, ControlUnderstandsThreeMessages) {
  Side side(stateful("others"));
  ASSERT_EQ(side.open(1), "");
  const Result made = side.compress(kMessage, 1);
  const std::string identifier = to_hex(Octets(made.detail.created).first(6));
  const json acknowledge = {{"acknowledge", {{"compartment", 1}, {"identifier", identifier}}}};
  EXPECT_NE(side.compress(kMessage, 1).detail.code_length, 0);
  EXPECT_EQ(side.control(acknowledge.dump().c_str()), "");
  EXPECT_EQ(side.compress(kMessage, 1).detail.code_length, 0);
  EXPECT_EQ(side.control(R"({"forget": 1})"), "");
  EXPECT_NE(side.compress(kMessage, 1).detail.code_length, 0);
  EXPECT_NE(side.control(R"({"forget": 2})").find("not open"), std::string::npos);
  EXPECT_NE(side.control(R"({"new_stream": 1})").find("no stream"), std::string::npos);
  EXPECT_NE(side.control(R"({"remember": 1})").find("forget"), std::string::npos);
  EXPECT_NE(side.control("{}"), "");
}

// ---- tools

TEST(Tool, RefusesASourceThatSaysNothing) {
  for (const char* source : {"", "; RETURN", "at (128)", "at (65536)"}) {
    const json answer = ask({{"tool", "assemble"}, {"source", source}});
    EXPECT_EQ(answer["error"], "there is neither an instruction nor data in the source") << source;
  }
  const json low = ask({{"tool", "assemble"}, {"source", "RETURN"}});
  EXPECT_TRUE(low["why_no_message"].get<std::string>().ends_with("\"at (128)\" in front of it moves it there")) << low;
}

TEST(Tool, AssemblesAndDisassembles) {
  const char* const source = "at (128) :start OUTPUT (64, 1) END-MESSAGE (0, 0, 0, 0, 0, 0, 0)";
  const json assembled = ask({{"scheme", "sigcomp"}, {"tool", "assemble"}, {"source", source}});
  ASSERT_TRUE(assembled.contains("code")) << assembled;
  EXPECT_EQ(assembled["start"], 128);
  EXPECT_EQ(assembled["names"]["start"], 128);
  const json text = ask({{"tool", "disassemble"}, {"message", assembled["message"]}});
  const json again = ask({{"tool", "assemble"}, {"source", text["source"]}});
  EXPECT_EQ(again["code"], assembled["code"]);
  EXPECT_EQ(ask({{"tool", "disassemble"}, {"code", assembled["code"]}, {"start", 128}}), text);
}

TEST(Tool, TracesTheLastOfSeveralMessages) {
  Side a(stateful());
  ASSERT_EQ(a.open(0), "");
  const std::string first = to_hex(a.compress(kMessage, 0).octets);
  const std::string second = to_hex(a.compress(kMessage, 0).octets);
  const json traced = ask({{"tool", "trace"}, {"messages", {first, second}}, {"limit", 5}});
  EXPECT_EQ(traced["kind"], "sigcomp");
  EXPECT_EQ(traced["output"], to_hex(kMessage));
  EXPECT_EQ(traced["lines"].size(), 5u);
  EXPECT_EQ(traced["truncated"], true);
  const json alone = ask({{"tool", "trace"}, {"message", second}});
  EXPECT_EQ(alone["kind"], "failed");
  EXPECT_EQ(alone["reason_name"], "STATE_NOT_FOUND");
}

TEST(Tool, TracesEveryRoundOfALoopWithoutAnEnd) {
  // JUMP (128), whose rounds a verifier would leave out.
  const json question = {{"tool", "trace"}, {"message", "f800211600"}, {"limit", 100'000}};
  const json traced = ask(question);
  EXPECT_EQ(traced["reason_name"], "CYCLES_EXHAUSTED") << traced;
  EXPECT_EQ(traced["lines"].size(), traced["cycles"].get<std::size_t>() + 1) << "the last one is one too many";
}

TEST(Tool, SaysWhatIsWrong) {
  const json wrong = ask({{"tool", "assemble"}, {"source", "at (128)\nOUTPOT (1)"}});
  EXPECT_EQ(wrong["line"], 2);
  for (const json& question :
       {json{{"tool", "compile"}}, json::array(), json{{"tool", "assemble"}}, json{{"tool", "disassemble"}},
        json{{"tool", "disassemble"}, {"code", ""}}, json{{"tool", "disassemble"}, {"code", "00"}, {"message", "00"}},
        json{{"tool", "disassemble"}, {"message", "00"}}, json{{"tool", "trace"}},
        json{{"tool", "trace"}, {"message", "0"}}, json{{"tool", "trace"}, {"messages", 1}}, json{{"scheme", "rohc"}},
        json{{"tool", "trace"}, {"message", "f8001100"}, {"config", {{"scheme", "rohc"}}}}}) {
    EXPECT_GT(ask(question)["error"].get<std::string>().size(), 10u) << question;
  }
}

}  // namespace
}  // namespace headroom::sigcomp
