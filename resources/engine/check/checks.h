// SPDX-License-Identifier: Apache-2.0
//
// The checks, by subject. Each runs in a child process of its own and returns an outcome, or throws: NotJudged means
// that nothing can be said, any other exception is a failure.
#ifndef HEADROOM_CHECK_CHECKS_H
#define HEADROOM_CHECK_CHECKS_H

#include <string>
#include <vector>

#include "check/caller.h"
#include "check/child.h"

namespace headroom::check {

struct Check {
  const char* name;
  const char* promise;  // the checked promise as half a sentence
  Outcome (*run)(const Subject&);
};

// Returns the checks of the table, which must pass before any other check. They run in this order; the first failure
// ends them.
[[nodiscard]] const std::vector<Check>& table_checks();
// Returns all other checks, in any order.
[[nodiscard]] const std::vector<Check>& other_checks();

// table_checks.cc
Outcome check_loads(const Subject& subject);
Outcome check_version(const Subject& subject);
Outcome check_struct_size(const Subject& subject);
Outcome check_functions(const Subject& subject);
Outcome check_describe(const Subject& subject);

// configuration_checks.cc
struct Refused {
  std::int32_t role;
  std::string config;
  std::string what;  // what is wrong with the configuration
};
// Throws Broken if `create` does not refuse the configuration as it should.
void check_refusal(const headroom_api& api, const Refused& refused);
// Adds configurations that an adapter of the subject's scheme must refuse.
void add_known(std::vector<Refused>& bad, const Subject& subject, std::int32_t role);
Outcome check_create(const Subject& subject);
Outcome check_bad_configuration(const Subject& subject);
Outcome check_statistics(const Subject& subject);
Outcome check_control(const Subject& subject);

// outcome_checks.cc
Outcome check_round_trip(const Subject& subject);
Outcome check_outcome_fields(const Subject& subject);
Outcome check_channel(const Subject& subject);
Outcome check_piggyback(const Subject& subject);

// segment_checks.cc
Outcome check_segments(const Subject& subject);

// drain_checks.cc
Outcome check_drain(const Subject& subject);
Outcome check_deadline(const Subject& subject);
Outcome check_lost_frames(const Subject& subject);

// bounds_checks.cc
Outcome check_output_bounds(const Subject& subject);
Outcome check_input_bounds(const Subject& subject);
Outcome check_input_untouched(const Subject& subject);

// lifetime_checks.cc
Outcome check_buffer_lifetime(const Subject& subject);

// room_checks.cc
Outcome check_no_space(const Subject& subject);

// status_checks.cc
Outcome check_status(const Subject& subject);

// purity_checks.cc
Outcome check_instances_independent(const Subject& subject);
Outcome check_deterministic(const Subject& subject);
Outcome check_bursts(const Subject& subject);

// system_checks.cc
Outcome check_no_clock(const Subject& subject);
Outcome check_no_system_calls(const Subject& subject);
Outcome check_no_allocation(const Subject& subject);
Outcome check_quiet(const Subject& subject);
Outcome check_threads(const Subject& subject);
Outcome check_files(const Subject& subject);
Outcome check_memory_flat(const Subject& subject);
Outcome check_destroy_frees(const Subject& subject);

// hostile_checks.cc
Outcome check_hostile_packets(const Subject& subject);
Outcome check_hostile_feedback(const Subject& subject);

// Calls `visit` for each role that the adapter has.
template <typename Visit>
void for_each_role(const Subject& subject, Visit&& visit) {
  if (subject.compressor) visit(HEADROOM_COMPRESSOR);
  if (subject.decompressor) visit(HEADROOM_DECOMPRESSOR);
  if (subject.endpoint) visit(HEADROOM_ENDPOINT);
  if (subject.user_plane) visit(HEADROOM_USER_PLANE);
}

}  // namespace headroom::check

#endif  // HEADROOM_CHECK_CHECKS_H
