// SPDX-License-Identifier: Apache-2.0
//
// The kernel's data about this process and the cores: affinity, jiffies of /proc/stat, resident memory, context
// switches.
#ifndef HEADROOM_BASE_PROCESS_H
#define HEADROOM_BASE_PROCESS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_reader.h"

namespace headroom {

// The counters of one line of /proc/stat in jiffies (proc(5)).
struct CoreJiffies {
  std::uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
};

// Binds the calling thread to one core with sched_setaffinity. Throws Error(job) at `where` if this process may not use
// the core.
void pin_to_core(unsigned core, const std::string& where);

// Returns the line of core `core` in the text of /proc/stat, or nothing if it is missing or malformed.
[[nodiscard]] std::optional<CoreJiffies> parse_core_jiffies(std::string_view proc_stat, unsigned core);
[[nodiscard]] std::optional<CoreJiffies> read_core_jiffies(unsigned core);

// Returns {"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"}; null without a value.
[[nodiscard]] Json json_of(const std::optional<CoreJiffies>& jiffies);

// Returns the octets of this process that are in memory (/proc/self/statm).
[[nodiscard]] std::uint64_t resident_octets();

// Returns the processor time of this process, all threads together, in nanoseconds.
[[nodiscard]] std::uint64_t processor_time_ns();

// Processor times in nanoseconds.
struct ProcessorTimes {
  std::uint64_t process = 0;  // of all threads together
  std::uint64_t thread = 0;   // of the calling one
};

// Returns both as of one moment, so that what other threads had is the difference. Reads them again if much lies
// between the readings, as where a hypervisor stops the machine there.
[[nodiscard]] ProcessorTimes processor_times();

// Switches counts context switches of the calling thread from its construction on.
class Switches {
 public:
  Switches();
  // Returns the involuntary ones, without as many as other threads of this process have had: they may have caused them.
  [[nodiscard]] std::uint64_t by_other_processes() const;

 private:
  std::uint64_t involuntary_, of_others_;
};

// Returns the core on which the calling thread runs.
[[nodiscard]] unsigned current_core();

}  // namespace headroom

#endif  // HEADROOM_BASE_PROCESS_H
