// SPDX-License-Identifier: Apache-2.0
//
// Running something untrusted in a child process: with limits, and with an account of what it was doing when it died.
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

// Says what the child is about to do, for the case that it never comes back. Cheap; only the last one is kept.
void note(const std::string& doing);

// Ends the calling child with an outcome, from a signal handler too: makes no call that is not async-signal-safe. Also
// for a child that may make no system call but write and exit.
[[noreturn]] void end_child(Verdict verdict, const char* reason) noexcept;

// The task of a child: returns an outcome. An exception becomes an outcome, too: NotJudged (caller.h) is "unsupported",
// all others are "fail".
using Task = std::function<Outcome()>;

struct Limits {
  double seconds = 10;   // of real time, but for what a child waits for a core that other processes have
  unsigned at_once = 8;  // children
};

// Runs each task in a child of its own, several at once; outcomes in the order of the tasks.
[[nodiscard]] std::vector<Outcome> run_in_children(const std::vector<Task>& tasks, const Limits& limits);

// Runs `make` in a fresh child of the calling process and returns the text that it makes. Throws std::runtime_error
// with what happened when it does not come back in order.
[[nodiscard]] std::string text_from_child(const std::function<std::string()>& make);

}  // namespace headroom::check

#endif  // HEADROOM_CHECK_CHILD_H
