// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/cycles.h"
#include "base/error.h"

namespace headroom {

void pin_to_core(unsigned core, const std::string& where) {
  if (core >= CPU_SETSIZE) {
    throw Error(ErrorKind::job, "there is no core " + std::to_string(core) + ".", where);
  }
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  cpu_set_t now;
  if (sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &cores)) return;  // perhaps for good
  if (sched_setaffinity(0, sizeof cores, &cores) != 0) {
    throw Error(ErrorKind::job,
                "this process cannot run on core " + std::to_string(core) + ": " + std::strerror(errno) +
                    ". Choose one that sched_getaffinity(2) lists.",
                where);
  }
}

std::optional<CoreJiffies> parse_core_jiffies(std::string_view proc_stat, unsigned core) {
  std::istringstream lines{std::string(proc_stat)};
  const std::string wanted = "cpu" + std::to_string(core);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    if (name != wanted) continue;
    CoreJiffies j;
    fields >> j.user >> j.nice >> j.system >> j.idle >> j.iowait >> j.irq >> j.softirq >> j.steal;
    if (!fields) return std::nullopt;
    return j;
  }
  return std::nullopt;
}

std::optional<CoreJiffies> read_core_jiffies(unsigned core) {
  std::ifstream file("/proc/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_core_jiffies(text, core);
}

Json json_of(const std::optional<CoreJiffies>& jiffies) {
  if (!jiffies) return nullptr;
  return {{"user", jiffies->user},       {"nice", jiffies->nice},     {"system", jiffies->system},
          {"idle", jiffies->idle},       {"iowait", jiffies->iowait}, {"irq", jiffies->irq},
          {"softirq", jiffies->softirq}, {"steal", jiffies->steal}};
}

std::uint64_t resident_octets() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t processor_time_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);  // has the kernel bring the other one up to date
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

ProcessorTimes processor_times() {
  constexpr std::uint64_t kLittle = 20'000;  // nanoseconds
  constexpr int kMostReadings = 20;
  ProcessorTimes times;
  std::uint64_t least = ~std::uint64_t{0};
  for (int reading = 0; reading < kMostReadings && least > kLittle; ++reading) {
    const std::uint64_t thread = thread_cpu_ns();
    const std::uint64_t process = processor_time_ns();
    const std::uint64_t between = thread_cpu_ns() - thread;
    if (between < least) times = {process, thread};
    least = std::min(least, between);
  }
  return times;
}

namespace {

std::uint64_t involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

// Of all kinds; those of threads that have ended count, too.
std::uint64_t switches_of_others() {
  rusage all{}, own{};
  getrusage(RUSAGE_SELF, &all);
  getrusage(RUSAGE_THREAD, &own);
  const long others = all.ru_nvcsw + all.ru_nivcsw - own.ru_nvcsw - own.ru_nivcsw;
  return static_cast<std::uint64_t>(std::max(others, 0L));
}

}  // namespace

Switches::Switches() : involuntary_(involuntary_switches()), of_others_(switches_of_others()) {}

std::uint64_t Switches::by_other_processes() const {
  const std::uint64_t involuntary = involuntary_switches() - involuntary_;
  const std::uint64_t others = switches_of_others();
  return involuntary - std::min(involuntary, others - std::min(others, of_others_));
}

unsigned current_core() {
  const int core = sched_getcpu();
  return core < 0 ? 0 : static_cast<unsigned>(core);
}

}  // namespace headroom
