/* SPDX-License-Identifier: Apache-2.0
 *
 * Headroom adapter ABI, version 2.
 *
 * The header that a vendor copies. A shared library that exports `headroom_implementation` is an adapter: Headroom's
 * engine opens it, drives it and measures it. The header compiles as C11 and as C++20 and needs only <stddef.h> and
 * <stdint.h>. What one kind of scheme needs beyond it is in extensions, each with a header of its own (see `extension`
 * below): headroom_sessions.h, headroom_messages.h, headroom_user_plane.h, headroom_tools.h.
 *
 * What an adapter promises
 *   - It reads no clock, draws no random number, keeps no mutable global, starts no thread and prints nothing. Time
 *     comes in through `now_ns`, randomness through the `seed` of its configuration. The same calls give the same
 *     octets.
 *   - Instances share nothing, unless an extension says otherwise by name (headroom_user_plane.h does). One instance is
 *     used by one thread at a time; two instances may be used by two threads.
 *   - It writes only inside the buffers that it is given, and reads only inside the lengths that come with them.
 *   - No exception, signal or longjmp crosses this boundary.
 *   - HEADROOM_ERR_NO_SPACE costs one packet and no other. A compressor has not sent the packet: its contexts are
 *     as before it, or it sends again what it has changed in them; the far end understands all packets that follow,
 *     and the caller may give the packet again with more room. A decompressor has the packet but cannot pass it on; it
 *     may take note of it, and decompresses all that follow.
 *   - `compress`, `decompress` and `drain` neither allocate nor lock nor make a system call once a flow's first packet
 *     has passed. An endpoint may allocate where a message asks it to keep state.
 *   - It keeps no pointer into what a call gives it; see "Buffers" below.
 *
 * What the engine promises
 *   - `now_ns` never decreases over the life of an instance. Buffers `in` and `out` never overlap, unless an extension
 *     says otherwise by name (headroom_user_plane.h does).
 *   - `out_capacity` is at least `in_length + HEADROOM_EXPANSION`, unless the adapter itself is being tested. A
 *     decompressor whose configuration has an `mrru` above 0 has `mrru` octets more. An extension may promise more
 *     (headroom_messages.h does). A record of `drain` has at least the room of the largest record of the call before.
 *   - It drains what a packet has left (`more`) before it calls `compress` or `decompress` again.
 *
 * The header grows: later releases put optional functions at the end of the table, and statuses, roles, types and keys
 * that an older adapter is never given. An adapter made with an older header of the same version goes on working.
 */
