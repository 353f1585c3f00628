/* SPDX-License-Identifier: Apache-2.0
 *
 * Headroom adapter ABI, version 1.
 *
 * The one header that a vendor copies. A shared library that exports `headroom_implementation` is an adapter:
 * Headroom's engine opens it, drives it and measures it. The header compiles as C11 and as C++20 and needs only
 * <stddef.h> and <stdint.h>.
 *
 * What an adapter promises
 *   - It reads no clock, draws no random number, keeps no mutable global, starts no thread and prints nothing. Time
 * comes in through `now_ns`, randomness through the `seed` of its configuration. The same calls give the same octets.
 *   - Instances share nothing. One instance is used by one thread at a time; two instances may be used by two threads.
 *   - It writes only inside the buffers it is given and reads only inside the lengths it is told.
 *   - No exception, signal or longjmp crosses this boundary.
 *   - `compress` and `decompress` neither allocate nor lock nor make a system call once a flow's first packet has
 * passed.
 *
 * What the engine promises
 *   - `now_ns` never decreases over the life of an instance. Buffers `in` and `out` never overlap.
 *   - `out_capacity` is at least `in_length + HEADROOM_EXPANSION`, unless the adapter itself is being tested. Where the
 *     configuration has an `mrru` above 0, it is at least `2 * in_length + HEADROOM_EXPANSION` for `compress` and
 *     `in_length + mrru + HEADROOM_EXPANSION` for `decompress`.
 */
#ifndef HEADROOM_ABI_HEADROOM_H
#define HEADROOM_ABI_HEADROOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEADROOM_ABI_VERSION 1u

/* Octets of room that the engine leaves in an output buffer beyond the length of the input. Covers the largest
 * initialisation packet and the largest header that can be restored. */
#define HEADROOM_EXPANSION 512u

/* Largest feedback, in octets, that `take_feedback` and `take_received_feedback` return in one call. */
#define HEADROOM_FEEDBACK_MAX 512u

/* What became of one packet. Zero and above: handled. Below zero: the packet is lost, and the value says why. */
typedef enum headroom_status {
  HEADROOM_OK = 0,               /* `out` holds `out_length` octets to pass on */
  HEADROOM_NOTHING = 1,          /* consumed; there is nothing to pass on (feedback alone, an unfinished segment …) */
  HEADROOM_SEGMENTS = 2,         /* `out` holds several link packets; see below */
  HEADROOM_ERR_NO_SPACE = -1,    /* `out_capacity` does not suffice */
  HEADROOM_ERR_MALFORMED = -2,   /* the octets cannot be what they claim to be */
  HEADROOM_ERR_NO_CONTEXT = -3,  /* no context has been established for this packet */
  HEADROOM_ERR_STATE = -4,       /* the context's state forbids decompressing this kind of packet */
  HEADROOM_ERR_CRC = -5,         /* a CRC over the header disagrees */
  HEADROOM_ERR_REPAIR = -6,      /* decompressed, but held back while a repaired context proves itself */
  HEADROOM_ERR_UNSUPPORTED = -7, /* well-formed, but this implementation does not do it */
  HEADROOM_ERR_CHANNEL = -8,     /* `channel` is not below the number of channels configured */
  HEADROOM_ERR_INTERNAL = -9     /* a defect of the implementation, noticed by itself */
} headroom_status;

/* HEADROOM_SEGMENTS: of `compress` only, and only where the configuration has an `mrru` above 0 and the adapter says
 * lists the feature "segmentation" in `describe`; an adapter that does not is never asked for it. The packet has become
 * several link packets (RFC 5795, 5.2.5), which stand in `out` in the order in which they are to be sent, each behind
 * its length in two octets, the more significant one first; `out_length` counts all of it. The engine sends them one
 * behind another, with no other packet of the compressor in between, and gives each to the decompressor on its own. */
#define HEADROOM_SEGMENT_LENGTH 2u /* octets of length in front of each link packet */

typedef enum headroom_role { HEADROOM_COMPRESSOR = 1, HEADROOM_DECOMPRESSOR = 2 } headroom_role;

/* One packet of a burst. The caller fills the first five fields, the adapter the last two. */
typedef struct headroom_packet {
  const uint8_t *in;
  uint8_t *out;
  uint32_t in_length;    /* octets */
  uint32_t out_capacity; /* octets */
  uint32_t channel;      /* 0 .. channels - 1; a channel is a CID space of its own (RFC 5795, 5.1.1) */
  uint32_t out_length;   /* octets; 0 unless `status` is HEADROOM_OK or HEADROOM_SEGMENTS */
  int32_t status;        /* headroom_status */
  uint32_t reserved;     /* zero */
} headroom_packet;

