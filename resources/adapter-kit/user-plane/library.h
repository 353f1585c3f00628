/* SPDX-License-Identifier: Apache-2.0
 *
 * The library behind the adapter: a stand-in for yours, the smallest that conforms. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include "headroom_user_plane.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct library library; /* one worker of a user plane */

/* Returns NULL, with a sentence in `error`, where it cannot be made. */
library *library_create(int32_t role, const char *config, char *error, size_t capacity);
library *library_add_worker(library *first, char *error, size_t capacity);
void library_destroy(library *self);
size_t library_memory(const library *self);
uint32_t library_sessions(const library *self);

/* Returns the status of one packet, forwarded in place; fills `reason` and `more` as headroom_user_plane.h says. */
int32_t library_forward(library *self, headroom_user_packet *packet);

/* Fills the next packet that waits to be sent. Returns 0 when none does. */
int32_t library_take(library *self, headroom_user_packet *packet);

#ifdef __cplusplus
}
#endif

#endif
