// SPDX-License-Identifier: Apache-2.0
//
// The attacks of the intruders on the machine around them, one each.
#ifndef HEADROOM_TESTS_INTRUDER_FAULTS_H
#define HEADROOM_TESTS_INTRUDER_FAULTS_H

// clang-format off
#define HEADROOM_ATTACKS(X)      \
  X(none,)                       \
  X(reads_a_file,)               /* INTRUDER_FILE */ \
  X(writes_a_file,)              /* the same */ \
  X(makes_a_file,)               /* the same */ \
  X(fills_the_disk,)             /* in INTRUDER_FILE, a folder, and in the usual places */ \
  X(traces_its_caller,)          /* the process INTRUDER_PID */ \
  X(opens_its_callers_memory,)   \
  X(writes_its_callers_output,)  \
  X(signals_its_caller,)         \
  X(connects_to_loopback,)       /* TCP port INTRUDER_PORT */ \
  X(listens_on_loopback,)        /* the same */ \
  X(opens_a_raw_socket,)         /* in any thread of its process */ \
  X(enters_a_user_namespace,)    /* where it would have all rights */ \
  X(reaches_the_hypervisor,)     /* by a socket that no network namespace keeps apart */ \
  X(uses_keys,)                  /* of the user */ \
  X(leaves_a_daemon,)            \
  X(changes_an_output,)          /* of the engine, as it is unloaded */ \
  X(sleeps_when_loaded,)         \
  X(works_when_loaded,)          \
  X(sleeps_when_unloaded,)
// clang-format on

namespace intruder {

#define HEADROOM_ATTACK_NAME(name, ...) name,
enum class Attack { HEADROOM_ATTACKS(HEADROOM_ATTACK_NAME) };
#undef HEADROOM_ATTACK_NAME

// Each library has another value, from select.cc.
extern const Attack kAttack;

}  // namespace intruder

#endif  // HEADROOM_TESTS_INTRUDER_FAULTS_H
