// SPDX-License-Identifier: Apache-2.0
//
// What each mechanism is for, one by one: maenpaa-2005 chapter 9, RFC 3321 chapter 5, RFC 4896.
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "sigcomp/compressor/compressor.h"
#include "sigcomp/compressor/program.h"
#include "sigcomp/test/support/call.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::call;
using test::Endpoint;
using test::kCompartment;
using test::kDirections;
using test::kMuch;
using test::Random;
using test::sizes_of_call;
using test::sum;
using test::text_octets;
using test::thesis;
using test::with;

// ---- Bytecode as state

TEST(Stateful, MessagesReferToTheBytecodeOnceItIsAcknowledged) {
  for (const Mechanism mechanism : {Mechanism::kStatefulBasic, Mechanism::kStatefulStatic}) {
    Endpoint a(with(mechanism));
    Endpoint b(with(mechanism));
    EXPECT_EQ(b.receive(a.send(call()[0])), call()[0]);
    EXPECT_EQ(b.receive(a.send(call()[3])), call()[3]);
    EXPECT_TRUE(a.compressor->last().uploads) << "nothing has come back";
    EXPECT_EQ(b.states.items_of(kCompartment), 1U) << "the same item twice";
    EXPECT_EQ(a.receive(b.send(call()[1])), call()[1]);
    EXPECT_EQ(b.receive(a.send(call()[5])), call()[5]);
    EXPECT_FALSE(a.compressor->last().uploads);
    EXPECT_EQ(a.compressor->last().overhead, 1U + 1U + kLeastIdentifier) << "with the feedback that b has asked for";
    EXPECT_LT(b.states.memory_of(kCompartment), 64U + 100U) << "9.6: below 100 octets";
  }
}

TEST(Stateful, APeerThatHasLostItsStateGetsTheBytecodeAgain) {
  for (const Mechanism mechanism : {Mechanism::kStatefulStatic, Mechanism::kDynamic, Mechanism::kShared}) {
    Endpoint a(with(mechanism));
    Endpoint b(with(mechanism));
    ASSERT_EQ(b.receive(a.send(call()[0])), call()[0]);
    ASSERT_EQ(a.receive(b.send(call()[1])), call()[1]);
    ASSERT_TRUE(b.states.close(kCompartment));
    ASSERT_TRUE(b.states.open(kCompartment, kMuch.state_memory_size));
    EXPECT_EQ(b.receive(a.send(call()[3])), text_octets("STATE_NOT_FOUND"));
    ASSERT_FALSE(b.nack.empty());
    (void)a.receive(b.nack);
    const Bytes again = a.send(call()[3]);
    EXPECT_TRUE(a.compressor->last().uploads);
    EXPECT_EQ(b.receive(again), call()[3]);
  }
}

// RFC 4077 3.2: the details say what there is.
TEST(Stateful, ANackTellsWhatThePeerOffers) {
  CompressorConfig config = with(Mechanism::kStatefulStatic);
  Endpoint a(config);
  config.peer = {16, 4096, 2048};
  config.most_compressed = 2000;
  Endpoint b(config);
  EXPECT_EQ(b.receive(a.send(Bytes(3000, 'x'))), text_octets("SEGFAULT")) << "the buffer is beyond the memory";
  (void)a.receive(b.nack);
  Nack nack;
  nack.reason = Reason::kBytecodesTooLarge;
  const std::uint8_t size[] = {0x10, 0x00};
  nack.details = size;
  a.compressor->refused(nack);
  nack.reason = Reason::kCyclesExhausted;
  const std::uint8_t cycles[] = {16};
  nack.details = cycles;
  a.compressor->refused(nack);
  EXPECT_EQ(b.receive(a.send(call()[0])), call()[0]);
}

// ---- What the peer offers

TEST(Offers, AreTold) {
  CompressorConfig config = with(Mechanism::kDynamic);
  config.own = Parameters{128, 32768, 65536};
  Endpoint a(config);
  Endpoint b(config);
  ASSERT_EQ(b.receive(a.send(call()[0])), call()[0]);
  ASSERT_NE(b.states.peer_of(kCompartment), nullptr);
  EXPECT_EQ(b.states.peer_of(kCompartment)->parameters, config.own);
  EXPECT_EQ(b.states.peer_of(kCompartment)->version, kVersionWithNack);
}

