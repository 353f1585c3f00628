// SPDX-License-Identifier: Apache-2.0
//
// The promises that the faulty user planes break, one each. X(name, the checks that must find it)
#ifndef HEADROOM_TESTS_FAULTY_USER_PLANE_FAULTS_H
#define HEADROOM_TESTS_FAULTY_USER_PLANE_FAULTS_H

// clang-format off
#define HEADROOM_USER_PLANE_FAULTS(X)                                                                    \
  X(none, "")                                  /* the user plane as it should be */                      \
  X(has_no_take, "functions")                                                                            \
  X(accepts_anything, "create")                                                                          \
  X(claims_a_control_plane, "create")          /* N4, which it does not have */                          \
  X(writes_in_front_of_the_room, "forward")                                                              \
  X(writes_behind_the_room, "forward")                                                                   \
  X(moves_a_packet_away, "forward")                                                                      \
  X(sends_more_than_there_is, "forward")                                                                 \
  X(has_a_side_of_its_own, "forward")                                                                    \
  X(has_a_status_of_its_own, "forward")                                                                  \
  X(leaves_a_packet_without_status, "forward")                                                           \
  X(never_stops_giving, "forward")                                                                       \
  X(forwards_one_way, "forward")                                                                         \
  X(keeps_sessions_from_others, "workers")     /* other workers */                                       \
  X(counts_its_burst, "bursts")                                                                          \
  X(shares_a_counter, "bursts deterministic")  /* of packets, over all user planes */                    \
  X(reads_the_clock, "no_clock")                                                                         \
  X(allocates_for_a_packet, "no_allocation")                                                             \
  X(prints, "quiet")                                                                                     \
  X(hoards_memory, "no_system_calls no_allocation memory_flat")                                          \
  X(trusts_the_length, "hostile_packets")      /* of the packet in a packet */                           \
  X(aborts_on_garbage, "hostile_packets")                                                                \
  X(exits_after_garbage, "hostile_packets")    /* when it is destroyed, without an error */              \
  X(forges_an_answer, "hostile_packets")       /* of the engine's, when it gets garbage */
// clang-format on

namespace faulty_user_plane {

#define HEADROOM_FAULT_NAME(name, check) name,
enum class Fault { HEADROOM_USER_PLANE_FAULTS(HEADROOM_FAULT_NAME) };
#undef HEADROOM_FAULT_NAME

// Each library has another value, from select.cc.
extern const Fault kFault;

}  // namespace faulty_user_plane

#endif  // HEADROOM_TESTS_FAULTY_USER_PLANE_FAULTS_H
