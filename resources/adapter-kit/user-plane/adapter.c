/* SPDX-License-Identifier: Apache-2.0
 *
 * @NAME@ as an adapter: turns the calls of headroom.h into those of your library. TODO: library.h stands in for yours;
 * call yours in its place, and say in DESCRIPTION and implementation.yaml what yours does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "headroom.h"
#include "headroom_user_plane.h"
#include "library.h"

struct headroom_instance {
  library *worker;
};

static const char DESCRIPTION[] =@DESCRIPTION@;

static size_t put_text(char *json, size_t capacity, const char *text) {
  const size_t length = strlen(text);
  if (length < capacity) memcpy(json, text, length + 1);
  return length;
}

static size_t describe(char *json, size_t capacity) { return put_text(json, capacity, DESCRIPTION); }

static void destroy(headroom_instance *self) {
  library_destroy(self->worker);
  free(self);
}

static headroom_instance *instance_of(library *worker) {
  if (worker == NULL) return NULL;
  headroom_instance *self = (headroom_instance *)calloc(1, sizeof *self);
  if (self == NULL) return library_destroy(worker), (headroom_instance *)NULL;
  self->worker = worker;
  return self;
}

static headroom_instance *create(int32_t role, const char *config, char *error, size_t capacity) {
//cxx  try {
  return instance_of(library_create(role, config, error, capacity)); /* Your library is called here. */
//cxx  } catch (const std::exception &reason) {
//cxx    if (capacity != 0) snprintf(error, capacity, "%s", reason.what());
//cxx  }
//cxx  return NULL;
}

static headroom_instance *add_worker(headroom_instance *first, char *error, size_t capacity) {
  return instance_of(library_add_worker(first->worker, error, capacity));
}

static void forward(headroom_instance *self, headroom_user_packet *packets, size_t count, uint64_t now_ns) {
  (void)now_ns; /* the only clock that your library may read */
  for (size_t i = 0; i < count; ++i) {
//cxx    try {
    packets[i].status = library_forward(self->worker, &packets[i]); /* Your library is called here. */
//cxx    } catch (...) { /* no exception crosses the ABI */
//cxx      packets[i].status = HEADROOM_ERR_INTERNAL;
//cxx    }
  }
}

static size_t take(headroom_instance *self, headroom_user_packet *packets, size_t count, uint64_t now_ns) {
  (void)now_ns;
  size_t taken = 0;
  while (taken < count && library_take(self->worker, &packets[taken]) != 0) ++taken;
  return taken;
}

static size_t statistics(const headroom_instance *self, char *json, size_t capacity) {
  char text[96];
  snprintf(text, sizeof text, "{\"memory_bytes\": %zu, \"contexts\": %u}", sizeof *self + library_memory(self->worker),
           (unsigned)library_sessions(self->worker));
  return put_text(json, capacity, text);
}

/* A user plane forwards; it neither compresses nor decompresses. */
static size_t refuse(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                     headroom_detail *details) {
  (void)self, (void)now_ns, (void)details;
  for (size_t i = 0; i < count; ++i) packets[i].out_length = 0, packets[i].status = HEADROOM_ERR_UNSUPPORTED;
  return count;
}

static const void *extension(const char *name) {
  static const headroom_user_plane user_plane = {sizeof user_plane, 0, add_worker, forward, take, NULL, NULL, NULL};
  return strcmp(name, HEADROOM_USER_PLANE_EXTENSION) == 0 ? &user_plane : NULL;
}

HEADROOM_EXPORT const headroom_api *headroom_implementation(void) {
  static const headroom_api api = {HEADROOM_ABI_VERSION, sizeof api, describe, create, destroy, refuse,
                                   refuse,               statistics, NULL,     NULL,   NULL,    NULL,
                                   NULL,                 extension};
  return &api;
}
