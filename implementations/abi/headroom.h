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
 *   - HEADROOM_ERR_NO_SPACE costs one packet and no other. A compressor has not sent the packet: its contexts are
 *     as before it, or it sends again whatever it has changed in them; the far end understands all packets that follow,
 *     and the caller may give it again with more room. A decompressor has the packet but cannot pass it on; it may take
 *     note of it, and decompresses all that follow.
 *   - `compress` and `decompress` neither allocate nor lock nor make a system call once a flow's first packet has
 * passed. An endpoint may allocate where a message asks it to keep state.
 *   - It keeps no pointer into what a call gives it; see "Buffers" below.
 *
 * What the engine promises
 *   - `now_ns` never decreases over the life of an instance. Buffers `in` and `out` never overlap.
 *   - `out_capacity` is at least `in_length + HEADROOM_EXPANSION`, unless the adapter itself is being tested. Where the
 *     configuration has an `mrru` above 0, it is at least `2 * in_length + HEADROOM_EXPANSION` for `compress` and
 *     `in_length + mrru + HEADROOM_EXPANSION` for `decompress`. For an endpoint it is at least
 *     `2 * in_length + HEADROOM_MESSAGE_EXPANSION` for `compress`, or what a datagram has room for; for `decompress`,
 *     HEADROOM_MESSAGE_MAX or `in_length`, whichever is more.
 *
 * The header grows: later releases put optional functions at the end of the table, and statuses, roles and keys that an
 * older adapter is never given or asked for. An adapter made with an older header of the same version goes on working.
 */