#ifndef HEADROOM_ABI_HEADROOM_H
#define HEADROOM_ABI_HEADROOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
/* HEADROOM_OPTIONAL marks a function that a table may omit. */
#define HEADROOM_OPTIONAL = nullptr
extern "C" {
#else
#define HEADROOM_OPTIONAL
#endif

#define HEADROOM_ABI_VERSION 2u

/* Octets of room that the engine leaves in an output buffer beyond the length of the input. Covers the largest
 * initialisation packet and the largest header that can be restored. */
#define HEADROOM_EXPANSION 512u

/* Octets of the longest reverse packet: `take_reverse` has room for so many. */
#define HEADROOM_REVERSE_MAX 512u

/* ---- Types
 *
 * The link layer tells what a frame carries: a PPP protocol number, an EtherType … `in_type` is the type of the input,
 * `out_type` that of the output. Which types a scheme has, its documentation says (implementations/README.md); a scheme
 * with one type only has HEADROOM_TYPE_DEFAULT. */
#define HEADROOM_TYPE_DEFAULT 0u
/* Input of `decompress`, of no octets: the link layer has lost or damaged a frame at this place (RFC 1144, section 4).
 * The status is HEADROOM_NOTHING, also of an adapter that does not use the report. */
#define HEADROOM_TYPE_LOST 0xFFFFu
/* Types of reverse packets: which compressor they are for. */
#define HEADROOM_REVERSE_FAR 1u  /* that at the far end */
#define HEADROOM_REVERSE_NEAR 2u /* that at this end */

#define HEADROOM_NO_DEADLINE UINT64_MAX

/* headroom_status is the outcome of one packet. Zero and above: handled. Below zero: lost, for the reason named. */
typedef enum headroom_status {
  HEADROOM_OK = 0,               /* `out` holds `out_length` octets to pass on */
  HEADROOM_NOTHING = 1,          /* consumed; there is nothing to pass on (feedback alone, an unfinished segment …) */
  HEADROOM_ERR_NO_SPACE = -1,    /* `out_capacity` does not suffice; this packet alone is lost, see above */
  HEADROOM_ERR_MALFORMED = -2,   /* the octets cannot be what they claim to be */
  HEADROOM_ERR_NO_CONTEXT = -3,  /* no context has been established for this packet */
  HEADROOM_ERR_STATE = -4,       /* the context's state forbids decompressing this kind of packet */
  HEADROOM_ERR_CRC = -5,         /* a CRC over the header disagrees */
  HEADROOM_ERR_REPAIR = -6,      /* decompressed, but held back while a repaired context proves itself */
  HEADROOM_ERR_UNSUPPORTED = -7, /* well-formed, but this implementation does not do it */
  HEADROOM_ERR_CHANNEL = -8,     /* `channel` is not below the number of channels configured; no such session */
  HEADROOM_ERR_INTERNAL = -9,    /* a defect of the implementation, noticed by itself */
  HEADROOM_ERR_DECOMPRESSION = -10 /* decompression failed for a reason of the scheme's own, which an extension names */
} headroom_status;

/* An endpoint compresses and decompresses, for schemes whose two sides share what they know. A user plane forwards
 * (headroom_user_plane.h). */
typedef enum headroom_role {
  HEADROOM_COMPRESSOR = 1,
  HEADROOM_DECOMPRESSOR = 2,
  HEADROOM_ENDPOINT = 3,
  HEADROOM_USER_PLANE = 4
} headroom_role;

/* One packet. Of `compress`, `decompress` and `give_reverse` the adapter fills `out_length` and `status`, the caller
 * all other fields; `out_type` and `more` are 0 before the call, and an adapter writes them only where they become
 * something else. Of `drain` and `take_reverse` the adapter fills `channel` as well, and the caller only `out` and
 * `out_capacity`; all other fields are 0 before the call. */
typedef struct headroom_packet {
  const uint8_t *in;
  uint8_t *out;
  uint32_t in_length;    /* octets */
  uint32_t out_capacity; /* octets */
  uint32_t channel;      /* 0 .. channels - 1; a channel has contexts of its own (RFC 5795, 5.1.1). Of an instance with
                            sessions (headroom_sessions.h): the session */
  uint32_t out_length;   /* octets; 0 unless `status` is HEADROOM_OK */
  int32_t status;        /* headroom_status */
  uint32_t source;       /* of `decompress`: the sender, as far as the application can tell, such as a hash of an
                            address. 0: not known */
  uint16_t in_type;      /* see "Types" */
  uint16_t out_type;
  uint32_t more; /* not 0: further outputs of this packet wait for `drain`, or may */
} headroom_packet;

/* What an adapter tells about one packet when `details` is given. Every name behind an index is in `describe`; 255 or
 * 65535 where the adapter does not know. */
typedef struct headroom_detail {
  uint32_t cid;
  uint16_t profile;
  uint16_t plain_header;      /* octets of uncompressed header that compression covered */
  uint16_t compressed_header; /* octets that stand for it on the link: CID and CRC included, payload and feedback not;
                                 of a packet that became several outputs, in all of them together */
  uint8_t packet_type;        /* index into "packet_types" */
  uint8_t mode;               /* index into "modes" */
  uint8_t state;              /* index into "compressor_states" or "decompressor_states", after the packet */
  uint8_t event;              /* index into "events": 0 is "none" */
  uint16_t reserved;
} headroom_detail;

/* ---- Buffers
 *
 * What a call gives by pointer is the caller's, and the adapter's until that call returns: the array of packets and
 * what `in` and `out` of each point to; `details`; JSON that is read (configurations, messages of `control`) and JSON
 * that is written (`describe`, `statistics`); `error`; and what the functions of extensions are given. Once the call
 * has returned, the caller may overwrite, reuse or free each of them, whichever call comes next. In particular
 *
 *   - the input of `compress` and `decompress` may be gone when `drain` comes: what is still to be put out has been
 *     copied until then;
 *   - what waits for `take_reverse` is a copy, and so is what `give_reverse` was given;
 *   - the packets of a burst may share no buffer, but the buffers of the next burst may lie where theirs did.
 *
 * What an adapter gives by pointer: the headroom_instance, valid until `destroy`; the table of functions and those of
 * extensions, valid until the library is closed. All else is written into buffers of the caller's. What `describe`
 * writes is the same as long as the library is open: indices of details mean its names at any time. */

typedef struct headroom_instance headroom_instance;

/* The functions of an implementation. `struct_size` lets the table grow at its end: a caller looks at no field that
 * lies beyond it. */
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

  /* Compresses (decompresses) packets in order. `details` is NULL or an array of `count`. All packets have the time
   * `now_ns`. The outcome of each is its own `status`.
   *
   * Returns how many packets have been handled: all, unless one of them has, or may have, more than one output. Its
   * first output is in its record, `more` is not 0, the others wait for `drain`, and the adapter stops behind that
   * packet, so that outputs keep their order; the records behind it are untouched. The caller drains and calls again
   * with what is left. At least one packet is handled if `count` is above 0.
   *
   * A packet may have no output of its own: HEADROOM_NOTHING. Its octets may leave with those of later packets, or when
   * the time comes that `next_deadline` tells. */
  size_t (*compress)(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                     headroom_detail *details);
  size_t (*decompress)(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                       headroom_detail *details);

  /* Counters since `create` as JSON; same calling convention as `describe`. At least {"memory_bytes": N, "contexts":
   * N}; a memory_bytes of 0 is one that is not known. */
  size_t (*statistics)(const headroom_instance *self, char *json, size_t capacity);

  /* ---- From here on optional: a function may be NULL, and a table may end in front of it.
   *
   * Puts out what waits: outputs beyond the first of a packet, and what is due at `now_ns`. Fills up to `count`
   * records, each with an outcome of its own, and returns how many; 0 when nothing is left to put out now. `channel` is
   * that of the packet which caused the output. An output for which there is no room is lost: HEADROOM_ERR_NO_SPACE.
   * The caller passes on the outputs of one packet with no other packet of this instance between them.
   *
   * The caller drains, until 0 is returned, behind each packet whose `more` is not 0, and at `next_deadline`. NULL:
   * there is no such packet, and no deadline. */
  size_t (*drain)(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                  headroom_detail *details) HEADROOM_OPTIONAL;

  /* The time, on the clock of `now_ns`, at which `drain` is to be called though no packet has come;
   * HEADROOM_NO_DEADLINE when there is none. A time that has passed means now. It only changes with a call that is
   * given the time; once `drain` has returned 0 it is later than that time, and after the last packet there are at most
   * 10,000 more. NULL: never. */
  uint64_t (*next_deadline)(const headroom_instance *self) HEADROOM_OPTIONAL;

  /* Packets of the other direction, such as feedback: one or more whole elements as they travel (for ROHC those of RFC
   * 5795, 5.2.4.1), at most HEADROOM_REVERSE_MAX octets. Their type names the compressor that they are for, and so what
   * one call returns can be given to another as it is. Without these functions an implementation works in
   * unidirectional mode only.
   *
   * take_reverse ... fills up to `count` records (status HEADROOM_OK) and returns how many; 0 when nothing waits (any
   *                  more). HEADROOM_REVERSE_FAR: what this decompressor, or endpoint, wants sent to the far end.
   *                  HEADROOM_REVERSE_NEAR: what it found in packets that it was given (piggybacked or interspersed),
   *                  for the compressor at its own end.
   * give_reverse ... handles packets in order and returns how many, as `compress` does. HEADROOM_REVERSE_NEAR: what has
   *                  arrived for this compressor; HEADROOM_OK. HEADROOM_REVERSE_FAR: what the decompressor at its own
   *                  end wants sent: it goes in front of the next packet of its channel (piggybacked); HEADROOM_OK when
   *                  it was taken, HEADROOM_ERR_NO_SPACE when there is no room to keep it, HEADROOM_ERR_UNSUPPORTED of
   *                  a compressor that does not piggyback. */
  size_t (*take_reverse)(headroom_instance *self, headroom_packet *packets, size_t count,
                         uint64_t now_ns) HEADROOM_OPTIONAL;
  size_t (*give_reverse)(headroom_instance *self, headroom_packet *packets, size_t count,
                         uint64_t now_ns) HEADROOM_OPTIONAL;

  /* A signal from outside, as JSON, such as {"signal": "reinitialize"} or {"mode": "U"} (RFC 3095, 6.3). Returns 1 when
   * it was understood; otherwise 0 with a sentence in `error`. */
  int32_t (*control)(headroom_instance *self, const char *json, char *error, size_t error_capacity) HEADROOM_OPTIONAL;

  /* The functions of an extension by its name: a structure whose first field is its `struct_size`, which lets it grow
   * as this table does. NULL when the adapter does not have it. The same pointer each time. */
  const void *(*extension)(const char *name)HEADROOM_OPTIONAL;
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
