/* SPDX-License-Identifier: Apache-2.0
 *
 * Extension "messages" of the Headroom adapter ABI: endpoints of SigComp (RFC 3320). An instance of the role
 * HEADROOM_ENDPOINT has compressors, a decompressor and the state handler between them. Its sessions
 * (headroom_sessions.h) are compartments.
 *
 *   compress ... turns one application message into one SigComp message for that compartment, with record marking (RFC
 *                3320 4.2.2) on a stream. HEADROOM_ERR_UNSUPPORTED: this message cannot be compressed here. The
 *                application sends it uncompressed, as it does after HEADROOM_ERR_NO_SPACE. HEADROOM_ERR_CHANNEL: no
 *                such compartment.
 *   decompress . On datagrams, each packet is one message.
 *                With a compartment's number: the application knows already which compartment the message belongs to,
 *                and the state handler carries out the message's requests at once.
 *                With HEADROOM_NO_SESSION: the state handler does nothing until the application has seen the output
 *                and calls `accept` (RFC 3320 4.3). Only the last decompressed message can be accepted, so in a burst
 *                only the last message.
 *                On streams, `in` continues the stream of that compartment, in pieces of any length, also of length 0;
 *                `channel` is never HEADROOM_NO_SESSION. The adapter takes all octets. The record has the outcome of
 *                the first complete message, and `drain` returns the outcomes of the next messages.
 *                HEADROOM_OK: `out` holds the message for the application; `out_length` may be 0 (RFC 3320 9.4.8). A
 *                message that is no SigComp message comes out unchanged (RFC 5049 5), on a stream piece by piece.
 *                HEADROOM_NOTHING: there is nothing for the application: the message had no output or was a NACK, or
 *                no message on the stream is complete yet; in the last case the kind in `detail` is
 *                HEADROOM_MESSAGE_NONE.
 *                HEADROOM_ERR_DECOMPRESSION: decompression failure. It ends a stream if the reason is 25,
 *                FRAMING_ERROR.
 *                HEADROOM_ERR_STATE: refused before it ran, because earlier messages of its `source` have cost too
 *                much (each number in `source` has one budget). On a stream the adapter takes no octet of that call,
 *                and the octets of earlier calls wait for the next `decompress`.
 *
 * Feedback items, SigComp parameters and announced states travel in messages; the endpoint handles them by itself.
 * NACKs (RFC 4077) are messages: `decompress` handles a received NACK; `take_reverse` returns a NACK to be sent to the
 * far end, whole and with record marking on a stream, with the `channel` of the message that it answers. `give_reverse`
 * is not called. `details` of `compress` and `decompress` may be given; an endpoint without packet types leaves them
 * unknown.
 *
 * Room for output. compress: 2 * in_length + HEADROOM_MESSAGE_EXPANSION, or as much as fits into a datagram.
 * decompress: HEADROOM_MESSAGE_MAX or in_length, whichever is more.
 *
 * Buffers. The input and output of `decompress` may be gone when `accept` is called: the adapter has copied the
 * returned feedback item (1 to 128 octets, RFC 3320 7.1) and the state to be created (9.4.6). The input of `compress`
 * may be gone when `detail` is called for the identifier of a state that the message creates.
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
 * octets at most), a feedback item and headers. */
#define HEADROOM_MESSAGE_EXPANSION 5120u
/* Octets of the longest message that decompression may output (RFC 3320 9.4.8). */
#define HEADROOM_MESSAGE_MAX 65536u

typedef enum headroom_message_kind {
  HEADROOM_MESSAGE_NONE = 0,       /* there has been no message, or nothing is known about it */
  HEADROOM_MESSAGE_COMPRESSED = 1, /* a SigComp message: compressed, or decompressed with output */
  HEADROOM_MESSAGE_SILENT = 2,     /* decompressed, but its bytecode executed no OUTPUT instruction */
  HEADROOM_MESSAGE_PLAIN = 3,      /* no SigComp message */
  HEADROOM_MESSAGE_NACK = 4,       /* a received NACK */
  HEADROOM_MESSAGE_IGNORED = 5,    /* a message that looks like a NACK but is invalid; it is never answered */
  HEADROOM_MESSAGE_FAILED = 6      /* decompression failure */
} headroom_message_kind;