/* What an adapter tells about one packet when it is asked. Every name behind an index is in `describe`; 255 or 65535
 * where the adapter does not know. */
typedef struct headroom_detail {
  uint32_t cid;
  uint16_t profile;
  uint16_t plain_header;      /* octets of uncompressed header that compression covered */
  uint16_t compressed_header; /* octets that stand for it on the link: CID and CRC included, payload and feedback not;
                                 with segments, in the unit that they make */
  uint8_t packet_type;        /* index into "packet_types" */
  uint8_t mode;               /* index into "modes" */
  uint8_t state;              /* index into "compressor_states" or "decompressor_states", after the packet */
  uint8_t event;              /* index into "events": 0 is "none" */
  uint16_t reserved;
} headroom_detail;

/* One or more whole feedback elements as they travel (RFC 5795, 5.2.4.1: feedback type octet, size octet if any,
 * feedback data), or the scheme's own equivalent. */
typedef struct headroom_feedback {
  uint8_t *data;
  uint32_t capacity; /* octets; at least HEADROOM_FEEDBACK_MAX when the adapter is to fill it */
  uint32_t length;   /* octets */
  uint32_t channel;
  uint32_t reserved;
} headroom_feedback;

typedef struct headroom_instance headroom_instance;

/* The functions of an implementation. `struct_size` lets the table grow at its end: a caller looks at no field that
 * lies beyond it. Fields marked "optional" may be NULL. */
typedef struct headroom_api {
  uint32_t abi_version; /* HEADROOM_ABI_VERSION of the header the adapter was compiled with */
  uint32_t struct_size; /* sizeof(headroom_api) of that header */

  /* Writes the self-description as JSON with a final NUL and returns its length without the NUL. When that is not below
   * `capacity`, nothing is written: call again with more room. `json` may be NULL when `capacity` is 0. The document is
   * described in implementations/README.md. */
  size_t (*describe)(char *json, size_t capacity);

  /* Makes an instance for `role` from a JSON configuration. Returns NULL on a bad configuration, with a sentence in
   * `error` (NUL-terminated, at most `error_capacity` octets) that says what is wrong and what would be right. */
  headroom_instance *(*create)(int32_t role, const char *config_json, char *error, size_t error_capacity);

  void (*destroy)(headroom_instance *self);

  /* Compresses (decompresses) `count` packets in order. `details` is NULL or an array of `count`. All packets of a
   * burst have the time `now_ns`. The outcome of each packet is its own `status`; there is no other result. */
  void (*compress)(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                   headroom_detail *details);
  void (*decompress)(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                     headroom_detail *details);

  /* Feedback, a path of its own. `take_*` return 1 and fill `feedback`, or 0 when there is none (any more).
   *
   *   decompressor.take_feedback ........ what this decompressor wants to tell the compressor at the far end
   *   decompressor.take_received_feedback what it found in packets it was given (piggybacked or interspersed), for the
   *                                       compressor at its own end
   *   compressor.give_feedback .......... what arrived for this compressor
   *   compressor.piggyback .............. what the decompressor at its own end wants sent: it goes in front of the next
   *                                       packet of `feedback->channel`. Returns 1 when taken, 0 when there is no room.
   *
   * All four are optional: an implementation without them works in unidirectional mode only. */
  int32_t (*take_feedback)(headroom_instance *self, headroom_feedback *feedback);
  int32_t (*take_received_feedback)(headroom_instance *self, headroom_feedback *feedback);
  void (*give_feedback)(headroom_instance *self, const headroom_feedback *feedback, uint64_t now_ns);
  int32_t (*piggyback)(headroom_instance *self, const headroom_feedback *feedback);

  /* Counters since `create` as JSON; same calling convention as `describe`. At least {"memory_bytes": N, "contexts":
   * N}. */
  size_t (*statistics)(const headroom_instance *self, char *json, size_t capacity);

  /* Optional. A signal from outside, as JSON, such as {"signal": "reinitialize"} or {"mode": "U"} (RFC 3095, 6.3).
   * Returns 1 when it was understood; otherwise 0 with a sentence in `error`. */
  int32_t (*control)(headroom_instance *self, const char *json, char *error, size_t error_capacity);
} headroom_api;

#if defined(_WIN32)
#define HEADROOM_EXPORT __declspec(dllexport)
#else
#define HEADROOM_EXPORT __attribute__((visibility("default")))
#endif

/* The one exported symbol. Returns a table that stays valid until the library is closed. */
HEADROOM_EXPORT const headroom_api *headroom_implementation(void);

#ifdef __cplusplus
}
#endif

#endif /* HEADROOM_ABI_HEADROOM_H */
