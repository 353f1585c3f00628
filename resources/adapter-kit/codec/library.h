/* SPDX-License-Identifier: Apache-2.0
 *
 * The library behind the adapter: a stand-in for yours, the smallest that conforms. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include "headroom.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct library library;

/* Returns NULL, with a sentence in `error`, where it cannot be made. */
library *library_create(int32_t role, const char *config, char *error, size_t capacity);
void library_destroy(library *self);
uint32_t library_channels(const library *self);
size_t library_memory(const library *self);

/* Compresses or decompresses one packet, which has octets and a channel. Returns its status (headroom_status). Fills
 * `out_length` and, where it has further outputs, `more`; `out_type` where it is not the default. */
int32_t library_process(library *self, headroom_packet *packet);

/* Fills the next output that waits, as `library_process` does. Returns 0 when none does. */
int32_t library_next(library *self, headroom_packet *packet);

#ifdef __cplusplus
}
#endif

#endif
