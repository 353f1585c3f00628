/* SPDX-License-Identifier: Apache-2.0
 *
 * Extension "user-plane" of the Headroom adapter ABI: a user plane function, which forwards IP packets between the
 * access network (N3), other user planes (N9) and the data network (N6) by sessions and rules that arrive over N4 (3GPP
 * TS 29.281, TS 29.244, TS 38.415; clause numbers below are theirs).
 *
 * An instance of the role HEADROOM_USER_PLANE is a *worker*. `create` makes the first worker of a user plane,
 * `add_worker` the others. Workers share the sessions and rules of their user plane; they are destroyed in any order.
 *
 * Rules of headroom.h that do not hold here
 *   - "Instances share nothing": the workers of one user plane share its sessions, rules and counters.
 *   - "Buffers `in` and `out` never overlap": a packet is forwarded in place, in the buffer that it came in.
 *   - Allocation: `n4` may allocate. `forward` and `take` may allocate only to keep a packet: a fragment, a buffered
 *     packet, a duplicate.
 *
 * Concurrent calls
 *   - Calls for one worker are never concurrent: `forward`, `take`, `next_deadline`, `control` and `statistics`.
 *   - Calls for different workers may be concurrent, on different threads.
 *   - `n4` and `take_n4` are called for the first worker only, by one thread at a time. They may be concurrent with
 *     `forward` and `take` of every worker, the first worker included. A packet forwarded during `n4` is handled by the
 *     rules before the message or by those after it, never by a mixture. Once `n4` has returned, each later call of
 *     `forward` uses the new rules.
 *   - `add_worker` and `destroy` are concurrent with no other call of their user plane.
 *
 * The engine owns Ethernet, address resolution, threads and time. It gives each packet to one worker of its choice:
 * with distribution by a hash of the user's address, the packets of one address in both directions reach the same
 * worker, but packets with a spoofed address reach any worker. All workers therefore know all tunnel endpoints.
 */
#ifndef HEADROOM_ABI_HEADROOM_USER_PLANE_H
#define HEADROOM_ABI_HEADROOM_USER_PLANE_H

#include "headroom.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEADROOM_USER_PLANE_EXTENSION "user-plane"

/* Least number of octets that may be written in front of and behind each packet of `forward`. An outer IPv6 header, UDP
 * and GTP-U with its extension headers fit in front. */
#define HEADROOM_USER_PLANE_ROOM 128u

/* Octets of the longest packet and of the longest N4 message: `take` and `take_n4` have room for so many. */
#define HEADROOM_USER_PLANE_MAX 65535u

/* headroom_side is the interface on which a packet is received or sent. */
typedef enum headroom_side {
  HEADROOM_N3 = 1, /* access: GTP-U over UDP over IP */
  HEADROOM_N6 = 2, /* data network: the user's IP packets */
  HEADROOM_N9 = 3  /* another user plane: GTP-U over UDP over IP */
} headroom_side;

/* headroom_reason says why a packet with the status HEADROOM_NOTHING was not passed on. Only statistics and reports use
 * it; no verdict depends on it. An adapter that does not know the reason writes HEADROOM_REASON_NONE. */
typedef enum headroom_reason {
  HEADROOM_REASON_NONE = 0,
  HEADROOM_REASON_NO_SESSION = 1, /* no tunnel endpoint or user with this identifier (TS 29.281, 7.3.1) */
  HEADROOM_REASON_NO_RULE = 2,    /* no PDR of the session matches (TS 29.244, 5.2.1) */
  HEADROOM_REASON_RULE = 3,       /* a FAR says to drop it (TS 29.244, 8.2.26) */
  HEADROOM_REASON_GATE = 4,       /* a gate is closed (TS 29.244, 8.2.7) */
  HEADROOM_REASON_RATE = 5,       /* above the maximum bit rate (TS 29.244, 8.2.8) */
  HEADROOM_REASON_QUOTA = 6,      /* a quota is used up (TS 29.244, 5.2.2.2) */
  HEADROOM_REASON_BUFFERED = 7,   /* kept until a FAR says otherwise, or a fragment that waits for others */
  HEADROOM_REASON_ANSWERED = 8,   /* a message of the path, such as an Echo Request; the answer waits for `take` */
  HEADROOM_REASON_CONSUMED = 9    /* a message that needs no answer, such as an Echo Response */
} headroom_reason;

