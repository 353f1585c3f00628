// SPDX-License-Identifier: Apache-2.0
//
// Calls between two endpoints, both ways, in each mechanism and over each transport.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sigcomp/test/endpoint/side.h"
#include "sigcomp/test/support/sip.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::json;
using test::Result;
using test::Side;
using test::stateful;

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
    EXPECT_EQ(made.detail.kind, HEADROOM_MESSAGE_COMPRESSED);
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

}  // namespace
}  // namespace headroom::sigcomp
