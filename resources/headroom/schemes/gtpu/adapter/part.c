/* 3GPP TS 29.281 without N4: the sessions are those of "session_range": session i has the first tunnel endpoint, user
 * and base station plus i, so that a lookup is a subtraction. It knows IPv4 alone and sends no Error Indication. */
#include <arpa/inet.h>

enum { GTPU = 2152, ECHO_REQUEST = 1, ECHO_RESPONSE = 2, G_PDU = 255, RECOVERY = 14, PSC = 0x85, UDP = 17, TTL = 64 };
enum { IP_HEADER = 20, OUTER = IP_HEADER + 8 /* UDP */, ENCAPSULATION = OUTER + 16, ANSWER = OUTER + 14, ANSWERS = 64 };

/* TODO: yours. All workers have one. */
typedef struct shared {
  uint32_t workers, count, n3, teid, user, access, access_teid, qfi;
} shared;

struct library {
  shared *sessions;
  uint8_t answers[ANSWERS][ANSWER]; /* Echo Responses that wait for `take` */
  size_t waiting;
};

static uint32_t get16(const uint8_t *at) { return (uint32_t)at[0] << 8 | at[1]; }
static uint32_t get32(const uint8_t *at) { return get16(at) << 16 | get16(at + 2); }
static void put16(uint8_t *at, uint32_t v) { at[0] = (uint8_t)(v >> 8), at[1] = (uint8_t)v; }
static void put32(uint8_t *at, uint32_t v) { put16(at, v >> 16), put16(at + 2, v & 0xFFFF); }

/* IPv4 and UDP in front of `length` octets in all. */
static void put_outer(uint8_t *at, uint32_t length, uint32_t source, uint32_t destination, uint32_t port) {
  uint32_t sum = 0;
  memset(at, 0, OUTER);
  at[0] = 0x45, at[8] = TTL, at[9] = UDP;
  put16(at + 2, length), put32(at + 12, source), put32(at + 16, destination);
  for (size_t i = 0; i < IP_HEADER; i += 2) sum += get16(at + i);
  sum = (sum & 0xFFFF) + (sum >> 16);
  put16(at + 10, ~(sum + (sum >> 16)) & 0xFFFF);
  put16(at + 20, GTPU), put16(at + 22, port), put16(at + 24, length - IP_HEADER); /* without a checksum */
}

/* Octets of an IPv4 header with a whole packet behind it; 0: there is none. */
static uint32_t ip_header(const uint8_t *at, uint32_t length) {
  if (length < IP_HEADER || at[0] >> 4 != 4) return 0;
  const uint32_t header = (at[0] & 15u) * 4;
  return header >= IP_HEADER && get16(at + 2) >= header && get16(at + 2) <= length ? header : 0;
}

static int32_t nothing(headroom_user_packet *p, uint16_t reason) { return p->reason = reason, HEADROOM_NOTHING; }
static int32_t echo(library *self, headroom_user_packet *p, const uint8_t *gtp, uint32_t rest) {
  if (self->waiting == ANSWERS) return nothing(p, HEADROOM_REASON_RATE);
  uint8_t *answer = self->answers[self->waiting++];
  put_outer(answer, ANSWER, get32(p->octets + 16), get32(p->octets + 12), get16(gtp - 8));
  memset(answer + OUTER, 0, ANSWER - OUTER);
  answer[OUTER] = 0x32, answer[OUTER + 1] = ECHO_RESPONSE, answer[OUTER + 3] = 6, answer[OUTER + 12] = RECOVERY;
  if ((gtp[0] & 2) != 0 && rest >= 12) memcpy(answer + OUTER + 8, gtp + 8, 2); /* the sequence number */
  p->more = 1;
  return nothing(p, HEADROOM_REASON_ANSWERED);
}

static int32_t uplink(library *self, headroom_user_packet *p) {
  const shared *sessions = self->sessions;
  const uint32_t ip = ip_header(p->octets, p->length);
  if (ip == 0 || get16(p->octets + 2) < ip + 16) return HEADROOM_ERR_MALFORMED;
  if (p->octets[9] != UDP || get16(p->octets + ip + 2) != GTPU || get32(p->octets + 16) != sessions->n3 ||
      (get16(p->octets + 6) & 0x3FFF) != 0)
    return HEADROOM_ERR_UNSUPPORTED;
  const uint8_t *gtp = p->octets + ip + 8;
  const uint32_t rest = get16(p->octets + 2) - ip - 8;
  if (gtp[0] >> 4 != 3) return HEADROOM_ERR_UNSUPPORTED; /* version 1, and GTP rather than GTP' */
  const uint32_t end = 8 + get16(gtp + 2);
  uint32_t at = (gtp[0] & 7) != 0 ? 12 : 8;
  if (end > rest || at > end) return HEADROOM_ERR_MALFORMED;
  if (gtp[1] == ECHO_REQUEST) return echo(self, p, gtp, end);
  if (gtp[1] != G_PDU) return HEADROOM_ERR_UNSUPPORTED;
  for (uint8_t next = (gtp[0] & 4) != 0 ? gtp[11] : 0; next != 0;) { /* extension headers */
    if (at >= end || gtp[at] == 0 || gtp[at] * 4u > end - at) return HEADROOM_ERR_MALFORMED;
    if (next >= 0x80 && next != PSC) return HEADROOM_ERR_UNSUPPORTED; /* it has to be understood, TS 29.281, 5.2.1 */
    at += gtp[at] * 4u;
    next = gtp[at - 1];
  }
  const uint32_t session = get32(gtp + 4) - sessions->teid;
  if (session >= sessions->count) return nothing(p, HEADROOM_REASON_NO_SESSION);
  if (ip_header(gtp + at, end - at) == 0) return HEADROOM_ERR_MALFORMED;
  if (get32(gtp + at + 12) != sessions->user + session) return nothing(p, HEADROOM_REASON_NO_RULE);
  p->octets += ip + 8 + at;
  p->length = end - at;
  p->side = HEADROOM_N6;
  return HEADROOM_OK;
}

