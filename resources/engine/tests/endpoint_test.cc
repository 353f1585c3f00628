// SPDX-License-Identifier: Apache-2.0
//
// An endpoint as its callers use it that have no time to look at everything: what keeps them safe all the same.
#include "adapter/endpoint.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace headroom {
namespace {

constexpr std::uint32_t kCompartment = 1;
const std::string kText = "INVITE sip:bob@example.com SIP/2.0\r\n\r\n";

OctetView octets_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

AdapterJob job_of(const std::string& library) {
  const Json document = {{"library", HEADROOM_LIBRARIES "/" + library + ".so"}, {"config", {{"scheme", "sigcomp"}}}};
  return read_adapter_job(Value(document, ""));
}

std::string complaint(const std::string& fault, std::uint32_t most) {
  Endpoint endpoint(job_of("faulty/faulty_endpoint_" + fault), nullptr);
  endpoint.open(kCompartment);
  MessageRoom room(kText.size());
  try {
    const MessageResult result = endpoint.compress(octets_of(kText), kCompartment, 0, room, most);
    EXPECT_EQ(result.status == HEADROOM_OK, !result.octets.empty());
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::adapter);
    return error.what();
  }
}

// Its word on the room is not taken, wherever it says it: what lies behind the buffer is not the adapter's output.
TEST(Endpoint, OctetsBeyondTheRoomAreNotRead) {
  for (const char* fault : {"claims_more_than_there_is_room", "claims_another_room"}) {
    EXPECT_NE(complaint(fault, 20).find("octets of output in a buffer of 20"), std::string::npos) << fault;
    EXPECT_EQ(complaint(fault, 1000), "") << "there is room enough to be honest";
  }
  EXPECT_EQ(complaint("none", 20), "");
}

TEST(Endpoint, WhatHasNoRoomIsNoMessage) {
  Endpoint endpoint(job_of("reference"), nullptr);
  endpoint.open(kCompartment);
  MessageRoom room(kText.size());
  EXPECT_EQ(endpoint.compress(octets_of(kText), kCompartment, 0, room, 20).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(endpoint.compress(octets_of(kText), kCompartment, 0, room).status, HEADROOM_OK);
}

}  // namespace
}  // namespace headroom
