// SPDX-License-Identifier: Apache-2.0
#include "user_plane.h"

namespace headroom::gtpu::test {
namespace {

// Octets by hand from TS 29.281, 5.1, TS 38.415, 5.5.2.1 and 5.5.2.2, RFC 791 and RFC 768.
const Bytes kUplink =
    hex("4500004c 00004000 4011e27d ac100001 ac110001"  // IPv4, 172.16.0.1 to 172.17.0.1
        "08680868 00380000"                             // UDP
        "34ff0028 00000001 00000085 01100900"           // GTP-U, UL PDU SESSION INFORMATION of QFI 9
        "45000020 00000000 4011aa99 0a200001 c6120001"  // IPv4, 10.32.0.1 to 198.18.0.1
        "13880009 000c0000 deadbeef");
const Bytes kFromUser = hex("45000020 00000000 4011aa99 0a200001 c6120001 13880009 000c0000 deadbeef");
const Bytes kToUser = hex("45000020 00000000 4011aa99 c6120001 0a200001 00091388 000c0000 deadbeef");
const Bytes kDownlink =
    hex("4500004c 00004000 4011e27d ac110001 ac100001"
        "08680868 00380000"
        "34ff0028 00000064 00000085 01000900"
        "45000020 00000000 4011aa99 c6120001 0a200001 00091388 000c0000 deadbeef");

TEST(Forward, UplinkLeavesTheTunnel) {
  UserPlane plane;
  plane.create(basic_rules());
  const Outcome outcome = plane.forward(kUplink, HEADROOM_N3);
  EXPECT_EQ(outcome.status, HEADROOM_OK);
  EXPECT_EQ(outcome.side, HEADROOM_N6);
  EXPECT_EQ(outcome.octets, kFromUser);
}

TEST(Forward, DownlinkEntersTheTunnel) {
  UserPlane plane;
  plane.create(basic_rules());
  const Outcome outcome = plane.forward(kToUser, HEADROOM_N6);
  EXPECT_EQ(outcome.status, HEADROOM_OK);
  EXPECT_EQ(outcome.side, HEADROOM_N3);
  EXPECT_EQ(outcome.octets, kDownlink);
}

}  // namespace
}  // namespace headroom::gtpu::test
