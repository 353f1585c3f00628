/* SPDX-License-Identifier: Apache-2.0
 *
 * @NAME@ as an adapter: turns the calls of headroom.h into those of your library. TODO: library.h stands in for yours;
 * call yours in its place, and say in DESCRIPTION and implementation.yaml what yours does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "headroom.h"
#include "headroom_messages.h"
#include "library.h"

struct headroom_instance {
  library *endpoint;
  headroom_message_detail last; /* of the message compressed or decompressed last */
};

static const char DESCRIPTION[] =@DESCRIPTION@;
static const headroom_detail UNKNOWN = {0xFFFFFFFFu, 0xFFFFu, 0xFFFFu, 0xFFFFu, 255, 255, 255, 255, 0};

static size_t put_text(char *json, size_t capacity, const char *text) {
  const size_t length = strlen(text);
  if (length < capacity) memcpy(json, text, length + 1);
  return length;
}

static size_t describe(char *json, size_t capacity) { return put_text(json, capacity, DESCRIPTION); }

static void destroy(headroom_instance *self) {
  library_destroy(self->endpoint);
  free(self);
}

static headroom_instance *create(int32_t role, const char *config, char *error, size_t capacity) {
  headroom_instance *self = (headroom_instance *)calloc(1, sizeof *self);
  if (self == NULL) return NULL;
//cxx  try {
  self->endpoint = library_create(role, config, error, capacity); /* Your library is called here. */
//cxx  } catch (const std::exception &reason) {
//cxx    if (capacity != 0) snprintf(error, capacity, "%s", reason.what());
//cxx  }
  if (self->endpoint != NULL) return self;
  free(self);
  return NULL;
}

static size_t process_all(headroom_instance *self, int32_t compressing, headroom_packet *packets, size_t count,
                          headroom_detail *details) {
  for (size_t i = 0; i < count; ++i) {
    if (details != NULL) details[i] = UNKNOWN;
    memset(&self->last, 0, sizeof self->last);
    self->last.compartment = HEADROOM_NO_SESSION;
    packets[i].out_length = 0; /* else the length of an earlier message may stay */
//cxx    try {
    packets[i].status = library_process(self->endpoint, compressing, &packets[i], &self->last); /* Your library. */
//cxx    } catch (...) { /* no exception crosses the ABI */
//cxx      packets[i].status = HEADROOM_ERR_INTERNAL;
//cxx    }
    if (packets[i].status != HEADROOM_OK) packets[i].out_length = 0;
  }
  return count;
}

static size_t compress(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                       headroom_detail *details) {
  (void)now_ns; /* the only clock that your library may read */
  return process_all(self, 1, packets, count, details);
}

static size_t decompress(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                         headroom_detail *details) {
  (void)now_ns;
  return process_all(self, 0, packets, count, details);
}

static size_t statistics(const headroom_instance *self, char *json, size_t capacity) {
  char text[96];
  snprintf(text, sizeof text, "{\"memory_bytes\": %zu, \"contexts\": %zu}",
           sizeof *self + library_memory(self->endpoint), library_sessions(self->endpoint));
  return put_text(json, capacity, text);
}

static int32_t open_session(headroom_instance *self, uint32_t session, const char *json, char *error, size_t capacity) {
  return library_open(self->endpoint, session, json, error, capacity);
}

static int32_t close_session(headroom_instance *self, uint32_t session) {
  return library_close(self->endpoint, session);
}

static int32_t accept_message(headroom_instance *self, uint32_t session) {
  return library_accept(self->endpoint, session, &self->last);
}

static void message_detail(const headroom_instance *self, headroom_message_detail *detail) {
  headroom_message_detail last = self->last;
  last.struct_size = detail->struct_size;
  memcpy(detail, &last, last.struct_size < sizeof last ? last.struct_size : sizeof last);
}

static const void *extension(const char *name) {
  static const headroom_sessions sessions = {sizeof sessions, 0, open_session, close_session, NULL};
  static const headroom_messages messages = {sizeof messages, 0, accept_message, message_detail};
  if (strcmp(name, HEADROOM_SESSIONS) == 0) return &sessions;
  return strcmp(name, HEADROOM_MESSAGES) == 0 ? &messages : NULL;
}

HEADROOM_EXPORT const headroom_api *headroom_implementation(void) {
  static const headroom_api api = {HEADROOM_ABI_VERSION, sizeof api, describe, create, destroy, compress,
                                   decompress,           statistics, NULL,     NULL,   NULL,    NULL,
                                   NULL,                 extension};
  return &api;
}