// A repetition that only the larger memory reaches back to.
TEST(Offers, MoreIsTakenUpAsLongAsThereIsNoState) {
  CompressorConfig config = with(Mechanism::kDynamic);
  config.transport = Transport::kStream;
  config.most_compressed = 8000;
  config.peer.decompression_memory_size = 8192;
  Endpoint a(config);
  config.peer.decompression_memory_size = 65536;
  config.peer.cycles_per_bit = 128;
  Endpoint b(config);
  test::Random random(6);
  Bytes noise(2500);
  for (auto& octet : noise) octet = random.octet();
  const Bytes message = test::joined(test::joined(noise, Bytes(1500, 'x')), noise);
  const std::size_t before = a.send(message).size();
  const std::uint8_t told[] = {encode(config.peer), kVersionWithNack};
  a.compressor->heard({{}, {}, told});
  const Bytes made = a.send(message);
  EXPECT_LT(made.size() + 2000, before);
  EXPECT_EQ(b.receive(made), message);
}

// Less than was counted on is followed at once; with no state memory at all, without state.
TEST(Offers, LessIsFollowedAtOnce) {
  for (const std::uint32_t memory : {4096U, 0U}) {
    const Parameters offer = {16, 4096, memory};
    CompressorConfig config = with(Mechanism::kDynamic);
    config.most_compressed = 1500;
    Endpoint a(config);
    config.peer = offer;
    if (memory == 0) config.mechanism = Mechanism::kStatelessStatic;
    Endpoint b(config);
    const std::uint8_t told[] = {encode(offer), kVersionWithNack};
    a.compressor->heard({{}, {}, told});
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(b.receive(a.send(call()[0])), call()[0]) << memory;
      const Bytes answer = b.send(call()[1]);
      ASSERT_FALSE(answer.empty());
    }
  }
}

// When the peer offers again what it has offered before, its compressor does again what it was configured for.
TEST(Offers, WhatWasGivenUpForLessComesBackWithMore) {
  CompressorConfig config = with(Mechanism::kDynamic);
  config.most_compressed = 3000;
  Endpoint a(config);
  Endpoint b(config);
  test::Random random(6);
  Bytes noise(2500);
  for (auto& octet : noise) octet = random.octet();
  const auto told = [&](const Parameters& offer) {
    const std::uint8_t returned[] = {encode(offer), kVersionWithNack};
    a.compressor->heard({{}, {}, returned});
  };
  told({16, 4096, 0});
  EXPECT_TRUE(a.send(noise).empty()) << "longer than half the decompression memory";
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(b.receive(a.send(call()[0])), call()[0]);
    ASSERT_EQ(a.receive(b.send(call()[1])), call()[1]);
    EXPECT_TRUE(a.compressor->last().uploads) << "there is no state";
  }
  told(kMuch);
  EXPECT_EQ(b.receive(a.send(noise)), noise);
  ASSERT_EQ(a.receive(b.send(call()[1])), call()[1]);
  EXPECT_EQ(b.receive(a.send(noise)), noise);
  EXPECT_FALSE(a.compressor->last().uploads) << "the mechanism is still the least";
}

// ---- Dynamic compression

TEST(Dynamic, IsMuchShorterThanStaticCompression) {
  const std::size_t dynamic = sum(sizes_of_call(with(Mechanism::kDynamic)).messages);
  const std::size_t stateful = sum(sizes_of_call(with(Mechanism::kStatefulStatic)).messages);
  const std::size_t shared = sum(sizes_of_call(with(Mechanism::kShared)).messages);
  EXPECT_LT(2 * dynamic, stateful);
  EXPECT_LT(shared, dynamic);
}

// RFC 3321 5.6: the circular buffer deletes what is oldest, at both ends alike, so no item is longer than the buffer.
TEST(Dynamic, WhatIsOldestIsDeletedImplicitly) {
  CompressorConfig config = with(Mechanism::kDynamic);
  config.acknowledgement = Acknowledgement::kTransport;
  config.memory = 4096;
  Endpoint a(config);
  Endpoint b(config);
  const std::size_t longest = Program(config).longest_state();
  std::size_t seen = 0;
  for (int i = 0; i < 30; ++i) {
    const Bytes& message = call()[static_cast<std::size_t>(i) % call().size()];
    ASSERT_EQ(b.receive(a.send(message)), message);
    const StateFound found = b.states.find(*a.compressor->leaves());
    ASSERT_EQ(found.kind, StateFound::Kind::kOne);
    EXPECT_LE(found.item->value.size(), longest);
    seen = std::max(seen, found.item->value.size());
  }
  EXPECT_EQ(seen, longest) << "the buffer has been full";
}

