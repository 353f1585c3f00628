/* RFC 3320: each message of this one brings bytecode that copies the octets behind it, which any UDVM decompresses. It
 * has no UDVM: it takes its own messages alone. */
enum { MOST = 1024, CODE = 13 };

struct library {
  uint32_t limit, count, sessions[MOST];
  int acceptable; /* the message decompressed last waits for `library_accept` */
};

/* RFC 3320, 7: no state, no feedback, ten octets of bytecode for address 128. They are, as `./headroom udvm` shows:
 * :loop INPUT-BYTES (1, 64, done) OUTPUT (64, 1) JUMP (loop) :done END-MESSAGE (0, 0, 0, 0, 0, 0, 0) */
static const uint8_t COPY[CODE] = {0xF8, 0x00, 0xA1, 0x1C, 0x01, 0x86, 0x09, 0x22, 0x86, 0x01, 0x16, 0xF9, 0x23};

static void read_size(settings *s, const char *key, uint32_t least, uint32_t missing) {
  const uint64_t size = settings_number(s, key, 0, 131072, missing);
  if (size != 0 && (size < least || (size & (size - 1)) != 0)) settings_fail(s, key, "a power of two");
}

library *library_create(int32_t role, const char *config, char *error, size_t capacity) {
  library *self = (library *)calloc(1, sizeof *self);
  settings s = settings_open(config, error, capacity);
  if (self == NULL) return NULL;
  if (s.good && role != HEADROOM_ENDPOINT && capacity != 0) snprintf(error, capacity, "the role must be 3 (endpoint)");
  s.good = s.good && role == HEADROOM_ENDPOINT;
  if (settings_find(&s, "scheme") == NULL || !settings_is(&s, "scheme", " sigcomp ", "sigcomp"))
    settings_fail(&s, "scheme", "\"sigcomp\"");
  (void)settings_is(&s, "transport", " udp ", "udp");
  read_size(&s, "decompression_memory_size", 2048, 8192);
  read_size(&s, "state_memory_size", 2048, 2048);
  const uint64_t cycles = settings_number(&s, "cycles_per_bit", 16, 128, 16);
  if ((cycles & (cycles - 1)) != 0) settings_fail(&s, "cycles_per_bit", "16, 32, 64 or 128");
  (void)settings_number(&s, "version", 1, 1, 1);
  self->limit = (uint32_t)settings_number(&s, "compartments", 1, MOST, MOST);
  settings_some(&s, "dictionaries", "  "); /* TODO: yours */
  settings_no_options(&s);
  if (s.good) return self;
  free(self);
  return NULL;
}

void library_destroy(library *self) { free(self); }
size_t library_memory(const library *self) { return sizeof *self; }
size_t library_sessions(const library *self) { return self->count; }

static uint32_t *find(library *self, uint32_t session) {
  for (uint32_t i = 0; i < self->count; ++i)
    if (self->sessions[i] == session) return &self->sessions[i];
  return NULL;
}

int32_t library_open(library *self, uint32_t session, const char *json, char *error, size_t capacity) {
  settings s = settings_open(json == NULL ? "{}" : json, error, capacity);
  settings_only(&s, "state_memory_size peer options"); /* which change nothing: each message stands for itself */
  settings_no_options(&s);
  if (!s.good) return 0;
  const int known = find(self, session) != NULL;
  if (!known && session != HEADROOM_NO_SESSION && self->count < self->limit)
    return self->sessions[self->count++] = session, 1;
  if (capacity != 0)
    snprintf(error, capacity,
             known ? "this compartment is open already" : "there are too many compartments, or it has no number");
  return 0;
}

int32_t library_close(library *self, uint32_t session) {
  uint32_t *at = find(self, session);
  if (at == NULL) return 0;
  *at = self->sessions[--self->count];
  return 1;
}

static int32_t compress(library *self, headroom_packet *p, headroom_message_detail *detail) {
  detail->compartment = p->channel;
  if (find(self, p->channel) == NULL) return HEADROOM_ERR_CHANNEL;
  if (p->in_length == 0) return HEADROOM_ERR_MALFORMED;
  if (p->out_capacity < CODE || p->in_length > p->out_capacity - CODE) return HEADROOM_ERR_NO_SPACE;
  memcpy(p->out, COPY, CODE);
  memcpy(p->out + CODE, p->in, p->in_length);
  p->out_length = p->in_length + CODE;
  detail->kind = HEADROOM_MESSAGE_COMPRESSED, detail->header_length = CODE, detail->code_length = CODE - 3;
  return HEADROOM_OK;
}

int32_t library_process(library *self, int32_t compressing, headroom_packet *p, headroom_message_detail *detail) {
  self->acceptable = 0;
  if (compressing) return compress(self, p, detail);
  const int told = p->channel != HEADROOM_NO_SESSION;
  if (told && find(self, p->channel) == NULL) return HEADROOM_ERR_CHANNEL;
  if (p->in_length == 0) return HEADROOM_ERR_MALFORMED;
  const int plain = p->in[0] < 0xF8; /* RFC 5049, 5: no SigComp message begins like that */
  const int known = p->in_length >= CODE && memcmp(p->in, COPY, CODE) == 0;
  if (!plain && !known) return HEADROOM_ERR_UNSUPPORTED;
  const uint32_t skipped = plain ? 0 : CODE;
  if (p->in_length - skipped > p->out_capacity) return HEADROOM_ERR_NO_SPACE;
  p->out_length = p->in_length - skipped;
  memcpy(p->out, p->in + skipped, p->out_length);
  detail->kind = plain ? HEADROOM_MESSAGE_PLAIN : HEADROOM_MESSAGE_COMPRESSED;
  self->acceptable = known && !told;
  if (known && told) detail->compartment = p->channel, detail->flags = HEADROOM_MESSAGE_ACCEPTED;
  return HEADROOM_OK;
}

int32_t library_accept(library *self, uint32_t session, headroom_message_detail *detail) {
  if (!self->acceptable || find(self, session) == NULL) return 0;
  self->acceptable = 0;
  detail->compartment = session;
  detail->flags = (uint8_t)(detail->flags | HEADROOM_MESSAGE_ACCEPTED);
  return 1;
}
