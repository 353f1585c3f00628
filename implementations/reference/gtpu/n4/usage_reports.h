// SPDX-License-Identifier: Apache-2.0
//
// Usage reporting (3GPP TS 29.244, clauses 5.2.2.2 and 5.2.2.3): UsageReports turns counters and time into Usage
// Reports.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "gtpu/n4/rule_reader.h"
#include "gtpu/n4/session_state.h"
#include "gtpu/sessions/sessions.h"
#include "gtpu/wire/pfcp.h"

namespace headroom::gtpu::n4 {

// Bits of Usage Report Trigger (8.2.41), with the first octet in bits 0 to 7. The first seven bits, and VOLQU and
// TIMQU, are the same as in Reporting Triggers.
inline constexpr std::uint32_t kImmer = 0x80, kLiusaReport = 0x400, kTermr = 0x800;

class UsageReports {
 public:
  // The timer of a URR.
  struct Timer {
    std::uint64_t at = 0;
    std::uint64_t seid = 0;
    std::uint32_t urr = 0;
    bool operator>(const Timer& other) const noexcept { return at > other.at; }
  };
  // The last measurement of a URR that is about to be removed.
  struct Final {
    Urr urr{};
    UrrState state{};
    Measurement measurement{};
  };

  // `recovery_time` is time 0 of the injected clock, in seconds since 1900.
  explicit UsageReports(std::uint32_t recovery_time) : recovery_time_(recovery_time) {}

  // Adapts `state` to a change of the session's URRs: starts new URRs, ends removed ones, and sets limits.
  void follow(const Session& session, SessionState& state, std::span<const RuleReader::NewQuota> new_quotas,
              std::uint64_t now);
  // Returns the URR's measurement, for a report after the URR's removal. REQUIRES: the session has the URR.
  [[nodiscard]] static Final final_report(const Session& session, const SessionState& state, const Urr& urr,
                                          std::uint64_t now);

  // Returns the triggers for which the URR must be reported now; 0: none. `reached` is from an Event.
  [[nodiscard]] std::uint32_t triggers(const Session& session, UrrState& state, const Urr& urr, std::uint32_t reached,
                                       std::uint64_t now);
  // Writes a Usage Report and begins the next measurement. Writes nothing if the session has no such URR.
  void write(pfcp::MessageWriter& out, pfcp::IeType type, const Session& session, SessionState& state,
             std::uint32_t urr, std::uint32_t triggers, std::uint64_t now);
  void write_final(pfcp::MessageWriter& out, pfcp::IeType type, const Final& final, std::uint64_t now) const;

  // Sets the timer of a URR.
  void set_timer(const Session& session, UrrState& state, const Urr& urr, std::uint64_t now);
  // Removes and returns a timer that has expired. Its session or URR may be gone.
  [[nodiscard]] std::optional<Timer> expired(std::uint64_t now);
  [[nodiscard]] std::uint64_t deadline() const noexcept { return timers_.empty() ? kNever : timers_.top().at; }

  [[nodiscard]] static UrrState* find(SessionState& state, std::uint32_t urr) noexcept;
  [[nodiscard]] static const Urr* find(const Rules& rules, std::uint32_t urr) noexcept;

 private:
  [[nodiscard]] static Measurement measure(const Usage& usage, const Urr& urr, const UrrState& state,
                                           std::uint64_t now) noexcept;
  void begin(Usage& usage, UrrState& state, const Urr& urr, std::uint64_t now);
  static void set_quotas(Usage& usage, UrrState& state, const Urr& urr, const RuleReader::NewQuota& which,
                         std::uint64_t now);
  static void set_thresholds(Usage& usage, const UrrState& state, const Urr& urr) noexcept;
  void write(pfcp::MessageWriter& out, pfcp::IeType type, const Urr& urr, const UrrState& state,
             const Measurement& measurement, std::uint32_t triggers, std::uint64_t now) const;
  [[nodiscard]] std::uint32_t seconds(std::uint64_t ns) const noexcept {
    return recovery_time_ + static_cast<std::uint32_t>(ns / 1'000'000'000);
  }

  std::uint32_t recovery_time_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_{};
};

}  // namespace headroom::gtpu::n4