enum {
  HEADROOM_MESSAGE_ACCEPTED = 1,            /* the state handler has carried out what the message asks for */
  HEADROOM_MESSAGE_ASKS_FEEDBACK = 2,       /* requested_feedback_location was not 0 (RFC 3320 9.4.9) */
  HEADROOM_MESSAGE_WANTS_NO_STATE = 4,      /* S-bit */
  HEADROOM_MESSAGE_WANTS_NO_LOCAL_STATE = 8 /* I-bit */
};

/* headroom_message_detail describes the message that an endpoint compressed or decompressed last. Unknown fields are 0.
 */
typedef struct headroom_message_detail {
  uint32_t struct_size;            /* the caller's sizeof(headroom_message_detail); nothing beyond it is written */
  uint8_t kind;                    /* headroom_message_kind */
  uint8_t flags;                   /* HEADROOM_MESSAGE_ACCEPTED … */
  uint8_t reason;                  /* FAILED: the reason code of RFC 4077 3.2. NACK: the reason code in the NACK */
  uint8_t opcode;                  /* FAILED, NACK: opcode of the instruction that failed */
  uint64_t cycles;                 /* decompress: UDVM cycles used (feature "cycles") */
  uint16_t pc;                     /* FAILED, NACK: the address of that instruction */
  uint16_t code_length;            /* octets of bytecode in the message */
  uint32_t header_length;          /* octets of SigComp header, bytecode included (RFC 3320 8.6), record marking not */
  uint32_t compartment;            /* the compartment that the message was compressed for or accepted under; NACK: the
                                      compartment of the message that it names. HEADROOM_NO_SESSION: none */
  uint8_t creations;               /* requests to create state in the message */
  uint8_t frees;                   /* requests to free state in the message */
  uint8_t parameters;              /* returned parameters: cpb, dms and sms as in figure 13; 0: none */
  uint8_t version;                 /* likewise: SigComp_version; 0: none */
  uint8_t announced;               /* likewise: partial identifiers of locally available state */
  uint8_t referred_length;         /* octets of `referred`; 0: the message refers to no state */
  uint8_t details_length;          /* octets of `details` */
  uint8_t returned_length;         /* octets of `returned_feedback`, its length octet included */
  uint8_t requested_length;        /* octets of `requested_feedback`, likewise */
  uint8_t reserved[3];             /* zero */
  uint8_t referred[20];            /* partial identifier of the state that the message begins with */
  uint8_t created[20];             /* identifier of the last state that the message asks to create */
  uint8_t details[20];             /* the first 20 octets of the details of the reason (RFC 4077 3.2) */
  uint8_t named[20];               /* NACK: SHA-1 of the message that could not be decompressed */
  uint8_t returned_feedback[128];  /* the feedback item that the message returns (T-bit) */
  uint8_t requested_feedback[128]; /* the feedback item that the message asks to be returned */
} headroom_message_detail;

typedef struct headroom_messages {
  uint32_t struct_size; /* sizeof(headroom_messages) of the header the adapter was compiled with */
  uint32_t reserved;    /* 0 */

  /* Accepts the message decompressed last (with HEADROOM_NO_SESSION) under this compartment. Returns 1 if the state
   * handler has carried out its requests; 0 if there is no message to accept (for example, because its output had no
   * room), if it has been accepted already, or if there is no such compartment. */
  int32_t (*accept)(headroom_instance *self, uint32_t compartment);
  /* Fills `detail`, up to its `struct_size`, about the message whose outcome `compress`, `decompress` or `drain`
   * returned last. To get the detail of each message, drain one message at a time. */
  void (*detail)(const headroom_instance *self, headroom_message_detail *detail);
} headroom_messages;

#ifdef __cplusplus
}
#endif

#endif /* HEADROOM_ABI_HEADROOM_MESSAGES_H */
