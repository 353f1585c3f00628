// SPDX-License-Identifier: Apache-2.0
//
// Each faulty adapter, and each faulty endpoint, breaks one promise, and `check` finds that one and no other. The
// engine runs as the process that it is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "base/json_reader.h"
#include "base/sanitizer.h"
#include "check/child.h"
#include "faulty/faults.h"
#include "faulty_endpoint/faults.h"
#include "faulty_user_plane/faults.h"
#include "profiles.h"

namespace headroom {
namespace {

Json run_check(const std::string& library, const Json& config = nullptr, const Json& source = nullptr) {
  const bool hangs = library.ends_with("/faulty_hangs_on_garbage.so");  // until its time is up
  Json job = {{"library", library}, {"timeout_s", hangs ? 5 : 40}};
  if (!config.is_null()) {
    job["config"] = config;
    job["timeout_s"] = 60;  // endpoints have more to do, and none of them hangs
  }
  if (!source.is_null()) job["source"] = source;
  const std::string command = "echo '" + job.dump() + "' | " HEADROOM_ENGINE " check --job - 2>/dev/null";
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), n);
  pclose(pipe);
  return parse_json(text);
}

struct Expected {
  const char* library;
  const char* fault;
  const char* check;
  const char* scheme;  // of the configuration; nullptr: there is none
};

constexpr Expected kExpected[] = {
#define HEADROOM_EXPECTED(name, check) {"faulty_endpoint_" #name, #name, check, "sigcomp"},
    HEADROOM_ENDPOINT_FAULTS(HEADROOM_EXPECTED)
#undef HEADROOM_EXPECTED
#define HEADROOM_EXPECTED(name, check) {"faulty_user_plane_" #name, #name, check, "gtpu"},
        HEADROOM_USER_PLANE_FAULTS(HEADROOM_EXPECTED)
#undef HEADROOM_EXPECTED
#define HEADROOM_EXPECTED(name, check) {"faulty_" #name, #name, check, nullptr},
            HEADROOM_FAULTS(HEADROOM_EXPECTED)
#undef HEADROOM_EXPECTED
};

// Its allocator reads clocks, maps memory for a packet, and keeps what was freed: whose doing that is cannot be told.
bool hidden_by_sanitizer(const Expected& expected) {
  static const std::set<std::string> hidden = {
      "reads_the_clock_when_created", "reads_the_time_in_seconds",    "draws_a_random_number", "allocates_for_a_packet",
      "allocates_through_a_pointer",  "allocates_through_a_variable", "hoards_memory"};
  const bool is_endpoint = expected.scheme != nullptr && std::string_view(expected.scheme) == "sigcomp";
  return kAddressSanitizer && !is_endpoint && hidden.contains(expected.fault);
}

