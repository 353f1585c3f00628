// SPDX-License-Identifier: Apache-2.0
#include "check/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "base/cycles.h"
#include "base/error.h"
#include "base/sanitizer.h"
#include "check/caller.h"

namespace headroom::check {
namespace {

constexpr std::size_t kNoteCapacity = 512;
constexpr std::uint64_t kMostMemory = std::uint64_t{4} << 30;  // octets of address space

// What a child shares with its parent: written by the child, read when it is gone.
struct Account {
  char doing[kNoteCapacity];
};

Account* current_account = nullptr;  // of this process, when it is a child
int expected_filters = 0;            // of system calls, in this process
int current_output = -1;             // where this child's outcome goes
// What an outcome begins with: random octets of each child, so that none is one that an adapter wrote there.
using Mark = std::array<char, 16>;
Mark current_mark{};

void limit(int resource, rlim_t most) {
  const rlimit limits{most, most};
  setrlimit(static_cast<__rlimit_resource>(resource), &limits);
}

void set_limits(double seconds) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<rlim_t>(seconds) + 2);
  // Not with AddressSanitizer or ThreadSanitizer, whose shadow alone takes terabytes of addresses, nor where a pointer
  // cannot reach further anyway.
  if (!kAddressSanitizer && !kThreadSanitizer && sizeof(void*) == 8) limit(RLIMIT_AS, static_cast<rlim_t>(kMostMemory));
}

void write_all(int descriptor, const char* text, std::size_t size) noexcept {
  while (size > 0) {
    const ssize_t n = write(descriptor, text, size);
    if (n <= 0) return;
    text += n;
    size -= static_cast<std::size_t>(n);
  }
}

constexpr double kMostExcused = 9;  // times the limit: a machine so busy that it ends nothing is told, too

struct Child {
  pid_t pid = -1;
  int output = -1;  // our end of its pipe
  int report = -1;  // where its sanitizers write, in a sanitized build
  Account* account = nullptr;
  Mark mark{};
  std::string received;
  std::uint64_t deadline_ns = 0;
  std::uint64_t excused_ns = 0;  // of it: time in which the child wanted a core and had none
  std::uint64_t most_excused_ns = 0;
  bool nested = false;  // a child of a child: it stays in the process group of that one, which ends them both
  bool timed_out = false;
  bool left_behind = false;  // it has ended, and another process holds its pipe
};

// The number of filters of system calls that this process has (proc(5)); 0 if the kernel does not say, -1 if /proc
// cannot be read.
int filters() {
  std::ifstream file("/proc/self/status");
  if (!file) return -1;
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    if (std::sscanf(line.c_str(), "Seccomp_filters: %d", &count) == 1) break;
  }
  return count;
}

// Starts `body` in a child that inherits nothing of our standard output.
Child start(const std::function<void()>& body, double seconds) {
  Child child;
  void* shared = mmap(nullptr, sizeof(Account), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int ends[2];
  if (shared == MAP_FAILED || pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorKind::internal, "no more processes can be started.");
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  child.account = static_cast<Account*>(shared);
  child.nested = current_account != nullptr;
  if (getrandom(child.mark.data(), child.mark.size(), 0) != static_cast<ssize_t>(child.mark.size()))
    throw Error(ErrorKind::internal, "the kernel gives no random octets.");
  if (kAddressSanitizer) child.report = memfd_create("report", MFD_CLOEXEC);
  if (!child.nested) expected_filters = filters();
  const pid_t parent = getpid();
  child.pid = fork();
  if (child.pid < 0)
    throw Error(ErrorKind::internal, std::string("cannot start a process: ") + std::strerror(errno) + ".");
  if (child.pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // the parent died before that took effect
    if (!child.nested) setpgid(0, 0);
    close(ends[0]);
    current_account = child.account;
    current_output = ends[1];
    current_mark = child.mark;
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    if (nowhere > STDERR_FILENO) close(nowhere);
    if (child.report >= 0) report_into(child.report);
    set_limits(seconds);
    body();
    _exit(0);
  }
  close(ends[1]);
  child.output = ends[0];
  child.deadline_ns = monotonic_ns() + static_cast<std::uint64_t>(seconds * 1e9);
  child.most_excused_ns = static_cast<std::uint64_t>(kMostExcused * seconds * 1e9);
  return child;
}

// Takes what has arrived. False at the end of the child's output.
bool receive(Child& child) {
  char buffer[4096];
  const ssize_t n = read(child.output, buffer, sizeof buffer);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (n <= 0) return false;
  child.received.append(buffer, static_cast<std::size_t>(n));
  return true;
}

// Takes all that has arrived. False at the end of the child's output.
bool receive_all(Child& child) {
  for (;;) {
    const std::size_t before = child.received.size();
    if (!receive(child)) return false;
    if (child.received.size() == before) return true;
  }
}

// True if the process has ended. It stays a zombie, so that no other process group can get its ID.
bool has_ended(const Child& child) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == child.pid;
}

