// SPDX-License-Identifier: Apache-2.0
//
// The state of a session that only N4 has, in addition to the rules.
#pragma once

#include <cstdint>
#include <vector>

#include "gtpu/rules/rules.h"
#include "gtpu/wire/address.h"

namespace headroom::gtpu::n4 {

inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

// Measurement is the count of a URR up to some time.
struct Measurement {
  struct Count {
    std::uint64_t octets = 0, packets = 0;
  };
  Count total{}, uplink{}, downlink{};
  std::uint64_t duration_ns = 0;
  std::uint64_t first_packet_ns = kNever, last_packet_ns = 0;
};

// UrrState is the reporting state of a URR: the measurement already reported, and the next times at which the URR is
// checked.
struct UrrState {
  std::uint32_t id = 0;
  std::uint32_t reports = 0;  // UR-SEQN of the next report (8.2.71)
  Measurement reported{};     // measurement at the last report
  std::uint64_t created_ns = 0;
  std::uint64_t start_ns = 0;            // start of the period that the next report covers
  std::uint64_t period_ns = kNever;      // measurement period; kNever: none
  std::uint64_t period_at = kNever;      // end of the measurement period
  std::uint64_t time_quota_at = kNever;  // value of duration_ns at which the time quota is used up
  std::uint64_t quota_ns = 0;            // time at which a quota was provisioned
  std::uint64_t timer_at = kNever;       // the earliest timer that is set
  bool time_quota_reported = false, volume_quota_reported = false, holding_reported = false;
};

struct SessionState {
  std::uint64_t cp_seid = 0;
  Address cp_address{};  // address to which reports are sent
  std::uint32_t association = 0;
  std::uint32_t error_report = 0;  // sequence number of the latest Error Indication Report
  std::vector<UrrState> urrs{};
};

}  // namespace headroom::gtpu::n4
