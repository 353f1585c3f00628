// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "headroom.h"

namespace {

using Octets = std::vector<std::uint8_t>;

const headroom_api& api() {
  static void* handle = dlopen(HEADROOM_ADAPTER, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  using Get = const headroom_api* (*)();
  return *reinterpret_cast<Get>(dlsym(handle, "headroom_implementation"))();
}

void use(const std::string& library) { setenv("HEADROOM_LIBROHC", library.c_str(), 1); }

std::string fake(const std::string& name) { return std::string(HEADROOM_FAKES) + "/" + name + ".so"; }

struct Made {
  headroom_instance* self = nullptr;
  std::string error;
  explicit Made(std::int32_t role, const std::string& config) {
    std::array<char, 512> text{};
    self = api().create(role, config.c_str(), text.data(), text.size());
    error = text.data();
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() {
    if (self != nullptr) api().destroy(self);
  }
};

struct Outcome {
  std::int32_t status;
  Octets octets;
};

Outcome run(headroom_instance* self, bool compress, const Octets& in, std::uint32_t channel = 0,
            std::uint32_t room = 600) {
  Octets out(room + 16, 0xEE);
  headroom_packet packet{};
  packet.in = in.data();
  packet.in_length = static_cast<std::uint32_t>(in.size());
  packet.out = out.data();
  packet.out_capacity = room;
  packet.channel = channel;
  headroom_detail detail{};
  EXPECT_EQ((compress ? api().compress : api().decompress)(self, &packet, 1, 5'000'000'000, &detail), 1U);
  EXPECT_EQ(Octets(out.end() - 16, out.end()), Octets(16, 0xEE)) << "it wrote behind its room";
  EXPECT_EQ(detail.profile, 0xFFFF);
  return {packet.status, Octets(out.begin(), out.begin() + packet.out_length)};
}

std::string refusal(std::int32_t role, const std::string& config) {
  const Made made(role, config);
  EXPECT_EQ(made.self, nullptr);
  return made.error;
}

constexpr char kPlain[] = R"({"scheme": "rohc"})";

TEST(Librohc, NoLibraryIsASentence) {
  use("/nowhere/librohc.so.3");
  EXPECT_NE(refusal(1, kPlain).find("librohc.so.3 cannot be opened (/nowhere/librohc.so.3"), std::string::npos);
  EXPECT_NE(refusal(2, kPlain).find("HEADROOM_LIBROHC"), std::string::npos);
}

TEST(Librohc, NoSharedObjectIsASentence) {
  const std::string path = testing::TempDir() + "not-a-library.so";
  std::ofstream(path) << "hello";
  use(path);
  EXPECT_NE(refusal(1, kPlain).find("cannot be opened"), std::string::npos);
}

TEST(Librohc, AnOldLibraryIsASentence) {
  use(fake("fake_too_old"));
  EXPECT_NE(refusal(2, kPlain).find("has no rohc_decompress3"), std::string::npos);
}

TEST(Librohc, ALibraryThatMakesNothingIsASentence) {
  use(fake("fake_refuses"));
  EXPECT_EQ(refusal(1, kPlain), "librohc refuses these parameters of a channel");
}

TEST(Librohc, DescribesItselfWithAndWithoutTheLibrary) {
  const auto described = [] {
    std::string text(api().describe(nullptr, 0) + 1, '\0');
    EXPECT_EQ(api().describe(text.data(), text.size()), text.size() - 1);
    return text;
  };
  use("/nowhere");
  EXPECT_NE(described().find(R"("version":"not found")"), std::string::npos);
  use(fake("fake"));
  EXPECT_NE(described().find(R"("version":"fake 1")"), std::string::npos);
}

TEST(Librohc, WrongConfigurationsAreRefusedWithASentence) {
  use(fake("fake"));
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"{", "parse error"},
      {"[]", ""},
      {R"({"scheme": "copy"})", "must be one of \"rohc\""},
      {R"({"scheme": "rohc", "mode": "R"})", "\"mode\" in the configuration is \"R\", but must be one of \"U\", \"O\""},
      {R"({"scheme": "rohc", "cids": "tiny"})", "\"cids\" in the configuration is \"tiny\""},
      {R"({"scheme": "rohc", "max_cid": 16})", "must be a whole number from 0 to 15"},
      {R"({"scheme": "rohc", "max_cid": 1.5})", "\"max_cid\" in the configuration is 1.5"},
      {R"({"scheme": "rohc", "cids": "large", "max_cid": 16384})", "from 0 to 16383"},
      {R"({"scheme": "rohc", "channels": 65})", "must be a whole number from 1 to 64"},
      {R"({"scheme": "rohc", "channels": 0})", "\"channels\" in the configuration is 0"},
      {R"({"scheme": "rohc", "profiles": ["0x0007"]})", "\"profiles\" in the configuration is [\"0x0007\"]"},
      {R"({"scheme": "rohc", "profiles": "0x0001"})", "must be a list of some of \"0x0000\", "},
      {R"({"scheme": "rohc", "profiles": ["RTP"]})", ""},
      {R"({"scheme": "rohc", "mrru": 100})",
       "\"mrru\" in the configuration is 100, but must be a whole number from 0 to 0"},
      {R"({"scheme": "rohc", "options": {"a": 1}})", "unknown key \"a\" in \"options\""},
  };
  for (const auto& [config, sentence] : wrong) {
    const std::string said = refusal(1, config);
    EXPECT_FALSE(said.empty()) << config;
    EXPECT_NE(said.find(sentence), std::string::npos) << config << ": " << said;
  }
  EXPECT_FALSE(refusal(3, kPlain).empty());
}

TEST(Librohc, TcpIsHadByNamingItsProfile) {
  use(fake("fake"));
  for (const int role : {1, 2}) {
    EXPECT_NE(Made(role, R"({"scheme": "rohc", "profiles": ["0x0000", "0x0006"]})").self, nullptr);
  }
  EXPECT_NE(refusal(1, R"({"scheme": "rohc", "profiles": ["0x0005"]})"), "");
}

TEST(Librohc, PacketsGoThroughTheLibrary) {
  use(fake("fake"));
  const Made compressor(1, R"({"scheme": "rohc", "channels": 2})");
  const Made decompressor(2, R"({"scheme": "rohc", "channels": 2})");
  ASSERT_NE(compressor.self, nullptr) << compressor.error;
  ASSERT_NE(decompressor.self, nullptr) << decompressor.error;
  const Octets packet = {0x45, 1, 2, 3};
  const Outcome link = run(compressor.self, true, packet, 1);
  EXPECT_EQ(link.status, HEADROOM_OK);
  EXPECT_EQ(link.octets, (Octets{0xA0, 0x45, 1, 2, 3}));
  const Outcome back = run(decompressor.self, false, link.octets, 1);
  EXPECT_EQ(back.status, HEADROOM_OK);
  EXPECT_EQ(back.octets, packet);
  EXPECT_EQ(run(compressor.self, true, packet, 2).status, HEADROOM_ERR_CHANNEL);
  EXPECT_EQ(run(compressor.self, false, packet).status, HEADROOM_ERR_UNSUPPORTED);  // it is no decompressor
  EXPECT_EQ(run(compressor.self, true, {}).status, HEADROOM_ERR_MALFORMED);
}

TEST(Librohc, WithLittleRoomTheLibraryGetsItsOwn) {
  use(fake("fake"));
  const Made compressor(1, kPlain);
  const Made decompressor(2, kPlain);
  EXPECT_EQ(run(compressor.self, true, {0x45, 1, 2, 3}, 0, 4).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_TRUE(run(compressor.self, true, {0x45, 1, 2, 3}, 0, 4).octets.empty());
  EXPECT_EQ(run(compressor.self, true, {0x45, 1, 2, 3}, 0, 5).octets, (Octets{0xA0, 0x45, 1, 2, 3}));
  EXPECT_EQ(run(decompressor.self, false, {0xA0, 7, 8}, 0, 1).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(run(decompressor.self, false, {0xA0, 7, 8}, 0, 2).octets, (Octets{7, 8}));
}

TEST(Librohc, EachStatusHasOneOfTheAbi) {
  use(fake("fake"));
  const Made compressor(1, kPlain);
  const std::vector<std::int32_t> expected = {HEADROOM_ERR_UNSUPPORTED, HEADROOM_ERR_MALFORMED, HEADROOM_ERR_NO_CONTEXT,
                                              HEADROOM_ERR_CRC,         HEADROOM_ERR_NO_SPACE,  HEADROOM_ERR_INTERNAL};
  for (std::uint8_t n = 0; n < expected.size(); ++n) {
    const Outcome outcome = run(compressor.self, true, {static_cast<std::uint8_t>(0xE1 + n), 0});
    EXPECT_EQ(outcome.status, expected[n]) << unsigned{n};
    EXPECT_TRUE(outcome.octets.empty());
  }
}

struct Reverse {
  std::uint16_t type;
  std::uint32_t channel;
  Octets octets;
  bool operator==(const Reverse&) const = default;
};

// All that waits.
std::vector<Reverse> taken(headroom_instance* self) {
  std::vector<Reverse> all;
  Octets room(HEADROOM_REVERSE_MAX);
  for (;;) {
    headroom_packet packet{};
    packet.out = room.data();
    packet.out_capacity = HEADROOM_REVERSE_MAX;
    packet.channel = 9;
    if (api().take_reverse(self, &packet, 1, 0) == 0) return all;
    all.push_back({packet.out_type, packet.channel, Octets(room.begin(), room.begin() + packet.out_length)});
  }
}

std::int32_t give(headroom_instance* self, const Reverse& reverse) {
  headroom_packet packet{};
  packet.in = reverse.octets.data();
  packet.in_length = static_cast<std::uint32_t>(reverse.octets.size());
  packet.channel = reverse.channel;
  packet.in_type = reverse.type;
  EXPECT_EQ(api().give_reverse(self, &packet, 1, 0), 1U);
  return packet.status;
}

TEST(Librohc, FeedbackTakesItsTwoWays) {
  use(fake("fake"));
  const Made decompressor(2, R"({"scheme": "rohc", "mode": "O"})");
  EXPECT_EQ(taken(decompressor.self), (std::vector<Reverse>{}));
  EXPECT_EQ(run(decompressor.self, false, {0xB0}).status, HEADROOM_NOTHING);
  EXPECT_EQ(taken(decompressor.self), (std::vector<Reverse>{{HEADROOM_REVERSE_NEAR, 0, {0xF1, 0x20}}}));
  EXPECT_EQ(taken(decompressor.self), (std::vector<Reverse>{}));
  EXPECT_EQ(run(decompressor.self, false, {0xC0}).status, HEADROOM_ERR_CRC);
  EXPECT_EQ(taken(decompressor.self), (std::vector<Reverse>{{HEADROOM_REVERSE_FAR, 0, {0xF1, 0x42}}})) << "2: O-mode";

  const Made silent(2, R"({"scheme": "rohc", "mode": "O", "feedback": false})");
  EXPECT_EQ(run(silent.self, false, {0xC0}).status, HEADROOM_ERR_CRC);
  EXPECT_EQ(taken(silent.self), (std::vector<Reverse>{{HEADROOM_REVERSE_FAR, 0, {0xF1, 0x41}}}))
      << "1: U-mode, for there is no way back";

  const Made compressor(1, R"({"scheme": "rohc", "cids": "large"})");
  EXPECT_EQ(run(compressor.self, true, {0x45}).octets[0], 0xA1);
  EXPECT_EQ(give(compressor.self, {HEADROOM_REVERSE_NEAR, 0, {0xF1, 0x20}}), HEADROOM_OK);
  EXPECT_EQ(run(compressor.self, true, {0x45}).octets[0], 0xA3);
  EXPECT_EQ(give(compressor.self, {HEADROOM_REVERSE_NEAR, 7, {0xF1, 0x20}}), HEADROOM_ERR_CHANNEL);
  EXPECT_EQ(give(compressor.self, {HEADROOM_REVERSE_FAR, 0, {0xF1, 0x20}}), HEADROOM_ERR_UNSUPPORTED);
}

TEST(Librohc, WhatLooksLikeRtp) {
  use(fake("fake"));
  const Made compressor(1, kPlain);
  Octets rtp(12, 0);
  rtp[0] = 0x80;
  EXPECT_EQ(run(compressor.self, true, rtp).octets[0], 0xA4);
  rtp[1] = 200;  // RTCP: sender report
  EXPECT_EQ(run(compressor.self, true, rtp).octets[0], 0xA0);
  rtp[1] = 96;
  EXPECT_EQ(run(compressor.self, true, rtp).octets[0], 0xA4);
  rtp[0] = 0x40;  // version 1
  EXPECT_EQ(run(compressor.self, true, rtp).octets[0], 0xA0);
  rtp = {0x80, 96, 0, 0, 0, 0, 0, 0, 0, 0, 0};  // an octet short
  EXPECT_EQ(run(compressor.self, true, rtp).octets[0], 0xA0);
}

// At the time 0 the library gives CID 0 to every flow.
TEST(Librohc, TheLibrarysTimeIsNeverZero) {
  use(fake("fake"));
  const Made decompressor(2, kPlain);
  EXPECT_EQ(run(decompressor.self, false, {0xD0}).octets, (Octets{0, 6}));  // 5 s, and one
}

TEST(Librohc, StatisticsAreJson) {
  use(fake("fake"));
  const Made compressor(1, R"({"scheme": "rohc", "channels": 3})");
  std::array<char, 200> text{};
  EXPECT_GT(api().statistics(compressor.self, text.data(), text.size()), 0u);
  EXPECT_NE(std::string(text.data()).find("\"channels\":3"), std::string::npos);
}

}  // namespace
