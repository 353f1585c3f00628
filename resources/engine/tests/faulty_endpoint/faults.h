// SPDX-License-Identifier: Apache-2.0
//
// The promises of an endpoint that the faulty endpoints break, one each. X(name, the check that must find it, or two)
#ifndef HEADROOM_TESTS_FAULTY_ENDPOINT_FAULTS_H
#define HEADROOM_TESTS_FAULTY_ENDPOINT_FAULTS_H

// clang-format off
#define HEADROOM_ENDPOINT_FAULTS(X)                                                                               \
  X(none, "")                                  /* the endpoint as it should be */                        \
  X(lists_tools_it_lacks, "endpoint_functions")                                                          \
  X(takes_any_transport, "create")                                                                       \
  X(takes_any_role, "create")                                                                            \
  X(refuses_unknown_keys, "create")                                                                      \
  X(refuses_silently, "create")                                                                          \
  X(poor_statistics, "statistics")                                                                       \
  X(takes_all_memory, "statistics")            /* by its statistics */                                   \
  X(opens_twice, "compartments")                                                                         \
  X(opens_with_unknown_keys, "compartments")                                                             \
  X(opens_what_is_no_number, "compartments")                                                             \
  X(closes_what_is_not_open, "compartments")                                                             \
  X(compresses_for_nobody, "compartments")     /* for a compartment that is not open */                  \
  X(spoils_an_octet, "messages")                                                                         \
  X(drops_everything, "messages nacks streams") /* that it is to decompress */                            \
  X(misses_state_always, "messages streams")   /* fails and says so, whatever the message refers to */   \
  X(declines_everything, "messages streams")   /* that it is to compress */                              \
  X(nacks_what_came_out, "messages")                                                                     \
  X(remembers_nothing, "messages acceptance")  /* of what was accepted */                                \
  X(accepts_without_a_message, "acceptance")                                                             \
  X(accepts_twice, "acceptance")                                                                         \
  X(accepts_for_nobody, "acceptance")          /* for a compartment that is not open */                  \
  X(accepts_what_was_carried_out, "acceptance")                                                          \
  X(accepts_what_the_input_holds, "messages acceptance buffer_lifetime") /* by then */ \
  X(never_nacks, "nacks")                                                                                \
  X(nacks_twice, "nacks")                                                                                \
  X(fails_in_silence, "nacks")                 /* with another status */                                 \
  X(tells_more_than_asked, "message_detail")                                                             \
  X(forgets_the_rest_of_a_piece, "streams")                                                              \
  X(gives_each_message_twice, "streams")       /* of a stream */                                         \
  X(streams_for_nobody, "streams")             /* without a compartment */                               \
  X(never_wants_more, "streams hostile_messages")                                                        \
  X(writes_beyond_the_output, "output_bounds")                                                           \
  X(claims_more_than_there_is_room, "output_bounds")                                                     \
  X(claims_another_room, "output_bounds")      /* in the packet, too */                                  \
  X(calls_want_of_room_malformed, "status")                                                              \
  X(shares_a_counter, "deterministic")                                                                   \
  X(shares_what_it_remembers, "deterministic")                                                           \
  X(reads_the_clock, "no_clock")                                                                         \
  X(prints, "quiet")                                                                                     \
  X(starts_a_thread, "threads")                                                                          \
  X(leaves_a_file_open, "files")                                                                         \
  X(keeps_every_message, "memory_flat")                                                                  \
  X(leaks_when_destroyed, "destroy_frees")                                                               \
  X(aborts_on_garbage, "nacks buffer_lifetime hostile_messages")                                                         \
  X(forges_a_result, "nacks buffer_lifetime hostile_messages") /* of the engine's, when it gets garbage */               \
  X(passes_itself, "nacks buffer_lifetime hostile_messages") /* as a check's child tells its parent, when it gets garbage */ \
  X(never_stops_nacking, "nacks hostile_messages")                                                       \
  X(has_an_answer_for_everything, "tool")                                                                \
  X(answers_in_two_ways, "tool")                                                                         \
  X(answers_without_room, "tool")
// clang-format on

namespace faulty_endpoint {

#define HEADROOM_FAULT_NAME(name, check) name,
enum class Fault { HEADROOM_ENDPOINT_FAULTS(HEADROOM_FAULT_NAME) };
#undef HEADROOM_FAULT_NAME

// Each library has another value, from select.cc.
extern const Fault kFault;

}  // namespace faulty_endpoint

#endif  // HEADROOM_TESTS_FAULTY_ENDPOINT_FAULTS_H
