// SPDX-License-Identifier: Apache-2.0
//
// Adapters that break promises: the node ends with a sentence, whatever they say.
#include <gtest/gtest.h>

#include "node_frames.h"

namespace headroom::node {
namespace {

// What the node says when frames pass through a faulty adapter, plain to link and back; empty when it does not mind.
std::string complaint(const std::string& fault, const Json& settings = Json::object()) {
  End end(job_of("faulty/faulty_" + fault, settings));
  try {
    std::vector<Octets> frames;
    for (std::uint16_t i = 0; i < 40; ++i) frames.push_back(ipv4_frame(udp_packet(60, i)));
    (void)end.to_plain(end.to_link(frames));
    (void)end.to_plain({frame_of(kEtherTypeRohc, Octets(50, 0xFF))});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::adapter);
    return error.what();
  }
  return "";
}

TEST(FaultyAdapter, IsNotBelieved) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"claims_too_many_octets", "octets of output in a buffer of"},
      {"claims_success_without_octets", "no octet of output"},
      {"has_a_status_of_its_own", "the status 77"},
      {"handles_nothing", "there is at least one"},
      {"handles_more_than_there_is", "there is at least one"},
      {"drains_for_ever", "never comes to an end"},
      {"throws_on_garbage", "garbage came in"},
      {"claims_too_much_feedback", "a packet of 513 octets"},
      {"invents_received_feedback", "a packet of 513 octets"},
      {"lies_about_feedback_on_garbage", "a packet of 513 octets"},
      {"never_stops_feeding_back", "it never stops returning packets"}};
  for (const auto& [fault, words] : faults)
    EXPECT_NE(complaint(fault).find(words), std::string::npos) << fault << ": " << complaint(fault);
}

TEST(FaultyAdapter, MayDoWhatHarmsNobody) {
  for (const char* fault : {"none", "changes_the_callers_fields", "leaves_a_length_with_an_error", "spoils_an_octet"})
    EXPECT_EQ(complaint(fault), "") << fault;
}

}  // namespace
}  // namespace headroom::node