// What a sanitizer reports, as a sentence: the error, the access, and the first function that is not the sanitizer's
// own.
std::string summary_of(int report) {
  if (report < 0) return {};
  std::string text(1 << 16, '\0');
  const ssize_t n = pread(report, text.data(), text.size(), 0);
  close(report);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  std::istringstream lines(text);
  std::string summary;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t error = line.find("AddressSanitizer: "), undefined = line.find(": runtime error: ");
    const std::size_t frame = line.find(" in ");
    if (summary.empty()) {
      if (error != std::string::npos) summary = line.substr(error, line.find(" on ", error) - error);
      if (undefined != std::string::npos) return line;
    } else if (line.starts_with("READ of ") || line.starts_with("WRITE of ")) {
      summary += ", " + line.substr(0, line.find(" at "));
    } else if (line.find(" #") != std::string::npos && frame != std::string::npos) {
      const std::string function = line.substr(frame + 4);
      if (!function.starts_with("__asan") && !function.starts_with("__interceptor"))
        return summary + ", in " + function;
    }
  }
  return summary;
}

// The end of a child as half a sentence; empty if it ended in order.
std::string finish(Child& child) {
  if (child.timed_out) kill(child.nested ? child.pid : -child.pid, SIGKILL);
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  // Whatever it may have started: as long as one of them lives, the number of the group cannot be another's.
  if (!child.nested && kill(-child.pid, SIGKILL) == 0) child.left_behind = true;
  close(child.output);
  std::string doing(child.account->doing, strnlen(child.account->doing, kNoteCapacity));
  munmap(child.account, sizeof(Account));
  if (!doing.empty()) doing = " while " + doing;
  if (const std::string summary = summary_of(child.report); !summary.empty()) return summary + doing;
  if (child.timed_out) return "it did not come back" + doing;
  if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    return "it was killed by SIG" + std::string(name == nullptr ? std::to_string(WTERMSIG(status)) : name) + doing;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    return "it ended the process with status " + std::to_string(WEXITSTATUS(status)) + doing;
  if (!child.received.empty()) {
    if (child.received.compare(0, child.mark.size(), child.mark.data(), child.mark.size()) != 0)
      return "it wrote where the check's result goes; a descriptor that it did not open is not its own";
    child.received.erase(0, child.mark.size());
  }
  if (child.left_behind && (child.received.empty() || child.received[0] == 'p'))
    return "it left a process behind that had to be killed; an adapter must not fork";
  return {};
}

// What a child says at its end: the first letter of its verdict, and a text.
void answer(char verdict, std::string_view text) noexcept {
  write_all(current_output, current_mark.data(), current_mark.size());
  write_all(current_output, &verdict, 1);
  write_all(current_output, text.data(), text.size());
}

Outcome outcome_of(Child& child) {
  const std::string end = finish(child);
  if (!end.empty()) return {Verdict::fail, end + "."};
  if (child.received.empty()) return {Verdict::fail, "it ended the process in the middle of the check."};
  const char first = child.received[0];
  const Verdict verdict = first == 'p' ? Verdict::pass : first == 'u' ? Verdict::unsupported : Verdict::fail;
  return {verdict, child.received.substr(1)};
}

// What a check lacks may be there, and kept from it by the adapter.
Outcome outcome_of(const LacksHere& reason) {
  if (filters() == expected_filters) return {Verdict::unsupported, reason.what()};
  return {Verdict::fail, "it filters the system calls of its process."};
}

void run_task(const Task& task) {
  Outcome outcome;
  try {
    outcome = task();
  } catch (const LacksHere& reason) {
    outcome = outcome_of(reason);
  } catch (const NotJudged& reason) {
    outcome = {Verdict::unsupported, reason.what()};
  } catch (const std::bad_alloc&) {
    outcome = {Verdict::fail, "it used up the memory that a check is given."};
  } catch (const std::exception& reason) {
    outcome = {Verdict::fail, reason.what()};
  } catch (...) {
    outcome = {Verdict::fail, "it let an exception out that is none of the standard library's."};
  }
  end_child(outcome.verdict, outcome.reason.c_str());
}

// How long a process has waited for a core (/proc/pid/schedstat, its second number); 0 if the kernel does not say.
std::uint64_t waited_for_a_core_ns(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/schedstat");
  std::uint64_t ran_ns = 0, waited_ns = 0;
  return file >> ran_ns >> waited_ns ? waited_ns : 0;
}

