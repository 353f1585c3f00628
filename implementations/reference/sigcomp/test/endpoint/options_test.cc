// SPDX-License-Identifier: Apache-2.0
//
// Mistakes in a configuration, and in what an endpoint is told later, are sentences.
#include <gtest/gtest.h>

#include <string>

#include "sigcomp/test/endpoint/side.h"
#include "sigcomp/test/support/hex.h"

namespace headroom::sigcomp {
namespace {

using test::creation_error;
using test::json;
using test::kMessage;
using test::Result;
using test::Side;
using test::stateful;
using test::to_hex;

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

}  // namespace
}  // namespace headroom::sigcomp
