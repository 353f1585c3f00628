/* SPDX-License-Identifier: Apache-2.0
 *
 * A stand-in for librohc that exports what the adapter calls and does what its input says, so that the adapter's own
 * logic is tested where the library is not. FAKE_TOO_OLD leaves a function out; FAKE_REFUSES makes no object.
 *
 *   compress      octet 0xA0 in front; with an input that starts with 0xE1 .. 0xE6, the status 1 .. 6
 *   decompress    takes that octet away; 0xB0 alone: nothing but the received feedback f1 20; 0xC0 in front: the status
 *                 4 with the feedback f1 40 of its own; 0xD0: its time in seconds, big endian, in two octets
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct rohc_time {
  uint64_t sec, nsec;
};
struct rohc_buffer {
  struct rohc_time time;
  uint8_t *data;
  size_t max_len, offset, len;
};
typedef int (*rohc_random)(const void *, void *);
typedef bool (*rohc_is_rtp)(const uint8_t *, const uint8_t *, const uint8_t *, unsigned, void *);

struct fake {
  int cid_type, mode;
  uint16_t max_cid;
  rohc_random random;
  void *random_state;
  rohc_is_rtp is_rtp;
  uint8_t fed_back;
};

EXPORT const char *rohc_version(void) { return "fake 1"; }

EXPORT struct fake *rohc_comp_new2(int cid_type, uint16_t max_cid, rohc_random random, void *state) {
#ifdef FAKE_REFUSES
  (void)cid_type, (void)max_cid, (void)random, (void)state;
  return NULL;
#else
  struct fake *made = calloc(1, sizeof *made);
  made->cid_type = cid_type, made->max_cid = max_cid, made->random = random, made->random_state = state;
  return made;
#endif
}
EXPORT void rohc_comp_free(struct fake *one) { free(one); }
EXPORT bool rohc_comp_enable_profile(struct fake *one, int profile) {
  return one != NULL && (profile <= 4 || profile == 6);
}
EXPORT bool rohc_comp_set_rtp_detection_cb(struct fake *one, rohc_is_rtp is_rtp, void *state) {
  (void)state;
  one->is_rtp = is_rtp;
  return true;
}
/* Behind the octet in front stand, where there is room in the first byte's low nibble, what the object knows: bit 0 for
 * large CIDs, bit 1 for feedback that was given, bit 2 for an input that looks like RTP in UDP from port 0x0400 on. */
EXPORT int rohc_compress4(struct fake *one, struct rohc_buffer in, struct rohc_buffer *out) {
  static const uint8_t ports[4] = {4, 0, 4, 0};
  if (in.data[0] >= 0xE1 && in.data[0] <= 0xE6) return in.data[0] - 0xE0;
  (void)one->random(one, one->random_state);
  out->data[0] = (uint8_t)(0xA0 | (one->cid_type == 0) | (one->fed_back << 1) |
                           (one->is_rtp(in.data, ports, in.data, (unsigned)in.len, NULL) << 2));
  memcpy(out->data + 1, in.data, in.len);
  out->len = in.len + 1;
  return 0;
}
EXPORT bool rohc_comp_deliver_feedback2(struct fake *one, struct rohc_buffer feedback) {
  one->fed_back = feedback.len == 2 && feedback.data[0] == 0xF1;
  return true;
}

EXPORT struct fake *rohc_decomp_new2(int cid_type, uint16_t max_cid, int mode) {
  struct fake *made = calloc(1, sizeof *made);
  made->cid_type = cid_type, made->max_cid = max_cid, made->mode = mode;
  return made;
}
EXPORT void rohc_decomp_free(struct fake *one) { free(one); }
EXPORT bool rohc_decomp_enable_profile(struct fake *one, int profile) {
  return one != NULL && (profile <= 4 || profile == 6);
}
#ifndef FAKE_TOO_OLD
static void say(struct rohc_buffer *where, uint8_t second) {
  where->data[0] = 0xF1;
  where->data[1] = second;
  where->len = 2;
}
EXPORT int rohc_decompress3(struct fake *one, struct rohc_buffer in, struct rohc_buffer *out,
                            struct rohc_buffer *received, struct rohc_buffer *own) {
  switch (in.data[0] & 0xF0) {
    case 0xA0:
      memcpy(out->data, in.data + 1, in.len - 1);
      out->len = in.len - 1;
      return 0;
    case 0xB0:
      say(received, 0x20);
      return 0;
    case 0xC0:
      say(own, (uint8_t)(0x40 | one->mode));
      return 4;
    case 0xD0:
      out->data[0] = (uint8_t)(in.time.sec >> 8);
      out->data[1] = (uint8_t)in.time.sec;
      out->len = 2;
      return 0;
    default:
      return 2;
  }
}
#endif
