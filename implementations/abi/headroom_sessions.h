/* SPDX-License-Identifier: Apache-2.0
 *
 * Extension "sessions" of the Headroom adapter ABI: sessions of an instance, each with its own configuration. The
 * caller chooses the 32-bit number of a session, and packets carry it in `channel`. The compartments of SigComp are
 * sessions (RFC 3320, 3.1).
 */
#ifndef HEADROOM_ABI_HEADROOM_SESSIONS_H
#define HEADROOM_ABI_HEADROOM_SESSIONS_H

#include "headroom.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEADROOM_SESSIONS "sessions"

/* HEADROOM_NO_SESSION is the number of no session: in a packet whose session is not known, or not yet. */
#define HEADROOM_NO_SESSION 0xFFFFFFFFu

typedef struct headroom_sessions {
  uint32_t struct_size; /* sizeof(headroom_sessions) of the header the adapter was compiled with */
  uint32_t reserved;    /* 0 */

  /* Opens a session with a JSON object (or NULL for {}) of its settings, which implementations/README.md describes.
   * Returns 1, or 0 with a sentence in `error`: the number is in use, there are too many sessions, or a setting is not
   * supported. */
  int32_t (*open)(headroom_instance *self, uint32_t session, const char *json, char *error, size_t error_capacity);
  /* Closes a session and frees all that is kept for it. Returns 1, or 0 if there is no such session. */
  int32_t (*close)(headroom_instance *self, uint32_t session);
  /* Changes the settings of an open session. Returns 1, or 0 with a sentence; then no setting has changed. Optional
   * (NULL). */
  int32_t (*modify)(headroom_instance *self, uint32_t session, const char *json, char *error,
                    size_t error_capacity) HEADROOM_OPTIONAL;
} headroom_sessions;

#ifdef __cplusplus
}
#endif

#endif /* HEADROOM_ABI_HEADROOM_SESSIONS_H */