// An item of state has what has been written, and no more.
// An item that took all of the state memory would push out the one that messages go on from: one bytecode after
// another.
TEST(Dynamic, LittleStateMemoryIsUsedWell) {
  CompressorConfig config = with(Mechanism::kDynamic);
  config.peer = {64, 8192, 65536};
  const auto much = static_cast<double>(sum(sizes_of_call(config).messages));
  for (const auto& [memory, most] : {std::pair{16384U, 1.05}, {8192U, 1.25}, {4096U, 1.7}}) {
    config.peer.state_memory_size = memory;
    EXPECT_LE(2 * (Program(config).longest_state() + kItemCost), memory);
    EXPECT_LE(static_cast<double>(sum(sizes_of_call(config).messages)), most * much) << memory;
    Endpoint a(config);
    Endpoint b(config);
    std::size_t uploads = 0;
    for (std::size_t i = 0; i < 5 * kDirections.size(); ++i) {
      const std::size_t at = i % kDirections.size();
      Endpoint& from = kDirections[at] == 'A' ? a : b;
      Endpoint& to = kDirections[at] == 'A' ? b : a;
      ASSERT_EQ(to.receive(from.send(call()[at])), call()[at]) << i;
      uploads += from.compressor->last().uploads ? 1U : 0U;
    }
    EXPECT_LE(uploads, 4U) << memory << ": of 60 messages";
  }
}

// Where the whole dictionary leaves messages little room, or has none, it is without its table: the most frequent
// strings.
TEST(Dynamic, StringsComeBeforeTheirTable) {
  CompressorConfig config = with(Mechanism::kDynamic);
  config.peer = {64, 8192, 65536};
  EXPECT_EQ(Program(config).dictionary.size(), 4836U - 1368U);
  EXPECT_EQ(Program(with(Mechanism::kStatefulStatic)).dictionary.size(), 4836U);
  config.peer.state_memory_size = 4096;
  const Program small(config);
  EXPECT_EQ(small.dictionary.size(), 2048U - 513U);
  EXPECT_EQ(small.dictionary.data() + small.dictionary.size(),
            Program(thesis(Mechanism::kDynamic, 8192, 1, 8)).dictionary.data() + 218);
}

TEST(Dynamic, ItemsGrowWithWhatHasBeenWritten) {
  CompressorConfig config = with(Mechanism::kDynamic);
  Endpoint a(config);
  Endpoint b(config);
  ASSERT_EQ(b.receive(a.send(call()[11])), call()[11]);
  const std::size_t head = b.states.memory_of(kCompartment) - kItemCost - call()[11].size();
  EXPECT_LT(head, 256U) << "registers and bytecode";
}

// Of 128 messages none has arrived, and the peer goes on returning the number of the one before: it is that of the
// newest, too.
TEST(Dynamic, ANumberThatComesBackLateIsNoNewOne) {
  Endpoint a(with(Mechanism::kDynamic));
  Endpoint b(with(Mechanism::kDynamic));
  ASSERT_EQ(b.receive(a.send(call()[0])), call()[0]);
  ASSERT_EQ(a.receive(b.send(call()[1])), call()[1]);
  ASSERT_EQ(b.receive(a.send(call()[3])), call()[3]);
  ASSERT_EQ(a.receive(b.send(call()[1])), call()[1]);
  for (int i = 0; i < 128; ++i) (void)a.send(call()[11]);
  ASSERT_EQ(a.receive(b.send(call()[1])), call()[1]);
  EXPECT_EQ(b.receive(a.send(call()[5])), call()[5]);
}

// What a compartment takes is little more than its texts.
TEST(Dynamic, ACompartmentTakesLittleMemory) {
  Endpoint a(with(Mechanism::kDynamic));
  Endpoint b(with(Mechanism::kDynamic));
  const std::size_t before = a.compressor->memory_bytes();
  EXPECT_LT(before, 4096U);
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(b.receive(a.send(call()[0])), call()[0]);
    ASSERT_EQ(a.receive(b.send(call()[1])), call()[1]);
  }
  EXPECT_LT(a.compressor->memory_bytes(), before + 6 * kMuch.decompression_memory_size);
}

