// SPDX-License-Identifier: Apache-2.0
//
// The program as its users see it: exit status, one document on standard output, errors as one line.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "base/json_reader.h"

namespace headroom {
namespace {

struct Ran {
  int status;
  bool by_signal;
  std::string output;
};

Ran run_engine(const std::string& arguments, const std::string& input = "") {
  std::string quoted;
  for (const char c : input) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  const std::string command = "printf '%s' '" + quoted + "' | exec " HEADROOM_ENGINE " " + arguments + " 2>/dev/null";
  std::FILE* pipe = popen(command.c_str(), "r");
  Ran ran{};
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) ran.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  ran.by_signal = WIFSIGNALED(status);
  ran.status = WEXITSTATUS(status);
  return ran;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

Json error_of(const Ran& ran) {
  EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
  const Json document = parse_json(ran.output);
  EXPECT_TRUE(document.contains("error")) << ran.output;
  return document["error"];
}

TEST(Command, DescribeSaysWhatTheAdapterSays) {
  const Ran ran = run_engine("describe --job -", R"({"library": ")" HEADROOM_LIBRARIES R"(/null.so"})");
  EXPECT_EQ(ran.status, 0);
  const Json document = parse_json(ran.output);
  EXPECT_EQ(document["name"], "null");
  EXPECT_EQ(document["abi_version"], 2);
  EXPECT_EQ(document["sha256"].get<std::string>().size(), 64u);
}

TEST(Command, ExitStatusesAreThoseOfTheContract) {
  const Ran bad_json = run_engine("describe --job -", "{");
  EXPECT_EQ(bad_json.status, 2);
  EXPECT_EQ(error_of(bad_json)["kind"], "job");
  const Ran bad_key = run_engine("replay --job -", R"({"sauce": {}})");
  EXPECT_EQ(bad_key.status, 2);
  const Ran no_library = run_engine("describe --job -", R"({"library": "/no/such.so"})");
  EXPECT_EQ(no_library.status, 1);
  EXPECT_EQ(error_of(no_library)["kind"], "adapter");
  EXPECT_EQ(error_of(no_library)["where"], "/library");
  const Ran no_job = run_engine("describe --job /no/such/job.json");
  EXPECT_EQ(no_job.status, 1);
  EXPECT_EQ(error_of(no_job)["kind"], "input");
  for (const char* arguments : {"", "dance --job -", "describe", "describe --job - --no-such-option"}) {
    const Ran ran = run_engine(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_EQ(error_of(ran)["kind"], "job") << arguments;
  }
  EXPECT_EQ(run_engine("--help").status, 0);
  EXPECT_EQ(run_engine("--version").status, 0);
}

TEST(Command, AResultBearsTheSealOfItsJob) {
  const std::string job = R"({"library": ")" HEADROOM_LIBRARIES R"(/null.so")";
  EXPECT_EQ(parse_json(run_engine("describe --job -", job + R"(, "seal": "of mine"})").output)["seal"], "of mine");
  EXPECT_FALSE(parse_json(run_engine("describe --job -", job + "}").output).contains("seal"));
  for (const char* wrong : {"7", R"("")"}) {
    const Ran ran = run_engine("describe --job -", job + R"(, "seal": )" + wrong + "}");
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(error_of(ran)["where"], "/seal");
  }
}

TEST(Command, WhatAnAdapterPrintsDoesNotSpoilTheDocument) {
  const std::string adapter =
      R"({"library": ")" HEADROOM_LIBRARIES R"(/faulty/faulty_prints.so", "config": {"scheme": "rohc"}})";
  const Ran ran = run_engine("replay --job -", R"({"compressor": )" + adapter + R"(, "decompressor": )" + adapter +
                                                   R"(, "source": {"packets": [{"hex": "45"}]}})");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(parse_json(ran.output)["forward"]["verdicts"]["identical"], 1);
}

TEST(Command, ACrashOfAnAdapterIsTheEnginesOwn) {
  const std::string adapter =
      R"({"library": ")" HEADROOM_LIBRARIES R"(/faulty/faulty_aborts_on_garbage.so", "config": {"scheme": "rohc"}})";
  const Ran ran =
      run_engine("replay --job -", R"({"compressor": )" + adapter + R"(, "source": {"packets": [{"hex": "ff"}]}})");
  EXPECT_TRUE(ran.by_signal || ran.status != 0);
  EXPECT_EQ(ran.output, "");
}

TEST(Command, NoPromiseOfTheAbiIsBrokenInSilence) {
  // A full disk where the result should go.
  const Ran ran = run_engine("describe --job - > /dev/full", R"({"library": ")" HEADROOM_LIBRARIES R"(/null.so"})");
  EXPECT_EQ(ran.status, 1);
}

// implementations/README.md: a vendor starts from it.
TEST(Example, HasLessThanAHundredLines) {
  const std::string example = read_file(HEADROOM_SOURCE "/implementations/example/example.cc");
  EXPECT_LT(std::count(example.begin(), example.end(), '\n'), 100);
}

}  // namespace
}  // namespace headroom
