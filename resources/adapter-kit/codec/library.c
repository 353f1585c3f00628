/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#include "settings.h"

@PART@
struct library {
  int32_t role;
  uint32_t channels;
  struct state state;
};

library *library_create(int32_t role, const char *config, char *error, size_t capacity) {
  library *self = (library *)calloc(1, sizeof *self);
  settings s = settings_open(config, error, capacity);
  if (self == NULL) return NULL;
  self->role = role;
  if (settings_find(&s, "scheme") == NULL || !settings_is(&s, "scheme", " @SCHEME@ ", "@SCHEME@"))
    settings_fail(&s, "scheme", "\"@SCHEME@\"");
  self->channels = (uint32_t)settings_number(&s, "channels", 1, MOST_CHANNELS, 1);
  read_keys(&s, &self->state, self->channels);
  if (s.good) return self;
  free(self);
  return NULL;
}

void library_destroy(library *self) { free(self); }
uint32_t library_channels(const library *self) { return self->channels; }
size_t library_memory(const library *self) { return sizeof *self; }

int32_t library_process(library *self, headroom_packet *packet) {
  return self->role == HEADROOM_COMPRESSOR ? compress(&self->state, packet) : decompress(&self->state, packet);
}

int32_t library_next(library *self, headroom_packet *packet) {
  return next_output(&self->state, self->role, packet);
}