TEST(Dynamic, TheStateOfARegistrationServesTheCall) {
  CompressorConfig config = with(Mechanism::kDynamic);
  const auto all = test::sip_sequences();
  const auto registration = std::find_if(
      all.begin(), all.end(), [](const auto& s) { return s.name.find("registration") != std::string::npos; });
  ASSERT_NE(registration, all.end());
  Endpoint a(config);
  Endpoint b(config);
  for (std::size_t i = 0; i < registration->messages.size(); ++i) {
    Endpoint& from = i % 2 == 0 ? a : b;
    Endpoint& to = i % 2 == 0 ? b : a;
    ASSERT_EQ(to.receive(from.send(registration->messages[i])), registration->messages[i]);
  }
  Endpoint alone(config);
  const std::size_t across = a.send(call()[0]).size();
  EXPECT_LT(4 * across, 3 * alone.send(call()[0]).size()) << "RFC 3321 5.3";
}

// RFC 3321 5.4. The INVITE of the same user is shorter after a message that brought it.
TEST(Dynamic, AUserSpecificDictionaryGoesWithTheFirstMessages) {
  CompressorConfig config = with(Mechanism::kDynamic);
  Endpoint without(config);
  config.user_dictionary = text_octets(
      "From: \"Alien Blaster\" <sip:user1_public1@home1.net>;tag=171828\r\nVia: SIP/2.0/UDP "
      "[5555::aaa:bbb:ccc:ddd]:1357;comp=sigcomp;branch=z9hG4bKnashds7\r\n");
  Endpoint a(config);
  Endpoint b(config);
  const Bytes first = a.send(call()[0]);
  EXPECT_EQ(b.receive(first), call()[0]);
  (void)without.send(call()[0]);
  EXPECT_LT(first.size() - a.compressor->last().overhead, 734U);
  EXPECT_EQ(a.compressor->last().overhead, without.compressor->last().overhead + config.user_dictionary.size() + 6)
      << "the dictionary, and the instruction that reads it";
  EXPECT_EQ(b.receive(a.send(call()[3])), call()[3]);
}

// ---- Checkpoints

// RFC 3321 5.5: when what was acknowledged last may have been pushed out, the checkpoint before it is still there.
TEST(Checkpoints, AreGoneOnFromWhereOtherItemsAreGone) {
  CompressorConfig config = with(Mechanism::kDynamic);
  config.checkpoint_every = 4;
  config.peer.state_memory_size = 8192;
  config.peer.decompression_memory_size = 8192;
  config.memory = 2600;
  Endpoint a(config);
  Endpoint b(config);
  std::size_t uploads = 0;
  for (int i = 0; i < 40; ++i) {
    const Bytes& message = call()[static_cast<std::size_t>(i) % call().size()];
    const Bytes made = a.send(message);
    uploads += a.compressor->last().uploads ? 1U : 0U;
    ASSERT_EQ(b.receive(made), message) << i;
    if (i < 6) {
      ASSERT_EQ(a.receive(b.send(call()[1])), call()[1]);
    }
  }
  // Without checkpoints, nothing is left when six answers are all that comes.
  config.checkpoint_every = 0;
  Endpoint c(config);
  Endpoint d(config);
  std::size_t uploads_without = 0;
  for (int i = 0; i < 40; ++i) {
    const Bytes& message = call()[static_cast<std::size_t>(i) % call().size()];
    const Bytes made = c.send(message);
    uploads_without += c.compressor->last().uploads ? 1U : 0U;
    ASSERT_EQ(d.receive(made), message) << i;
    if (i < 6) {
      ASSERT_EQ(c.receive(d.send(call()[1])), call()[1]);
    }
  }
  EXPECT_LT(uploads, uploads_without);
}

// ---- Shared compression

TEST(Shared, TheAnswerToAMessageIsCompressedAgainstIt) {
  Endpoint a(with(Mechanism::kShared));
  Endpoint b(with(Mechanism::kShared));
  ASSERT_EQ(b.receive(a.send(call()[0])), call()[0]);
  EXPECT_EQ(a.states.items_of(kCompartment), 1U) << "what a has sent";
  Endpoint alone(with(Mechanism::kDynamic));
  (void)alone.send(call()[1]);
  const std::size_t plain = alone.send(call()[1]).size() - alone.compressor->last().overhead;
  const Bytes made = b.send(call()[1]);
  EXPECT_LT(5 * (made.size() - b.compressor->last().overhead), plain);
  EXPECT_EQ(a.receive(made), call()[1]);
}