// All of them at once, a few at a time: they spend most of their time asleep.
const std::map<std::string, Json>& results() {
  static const std::map<std::string, Json> all = [] {
    std::map<std::string, Json> found;
    std::mutex mutex;
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> workers;
    // With AddressSanitizer they are rather at work, and more at once would only run into their limits.
    const int at_once = kAddressSanitizer ? 3 : 10;
    for (int i = 0; i < at_once; ++i) {
      workers.emplace_back([&] {
        for (std::size_t k = next++; k < std::size(kExpected); k = next++) {
          const Expected& expected = kExpected[std::size(kExpected) - 1 - k];  // the one that hangs stands near the end
          if (hidden_by_sanitizer(expected)) continue;
          Json result = run_check(std::string(HEADROOM_LIBRARIES "/faulty/") + expected.library + ".so",
                                  expected.scheme != nullptr ? Json{{"scheme", expected.scheme}} : Json());
          const std::lock_guard lock(mutex);
          found[expected.library] = std::move(result);
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
    return found;
  }();
  return all;
}

class Check : public ::testing::TestWithParam<Expected> {};

TEST_P(Check, FindsExactlyThisFault) {
  if (hidden_by_sanitizer(GetParam()))
    GTEST_SKIP() << "AddressSanitizer's allocator does itself what this adapter should not";
  const Json& result = results().at(GetParam().library);
  ASSERT_TRUE(result.contains("checks")) << result;
  std::string failed;
  for (const Json& check : result["checks"]) {
    if (check["verdict"] != "fail") continue;
    failed += (failed.empty() ? "" : " ") + check["name"].get<std::string>();
    EXPECT_GT(check["reason"].get<std::string>().size(), 10u) << "a reason is a sentence";
  }
  EXPECT_EQ(failed, GetParam().check) << result.dump(1);
  EXPECT_EQ(result["verdict"], failed.empty() ? "pass" : "fail");
}

INSTANTIATE_TEST_SUITE_P(Adapters, Check, ::testing::ValuesIn(kExpected),
                         [](const auto& tested) { return std::string(tested.param.library); });

std::string reason_of(const char* library, const char* check) {
  for (const Json& one : results().at(library)["checks"])
    if (one["name"] == check) return one["reason"].is_string() ? one["reason"].get<std::string>() : "";
  return "";
}

TEST(Words, NameAStaleLengthAndTheCrc) {
  EXPECT_NE(reason_of("faulty_leaves_the_length_of_the_packet_before", "round_trip").find("a stale length"),
            std::string::npos);
  EXPECT_NE(reason_of("faulty_calls_a_wrong_crc_malformed", "status").find("(RFC 3095, 5.9.1) disagrees; ERR_CRC is"),
            std::string::npos);
}

TEST(Words, AreThoseOfTheSanitizer) {
  if (!kAddressSanitizer) GTEST_SKIP() << "this is no build with AddressSanitizer";
  const std::string reason = reason_of("faulty_reads_past_the_input", "input_bounds");
  EXPECT_TRUE(reason.starts_with("AddressSanitizer: SEGV, in ")) << reason;
  EXPECT_NE(reason.find("touch_what_is_not_ours"), std::string::npos) << reason;
}

TEST(Children, WhatLeavesTheirSessionIsEnded) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const check::Task leave = [&ends]() -> check::Outcome {
    pid_t other = 0;
    if (fork() == 0) {
      setsid();
      dup2(ends[1], 0);
      closefrom(1);  // before it tells: whoever holds the check's pipe has not left
      other = getpid();
      (void)!write(0, &other, sizeof other);
      close(0);
      for (;;) pause();
    }
    (void)!read(ends[0], &other, sizeof other);  // it has left
    (void)!write(ends[1], &other, sizeof other);
    return {};
  };
  const std::vector<check::Outcome> outcomes = check::run_in_children({leave}, check::Limits{});
  EXPECT_EQ(outcomes[0].verdict, check::Verdict::pass) << outcomes[0].reason;
  pid_t other = 0;
  ASSERT_EQ(read(ends[0], &other, sizeof other), ssize_t{sizeof other});
  ASSERT_GT(other, 0);
  EXPECT_NE(kill(other, 0), 0) << "it lives on";
}

TEST(CheckOfOurs, NullExampleAndReferencePass) {
  for (const char* name : {"null", "example", "reference"}) {
    const Json result = run_check(std::string(HEADROOM_LIBRARIES "/") + name + ".so");
    EXPECT_EQ(result["verdict"], "pass") << result.dump(1);
  }
}

TEST(CheckOfOurs, EndpointsPass) {
  for (const char* name : {"null", "example-endpoint", "reference"}) {
    const Json result = run_check(std::string(HEADROOM_LIBRARIES "/") + name + ".so", {{"scheme", "sigcomp"}});
    EXPECT_EQ(result["verdict"], "pass") << result.dump(1);
    const auto passed = std::count_if(result["checks"].begin(), result["checks"].end(),
                                      [](const Json& check) { return check["verdict"] == "pass"; });
    EXPECT_GE(passed, 18) << "most of them have something to judge";
  }
}

TEST(CheckOfOurs, UserPlanesPass) {
  for (const char* name : {"null", "example-user-plane"}) {
    const Json result = run_check(std::string(HEADROOM_LIBRARIES "/") + name + ".so", {{"scheme", "gtpu"}});
    EXPECT_EQ(result["verdict"], "pass") << result.dump(1);
    const auto passed = std::count_if(result["checks"].begin(), result["checks"].end(),
                                      [](const Json& check) { return check["verdict"] == "pass"; });
    EXPECT_GE(passed, 18) << "most of them have something to judge";
  }
}

// Link packets have types there, without which nothing comes back.
TEST(CheckOfOurs, LinkPacketsKeepTheirTypes) {
  const Json tcp = testing::profile_json({testing::variant({testing::kIpv4, testing::kTcp})});
  const Json source = {{"profile", tcp}, {"flows", 5}, {"packets", 200}};
  const std::string reference = HEADROOM_LIBRARIES "/reference.so";
  const Json vj = run_check(reference, {{"scheme", "vj"}}, source);
  EXPECT_EQ(vj["verdict"], "pass") << vj.dump(1);
  // A fixture for replay, which accepts each configuration.
  for (const Json& result : {vj, run_check(HEADROOM_LIBRARIES "/faulty/typed.so")}) {
    std::set<std::string> passed;
    for (const Json& check : result["checks"]) {
      if (check["verdict"] == "pass") passed.insert(check["name"].text());
    }
    for (const char* name : {"round_trip", "outcome", "no_space", "lost_frames", "bursts", "deterministic",
                             "instances_independent", "buffer_lifetime", "hostile_packets", "memory_flat"})
      EXPECT_TRUE(passed.contains(name)) << name << ": " << result.dump(1);
  }
}

// A fixture for replay, too, with link packets that carry several packets, or parts of them.
TEST(CheckOfOurs, PacketsThatArePackedComeBack) {
  const Json result = run_check(HEADROOM_LIBRARIES "/faulty/packer.so", {{"scheme", "cells"}});
  std::map<std::string, std::string> verdicts;
  for (const Json& check : result["checks"]) verdicts[check["name"].text()] = check["verdict"].text();
  for (const char* name : {"round_trip", "drain", "deadline", "outcome", "bursts", "deterministic"})
    EXPECT_EQ(verdicts[name], "pass") << name << ": " << result.dump(1);
}

TEST(CheckOfOurs, ATableThatEndsInFrontOfWhatIsOptionalPasses) {
  const Json result = run_check(HEADROOM_LIBRARIES "/faulty/older.so");
  EXPECT_EQ(result["verdict"], "pass") << result.dump(1);
}

TEST(Header, HasNoWordOfOneScheme) {
  std::ifstream in(HEADROOM_SOURCE "/implementations/abi/headroom.h");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  ASSERT_GT(text.size(), 1000u);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* word : {"sigcomp", "udvm", "rfc 3320", "rfc 4077", "rfc 5049", "bytecode", "compartment", "nack"})
    EXPECT_EQ(text.find(word), std::string::npos) << word << " belongs into the header of an extension";
}

TEST(CheckOfOurs, TheTalkerPassesButForWhatItIsCarelessAbout) {
  // A fixture for replay: it accepts every configuration and channel, and its packets, which look like UO-0, have no
  // CRC.
  const Json result = run_check(HEADROOM_LIBRARIES "/faulty/talker.so");
  for (const Json& check : result["checks"]) {
    const std::string& name = check["name"].text();
    if (name == "bad_configuration" || name == "channel" || name == "no_system_calls" || name == "bursts" ||
        name == "status")
      continue;
    EXPECT_NE(check["verdict"], "fail") << check;
  }
}

TEST(CheckOfOurs, WhatWasNotTriedSaysWhy) {
  const Json result = run_check(HEADROOM_LIBRARIES "/faulty/faulty_next_version.so");
  for (const Json& check : result["checks"]) {
    if (check["name"] == "round_trip") {
      EXPECT_EQ(check["reason"], "not tried, because the check \"version\" failed.");
    }
  }
}

}  // namespace
}  // namespace headroom