// True if a child's time is up. What it waited for a core that others had is no fault of the adapter's.
bool is_out_of_time(Child& child) {
  if (monotonic_ns() < child.deadline_ns) return false;
  const std::uint64_t waited_ns = std::min(waited_for_a_core_ns(child.pid), child.most_excused_ns);
  if (waited_ns <= child.excused_ns) return true;
  child.deadline_ns += waited_ns - child.excused_ns;
  child.excused_ns = waited_ns;
  return monotonic_ns() >= child.deadline_ns;
}

// Waits until one of the children has ended or run out of time; returns its place.
std::size_t wait_for_one(std::vector<Child>& children, const std::vector<std::size_t>& running) {
  for (;;) {
    std::vector<pollfd> polls;
    std::uint64_t deadline = ~std::uint64_t{0};
    for (const std::size_t i : running) {
      polls.push_back({children[i].output, POLLIN, 0});
      deadline = std::min(deadline, children[i].deadline_ns);
    }
    const std::uint64_t now = monotonic_ns();
    constexpr std::uint64_t kGlanceMs = 50;  // an end that no pipe tells of is to be noticed too
    const std::uint64_t wait_ms = deadline > now ? (deadline - now) / 1'000'000 + 1 : 0;
    poll(polls.data(), polls.size(), static_cast<int>(std::min(wait_ms, kGlanceMs)));
    for (std::size_t k = 0; k < running.size(); ++k) {
      Child& child = children[running[k]];
      const bool ended = has_ended(child);  // looked at before its pipe is: what it wrote is all there then
      if ((ended || polls[k].revents != 0) && !receive_all(child)) return running[k];
      if (ended) {
        child.left_behind = true;
        return running[k];
      }
      if (is_out_of_time(child)) {
        child.timed_out = true;
        return running[k];
      }
    }
  }
}

// Ends the children that nobody here has started: /proc/self/task/<tid>/children has them.
void end_orphans() {
  constexpr int kMostLooks = 100;  // one that is just starting another may hide that
  for (int look = 0; look < kMostLooks; ++look) {
    std::ifstream file("/proc/self/task/" + std::to_string(getpid()) + "/children");
    bool any = false;
    for (pid_t orphan = 0; file >> orphan;) {
      any = true;
      kill(orphan, SIGKILL);
      waitpid(orphan, nullptr, 0);
    }
    if (!any) return;
  }
}

}  // namespace

const char* name_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::unsupported:
      return "unsupported";
  }
  return "";
}

void note(const std::string& doing) {
  if (current_account == nullptr) return;
  const std::size_t size = std::min(doing.size(), kNoteCapacity - 1);
  std::memcpy(current_account->doing, doing.data(), size);
  current_account->doing[size] = '\0';
}

void expect_another_filter() noexcept { ++expected_filters; }

void end_child(Verdict verdict, const char* reason) noexcept {
  answer(verdict == Verdict::pass ? 'p' : verdict == Verdict::unsupported ? 'u' : 'f', reason);
  _exit(0);
}

std::vector<Outcome> run_in_children(const std::vector<Task>& tasks, const Limits& limits) {
  // What leaves the process group of a check becomes a child of this process when the check ends.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::vector<Child> children(tasks.size());
  std::vector<Outcome> outcomes(tasks.size());
  std::vector<std::size_t> running;
  std::size_t next = 0;
  while (next < tasks.size() || !running.empty()) {
    if (next < tasks.size() && running.size() < limits.at_once) {
      children[next] = start([&task = tasks[next]] { run_task(task); }, limits.seconds);
      running.push_back(next++);
      continue;
    }
    const std::size_t ended = wait_for_one(children, running);
    outcomes[ended] = outcome_of(children[ended]);
    running.erase(std::find(running.begin(), running.end(), ended));
  }
  end_orphans();
  return outcomes;
}

std::string text_from_child(const std::function<std::string()>& make) {
  constexpr double kSeconds = 3600;  // the parent is a child with a limit of its own
  std::vector<Child> children;
  children.push_back(start(
      [&make] {
        try {
          answer('p', make());
        } catch (const LacksHere& reason) {
          const Outcome outcome = outcome_of(reason);
          answer(outcome.verdict == Verdict::fail ? 'f' : 'u', outcome.reason);
        } catch (const NotJudged& reason) {
          answer('u', reason.what());
        } catch (const std::exception& reason) {
          answer('f', reason.what());
        }
      },
      kSeconds));
  wait_for_one(children, {0});
  Child& child = children[0];
  const std::string end = finish(child);
  if (!end.empty()) throw std::runtime_error(end + ".");
  if (child.received.empty()) throw std::runtime_error("it ended the process in the middle of the check.");
  const std::string text = child.received.substr(1);
  if (child.received[0] == 'u') throw NotJudged(text);
  if (child.received[0] != 'p') throw std::runtime_error(text);
  return text;
}

}  // namespace headroom::check