// RFC 3321 5.2: "new shared state items must not be created unless the compressor has made enough state memory
// available".
// maenpaa-2005, 9.3: a shared state takes as much of the buffer as was agreed; one that is shorter leaves the rest as
// it is, be it never written, the dictionary, or what the buffer had before it began anew.
TEST(Shared, TakesItsRoomInTheBufferHoweverShortItIs) {
  for (const std::size_t memory : {1024U, 2048U, 4096U, 8192U}) {
    for (const std::size_t room : {9U, 500U, 750U, 2040U}) {
      for (const Transport transport : {Transport::kMessages, Transport::kStream}) {
        CompressorConfig config = thesis(Mechanism::kShared, memory, 5, room);
        config.transport = transport;
        if (transport == Transport::kStream) config.acknowledgement = Acknowledgement::kTransport;
        Endpoint a(config);
        Endpoint b(config);
        for (std::size_t i = 0; i < 3 * kDirections.size(); ++i) {
          const std::size_t at = i % kDirections.size();
          Endpoint& from = kDirections[at] == 'A' ? a : b;
          Endpoint& to = kDirections[at] == 'A' ? b : a;
          const bool first = i < 3;
          ASSERT_EQ(to.receive(from.send(call()[at])), call()[at]) << memory << ", " << room << ": " << i;
          EXPECT_EQ(from.compressor->last().uploads, first && (i < 2 || transport == Transport::kMessages)) << i;
        }
      }
    }
  }
  EXPECT_EQ(Program(thesis(Mechanism::kShared, 8192, 5, 500)).buffer_begin, 400) << "7.9";
}

// maenpaa-2005, 14.10.2.2: 100 Trying, not 183 Session Progress behind it, is what PRACK (1) is compressed against.
TEST(Shared, OfTheFirstTurnTheFirstMessageMayBeTheOneThatIsUsed) {
  Random random(3);
  const auto octets = [&random](std::size_t length) {
    Bytes all(length);
    for (auto& octet : all) octet = random.octet();
    return all;
  };
  // What a sends once b has sent so many messages of 400 octets, of which it has the beginning of one; and what it
  // sends next. Octets of codes, and in front of them. `turns`: of b's before that.
  const auto answer_to = [&octets](SharedState state, std::size_t count, std::size_t which, int turns = 0) {
    CompressorConfig config = with(Mechanism::kShared);
    config.length_bits = 8;
    config.acknowledgement = Acknowledgement::kTransport;
    config.shared_state = state;
    Endpoint a(config);
    Endpoint b(config);
    EXPECT_FALSE(b.receive(a.send(octets(50))).empty());
    for (int turn = 0; turn < turns; ++turn) {
      EXPECT_FALSE(a.receive(b.send(octets(50))).empty());
      EXPECT_FALSE(b.receive(a.send(octets(50))).empty());
    }
    std::vector<Bytes> sent;
    std::vector<std::size_t> overhead;
    for (std::size_t i = 0; i < count; ++i) {
      sent.push_back(octets(400));
      EXPECT_EQ(a.receive(b.send(sent.back())), sent.back());
      overhead.push_back(b.compressor->last().overhead);
    }
    const bool anew = turns != 0 && state == SharedState::kFirstTurnOnce;
    const std::size_t reference = 1 + kLeastIdentifier;  // to what a has sent: with an octet of length
    if (turns != 0) {
      EXPECT_EQ(overhead[0] - overhead[1], anew ? 0 : reference);
    }
    if (count == 3) {
      EXPECT_EQ(overhead[1], overhead[2]);
    }
    const Bytes answer(sent[which].begin(), sent[which].begin() + 200);
    std::array<std::size_t, 3> made{};
    const Bytes first = a.send(answer);
    made[0] = first.size() - a.compressor->last().overhead;
    made[1] = a.compressor->last().overhead;
    EXPECT_EQ(b.receive(first), answer);
    const Bytes next = octets(100);
    EXPECT_EQ(b.receive(a.send(next)), next);
    made[2] = a.compressor->last().overhead;
    return made;
  };
  constexpr std::size_t kLiterals = 225;  // 200 of 9 bits
  constexpr std::size_t kMatch = 3;       // 23 bits
  for (const std::size_t count : {2U, 3U}) {
    EXPECT_EQ(answer_to(SharedState::kNewest, count, 0)[0], kLiterals);
    EXPECT_EQ(answer_to(SharedState::kNewest, count, count - 1)[0], kMatch);
    EXPECT_EQ(answer_to(SharedState::kFirstTurnOnce, count, 0)[0], kMatch);
    EXPECT_EQ(answer_to(SharedState::kFirstTurnOnce, count, count - 1)[0], kLiterals);
  }
  EXPECT_EQ(answer_to(SharedState::kFirstTurnOnce, 4, 3)[0], kMatch) << "b has freed the first";
  EXPECT_EQ(answer_to(SharedState::kFirstTurnOnce, 2, 0, 1)[0], kLiterals) << "later on, it is the newest";
  EXPECT_EQ(answer_to(SharedState::kFirstTurnOnce, 2, 1, 1)[0], kMatch);
  EXPECT_EQ(answer_to(SharedState::kNewest, 2, 1, 1)[0], kMatch);
  // The second message of its turn refers to it once more: an octet of length and six of the identifier.
  const auto once = answer_to(SharedState::kNewest, 2, 1);
  EXPECT_EQ(once[2] + 1 + kLeastIdentifier, once[1]);
  const auto again = answer_to(SharedState::kFirstTurnOnce, 2, 0);
  EXPECT_EQ(again[2], again[1]);
}