/* headroom_user_packet is one packet, forwarded in place. In `forward` the caller fills `octets`, `length`,
 * `room_before`, `room_behind` and `side`. The adapter fills `status`; if the packet is to be sent (HEADROOM_OK), it
 * sets `octets` and `length` to the packet as it is to be sent, and `side` to the interface on which to send it. It
 * leaves `room_before` and `room_behind` unchanged.
 *
 * The adapter may read and write from `octets - room_before` to `octets + length + room_behind`, by the values before
 * the call, whatever the status becomes. */
typedef struct headroom_user_packet {
  uint8_t *octets;      /* the first octet of the IP header */
  uint32_t length;      /* octets */
  uint16_t room_before; /* octets, at least HEADROOM_USER_PLANE_ROOM */
  uint16_t room_behind; /* octets, at least HEADROOM_USER_PLANE_ROOM */
  int32_t side;         /* headroom_side */
  int32_t status;       /* headroom_status */
  uint16_t reason;      /* headroom_reason; 0 before the call */
  uint16_t reserved;    /* 0 */
  uint32_t more;        /* 0 before the call. Not 0: packets wait for `take`, or may */
} headroom_user_packet;

/* headroom_n4_message is one N4 message as it travels in a UDP datagram, in a buffer of the caller's. */
typedef struct headroom_n4_message {
  uint8_t *octets;
  uint32_t length;      /* octets */
  uint32_t capacity;    /* octets of the buffer */
  uint8_t peer[16];     /* address of the control plane; an IPv4 address as an IPv4-mapped one (::ffff:0:0/96) */
  uint16_t port;        /* of the control plane */
  uint16_t reserved[3]; /* 0 */
} headroom_n4_message;

typedef struct headroom_user_plane {
  uint32_t struct_size; /* sizeof(headroom_user_plane) of the header the adapter was compiled with */
  uint32_t reserved;    /* 0 */

  /* Makes another worker of the user plane that `first` belongs to. Returns NULL with a sentence in `error` if that
   * fails. */
  headroom_instance *(*add_worker)(headroom_instance *first, char *error, size_t error_capacity);

  /* Handles packets in order. All packets have the time `now_ns`. The `status` of each packet is its outcome:
   * HEADROOM_OK (send it), HEADROOM_NOTHING (nothing to send now; `reason` says why) or an error that says what is
   * wrong with its octets (HEADROOM_ERR_MALFORMED, HEADROOM_ERR_UNSUPPORTED). */
  void (*forward)(headroom_instance *self, headroom_user_packet *packets, size_t count, uint64_t now_ns);

  /* Returns packets to send other than those of `forward`: Echo Responses, Error Indications, End Markers, Supported
   * Extension Headers Notifications, reassembled and buffered packets, duplicates. The caller fills `octets` and, in
   * `length`, the room there in octets (at least HEADROOM_USER_PLANE_MAX). The adapter copies the packet to `octets`
   * and fills `length`, `side` and `status` (HEADROOM_OK). Returns the number of packets; 0 if none waits. The caller
   * calls it until 0 is returned: after each burst in which a `more` is not 0, after each `n4`, and at `next_deadline`.
   */
  size_t (*take)(headroom_instance *self, headroom_user_packet *packets, size_t count, uint64_t now_ns);

  /* All functions from here on are optional (NULL): a user plane without N4 has the sessions of its configuration.
   *
   * Handles one N4 message (TS 29.244, 7.2). The answer, and each report, waits for `take_n4`. An invalid message is
   * answered as 7.6 says, or not at all. */
  void (*n4)(headroom_instance *first, const headroom_n4_message *message, uint64_t now_ns) HEADROOM_OPTIONAL;

  /* Returns an N4 message to send: an answer, a session report (7.5.8), a heartbeat or a retransmission. The caller
   * fills `octets` and `capacity` (at least HEADROOM_USER_PLANE_MAX), the adapter all other fields. Returns 1, or 0 if
   * no message waits. The caller calls it until 0 is returned: after `n4`, after a burst, and at `n4_deadline`. */
  int32_t (*take_n4)(headroom_instance *first, headroom_n4_message *message, uint64_t now_ns) HEADROOM_OPTIONAL;

  /* Returns the time at which the caller must call `take_n4` though no message has come, such as the end of a
   * measurement period or a retransmission; HEADROOM_NO_DEADLINE if there is none. May be concurrent with the calls
   * that `n4` may be concurrent with. */
  uint64_t (*n4_deadline)(const headroom_instance *first) HEADROOM_OPTIONAL;
} headroom_user_plane;

#ifdef __cplusplus
}
#endif

#endif /* HEADROOM_ABI_HEADROOM_USER_PLANE_H */
