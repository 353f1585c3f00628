/* SPDX-License-Identifier: Apache-2.0
 *
 * Headroom adapter ABI, version 2.
 *
 * Vendors copy this header. A shared library that exports `headroom_implementation` is an adapter: Headroom's engine
 * opens it, drives it and measures it. The header compiles as C11 and as C++20 and needs only <stddef.h> and
 * <stdint.h>. Some schemes need more functions. These are in extensions, each with a header of its own (see `extension`
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
 *   - HEADROOM_ERR_NO_SPACE loses one packet and no other. A compressor has not sent the packet: its contexts are as
 *     before the packet, or it sends again the fields that it changed in them. The far end decompresses all packets
 *     that follow, and the caller may give the packet again with more room. A decompressor has received the packet but
 *     cannot pass it on. It may update its context, and it decompresses all packets that follow.
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
 *   - It drains the further outputs of a packet (`more`) before it calls `compress` or `decompress` again.
 *
 * The header grows: later releases put optional functions at the end of the table, and statuses, roles, types and keys
 * that the engine never gives to an older adapter. An adapter compiled with an older header of the same version goes on
 * working.
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
 * The link layer names what a frame carries by a number: a PPP protocol number, an EtherType … `in_type` is the type of
 * the input, `out_type` that of the output. implementations/README.md lists the types of each scheme; a scheme with
 * only one type has HEADROOM_TYPE_DEFAULT. */
#define HEADROOM_TYPE_DEFAULT 0u
/* Type of an empty input of `decompress`, which reports that the link layer lost or damaged a frame at this place
 * (RFC 1144, section 4). The status is HEADROOM_NOTHING, also of an adapter that does not use the report. */
#define HEADROOM_TYPE_LOST 0xFFFFu
/* Types of reverse packets: the compressor that a packet is for. */
#define HEADROOM_REVERSE_FAR 1u  /* the compressor at the far end */
#define HEADROOM_REVERSE_NEAR 2u /* the compressor at this end */

#define HEADROOM_NO_DEADLINE UINT64_MAX

/* headroom_status is the outcome of one packet. Zero and above: handled. Below zero: lost, for the reason given here.
 */
typedef enum headroom_status {
  HEADROOM_OK = 0,               /* `out` holds `out_length` octets to pass on */
  HEADROOM_NOTHING = 1,          /* consumed; there is nothing to pass on (feedback alone, an unfinished segment …) */
  HEADROOM_ERR_NO_SPACE = -1,    /* `out_capacity` is too small; only this packet is lost, see above */
  HEADROOM_ERR_MALFORMED = -2,   /* the octets are not a valid packet */
  HEADROOM_ERR_NO_CONTEXT = -3,  /* no context has been established for this packet */
  HEADROOM_ERR_STATE = -4,       /* the context's state forbids decompressing this kind of packet */
  HEADROOM_ERR_CRC = -5,         /* a CRC over the header disagrees */
  HEADROOM_ERR_REPAIR = -6,      /* decompressed, but held back until a repaired context is confirmed */
  HEADROOM_ERR_UNSUPPORTED = -7, /* well-formed, but not supported by this implementation */
  HEADROOM_ERR_CHANNEL = -8,     /* `channel` is not below the number of configured channels, or no such session */
  HEADROOM_ERR_INTERNAL = -9,    /* a defect that the implementation noticed in itself */
  HEADROOM_ERR_DECOMPRESSION = -10 /* decompression failed for a reason of the scheme's own, which an extension names */
} headroom_status;

/* headroom_role is the role of an instance. An endpoint compresses and decompresses, for schemes whose compressor and
 * decompressor at one end share state. A user plane forwards (headroom_user_plane.h). */
typedef enum headroom_role {
  HEADROOM_COMPRESSOR = 1,
  HEADROOM_DECOMPRESSOR = 2,
  HEADROOM_ENDPOINT = 3,
  HEADROOM_USER_PLANE = 4
} headroom_role;

/* headroom_packet is the record of one packet. In `compress`, `decompress` and `give_reverse` the adapter fills
 * `out_length` and `status`, and the caller all other fields; `out_type` and `more` are 0 before the call, and the
 * adapter writes them only if they change. In `drain` and `take_reverse` the adapter fills `channel` as well, and the
 * caller only `out` and `out_capacity`; all other fields are 0 before the call. */
