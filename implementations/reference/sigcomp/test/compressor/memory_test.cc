// SPDX-License-Identifier: Apache-2.0
//
// A compressor that has come to know its peer takes no memory from the system: neither for a message nor for what
// acknowledges it (headroom.h, "What an adapter promises").
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "sigcomp/compressor/bytecode_compressor.h"
#include "sigcomp/test/support/endpoint.h"
#include "sigcomp/test/support/sip.h"

namespace {

std::size_t allocations = 0;

}  // namespace

// Not inlined: GCC takes what it sees then for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t octets) {
  ++allocations;
  if (void* const memory = std::malloc(octets == 0 ? 1 : octets)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t octets, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(octets == 0 ? 1 : octets);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace headroom::sigcomp {
namespace {

class Allocations : public testing::TestWithParam<Acknowledgement> {};

TEST_P(Allocations, NoneOnceTheTwoKnowEachOther) {
  const auto call = test::sip_sequences()[0].messages;
  CompressorConfig config;
  config.acknowledgement = GetParam();
  config.peer = {64, 8192, 65536};
  test::Endpoint a(config), b(config);
  std::size_t taken = 0;
  std::size_t exchanges = 0;
  for (int round = 0; round < 60; ++round) {
    for (std::size_t i = 0; i + 1 < call.size(); i += 2) {
      const std::size_t before = allocations;
      const Octets made = a.compressor->compress(call[i]);
      std::size_t own = allocations - before;
      ASSERT_EQ(b.receive(test::Bytes(made.begin(), made.end())), call[i]);
      const test::Bytes answer = b.send(call[i + 1]);
      const Outcome& outcome = a.decompressor.decompress(answer, Transport::kMessages);
      ASSERT_TRUE(a.decompressor.accept(test::kCompartment));
      const std::size_t between = allocations;
      a.compressor->heard(received_parts(outcome, a.decompressor.udvm().completion()));
      own += allocations - between;
      if (round < 50) continue;  // until the text has reached its full length
      taken += own;
      ++exchanges;
    }
  }
  EXPECT_GT(exchanges, 10U);
  EXPECT_EQ(taken, 0U) << "in " << exchanges << " messages and answers";
}

INSTANTIATE_TEST_SUITE_P(All, Allocations,
                         testing::Values(Acknowledgement::kNumber, Acknowledgement::kIdentifier,
                                         Acknowledgement::kTransport));

// A peer may offer something else with every message (RFC 3320 9.4.9): what comes of an offer is made, or found to be
// impossible, once.
TEST(FactoryState, TriesEveryOfferOnce) {
  FactoryState factory;
  std::size_t made = 0, refused = 0;
  for (std::uint32_t state = 16384; state <= 131072; state *= 2) {
    for (std::uint32_t memory = 2048; memory <= 131072; memory *= 2) {
      CompressorConfig config;
      config.mechanism = Mechanism::kShared;
      config.peer = {16, memory, state};
      config.memory = 40000;
      const auto is_made = [&] {
        try {
          return !factory.prepared(config).program.code.empty();
        } catch (const std::invalid_argument&) {
          return false;
        }
      };
      std::size_t before = allocations;
      const bool first = is_made();
      const bool assembled = allocations - before > 30;
      before = allocations;
      EXPECT_EQ(is_made(), first);
      EXPECT_LT(allocations - before, 5U) << "it is known";
      if (assembled) ++(first ? made : refused);
    }
  }
  EXPECT_GT(made, 5U);
  EXPECT_GT(refused, 0U) << "some are found to be impossible when they have been put together";
}

}  // namespace
}  // namespace headroom::sigcomp