static int32_t downlink(library *self, headroom_user_packet *p) {
  const shared *const sessions = self->sessions;
  if (ip_header(p->octets, p->length) == 0) return HEADROOM_ERR_MALFORMED;
  const uint32_t session = get32(p->octets + 16) - sessions->user;
  if (session >= sessions->count) return nothing(p, HEADROOM_REASON_NO_SESSION);
  p->length = get16(p->octets + 2) + ENCAPSULATION;
  if (p->length > HEADROOM_USER_PLANE_MAX) return HEADROOM_ERR_MALFORMED;
  p->octets -= ENCAPSULATION;
  put_outer(p->octets, p->length, sessions->n3, sessions->access + session, GTPU);
  uint8_t *gtp = p->octets + OUTER;
  gtp[0] = 0x34, gtp[1] = G_PDU; /* version 1, GTP, an extension header */
  put16(gtp + 2, p->length - OUTER - 8), put32(gtp + 4, sessions->access_teid + session);
  put32(gtp + 8, PSC);                                      /* no sequence number, no N-PDU number */
  put32(gtp + 12, 0x01000000u | (sessions->qfi & 63) << 8); /* TS 38.415: downlink, QFI */
  p->side = HEADROOM_N3;
  return HEADROOM_OK;
}

int32_t library_forward(library *self, headroom_user_packet *packet) {
  return packet->side == HEADROOM_N6 ? downlink(self, packet) : uplink(self, packet); /* N9 as N3 */
}

int32_t library_take(library *self, headroom_user_packet *packet) {
  if (self->waiting == 0) return 0;
  memcpy(packet->octets, self->answers[--self->waiting], ANSWER);
  packet->length = ANSWER, packet->side = HEADROOM_N3, packet->status = HEADROOM_OK;
  return 1;
}

static uint32_t read_address(settings *s, const char *key) {
  const char *value = settings_find(s, key);
  char text[16] = "";
  struct in_addr binary = {0};
  if (value == NULL || sscanf(value, "\"%15[0-9.]\"", text) != 1 || inet_pton(AF_INET, text, &binary) != 1)
    settings_fail(s, key, "an IPv4 address");
  return ntohl(binary.s_addr);
}

/* A key that has to be there. */
static uint32_t read_number(settings *s, const char *key, uint32_t most) {
  if (settings_find(s, key) == NULL) settings_fail(s, key, "there");
  return (uint32_t)settings_number(s, key, 0, most, 0);
}

/* The object behind a key, to be read key by key. */
static settings read_object(settings *s, const char *key) {
  const char *value = settings_find(s, key);
  if (value == NULL || *value != '{') settings_fail(s, key, "an object");
  settings inside = *s;
  if (s->good) inside.object = value;
  return inside;
}

static library *worker_of(shared *sessions, char *error, size_t capacity) {
  library *self = (library *)calloc(1, sizeof *self);
  if (self == NULL && capacity != 0) snprintf(error, capacity, "there is not enough memory for a worker");
  if (self != NULL) self->sessions = sessions, ++sessions->workers;
  return self;
}

library *library_create(int32_t role, const char *config, char *error, size_t capacity) {
  settings s = settings_open(config, error, capacity);
  if (s.good && role != HEADROOM_USER_PLANE && capacity != 0)
    snprintf(error, capacity, "the role must be 4 (user plane)");
  s.good = s.good && role == HEADROOM_USER_PLANE;
  if (settings_find(&s, "scheme") == NULL || !settings_is(&s, "scheme", " gtpu ", "gtpu"))
    settings_fail(&s, "scheme", "\"gtpu\"");
  (void)settings_number(&s, "max_sessions", 1, 1048576, 65536);
  (void)settings_number(&s, "flows", 0, 0xFFFFFFFFu, 0);
  settings_no_options(&s);
  shared made = {0};
  settings n3 = read_object(&s, "n3");
  made.n3 = read_address(&n3, "ipv4");
  s.good = s.good && n3.good;
  settings range = read_object(&s, "session_range");
  made.count = read_number(&range, "count", 1048576), made.teid = read_number(&range, "teid", 0xFFFFFFFFu);
  made.user = read_address(&range, "user"), made.access = read_address(&range, "access");
  made.access_teid = read_number(&range, "access_teid", 0xFFFFFFFFu), made.qfi = read_number(&range, "qfi", 63);
  shared *sessions = s.good && range.good ? (shared *)malloc(sizeof made) : NULL;
  if (sessions == NULL) return NULL;
  *sessions = made;
  library *self = worker_of(sessions, error, capacity);
  if (self == NULL) free(sessions);
  return self;
}

library *library_add_worker(library *first, char *error, size_t capacity) {
  return worker_of(first->sessions, error, capacity);
}

void library_destroy(library *self) {
  if (--self->sessions->workers == 0) free(self->sessions);
  free(self);
}

size_t library_memory(const library *self) { return sizeof *self; }
uint32_t library_sessions(const library *self) { return self->sessions->count; }
