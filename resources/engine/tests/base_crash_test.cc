// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "base/crash.h"
#include "base/sanitizer.h"

namespace headroom {
namespace {

// Each dies in a process of its own.
class CrashDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kAddressSanitizer) GTEST_SKIP() << "AddressSanitizer tells more, and is left to it";
  }
};

using Function = void (*)();

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winfinite-recursion"
[[gnu::noinline]] std::size_t use_up_the_stack(const volatile char* above) {
  volatile char frame[4096] = {};
  if (above != nullptr) frame[0] = above[0];
  return use_up_the_stack(frame) + static_cast<std::size_t>(frame[1]);
}
#pragma GCC diagnostic pop

TEST_F(CrashDeathTest, OurOwnCodeIsNamed) {
  EXPECT_EXIT((tell_where_it_dies(), std::raise(SIGSEGV)), ::testing::KilledBySignal(SIGSEGV),
              "died in the engine's own code");
}

TEST_F(CrashDeathTest, WhoCalledTheLibraryOfCIsNamedNotTheLibrary) {
  EXPECT_EXIT((tell_where_it_dies(), std::abort()), ::testing::KilledBySignal(SIGABRT),
              "died in the engine's own code");
}

TEST_F(CrashDeathTest, AThreadWithoutStackStillSpeaks) {
  EXPECT_EXIT((tell_where_it_dies(), use_up_the_stack(nullptr)), ::testing::KilledBySignal(SIGSEGV),
              "died in the engine's own code");
}

TEST_F(CrashDeathTest, AJumpToNowhereEndsTheProcessToo) {
  volatile Function nowhere = nullptr;
  EXPECT_EXIT((tell_where_it_dies(), nowhere()), ::testing::KilledBySignal(SIGSEGV), "died in ");
}

}  // namespace
}  // namespace headroom
