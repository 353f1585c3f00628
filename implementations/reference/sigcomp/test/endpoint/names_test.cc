// SPDX-License-Identifier: Apache-2.0
//
// The names of state in the detail of a message: those that it makes, asked for at once, later, or in part.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "sigcomp/test/endpoint/side.h"
#include "sigcomp/test/support/hex.h"

namespace headroom::sigcomp {
namespace {

using test::api;
using test::Bytes;
using test::json;
using test::kMessage;
using test::Result;
using test::Side;
using test::stateful;
using test::to_hex;

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
  test::messages().detail(self, &detail);
  EXPECT_EQ(detail.struct_size, 8u);
  EXPECT_EQ(detail.kind, HEADROOM_MESSAGE_NONE);
  EXPECT_EQ(detail.requested_feedback[127], 0x5a);
  EXPECT_EQ(detail.cycles, 0x5a5a5a5a5a5a5a5aU);
  api().destroy(self);
}

}  // namespace
}  // namespace headroom::sigcomp