typedef struct headroom_packet {
  const uint8_t *in;
  uint8_t *out;
  uint32_t in_length;    /* octets */
  uint32_t out_capacity; /* octets */
  uint32_t channel;      /* 0 .. channels - 1; a channel has contexts of its own (RFC 5795, 5.1.1). In an instance with
                            sessions (headroom_sessions.h): the number of the session */
  uint32_t out_length;   /* octets; 0 unless `status` is HEADROOM_OK */
  int32_t status;        /* headroom_status */
  uint32_t source;       /* in `decompress`: identifies the sender, as far as the application knows it, such as a hash
                            of its address. 0: not known */
  uint16_t in_type;      /* see "Types" */
  uint16_t out_type;
  uint32_t more; /* not 0: further outputs of this packet wait for `drain`, or may */
} headroom_packet;

/* headroom_detail describes how one packet was handled; adapters fill it if `details` is given. `describe` lists the
 * names that the indices stand for; 255 or 65535 where the adapter does not know. */
typedef struct headroom_detail {
  uint32_t cid;
  uint16_t profile;
  uint16_t plain_header;      /* octets of the uncompressed header that was compressed */
  uint16_t compressed_header; /* octets of the compressed header: CID and CRC included, payload and feedback not; of a
                                 packet with several outputs, the sum over all outputs */
  uint8_t packet_type;        /* index into "packet_types" */
  uint8_t mode;               /* index into "modes" */
  uint8_t state;              /* index into "compressor_states" or "decompressor_states", after the packet */
  uint8_t event;              /* index into "events": 0 is "none" */
  uint16_t reserved;
} headroom_detail;

/* ---- Buffers
 *
 * Memory that a call gives by pointer belongs to the caller, and the adapter may use it only until that call returns:
 * the array of packets, and the memory that `in` and `out` of each point to; `details`; JSON that is read
 * (configurations, messages of `control`) and JSON that is written (`describe`, `statistics`); `error`; and the
 * arguments of the functions of extensions. Once the call has returned, the caller may overwrite, reuse or free each
 * of them, whichever call comes next. Therefore
 *
 *   - the input of `compress` and `decompress` may be gone when `drain` is called: the adapter has copied the octets of
 *     outputs that wait for `drain`;
 *   - the adapter copies the packets that wait for `take_reverse`, and those that `give_reverse` is given;
 *   - the packets of a burst share no buffer, but the next burst may use the same buffers.
 *
 * An adapter gives by pointer: the headroom_instance, valid until `destroy`; the table of functions and those of
 * extensions, valid until the library is closed. All else is written into the caller's buffers. `describe` writes the
 * same document as long as the library is open, so that the indices in details always mean the same names. */

typedef struct headroom_instance headroom_instance;

/* The functions of an implementation. `struct_size` lets the table grow at its end: a caller looks at no field that
 * lies beyond it. */
