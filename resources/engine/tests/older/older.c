// SPDX-License-Identifier: Apache-2.0
//
// The least that an adapter has: in C, and with a table that ends in front of what is optional. Copies. The extensions
// are only included.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "headroom.h"
#include "headroom_messages.h"
#include "headroom_sessions.h"
#include "headroom_tools.h"

struct headroom_instance {
  int32_t role;
};

static size_t put(char *json, size_t capacity, const char *text) {
  const size_t length = strlen(text);
  if (length < capacity) memcpy(json, text, length + 1);
  return length;
}

static size_t describe(char *json, size_t capacity) {
  return put(json, capacity,
             "{\"name\": \"older\", \"version\": \"1\", \"schemes\": [{\"scheme\": \"copy\", "
             "\"roles\": [\"compressor\", \"decompressor\"], \"max_channels\": 1, \"feedback\": []}]}");
}

static headroom_instance *create(int32_t role, const char *config, char *error, size_t capacity) {
  headroom_instance *self = NULL;
  const int known = role == HEADROOM_COMPRESSOR || role == HEADROOM_DECOMPRESSOR;
  const char *channels = strstr(config, "\"channels\":");
  const int one = channels == NULL || strncmp(channels, "\"channels\":1", 12) == 0;
  const char *options = strstr(config, "\"options\":");
  const int none = options == NULL || strncmp(options, "\"options\":{}", 12) == 0;
  if (known && one && none && strstr(config, "\"scheme\":\"copy\"") != NULL) self = malloc(sizeof *self);
  if (self == NULL) {
    snprintf(error, capacity, "the role must be 1 or 2, the scheme \"copy\", and there are one channel and no options");
    return NULL;
  }
  self->role = role;
  return self;
}

static void destroy(headroom_instance *self) { free(self); }

static void process(int32_t role, headroom_instance *self, headroom_packet *packets, size_t count,
                    headroom_detail *details) {
  static const headroom_detail unknown = {0xFFFFFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 255, 255, 255, 255, 0};
  for (size_t i = 0; i < count; ++i) {
    headroom_packet *p = &packets[i];
    if (details != NULL) details[i] = unknown;
    p->out_length = 0;
    p->status = self->role != role               ? HEADROOM_ERR_UNSUPPORTED
                : p->channel != 0                ? HEADROOM_ERR_CHANNEL
                : p->in_type != 0                ? HEADROOM_NOTHING
                : p->in_length == 0              ? HEADROOM_ERR_MALFORMED
                : p->in_length > p->out_capacity ? HEADROOM_ERR_NO_SPACE
                                                 : HEADROOM_OK;
    if (p->status != HEADROOM_OK) continue;
    memcpy(p->out, p->in, p->in_length);
    p->out_length = p->in_length;
  }
}

static size_t compress(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                       headroom_detail *details) {
  (void)now_ns;
  process(HEADROOM_COMPRESSOR, self, packets, count, details);
  return count;
}

static size_t decompress(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                         headroom_detail *details) {
  (void)now_ns;
  process(HEADROOM_DECOMPRESSOR, self, packets, count, details);
  return count;
}

static size_t statistics(const headroom_instance *self, char *json, size_t capacity) {
  (void)self;
  return put(json, capacity, "{\"memory_bytes\": 4, \"contexts\": 0}");
}

HEADROOM_EXPORT const headroom_api *headroom_implementation(void) {
  static const headroom_api api = {.abi_version = 2,
                                   .struct_size = offsetof(headroom_api, drain),
                                   .describe = describe,
                                   .create = create,
                                   .destroy = destroy,
                                   .compress = compress,
                                   .decompress = decompress,
                                   .statistics = statistics};
  return &api;
}
