// SPDX-License-Identifier: Apache-2.0
#include "gtpu/n4/usage_reports.h"

#include <algorithm>

#include "mutants.h"

namespace headroom::gtpu::n4 {
namespace {

constexpr std::uint8_t kDurationMethod = 0x01, kVolumeMethod = 0x02;               // 8.2.40
constexpr std::uint8_t kInactive = 0x02, kImmediateStart = 0x08, kPackets = 0x10;  // INAM, ISTM, MNOP (8.2.68)
constexpr std::uint32_t kTimeTriggers = pfcp::kTimth | pfcp::kTimqu;
// A duration that has stopped is looked at again after so long at least.
constexpr std::uint64_t kStoppedPoll = 100'000'000;

[[nodiscard]] std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept { return b > kNever - a ? kNever : a + b; }

[[nodiscard]] Measurement::Count counted(const Usage::Counter& counter) noexcept {
  return {counter.octets.load(std::memory_order_relaxed), counter.packets.load(std::memory_order_relaxed)};
}

[[nodiscard]] bool is_at(std::uint64_t octets, const std::atomic<std::uint64_t>& limit) noexcept {
  const std::uint64_t value = limit.load(std::memory_order_relaxed);
  return value != kUnlimited && octets >= value;
}

[[nodiscard]] bool threshold_reached(const Usage& usage, const Measurement& m) noexcept {
  return is_at(m.total.octets, usage.total_limit.threshold_at) ||
         is_at(m.uplink.octets, usage.uplink_limit.threshold_at) ||
         is_at(m.downlink.octets, usage.downlink_limit.threshold_at);
}

[[nodiscard]] bool quota_reached(const Usage& usage, const Measurement& m) noexcept {
  return is_at(m.total.octets, usage.total_limit.quota_at) || is_at(m.uplink.octets, usage.uplink_limit.quota_at) ||
         is_at(m.downlink.octets, usage.downlink_limit.quota_at);
}

// Time measurement begins with the first packet, or at once (ISTM). Without packets it stops after the Inactivity
// Detection Time.
[[nodiscard]] bool stopped(const Measurement& m, const Urr& urr, std::uint64_t now) noexcept {
  if ((urr.information & kImmediateStart) != 0) return false;
  return m.first_packet_ns == kNever || (urr.inactivity_ns != 0 && now > sum(m.last_packet_ns, urr.inactivity_ns));
}

}  // namespace

UrrState* UsageReports::find(SessionState& state, std::uint32_t urr) noexcept {
  const auto found = std::find_if(state.urrs.begin(), state.urrs.end(), [&](const UrrState& u) { return u.id == urr; });
  return found == state.urrs.end() ? nullptr : &*found;
}

const Urr* UsageReports::find(const Rules& rules, std::uint32_t urr) noexcept {
  const auto found = std::find_if(rules.urrs.begin(), rules.urrs.end(), [&](const Urr& u) { return u.id == urr; });
  return found == rules.urrs.end() ? nullptr : &*found;
}

Measurement UsageReports::measure(const Usage& usage, const Urr& urr, const UrrState& state,
                                  std::uint64_t now) noexcept {
  Measurement m;
  m.uplink = counted(usage.uplink);
  m.downlink = counted(usage.downlink);
  m.total = {m.uplink.octets + m.downlink.octets, m.uplink.packets + m.downlink.packets};
  m.first_packet_ns = usage.first_packet_ns.load(std::memory_order_relaxed);
  m.last_packet_ns = usage.last_packet_ns.load(std::memory_order_relaxed);
  if ((urr.information & kImmediateStart) != 0) {
    m.duration_ns = now - state.created_ns;
  } else if (m.first_packet_ns <= now) {
    const std::uint64_t end = stopped(m, urr, now) ? sum(m.last_packet_ns, urr.inactivity_ns) : now;
    const std::uint64_t idle = usage.idle_ns.load(std::memory_order_relaxed);
    m.duration_ns = end - m.first_packet_ns - std::min(idle, end - m.first_packet_ns);
  }
  return m;
}

void UsageReports::follow(const Session& session, SessionState& state, std::span<const RuleReader::NewQuota> new_quotas,
                          std::uint64_t now) {
  const Rules& rules = Sessions::rules_of(session);
  std::erase_if(state.urrs, [&](const UrrState& u) { return find(rules, u.id) == nullptr; });
  for (const Urr& urr : rules.urrs) {
    Usage* const usage = Sessions::usage_of(session, urr.id);
    if (usage == nullptr) continue;
    UrrState* known = find(state, urr.id);
    if (known == nullptr) {
      known = &state.urrs.emplace_back();
      begin(*usage, *known, urr, now);
    }
    for (const RuleReader::NewQuota& quota : new_quotas) {
      if (quota.urr == urr.id && !mutant("gtpu-new-quota-ignored")) set_quotas(*usage, *known, urr, quota, now);
    }
    const std::uint64_t period = (urr.triggers & pfcp::kPerio) != 0 ? urr.period_ns : kNever;
    if (known->period_ns != period) known->period_at = sum(now, period);
    known->period_ns = period;
    usage->inactivity_s.store(static_cast<std::uint32_t>(urr.inactivity_ns / 1'000'000'000), std::memory_order_relaxed);
    usage->has_inactivity.store(urr.inactivity_ns != 0, std::memory_order_relaxed);
    usage->inactive.store((urr.information & kInactive) != 0, std::memory_order_relaxed);
    usage->counts_packets.store((urr.information & kPackets) != 0, std::memory_order_relaxed);
    set_thresholds(*usage, *known, urr);
    set_timer(session, *known, urr, now);
  }
}

void UsageReports::begin(Usage& usage, UrrState& state, const Urr& urr, std::uint64_t now) {
  state.id = urr.id;
  state.created_ns = state.start_ns = now;
  set_quotas(usage, state, urr, {urr.id, true, true}, now);
  const bool waits = (urr.triggers & kTimeTriggers) != 0 && (urr.information & kImmediateStart) == 0;
  usage.reports_start.store(waits || (urr.triggers & pfcp::kStart) != 0, std::memory_order_relaxed);
}

void UsageReports::set_quotas(Usage& usage, UrrState& state, const Urr& urr, const RuleReader::NewQuota& which,
                              std::uint64_t now) {
  const Measurement m = measure(usage, urr, state, now);
  state.quota_ns = now;
  state.holding_reported = false;
  if (which.volume) {
    usage.total_limit.quota_at.store(sum(m.total.octets, urr.volume_quota.total), std::memory_order_relaxed);
    usage.uplink_limit.quota_at.store(sum(m.uplink.octets, urr.volume_quota.uplink), std::memory_order_relaxed);
    usage.downlink_limit.quota_at.store(sum(m.downlink.octets, urr.volume_quota.downlink), std::memory_order_relaxed);
    state.volume_quota_reported = false;
  }
  if (which.time) {
    state.time_quota_at = sum(m.duration_ns, urr.time_quota_ns);
    state.time_quota_reported = false;
  }
  // A quota of 0 is used up from the beginning.
  const bool used_up = quota_reached(usage, m) || m.duration_ns >= state.time_quota_at;
  usage.exhausted.store(used_up, std::memory_order_release);
  usage.watch_limits();
  usage.reached.fetch_and(static_cast<std::uint8_t>(~Usage::kQuota), std::memory_order_release);
}

// Thresholds count from the last report (5.2.2.2.1).
void UsageReports::set_thresholds(Usage& usage, const UrrState& state, const Urr& urr) noexcept {
  const bool watched = (urr.triggers & pfcp::kVolth) != 0;
  const auto set = [&](Usage::Limit& limit, std::uint64_t reported, std::uint64_t threshold) {
    limit.threshold_at.store(watched ? sum(reported, threshold) : kUnlimited, std::memory_order_relaxed);
  };
  set(usage.total_limit, state.reported.total.octets, urr.volume_threshold.total);
  set(usage.uplink_limit, state.reported.uplink.octets, urr.volume_threshold.uplink);
  set(usage.downlink_limit, state.reported.downlink.octets, urr.volume_threshold.downlink);
  usage.watch_limits();
  usage.reached.fetch_and(static_cast<std::uint8_t>(~Usage::kThreshold), std::memory_order_release);
}

std::uint32_t UsageReports::triggers(const Session& session, UrrState& state, const Urr& urr, std::uint32_t reached,
                                     std::uint64_t now) {
  Usage* const usage = Sessions::usage_of(session, urr.id);
  if (usage == nullptr) return 0;
  const Measurement m = measure(*usage, urr, state, now);
  std::uint32_t result = 0;
  if ((reached & Usage::kStart) != 0) result |= pfcp::kStart;
  if (threshold_reached(*usage, m) && !mutant("gtpu-volume-threshold-not-reported")) result |= pfcp::kVolth;
  if (quota_reached(*usage, m) && !state.volume_quota_reported) {
    state.volume_quota_reported = true;
    result |= pfcp::kVolqu;
  }
  if (now >= state.period_at) {
    result |= pfcp::kPerio;
    state.period_at += ((now - state.period_at) / urr.period_ns + 1) * urr.period_ns;
    if (mutant("gtpu-one-period-alone")) state.period_at = kNever;
  }
  if (m.duration_ns >= sum(state.reported.duration_ns, urr.time_threshold_ns)) {
    result |= pfcp::kTimth;
  }
  if (m.duration_ns >= state.time_quota_at && !state.time_quota_reported) {
    state.time_quota_reported = true;
    usage->exhausted.store(true, std::memory_order_release);
    result |= pfcp::kTimqu;
  }
  const std::uint64_t active = std::max(state.quota_ns, m.last_packet_ns);
  if (urr.holding_ns != kUnlimited && now >= sum(active, urr.holding_ns) && !state.holding_reported) {
    state.holding_reported = true;
    usage->exhausted.store(true, std::memory_order_release);  // what is left of the quota is given back
    result |= pfcp::kQuhti;
  }
  return result & urr.triggers;
}

void UsageReports::write(pfcp::MessageWriter& out, pfcp::IeType type, const Session& session, SessionState& state,
                         std::uint32_t id, std::uint32_t triggers, std::uint64_t now) {
  const Urr* const urr = find(Sessions::rules_of(session), id);
  UrrState* const known = find(state, id);
  Usage* const usage = Sessions::usage_of(session, id);
  if (urr == nullptr || known == nullptr || usage == nullptr) return;
  const Measurement m = measure(*usage, *urr, *known, now);
  write(out, type, *urr, *known, m, triggers, now);
  if (!mutant("gtpu-reports-not-numbered")) ++known->reports;
  if (triggers == pfcp::kStart) return;  // reports an event, and no usage
  if (!mutant("gtpu-usage-since-creation")) known->reported = m;
  known->start_ns = now;
  set_thresholds(*usage, *known, *urr);
}

UsageReports::Final UsageReports::final_report(const Session& session, const SessionState& state, const Urr& urr,
                                               std::uint64_t now) {
  Final final{urr, {}, {}};
  for (const UrrState& known : state.urrs) {
    if (known.id == urr.id) final.state = known;
  }
  if (const Usage* usage = Sessions::usage_of(session, urr.id)) {
    final.measurement = measure(*usage, urr, final.state, now);
  }
  return final;
}

void UsageReports::write_final(pfcp::MessageWriter& out, pfcp::IeType type, const Final& final,
                               std::uint64_t now) const {
  write(out, type, final.urr, final.state, final.measurement, kTermr, now);
}

// Usage Report (7.5.5.2-1, 7.5.7.2-1, 7.5.8.3-1).
void UsageReports::write(pfcp::MessageWriter& out, pfcp::IeType type, const Urr& urr, const UrrState& state,
                         const Measurement& m, std::uint32_t triggers, std::uint64_t now) const {
  const std::size_t group = out.open(type);
  out.ie(pfcp::kUrrId, urr.id, 4);
  out.ie(pfcp::kUrSeqn, state.reports, 4);
  const std::uint8_t octets[] = {static_cast<std::uint8_t>(triggers), static_cast<std::uint8_t>(triggers >> 8),
                                 static_cast<std::uint8_t>(triggers >> 16)};
  out.ie(pfcp::kUsageReportTrigger, octets);
  if (triggers != pfcp::kStart) {
    out.ie(pfcp::kStartTime, seconds(state.start_ns), 4);
    out.ie(pfcp::kEndTime, seconds(now), 4);
    if ((urr.method & kVolumeMethod) != 0) {
      const bool packets = (urr.information & kPackets) != 0;
      const std::size_t ie = out.open(pfcp::kVolumeMeasurement);
      out.number(packets ? 0x3F : 0x07, 1);
      out.number(m.total.octets - state.reported.total.octets, 8);
      out.number(m.uplink.octets - state.reported.uplink.octets, 8);
      out.number(m.downlink.octets - state.reported.downlink.octets, 8);
      if (packets) {
        out.number(m.total.packets - state.reported.total.packets, 8);
        out.number(m.uplink.packets - state.reported.uplink.packets, 8);
        out.number(m.downlink.packets - state.reported.downlink.packets, 8);
      }
      out.close(ie);
    }
    if ((urr.method & kDurationMethod) != 0) {
      const std::uint64_t duration = m.duration_ns - std::min(m.duration_ns, state.reported.duration_ns);
      out.ie(pfcp::kDurationMeasurement, duration / 1'000'000'000, 4);
    }
    // Of the packets since the last report only the last one's time is known, and the first one's of the first report.
    if (m.first_packet_ns != kNever && state.reported.first_packet_ns == kNever) {
      out.ie(pfcp::kTimeOfFirstPacket, seconds(m.first_packet_ns), 4);
    }
    if (m.first_packet_ns != kNever && m.total.octets != state.reported.total.octets) {
      out.ie(pfcp::kTimeOfLastPacket, seconds(m.last_packet_ns), 4);
    }
  }
  out.close(group);
}

void UsageReports::set_timer(const Session& session, UrrState& state, const Urr& urr, std::uint64_t now) {
  const Usage* const usage = Sessions::usage_of(session, urr.id);
  if (usage == nullptr) return;
  const Measurement m = measure(*usage, urr, state, now);
  std::uint64_t at = state.period_at;
  const auto duration = [&](std::uint64_t target) {
    if (target == kNever || m.first_packet_ns == kNever) {
      if ((urr.information & kImmediateStart) == 0 || target == kNever) return;
    }
    const std::uint64_t left = target > m.duration_ns ? target - m.duration_ns : 0;
    at = std::min(at, sum(now, stopped(m, urr, now) ? std::max(left, kStoppedPoll) : left));
  };
  if ((urr.triggers & pfcp::kTimth) != 0) duration(sum(state.reported.duration_ns, urr.time_threshold_ns));
  if (!state.time_quota_reported) duration(state.time_quota_at);
  if (!state.holding_reported) at = std::min(at, sum(std::max(state.quota_ns, m.last_packet_ns), urr.holding_ns));
  if (at >= state.timer_at) return;
  state.timer_at = at;
  timers_.push({at, session.seid, urr.id});
}

std::optional<UsageReports::Timer> UsageReports::expired(std::uint64_t now) {
  if (timers_.empty() || timers_.top().at > now) return std::nullopt;
  const Timer timer = timers_.top();
  timers_.pop();
  return timer;
}

}  // namespace headroom::gtpu::n4