typedef struct headroom_api {
  uint32_t abi_version; /* HEADROOM_ABI_VERSION of the header the adapter was compiled with */
  uint32_t struct_size; /* sizeof(headroom_api) of that header */

  /* Writes the self-description as JSON with a final NUL and returns its length without the NUL. If the length is not
   * below `capacity`, nothing is written: call again with more room. `json` may be NULL if `capacity` is 0.
   * implementations/README.md describes the document. */
  size_t (*describe)(char *json, size_t capacity);

  /* Makes an instance for `role` from a JSON configuration. Returns NULL on a bad configuration, with a sentence in
   * `error` (NUL-terminated, at most `error_capacity` octets) that says what is wrong and what is allowed. */
  headroom_instance *(*create)(int32_t role, const char *config_json, char *error, size_t error_capacity);

  void (*destroy)(headroom_instance *self);

  /* Compresses (decompresses) packets in order. `details` is NULL or an array of `count`. All packets have the time
   * `now_ns`. The `status` of each packet is its outcome.
   *
   * Returns the number of packets handled: all, unless one of them has, or may have, more than one output. The first
   * output of that packet is in its record, `more` is not 0, the other outputs wait for `drain`, and the adapter stops
   * after that packet, so that outputs keep their order; it leaves the later records untouched. The caller drains and
   * calls again with the packets that are left. At least one packet is handled if `count` is above 0.
   *
   * A packet may have no output of its own: HEADROOM_NOTHING. Its octets may leave together with those of later
   * packets, or at the time that `next_deadline` returns. */
  size_t (*compress)(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                     headroom_detail *details);
  size_t (*decompress)(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                       headroom_detail *details);

  /* Writes counters since `create` as JSON, by the calling convention of `describe`. At least {"memory_bytes": N,
   * "contexts": N}; a memory_bytes of 0 means that it is not known. */
  size_t (*statistics)(const headroom_instance *self, char *json, size_t capacity);

  /* ---- All functions from here on are optional: a function may be NULL, and a table may end in front of it.
   *
   * Returns waiting outputs: those after the first of a packet, and those that are due at `now_ns`. Fills up to `count`
   * records, each with its own `status`, and returns their number; 0 if no output is left now. `channel` is that of the
   * packet that caused the output. An output for which there is no room is lost: HEADROOM_ERR_NO_SPACE. The caller
   * passes on the outputs of one packet with no other packet of this instance between them.
   *
   * The caller drains until 0 is returned: after each packet whose `more` is not 0, and at `next_deadline`. NULL: this
   * adapter never sets `more` and has no deadline. */
  size_t (*drain)(headroom_instance *self, headroom_packet *packets, size_t count, uint64_t now_ns,
                  headroom_detail *details) HEADROOM_OPTIONAL;

  /* Returns the time, on the clock of `now_ns`, at which the caller must call `drain` though no packet has come;
   * HEADROOM_NO_DEADLINE if there is none. A time that has passed means now. The deadline changes only in calls that
   * have a `now_ns`. Once `drain` has returned 0, the deadline is later than the `now_ns` of that call. After the last
   * packet there are at most 10,000 deadlines. NULL: no deadline ever. */
  uint64_t (*next_deadline)(const headroom_instance *self) HEADROOM_OPTIONAL;

  /* Packets of the other direction, such as feedback: one or more whole elements as they travel (for ROHC those of RFC
   * 5795, 5.2.4.1), at most HEADROOM_REVERSE_MAX octets. The type names the compressor that a packet is for, so the
   * caller can pass packets from `take_reverse` to `give_reverse` unchanged. Without these functions an implementation
   * works in unidirectional mode only.
   *
   * take_reverse ... fills up to `count` records (status HEADROOM_OK) and returns their number; 0 if no packet waits.
   *                  HEADROOM_REVERSE_FAR: packets that this decompressor, or endpoint, sends to the far end.
   *                  HEADROOM_REVERSE_NEAR: feedback that it received in packets (piggybacked or interspersed) for the
   *                  compressor at its own end.
   * give_reverse ... handles packets in order and returns their number, as `compress` does. HEADROOM_REVERSE_NEAR:
   *                  feedback that has arrived for this compressor; HEADROOM_OK. HEADROOM_REVERSE_FAR: feedback of the
   *                  decompressor at its own end, which the compressor puts in front of the next packet of the channel
   *                  (piggybacked); HEADROOM_OK if it accepts the feedback, HEADROOM_ERR_NO_SPACE if it has no room to
   *                  keep it, HEADROOM_ERR_UNSUPPORTED if it does not piggyback. */
  size_t (*take_reverse)(headroom_instance *self, headroom_packet *packets, size_t count,
                         uint64_t now_ns) HEADROOM_OPTIONAL;
  size_t (*give_reverse)(headroom_instance *self, headroom_packet *packets, size_t count,
                         uint64_t now_ns) HEADROOM_OPTIONAL;

  /* Handles a signal from outside, as JSON, such as {"signal": "reinitialize"} or {"mode": "U"} (RFC 3095, 6.3).
   * Returns 1 if it is supported; otherwise 0 with a sentence in `error`. */
  int32_t (*control)(headroom_instance *self, const char *json, char *error, size_t error_capacity) HEADROOM_OPTIONAL;

  /* Returns the functions of an extension by its name: a structure whose first field is its `struct_size`, which lets
   * it grow as this table does. NULL if the adapter lacks the extension. The same pointer each time. */
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
