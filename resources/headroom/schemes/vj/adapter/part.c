/* RFC 1144 over PPP (RFC 1332): this one sends every packet as TYPE_IP, and takes no other. */
enum { MOST_CHANNELS = 1024, TYPE_IP = 0x0021, UNCOMPRESSED_TCP = 0x002F, COMPRESSED_TCP = 0x002D };

struct state {
  uint32_t max_slot_id; /* TODO: as many slots on each channel, where UNCOMPRESSED_TCP packets go */
};

static void read_keys(settings *s, struct state *self, uint32_t channels) {
  (void)channels;
  self->max_slot_id = (uint32_t)settings_number(s, "max_slot_id", 0, 255, 15);
  (void)settings_is(s, "slot_ids", " compressed explicit ", "compressed");
  settings_no_options(s);
}

static int32_t copy(headroom_packet *p) {
  if (p->in_length > p->out_capacity) return HEADROOM_ERR_NO_SPACE;
  memcpy(p->out, p->in, p->in_length);
  p->out_length = p->in_length;
  return HEADROOM_OK;
}

static int32_t compress(struct state *self, headroom_packet *p) {
  (void)self;
  p->out_type = TYPE_IP;
  return copy(p);
}

static int32_t decompress(struct state *self, headroom_packet *p) {
  (void)self;
  if (p->in_type == COMPRESSED_TCP) return HEADROOM_ERR_NO_CONTEXT; /* no slot ever has a header */
  if (p->in_type == UNCOMPRESSED_TCP) return HEADROOM_ERR_UNSUPPORTED;
  return p->in_type == TYPE_IP ? copy(p) : HEADROOM_ERR_MALFORMED;
}

static int next_output(struct state *self, int32_t role, headroom_packet *p) {
  return (void)self, (void)role, (void)p, 0; /* a packet has one output */
}
