// SPDX-License-Identifier: Apache-2.0
//
// Runs untrusted code in child processes, with limits and with a record of its last activity.
#ifndef HEADROOM_CHECK_CHILD_H
#define HEADROOM_CHECK_CHILD_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headroom::check {

enum class Verdict : std::uint8_t { pass, fail, unsupported };
[[nodiscard]] const char* name_of(Verdict verdict) noexcept;

struct Outcome {
  Verdict verdict = Verdict::pass;
  std::string reason;
};

// Records the child's next activity, for the report if the child dies. Cheap; only the last record is kept.
void note(const std::string& doing);

// Says that the calling child has installed a filter of system calls. One that an adapter has installed may keep checks
// from judging it, which is then a fault.
void expect_another_filter() noexcept;

// Ends the calling child with an outcome, from a signal handler too: makes no call that is not async-signal-safe. Also
// for a child that may make no system call but write and exit.
[[noreturn]] void end_child(Verdict verdict, const char* reason) noexcept;

// The task of a child: returns an outcome. An exception becomes an outcome, too: NotJudged (caller.h) is "unsupported",
// all others are "fail".
using Task = std::function<Outcome()>;

struct Limits {
  double seconds = 10;   // real time, without time spent waiting for a core that other processes use
  unsigned at_once = 8;  // children
};

// Runs each task in a child of its own, several at once. Returns the outcomes in the order of the tasks.
[[nodiscard]] std::vector<Outcome> run_in_children(const std::vector<Task>& tasks, const Limits& limits);

// Runs `make` in a fresh child of the calling process and returns its text. Throws std::runtime_error with an
// explanation if the child does not end properly.
[[nodiscard]] std::string text_from_child(const std::function<std::string()>& make);

}  // namespace headroom::check

#endif  // HEADROOM_CHECK_CHILD_H
