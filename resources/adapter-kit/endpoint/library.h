/* SPDX-License-Identifier: Apache-2.0
 *
 * The library behind the adapter: a stand-in for yours, the smallest that conforms. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include "headroom_messages.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct library library;

/* Returns NULL, with a sentence in `error`, where it cannot be made. */
library *library_create(int32_t role, const char *config, char *error, size_t capacity);
void library_destroy(library *self);
size_t library_memory(const library *self);
size_t library_sessions(const library *self);

/* As the functions of the same names in headroom_sessions.h and headroom_messages.h. */
int32_t library_open(library *self, uint32_t session, const char *json, char *error, size_t capacity);
int32_t library_close(library *self, uint32_t session);
int32_t library_accept(library *self, uint32_t session, headroom_message_detail *detail);

/* Compresses or decompresses one message. Returns its status (headroom_status), and fills `out_length` and `detail`,
 * which is zero before. */
int32_t library_process(library *self, int32_t compressing, headroom_packet *packet, headroom_message_detail *detail);

#ifdef __cplusplus
}
#endif

#endif
