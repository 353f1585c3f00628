// SPDX-License-Identifier: Apache-2.0
//
// The promises that the faulty adapters break, one each. X(name, the check that must find it, or two)
#ifndef HEADROOM_TESTS_FAULTY_FAULTS_H
#define HEADROOM_TESTS_FAULTY_FAULTS_H

// clang-format off
#define HEADROOM_FAULTS(X)                                                                               \
  X(none, "")                                  /* the adapter as it should be */                         \
  X(no_table, "loads")                                                                                   \
  X(next_version, "version")                                                                             \
  X(short_table, "struct_size")                                                                          \
  X(no_decompress, "functions")                                                                          \
  X(describes_no_json, "describe")                                                                       \
  X(describes_too_much, "describe")            /* writes though there is no room */                      \
  X(lists_missing_feedback, "describe")        /* and the function is NULL */                           \
  X(refuses_unknown_keys, "create")                                                                      \
  X(accepts_anything, "bad_configuration")                                                               \
  X(refuses_silently, "bad_configuration")                                                               \
  X(poor_statistics, "statistics")                                                                       \
  X(silent_control, "control")                                                                           \
  X(spoils_an_octet, "round_trip")                                                                       \
  X(spoils_three_packets_of_four, "round_trip")                                                          \
  X(writes_payloads_at_first, "round_trip deterministic")                                                \
  X(leaves_the_length_of_the_packet_before, "round_trip deterministic")                                   \
  X(compresses_nothing, "round_trip")          /* refuses every packet */                                \
  X(claims_too_many_octets, "outcome")                                                                   \
  X(claims_success_without_octets, "outcome")                                                            \
  X(has_a_status_of_its_own, "outcome")                                                                  \
  X(leaves_a_length_with_an_error, "outcome")                                                            \
  X(has_a_detail_without_name, "outcome")                                                                \
  X(changes_the_callers_fields, "outcome")                                                               \
  X(claims_too_much_feedback, "outcome")                                                                 \
  X(invents_received_feedback, "outcome")                                                                \
  X(never_stops_feeding_back, "outcome")                                                                 \
  X(takes_any_channel, "channel")                                                                        \
  X(loses_piggybacked_feedback, "piggyback")                                                             \
  X(ignores_what_the_link_takes, "segments")                                                             \
  X(leaves_out_a_segment, "segments")                                                                    \
  X(hurries_past_its_outputs, "drain")         /* goes on behind a packet that has several */            \
  X(handles_nothing, "outcome")                /* of a burst */                                          \
  X(handles_more_than_there_is, "outcome")                                                               \
  X(drains_for_ever, "outcome drain")                                                                    \
  X(has_a_deadline_that_is_over, "deadline")                                                             \
  X(has_deadlines_without_end, "deadline")                                                               \
  X(takes_a_loss_for_a_packet, "lost_frames")                                                            \
  X(sends_feedback_without_type, "outcome")                                                              \
  X(writes_past_the_output, "output_bounds")                                                             \
  X(writes_behind_the_output, "outcome output_bounds")                                                   \
  X(takes_what_did_not_fit_for_sent, "no_space")                                                         \
  X(begins_anew_for_want_of_room, "no_space")                                                            \
  X(calls_want_of_room_malformed, "status")                                                              \
  X(calls_want_of_context_malformed, "status")                                                           \
  X(calls_a_wrong_crc_malformed, "status")                                                               \
  X(reads_past_the_input, "input_bounds")                                                                \
  X(writes_the_input, "input_untouched")                                                                 \
  X(looks_at_the_input_before, "buffer_lifetime") /* of the call before */                               \
  X(shares_a_counter, "instances_independent")                                                           \
  X(sends_its_environment, "deterministic")                                                                   \
  X(sends_what_it_did_not_write, "deterministic")                                                        \
  X(reads_the_clock, "no_clock")                                                                         \
  X(reads_the_clock_when_created, "no_clock")                                                            \
  X(reads_the_time_in_seconds, "no_clock")                                                               \
  X(draws_a_random_number, "no_clock")                                                                   \
  X(calls_the_system, "no_system_calls")                                                                 \
  X(keeps_its_calls_from_being_watched, "no_clock no_system_calls")                                      \
  X(allocates_for_a_packet, "no_allocation")                                                             \
  X(allocates_through_a_pointer, "no_allocation")                                                        \
  X(allocates_through_a_variable, "no_allocation")                                                       \
  X(takes_a_lock, "no_allocation")                                                                       \
  X(counts_its_burst, "bursts")                                                                          \
  X(prints, "quiet")                                                                                     \
  X(starts_a_thread, "threads")                                                                          \
  X(leaves_a_file_open, "files")                                                                         \
  X(keeps_one_file_open_for_all, "files")                                                                \
  X(hoards_memory, "memory_flat")                                                                        \
  X(leaks_when_destroyed, "destroy_frees")                                                               \
  X(aborts_on_garbage, "hostile_packets")                                                                \
  X(hangs_on_garbage, "hostile_packets")                                                                 \
  X(throws_on_garbage, "hostile_packets")                                                                \
  X(exits_on_garbage, "hostile_packets")                                                                 \
  X(forks_on_garbage, "hostile_packets")                                                                 \
  X(lies_about_feedback_on_garbage, "hostile_packets")                                                   \
  X(leaks_on_feedback, "hostile_feedback")                                                               \
  X(aborts_on_feedback, "hostile_feedback")
// clang-format on

namespace faulty {

#define HEADROOM_FAULT_NAME(name, check) name,
enum class Fault { HEADROOM_FAULTS(HEADROOM_FAULT_NAME) };
#undef HEADROOM_FAULT_NAME

// Each library has another value, from select.cc.
extern const Fault kFault;

}  // namespace faulty

#endif  // HEADROOM_TESTS_FAULTY_FAULTS_H