#ifndef HEADROOM_ABI_HEADROOM_H
#define HEADROOM_ABI_HEADROOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
/* Behind a field that tables made before it was there need not mention. */
#define HEADROOM_LATER = nullptr
extern "C" {
#else
#define HEADROOM_LATER
#endif

#define HEADROOM_ABI_VERSION 1u

/* Octets of room that the engine leaves in an output buffer beyond the length of the input. Covers the largest
 * initialisation packet and the largest header that can be restored. */
#define HEADROOM_EXPANSION 512u

/* For endpoints. Room in an output buffer of `compress` beyond twice the length of the input: bytecode (RFC 3320
 * figure 3: 4,095 octets at most), a feedback item and headers. And the longest message that decompression makes (RFC
 * 3320 9.4.8). */
#define HEADROOM_MESSAGE_EXPANSION 5120u
#define HEADROOM_MESSAGE_MAX 65536u

/* An endpoint's message whose compartment is not known, or not yet. */
#define HEADROOM_NO_COMPARTMENT 0xFFFFFFFFu

/* Largest feedback, in octets, that `take_feedback` and `take_received_feedback` return in one call. */
#define HEADROOM_FEEDBACK_MAX 512u

/* ---- Buffers
 *
 * Whatever a call gives by pointer is the caller's, and the adapter's until that call returns: the array of packets and
 * what `in` and `out` of each point to; `details`; a headroom_feedback and its `data`; a headroom_message_detail; JSON
 * that is read (configurations, messages of `control`, questions of `tool`) and JSON that is written (`describe`,
 * `statistics`, `tool`); `error`. Once the call has returned, the caller may overwrite, reuse or free each of them,
 * whichever call comes next. In particular
 *
 *   - the input of `decompress` may be gone when `accept` comes, and its output, too: what acceptance is about (a
 *     returned feedback item of 1 to 128 octets, RFC 3320 7.1; state to be created, 9.4.6) has been copied until then;
 *   - the input of `compress` may be gone when `message_detail` is asked for an identifier of state that it made;
 *   - feedback that waits for `take_feedback` or `take_received_feedback` is a copy, and so is what `give_feedback` and
 *     `piggyback` were given;
 *   - the packets of a burst may share no buffer, but the buffers of the next burst may lie where theirs did.
 *
 * What an adapter gives by pointer: the headroom_instance, valid until `destroy`, and the table of functions, valid
 * until the library is closed. All else is written into buffers of the caller's. What `describe` writes is the same as
 * long as the library is open: indices of details mean its names at any time. */

/* What became of one packet. Zero and above: handled. Below zero: the packet is lost, and the value says why. */
typedef enum headroom_status {
  HEADROOM_OK = 0,               /* `out` holds `out_length` octets to pass on */
  HEADROOM_NOTHING = 1,          /* consumed; there is nothing to pass on (feedback alone, an unfinished segment …) */
  HEADROOM_SEGMENTS = 2,         /* `out` holds several link packets; see below */
  HEADROOM_MORE = 3,             /* endpoint on a stream: all octets are taken, no further message is complete */
  HEADROOM_ERR_NO_SPACE = -1,    /* `out_capacity` does not suffice; this packet alone is lost, see above */
  HEADROOM_ERR_MALFORMED = -2,   /* the octets cannot be what they claim to be */
  HEADROOM_ERR_NO_CONTEXT = -3,  /* no context has been established for this packet */
  HEADROOM_ERR_STATE = -4,       /* the context's state forbids decompressing this kind of packet */
  HEADROOM_ERR_CRC = -5,         /* a CRC over the header disagrees */
  HEADROOM_ERR_REPAIR = -6,      /* decompressed, but held back while a repaired context proves itself */
  HEADROOM_ERR_UNSUPPORTED = -7, /* well-formed, but this implementation does not do it */
  HEADROOM_ERR_CHANNEL = -8,     /* `channel` is not below the number of channels configured; no such compartment */
  HEADROOM_ERR_INTERNAL = -9,    /* a defect of the implementation, noticed by itself */
  HEADROOM_ERR_DECOMPRESSION = -10 /* endpoint: decompression failure; `message_detail` has the reason of RFC 4077 */
} headroom_status;

/* HEADROOM_SEGMENTS: of `compress` only, and only where the configuration has an `mrru` above 0 and the adapter says
 * lists the feature "segmentation" in `describe`; an adapter that does not is never asked for it. The packet has become
 * several link packets (RFC 5795, 5.2.5), which stand in `out` in the order in which they are to be sent, each behind
 * its length in two octets, the more significant one first; `out_length` counts all of it. The engine sends them one
 * behind another, with no other packet of the compressor in between, and gives each to the decompressor on its own. */
#define HEADROOM_SEGMENT_LENGTH 2u /* octets of length in front of each link packet */

/* An endpoint compresses and decompresses, for schemes whose two sides share what they know (SigComp); see "Endpoints"
 * below. */
typedef enum headroom_role { HEADROOM_COMPRESSOR = 1, HEADROOM_DECOMPRESSOR = 2, HEADROOM_ENDPOINT = 3 } headroom_role;

/* One packet of a burst. The adapter fills `out_length` and `status`, the caller all other fields. */
typedef struct headroom_packet {
  const uint8_t *in;
  uint8_t *out;
  uint32_t in_length;    /* octets */
  uint32_t out_capacity; /* octets */
  uint32_t channel;      /* 0 .. channels - 1; a channel is a CID space of its own (RFC 5795, 5.1.1). Of an endpoint:
                            the compartment */
  uint32_t out_length;   /* octets; 0 unless `status` is HEADROOM_OK or HEADROOM_SEGMENTS */
  int32_t status;        /* headroom_status */
  uint32_t source;       /* of `decompress` of an endpoint: who sent it, as far as the application can tell, such as a
                            hash of an address: one number, one budget. 0: not told. Zero in all other calls */
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

/* ---- Endpoints
 *
 * One instance of the role HEADROOM_ENDPOINT is a SigComp endpoint (RFC 3320): compressors, a decompressor and the
 * state handler between them. Compartments have 32-bit numbers of the caller's choice; `open_compartment` makes one,
 * and both `compress` and `decompress` of an endpoint take the number in `channel`.
 *
 *   compress ... one application message becomes one SigComp message for that compartment, with record marking (RFC
 *                3320 4.2.2) on a stream. HEADROOM_ERR_UNSUPPORTED: it cannot be made into one here; the application
 *                sends it as it is; after HEADROOM_ERR_NO_SPACE, too. HEADROOM_ERR_CHANNEL: no such compartment.
 *   decompress . datagrams: one message each.
 *                With a compartment's number: the application knows already whose message it is, and what the message
 *                asks of the state handler happens at once.
 *                With HEADROOM_NO_COMPARTMENT: nothing happens before the application has looked at the output and
 *                calls `accept` (RFC 3320 4.3). Only the message decompressed last can be accepted, so in a burst the
 *                last one.
 *                Streams: `in` continues the stream of that compartment, in pieces of any length; `channel` is never
 *                HEADROOM_NO_COMPARTMENT. Each call takes all octets and returns at most one message; the caller calls
 *                again with `in_length` 0 until the status is HEADROOM_MORE, or an error that ends the stream (reason
 *                25, FRAMING_ERROR).
 *                HEADROOM_OK: `out` holds the message for the application; `out_length` may be 0 (RFC 3320 9.4.8). One
 *                that is not SigComp's comes out as it went in (RFC 5049 5), on a stream piece by piece.
 *                HEADROOM_NOTHING: nothing is for the application: a message without output, or a NACK.
 *                HEADROOM_ERR_DECOMPRESSION: decompression failure.
 *                HEADROOM_ERR_STATE: refused before it ran, for what its source has cost; on a stream nothing is taken.
 *
 * Feedback items, SigComp parameters and announced states travel in messages and are the endpoint's own affair. NACKs
 * (RFC 4077) are messages: one that came in is dealt with by `decompress`; one that is to be sent is returned by
 * `take_feedback` after `decompress`, whole and with record marking on a stream, with the `channel` of the message that
 * it answers. `take_received_feedback`, `give_feedback` and `piggyback` are not called. `details` of `compress` and
 * `decompress` may be given; an endpoint without packet types leaves them unknown. */

typedef enum headroom_message_kind {
  HEADROOM_MESSAGE_NONE = 0,    /* there has been no message, or nothing is known of it */
  HEADROOM_MESSAGE_SIGCOMP = 1, /* one that was made, or decompressed with output */
  HEADROOM_MESSAGE_SILENT = 2,  /* decompressed, and no OUTPUT instruction was met */
  HEADROOM_MESSAGE_PLAIN = 3,   /* not SigComp's */
  HEADROOM_MESSAGE_NACK = 4,    /* a NACK that came in */
  HEADROOM_MESSAGE_IGNORED = 5, /* something that looks like a NACK and is none; it is never answered */
  HEADROOM_MESSAGE_FAILED = 6   /* decompression failure */
} headroom_message_kind;

enum {
  HEADROOM_MESSAGE_ACCEPTED = 1,            /* the state handler has carried out what the message asks for */
  HEADROOM_MESSAGE_ASKS_FEEDBACK = 2,       /* requested_feedback_location was not 0 (RFC 3320 9.4.9); */
  HEADROOM_MESSAGE_WANTS_NO_STATE = 4,      /* S-bit */
  HEADROOM_MESSAGE_WANTS_NO_LOCAL_STATE = 8 /* I-bit */
};

/* What an endpoint tells about the message that it compressed or decompressed last. What it does not know is 0. */
typedef struct headroom_message_detail {
  uint32_t struct_size;            /* the caller's: sizeof(headroom_message_detail); nothing beyond it is written */
  uint8_t kind;                    /* headroom_message_kind */
  uint8_t flags;                   /* HEADROOM_MESSAGE_ACCEPTED … */
  uint8_t reason;                  /* FAILED: the reason code of RFC 4077 3.2. NACK: the one in it */
  uint8_t opcode;                  /* likewise: of the instruction that failed */
  uint64_t cycles;                 /* decompress: UDVM cycles used (feature "cycles") */
  uint16_t pc;                     /* FAILED, NACK: the address of that instruction */
  uint16_t code_length;            /* octets of bytecode in the message */
  uint32_t header_length;          /* octets of SigComp header, bytecode included (RFC 3320 8.6), record marking not */
  uint32_t compartment;            /* that the message was made for or accepted under; NACK: that the message it names
                                      was made for. HEADROOM_NO_COMPARTMENT where there is none */
  uint8_t creations;               /* requests to create state in the message */
  uint8_t frees;                   /* and to free state */
  uint8_t parameters;              /* returned parameters: cpb, dms and sms as in figure 13; 0: none */
  uint8_t version;                 /* likewise: SigComp_version; 0: none */
  uint8_t announced;               /* likewise: partial identifiers of locally available state */
  uint8_t referred_length;         /* octets of `referred`; 0: the message refers to no state */
  uint8_t details_length;          /* octets of `details` */
  uint8_t returned_length;         /* octets of `returned_feedback`, the one that tells the length included */
  uint8_t requested_length;        /* octets of `requested_feedback`, likewise */
  uint8_t reserved[3];             /* zero */
  uint8_t referred[20];            /* partial identifier of the state that the message begins from */
  uint8_t created[20];             /* identifier of the newest item of state that the message asks for */
  uint8_t details[20];             /* of the reason (RFC 4077 3.2), the first 20 octets */
  uint8_t named[20];               /* NACK: SHA-1 of the message that could not be decompressed */
  uint8_t returned_feedback[128];  /* the item that the message brings back (T-bit) */
  uint8_t requested_feedback[128]; /* the item that it wants to have brought back */
} headroom_message_detail;

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
   * N}; a memory_bytes of 0 is one that nobody knows. */
  size_t (*statistics)(const headroom_instance *self, char *json, size_t capacity);

  /* Optional. A signal from outside, as JSON, such as {"signal": "reinitialize"} or {"mode": "U"} (RFC 3095, 6.3).
   * Returns 1 when it was understood; otherwise 0 with a sentence in `error`. */
  int32_t (*control)(headroom_instance *self, const char *json, char *error, size_t error_capacity);

  /* ---- From here on optional, and absent from tables made before there were endpoints. An endpoint has the first
   * four.
   *
   * Opens a compartment of an endpoint, with a JSON object (or NULL for {}) of what is other than in the configuration:
   * see implementations/README.md. Returns 1, or 0 with a sentence in `error`: the number is taken, there are too many,
   * a key cannot be followed. */
  int32_t (*open_compartment)(headroom_instance *self, uint32_t compartment, const char *json, char *error,
                              size_t error_capacity) HEADROOM_LATER;
  /* Closes it: its state is freed, its compressor and its stream are forgotten. Returns 0 when there is none. */
  int32_t (*close_compartment)(headroom_instance *self, uint32_t compartment) HEADROOM_LATER;
  /* The application says that the message decompressed last, with HEADROOM_NO_COMPARTMENT, belongs to this compartment.
   * Returns 1 when what it asks of the state handler has happened; 0 when there is nothing to accept (it did not come
   * out, for want of room, say), it has been accepted already, or there is no such compartment. */
  int32_t (*accept)(headroom_instance *self, uint32_t compartment) HEADROOM_LATER;
  /* Fills `detail`, up to its `struct_size`, about the message compressed or decompressed last. */
  void (*message_detail)(const headroom_instance *self, headroom_message_detail *detail) HEADROOM_LATER;

  /* A question that needs no instance, such as to assemble bytecode: a JSON object in, a JSON object out, the calling
   * convention of `describe`. The answer depends on the question alone. A question that is wrong is answered with
   * {"error": "a sentence"}. Which there are says "tools" in `describe`. */
  size_t (*tool)(const char *request_json, char *json, size_t capacity) HEADROOM_LATER;
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
