// SPDX-License-Identifier: Apache-2.0
#include "queueing/times.h"

#include <algorithm>

namespace headroom::queueing {

double Times::mean() const noexcept {
  return count() == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count());
}

Json Times::json() const {
  Json json = json_of(histogram_, 1);
  if (!json.is_null()) json["mean"] = mean();
  return json;
}

void SystemTimes::count(const JobTimes& times) noexcept {
  in_system.record(times.end_ns - times.due_ns);
  in_buffer.record(times.start_ns - times.due_ns);
  processing.record(times.end_ns - times.start_ns);
  waiting_for_lock.record(times.lock_ns);
  active_seen += times.active;
  most_active = std::max(most_active, times.active);
}

void SystemTimes::add(const SystemTimes& other) noexcept {
  in_system.add(other.in_system);
  in_buffer.add(other.in_buffer);
  processing.add(other.processing);
  waiting_for_lock.add(other.waiting_for_lock);
  active_seen += other.active_seen;
  most_active = std::max(most_active, other.most_active);
}

}  // namespace headroom::queueing
