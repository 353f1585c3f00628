/* SPDX-License-Identifier: Apache-2.0
 *
 * Extension "messages" of the Headroom adapter ABI: endpoints of SigComp (RFC 3320). One instance of the role
 * HEADROOM_ENDPOINT is compressors, a decompressor and the state handler between them. Its sessions
 * (headroom_sessions.h) are compartments.
 *
 *   compress ... one application message becomes one SigComp message for that compartment, with record marking (RFC
 *                3320 4.2.2) on a stream. HEADROOM_ERR_UNSUPPORTED: it cannot be made into one here; the application
 *                sends it as it is; after HEADROOM_ERR_NO_SPACE, too. HEADROOM_ERR_CHANNEL: no such compartment.
 *   decompress . datagrams: one message each.
 *                With a compartment's number: the application knows already whose message it is, and what the message
 *                asks of the state handler happens at once.
 *                With HEADROOM_NO_SESSION: nothing happens before the application has looked at the output and calls
 *                `accept` (RFC 3320 4.3). Only the message decompressed last can be accepted, so in a burst the last
 *                one.
 *                Streams: `in` continues the stream of that compartment, in pieces of any length, also of none;
 *                `channel` is never HEADROOM_NO_SESSION. All octets are taken. The record has the outcome of the first
 *                message that is complete, `drain` those of the next ones.
 *                HEADROOM_OK: `out` holds the message for the application; `out_length` may be 0 (RFC 3320 9.4.8). One
 *                that is not SigComp's comes out as it went in (RFC 5049 5), on a stream piece by piece.
 *                HEADROOM_NOTHING: nothing is for the application: a message without output, a NACK; on a stream also
 *                that no message is complete, of which `detail` says HEADROOM_MESSAGE_NONE.
 *                HEADROOM_ERR_DECOMPRESSION: decompression failure. It ends a stream when the reason is 25,
 *                FRAMING_ERROR.
 *                HEADROOM_ERR_STATE: refused before it ran, for what its `source` has cost (one number, one budget). On
 * a stream no octet of that call is taken, and what earlier calls have left waits for the next `decompress`.
 *
 * Feedback items, SigComp parameters and announced states travel in messages and are the endpoint's own affair. NACKs
 * (RFC 4077) are messages: one that came in is dealt with by `decompress`; one that is to be sent is returned by
 * `take_reverse`, for the far end, whole and with record marking on a stream, with the `channel` of the message that it
 * answers. `give_reverse` is not called. `details` of `compress` and `decompress` may be given; an endpoint without
 * packet types leaves them unknown.
 *
 * Room for output. compress: 2 * in_length + HEADROOM_MESSAGE_EXPANSION, or what a datagram has room for. decompress:
 * HEADROOM_MESSAGE_MAX or in_length, whichever is more.
 *
 * Buffers. The input of `decompress` may be gone when `accept` comes, and its output, too: what acceptance is about (a
 * returned feedback item of 1 to 128 octets, RFC 3320 7.1; state to be created, 9.4.6) has been copied until then. The
 * input of `compress` may be gone when `detail` is asked for an identifier of state that it made.
 */
#ifndef HEADROOM_ABI_HEADROOM_MESSAGES_H
#define HEADROOM_ABI_HEADROOM_MESSAGES_H

#include "headroom.h"
#include "headroom_sessions.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEADROOM_MESSAGES "messages"

/* Room in an output buffer of `compress` beyond twice the length of the input: bytecode (RFC 3320 figure 3: 4,095
 * octets at most), a feedback item and headers. And the longest message that decompression makes (RFC 3320 9.4.8). */
#define HEADROOM_MESSAGE_EXPANSION 5120u
#define HEADROOM_MESSAGE_MAX 65536u

typedef enum headroom_message_kind {
  HEADROOM_MESSAGE_NONE = 0,       /* there has been no message, or nothing is known of it */
  HEADROOM_MESSAGE_COMPRESSED = 1, /* one that was made, or decompressed with output */
  HEADROOM_MESSAGE_SILENT = 2,     /* decompressed, and no OUTPUT instruction was met */
  HEADROOM_MESSAGE_PLAIN = 3,      /* not SigComp's */
  HEADROOM_MESSAGE_NACK = 4,       /* a NACK that came in */
  HEADROOM_MESSAGE_IGNORED = 5,    /* something that looks like a NACK and is none; it is never answered */
  HEADROOM_MESSAGE_FAILED = 6      /* decompression failure */
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
                                      was made for. HEADROOM_NO_SESSION where there is none */
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

typedef struct headroom_messages {
  uint32_t struct_size; /* sizeof(headroom_messages) of the header the adapter was compiled with */
  uint32_t reserved;    /* 0 */

  /* The application says that the message decompressed last, with HEADROOM_NO_SESSION, belongs to this compartment.
   * Returns 1 when what it asks of the state handler has happened; 0 when there is nothing to accept (it did not come
   * out, for want of room, say), it has been accepted already, or there is no such compartment. */
  int32_t (*accept)(headroom_instance *self, uint32_t compartment);
  /* Fills `detail`, up to its `struct_size`, about the message whose outcome was returned last, by `compress`,
   * `decompress` or `drain`: to know of each, drain one at a time. */
  void (*detail)(const headroom_instance *self, headroom_message_detail *detail);
} headroom_messages;

#ifdef __cplusplus
}
#endif

#endif /* HEADROOM_ABI_HEADROOM_MESSAGES_H */
