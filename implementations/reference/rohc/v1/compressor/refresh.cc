// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/refresh.h"

#include <algorithm>
#include <array>
#include <limits>

#include "mutants.h"
#include "rohc/v1/compressor/reliable.h"

namespace headroom::rohc {
namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint16_t kLongestCountdown = std::numeric_limits<std::uint16_t>::max();

bool is_unidirectional(Flow flow) noexcept {
  return flow.c.mode == wire::Mode::kUnidirectional || mutant("refreshes-in-o-mode");
}

std::uint32_t stretched(Flow flow, std::uint32_t period) noexcept {
  const std::uint64_t factor = flow.h.acked ? flow.config.acked_refresh_factor : 1;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(period * factor, kNever - 1));
}

std::uint32_t packets_until(Flow flow, std::uint32_t period) noexcept {
  return period == 0 ? kNever : stretched(flow, period);
}

std::uint32_t deadline(Flow flow, std::uint32_t period_ms, std::uint32_t now_ms) noexcept {
  return period_ms == 0 || mutant("no-refresh-by-time")
             ? kNever
             : now_ms + std::min(stretched(flow, period_ms), kNever - 1 - now_ms);
}

std::uint32_t ir_period(Flow flow) noexcept {
  const std::uint32_t longest = flow.config.ir_refresh.packets;
  const std::uint64_t start = flow.config.ir_refresh_start;
  if (longest == 0 || start == 0) return longest;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(start << std::min<unsigned>(flow.h.ir_doublings, 32), longest));
}

void start_ir(Flow flow, std::uint32_t now_ms) noexcept {
  flow.h.ir_in = packets_until(flow, ir_period(flow));
  flow.h.ir_at_ms = deadline(flow, flow.config.ir_refresh.ms, now_ms);
}

void start_fo(Flow flow, std::uint32_t now_ms) noexcept {
  flow.h.fo_in = packets_until(flow, flow.config.fo_refresh.packets);
  flow.h.fo_at_ms = deadline(flow, flow.config.fo_refresh.ms, now_ms);
}

void count_down(std::uint32_t& left, std::uint32_t packets) noexcept {
  if (left != kNever) left -= std::min(left, packets);
}

// Packets since the general path last looked, with the one at hand.
std::uint32_t packets_passed(Flow flow) noexcept {
  const std::uint32_t packets = 1U + flow.h.countdown_loaded - flow.c.refresh_countdown;
  flow.h.countdown_loaded = flow.c.refresh_countdown;
  return packets;
}

constexpr std::uint8_t kReminders = 3;
// Packets before them: after a loss that took the change, and after one that took the first reminder with it.
constexpr std::array<std::uint32_t, kReminders> kReminderPauses = {16, 64, 256};

void apply_reminders(Flow flow) noexcept {
  FlowHistory& h = flow.h;
  count_down(h.fo_in, packets_passed(flow));
  if (h.fo_in != 0) return;
  if (--h.reminders_left != 0) h.fo_in = kReminderPauses[kReminders - h.reminders_left];
  if (flow.c.lists != ListUse::kNone || h.stale_static) {
    h.ir_dyn_left = std::max<std::uint8_t>(h.ir_dyn_left, 1);
    return;
  }
  if (h.changed != 0) h.pattern_left = std::max<std::uint8_t>(h.pattern_left, 1);
  if (flow.coverage != nullptr) h.coverage_left = std::max<std::uint8_t>(h.coverage_left, 1);
}

}  // namespace

void start_refreshes(Flow flow, std::uint32_t now_ms) noexcept {
  start_ir(flow, now_ms);
  start_fo(flow, now_ms);
  flow.h.reminders_left = 0;
  flow.h.countdown_loaded = 0;
  flow.c.refresh_countdown = 0;
}

void begin_reminders(Flow flow) noexcept {
  if (flow.c.mode != wire::Mode::kOptimistic || is_unidirectional(flow)) return;
  flow.h.reminders_left = kReminders;
  flow.h.fo_in = kReminderPauses[0];
  flow.h.countdown_loaded = 0;
  flow.c.refresh_countdown = 0;
}

void apply_refreshes(Flow flow, std::uint32_t now_ms) noexcept {
  FlowHistory& h = flow.h;
  if (!is_unidirectional(flow)) {
    if (h.reminders_left != 0) apply_reminders(flow);
    return;
  }
  const std::uint32_t packets = packets_passed(flow);
  count_down(h.ir_in, packets);
  count_down(h.fo_in, packets);
  if ((h.ir_in == 0 || now_ms >= h.ir_at_ms) && !mutant("no-ir-refresh")) {
    h.ir_left = std::max(h.ir_left, static_cast<std::uint8_t>(flow.config.ir_repeats));
    h.stale_static = false;
    if (h.ir_doublings < 32) ++h.ir_doublings;
    start_ir(flow, now_ms);
    start_fo(flow, now_ms);  // an IR refreshes the dynamic part, too
  } else if ((h.fo_in == 0 || now_ms >= h.fo_at_ms) && !mutant("no-fo-refresh")) {
    h.ir_dyn_left = std::max<std::uint8_t>(h.ir_dyn_left, 1);
    start_fo(flow, now_ms);
  }
}

void load_refreshes(Flow flow) noexcept {
  FlowHistory& h = flow.h;
  if (flow.in_reliable_mode()) {  // no refreshes, but updates that fall due
    h.countdown_loaded = predictable_packets(flow);
    flow.c.refresh_countdown = h.countdown_loaded;
    flow.c.refresh_step = 1;
    flow.c.refresh_at_ms = kNever;
    return;
  }
  const bool periodic = is_unidirectional(flow);
  const bool reminders = h.reminders_left != 0;
  const std::uint32_t packets = periodic ? std::min(h.ir_in, h.fo_in) : reminders ? h.fo_in : kLongestCountdown;
  // The packet on which a refresh falls due is not one of those that the fast path may send.
  h.countdown_loaded = static_cast<std::uint16_t>(std::min<std::uint32_t>(packets - (packets != 0), kLongestCountdown));
  flow.c.refresh_countdown = h.countdown_loaded;
  flow.c.refresh_step = periodic || reminders ? 1 : 0;
  flow.c.refresh_at_ms = periodic ? std::min(h.ir_at_ms, h.fo_at_ms) : kNever;
}

void rebase_times(Flow flow, std::uint32_t ms) noexcept {
  const auto earlier = [&](std::uint32_t& time) {
    if (time != kNever) time -= std::min(time, ms);
  };
  earlier(flow.c.refresh_at_ms);
  earlier(flow.c.last_used_ms);
  earlier(flow.h.ir_at_ms);
  earlier(flow.h.fo_at_ms);
  earlier(flow.h.rejected_until_ms);
}

}  // namespace headroom::rohc
