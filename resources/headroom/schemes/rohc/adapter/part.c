/* RFC 5795 with the Uncompressed profile (RFC 3095, 5.10) and small CIDs: this one sends every packet as an IR packet
 * of CID 0, and takes IR and Normal packets of any CID. It leaves out feedback and segments that come. */
enum { MOST_CHANNELS = 16, CIDS = 16, ADD_CID = 0xE0, FEEDBACK = 0xF0, IR = 0xFC, SEGMENT = 0xFE };

struct state {
  uint32_t max_cid;
  uint16_t known[MOST_CHANNELS]; /* a bit for each CID: its context has been initialised */
};

static void read_keys(settings *s, struct state *self, uint32_t channels) {
  (void)channels;
  (void)settings_is(s, "cids", " small ", "small");
  self->max_cid = (uint32_t)settings_number(s, "max_cid", 0, CIDS - 1, CIDS - 1);
  settings_some(s, "profiles", " 0x0000 "); /* TODO: yours */
  (void)settings_is(s, "mode", " U ", "U");
  (void)settings_number(s, "mrru", 0, 0, 0);
  settings_no_options(s);
}

/* RFC 3095, 5.9.1: the polynomial is 1 + x + x^2 + x^8, the register begins with ones. */
static uint8_t crc8(const uint8_t *octets, size_t count) {
  uint8_t crc = 0xFF;
  for (size_t i = 0; i < count; ++i) {
    crc ^= octets[i];
    for (int bit = 0; bit < 8; ++bit) crc = (uint8_t)((crc & 1) != 0 ? crc >> 1 ^ 0xE0 : crc >> 1);
  }
  return crc;
}

static int32_t compress(struct state *self, headroom_packet *p) {
  static const uint8_t header[] = {IR, 0x00}; /* type and profile; the CRC covers them */
  (void)self;
  if (p->out_capacity < 3 || p->in_length > p->out_capacity - 3) return HEADROOM_ERR_NO_SPACE;
  memcpy(p->out, header, 2);
  p->out[2] = crc8(header, 2);
  memcpy(p->out + 3, p->in, p->in_length);
  p->out_length = p->in_length + 3;
  return HEADROOM_OK;
}

static int32_t pass_on(headroom_packet *p, const uint8_t *packet) {
  const size_t length = (size_t)(p->in + p->in_length - packet);
  if (length == 0) return HEADROOM_NOTHING; /* an IR packet need not have one */
  if (length > p->out_capacity) return HEADROOM_ERR_NO_SPACE;
  memcpy(p->out, packet, length);
  p->out_length = (uint32_t)length;
  return HEADROOM_OK;
}

static int32_t decompress(struct state *self, headroom_packet *p) {
  const uint8_t *at = p->in, *const end = p->in + p->in_length, *start;
  uint32_t cid = 0;
  int32_t only = HEADROOM_ERR_MALFORMED;          /* the status where no packet follows */
  while (at != end && *at == ADD_CID) ++at;       /* padding */
  while (at != end && (*at & 0xF8) == FEEDBACK) { /* RFC 5795, 5.2.4.1 */
    const size_t coded = *at & 7, header = coded == 0 ? 2 : 1;
    if ((size_t)(end - at) < header) return HEADROOM_ERR_MALFORMED;
    const size_t length = coded == 0 ? at[1] : coded;
    if ((size_t)(end - at) - header < length) return HEADROOM_ERR_MALFORMED;
    at += header + length;
    only = HEADROOM_NOTHING;
  }
  if (at == end) return only;
  start = at;
  if ((*at & 0xF0) == ADD_CID) cid = *at++ & 15u;
  if (at == end) return HEADROOM_ERR_MALFORMED;
  if ((*at & 0xFE) == SEGMENT) return HEADROOM_ERR_UNSUPPORTED; /* MRRU is 0 */
  if (cid > self->max_cid) return HEADROOM_ERR_NO_CONTEXT;
  if (*at == (IR | 0x01)) return HEADROOM_ERR_MALFORMED; /* the res bit is set (RFC 5795, 5.4.1) */
  if (*at == IR) {
    if (end - at < 3) return HEADROOM_ERR_MALFORMED;
    if (at[1] != 0) return HEADROOM_ERR_UNSUPPORTED; /* another profile */
    if (at[2] != crc8(start, (size_t)(at - start) + 2)) return HEADROOM_ERR_CRC;
    self->known[p->channel] = (uint16_t)(self->known[p->channel] | 1u << cid);
    return pass_on(p, at + 3);
  }
  if (*at >= ADD_CID) return HEADROOM_ERR_UNSUPPORTED; /* an IR-DYN packet: of another profile */
  if ((self->known[p->channel] >> cid & 1u) == 0) return HEADROOM_ERR_NO_CONTEXT;
  return pass_on(p, at);
}

static int next_output(struct state *self, int32_t role, headroom_packet *p) {
  return (void)self, (void)role, (void)p, 0; /* a packet has one output */
}
