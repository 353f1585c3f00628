/* SPDX-License-Identifier: Apache-2.0
 *
 * @NAME@ as an adapter: turns the calls of headroom.h into those of your library. TODO: library.h stands in for yours;
 * call yours in its place, and say in DESCRIPTION and implementation.yaml what yours does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "headroom.h"
#include "library.h"

struct headroom_instance {
  int32_t role;
  library *codec;
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
  library_destroy(self->codec);
  free(self);
}

static headroom_instance *create(int32_t role, const char *config, char *error, size_t capacity) {
  if (role != HEADROOM_COMPRESSOR && role != HEADROOM_DECOMPRESSOR) {
    if (capacity != 0) snprintf(error, capacity, "the role must be 1 (compressor) or 2 (decompressor)");
    return NULL;
  }
  headroom_instance *self = (headroom_instance *)calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->role = role;
//cxx  try {
  self->codec = library_create(role, config, error, capacity); /* Your library is called here. */
//cxx  } catch (const std::exception &reason) {
//cxx    if (capacity != 0) snprintf(error, capacity, "%s", reason.what());
//cxx  }
  if (self->codec != NULL) return self;
  free(self);
  return NULL;
}

/* The status of one packet. */
static int32_t process(headroom_instance *self, headroom_packet *packet) {
  packet->out_length = 0; /* else the length of an earlier packet may stay */
  if (packet->channel >= library_channels(self->codec)) return HEADROOM_ERR_CHANNEL;
  if (packet->in_type == HEADROOM_TYPE_LOST) return HEADROOM_NOTHING;
  if (packet->in_length == 0) return HEADROOM_ERR_MALFORMED;
  int32_t status;
//cxx  try {
  status = library_process(self->codec, packet); /* Your library is called here. */
//cxx  } catch (...) { /* no exception crosses the ABI */
//cxx    status = HEADROOM_ERR_INTERNAL;
//cxx  }
  if (status != HEADROOM_OK) packet->out_length = 0;
  return status;
}

static size_t process_all(headroom_instance *self, int32_t role, headroom_packet *packets, size_t count,
                          headroom_detail *details) {
  for (size_t i = 0; i < count; ++i) {
    if (details != NULL) details[i] = UNKNOWN; /* TODO: CID, packet type … where your library tells them */
    packets[i].out_length = 0;
    packets[i].status = self->role == role ? process(self, &packets[i]) : HEADROOM_ERR_UNSUPPORTED;
    if (packets[i].more != 0) return i + 1; /* the caller drains first */
  }
  return count;
}

static size_t compress(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                       headroom_detail *details) {
  (void)now_ns; /* the only clock that your library may read */
  return process_all(self, HEADROOM_COMPRESSOR, packets, count, details);
}

static size_t decompress(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                         headroom_detail *details) {
  (void)now_ns;
  return process_all(self, HEADROOM_DECOMPRESSOR, packets, count, details);
}

static size_t statistics(const headroom_instance *self, char *json, size_t capacity) {
  char text[96];
  snprintf(text, sizeof text, "{\"memory_bytes\": %zu, \"contexts\": 0}", sizeof *self + library_memory(self->codec));
  return put_text(json, capacity, text);
}

static size_t drain(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                    headroom_detail *details) {
  (void)now_ns;
  size_t drained = 0;
  for (; drained < count && library_next(self->codec, &packets[drained]) != 0; ++drained)
    if (details != NULL) details[drained] = UNKNOWN;
  return drained;
}

HEADROOM_EXPORT const headroom_api *headroom_implementation(void) {
  static const headroom_api api = {HEADROOM_ABI_VERSION, sizeof api, describe,   create, destroy, compress,
                                   decompress,           statistics, drain,      NULL,   NULL,    NULL,
                                   NULL,                 NULL};
  return &api;
}
