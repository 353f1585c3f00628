/* SPDX-License-Identifier: Apache-2.0
 *
 * A stand-in for tinySIGCOMP that exports what the adapter calls and does what its input says, so that the adapter's
 * own logic is tested where the library is not. FAKE_TOO_OLD leaves a function out.
 *
 *   compress      in front of the text: 0xF9; how many messages of this compartment have been accepted; the number of
 *                 dictionaries; cycles per bit; the version; kB of decompression memory; kB of state memory. Nothing is
 *                 made of the text "refuse"
 *   decompress    takes these seven octets away, for 100 cycles, asking for one item of state; "!...": fails, with a
 *                 NACK; fewer octets: fails without. A NACK that comes in is told by `is_nack` and no octets
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct buffer {
  uint8_t octets[64];
  size_t length;
};
struct result {
  const void *definition;
  volatile long references;
  uint64_t compartment;
  void *created[4];
  uint8_t creations;
  void *freed[4];
  uint8_t frees;
  uint64_t stream;
  unsigned is_stream : 1;
  void *output, *requested_feedback, *parameters, *returned_feedback;
  unsigned is_nack : 1;
  void *nack;
  uint64_t cycles;
  size_t room; /* the stand-in's own, behind what the adapter reads */
};
struct manager {
  const void *definition;
  uint8_t dictionaries, cycles_per_bit, version, kilobytes, state_kilobytes;
  uint8_t accepted[256];
};

EXPORT struct manager *tcomp_manager_create(void) { return calloc(1, sizeof(struct manager)); }
EXPORT struct result *tcomp_result_create(void) {
  struct result *made = calloc(1, sizeof *made);
  made->nack = calloc(1, sizeof(struct buffer));
  made->definition = made; /* what tells it from a manager */
  return made;
}
EXPORT void *tsk_object_unref(void *object) {
  struct result *one = object;
  if (one->definition != NULL) free(one->nack);
  free(object);
  return NULL;
}
EXPORT int tcomp_manager_setDecompression_Memory_Size(struct manager *m, uint32_t octets) {
  m->kilobytes = (uint8_t)(octets / 1024);
  return 0;
}
EXPORT int tcomp_manager_setState_Memory_Size(struct manager *m, uint32_t octets) {
  m->state_kilobytes = (uint8_t)(octets / 1024);
  return 0;
}
EXPORT int tcomp_manager_setCycles_Per_Bit(struct manager *m, uint8_t value) {
  m->cycles_per_bit = value;
  return 0;
}
EXPORT int tcomp_manager_setSigComp_Version(struct manager *m, uint8_t version) {
  m->version = version;
  return 0;
}
EXPORT int tcomp_manager_addSipSdpDictionary(struct manager *m) { return m->dictionaries++, 0; }
EXPORT int tcomp_manager_addPresenceDictionary(struct manager *m) { return m->dictionaries++, 0; }
EXPORT size_t tcomp_manager_compress(struct manager *m, const void *compartment, size_t size, const void *in,
                                     size_t length, uint8_t *out, size_t room, int stream) {
  const uint8_t head[7] = {0xF9,
                           m->accepted[*(const uint8_t *)compartment],
                           m->dictionaries,
                           m->cycles_per_bit,
                           m->version,
                           m->kilobytes,
                           m->state_kilobytes};
  (void)size, (void)stream;
  if ((length == 6 && memcmp(in, "refuse", 6) == 0) || length + sizeof head > room) return 0;
  memcpy(out, head, sizeof head);
  memcpy(out + sizeof head, in, length);
  return sizeof head + length;
}
EXPORT void tcomp_result_setOutputBuffer(struct result *r, void *out, size_t room, int stream, uint64_t id) {
  (void)stream, (void)id;
  r->output = out;
  r->room = room;
}
EXPORT size_t tcomp_manager_decompress(struct manager *m, const uint8_t *in, size_t length, struct result *r) {
  struct buffer *nack = r->nack;
  (void)m;
  nack->length = 0;
  r->is_nack = 0;
  r->creations = 0;
  if (length >= 3 && memcmp(in, "\xf8\0\1", 3) == 0) {
    r->is_nack = 1;
    return 0;
  }
  if (length > 7 && in[7] == '!') {
    memcpy(nack->octets, "\xf8\0\1\x0c\3\1\2SSSSSSSSSSSSSSSSSSSSdetails", 34);
    nack->length = 34;
    r->is_nack = 1;
    r->cycles = 7;
    return 0;
  }
  if (length < 7) return 0; /* not even a NACK */
  r->creations = 1;
  r->cycles = 100;
  if (length == 7 || length - 7 > r->room) return 0;
  memcpy(r->output, in + 7, length - 7);
  return length - 7;
}
EXPORT void tcomp_result_setCompartmentId(struct result *r, const void *id, size_t size) {
  (void)size;
  r->compartment = *(const uint8_t *)id;
}
#ifndef FAKE_TOO_OLD
EXPORT void tcomp_manager_provideCompartmentId(struct manager *m, struct result *r) { ++m->accepted[r->compartment]; }
#endif
EXPORT void tcomp_manager_closeCompartment(struct manager *m, const void *id, size_t size) {
  (void)size;
  m->accepted[*(const uint8_t *)id] = 0;
}
EXPORT uint8_t *tcomp_buffer_getBufferAtPos(struct buffer *b, size_t position) { return b->octets + position; }
EXPORT size_t tcomp_buffer_getSize(const struct buffer *b) { return b->length; }
EXPORT void tsk_debug_set_level(int level) { (void)level; }