// A message that is kept goes when the peer is known to have a newer one, even if the message that says so is lost.
TEST(Shared, WhatTheNextMessageRefersToOutlivesALoss) {
  Random random(4);
  const auto octets = [&random](std::size_t length) {
    Bytes all(length);
    for (auto& octet : all) octet = random.octet();
    return all;
  };
  for (const auto acknowledgement : {Acknowledgement::kNumber, Acknowledgement::kIdentifier}) {
    CompressorConfig config = with(Mechanism::kShared);
    config.acknowledgement = acknowledgement;
    Endpoint a(config);
    Endpoint b(config);
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(b.receive(a.send(octets(300))).empty());
    EXPECT_FALSE(a.receive(b.send(octets(200))).empty());
    EXPECT_FALSE(a.send(octets(300)).empty());  // and lost
    const Bytes next = octets(200);
    EXPECT_EQ(a.receive(b.send(next)), next);
    config.shared_state = SharedState::kFirstTurnOnce;  // which refers to the first of the two
    EXPECT_THROW(Program{config}, std::invalid_argument);
  }
}

TEST(Shared, NeedsRoomForWhatIsKept) {
  CompressorConfig config = with(Mechanism::kShared);
  config.peer.state_memory_size = 4096;
  EXPECT_FALSE(Program(config).has_shared);
  config.peer.state_memory_size = 8192;
  EXPECT_TRUE(Program(config).has_shared);
}

TEST(Shared, NothingOfThePeersIsPushedOut) {
  CompressorConfig config = with(Mechanism::kShared);
  Endpoint a(config);
  ASSERT_TRUE(a.states.create(kCompartment, {}, 0, Bytes(65000, 'y')));
  ASSERT_TRUE(a.states.create(kCompartment, {}, 0, Bytes(65000, 'z')));
  ASSERT_LT(a.states.room_of(kCompartment), call()[0].size());
  (void)a.send(call()[0]);
  EXPECT_EQ(a.states.items_of(kCompartment), 2U);
  EXPECT_EQ(a.states.memory_of(kCompartment), 2 * (65000U + kItemCost));
}

// 9.4.9: a peer that sets the I-bit is not told of state.
TEST(Shared, APeerThatWantsNoLocalStateIsToldOfNone) {
  Endpoint a(with(Mechanism::kShared));
  udvm::Completion completion;
  completion.feedback.present = true;
  completion.feedback.i = true;
  ASSERT_TRUE(a.states.apply(kCompartment, completion, {}));
  (void)a.send(call()[0]);
  EXPECT_EQ(a.states.items_of(kCompartment), 0U);
}

}  // namespace
}  // namespace headroom::sigcomp
