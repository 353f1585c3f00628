/* SPDX-License-Identifier: Apache-2.0
 *
 * Extension "sessions" of the Headroom adapter ABI: sessions of an instance, each configured by itself. A session has a
 * 32-bit number of the caller's choice, which packets carry in `channel`.
 *
 * They are the compartments of SigComp (RFC 3320, 3.1).
 */
#ifndef HEADROOM_ABI_HEADROOM_SESSIONS_H
#define HEADROOM_ABI_HEADROOM_SESSIONS_H

#include "headroom.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEADROOM_SESSIONS "sessions"

/* No session's number: a packet whose session is not known, or not yet. */
#define HEADROOM_NO_SESSION 0xFFFFFFFFu

typedef struct headroom_sessions {
  uint32_t struct_size; /* sizeof(headroom_sessions) of the header the adapter was compiled with */
  uint32_t reserved;    /* 0 */

  /* Opens a session with a JSON object (or NULL for {}) of its settings, which implementations/README.md describes.
   * Returns 1, or 0 with a sentence in `error`: the number is taken, there are too many, a key cannot be followed. */
  int32_t (*open)(headroom_instance *self, uint32_t session, const char *json, char *error, size_t error_capacity);
  /* Closes it: all that is kept for it is given back. Returns 0 when there is no such session. */
  int32_t (*close)(headroom_instance *self, uint32_t session);
  /* Optional (NULL). Changes the settings of an open session. Returns 1, or 0 with a sentence; then all is as before.
   */
  int32_t (*modify)(headroom_instance *self, uint32_t session, const char *json, char *error,
                    size_t error_capacity) HEADROOM_OPTIONAL;
} headroom_sessions;

#ifdef __cplusplus
}
#endif

#endif /* HEADROOM_ABI_HEADROOM_SESSIONS_H */
