/* draft-ietf-rohc-tcp-taroc over PPP: this one sends every packet as TYPE_IP, and takes no other. */
enum { MOST_CHANNELS = 1024, IPV4 = 0x0021, IPV6 = 0x0057, UNCOMPRESSED_TCP = 0x0061, COMPRESSED_TCP = 0x0063 };

struct state {
  uint32_t tcp_space; /* TODO: the largest CID; an UNCOMPRESSED_TCP packet makes a context for one */
};

static void read_keys(settings *s, struct state *self, uint32_t channels) {
  (void)channels;
  self->tcp_space = (uint32_t)settings_number(s, "tcp_space", 3, 255, 15);
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
  p->out_type = p->in[0] >> 4 == 6 ? IPV6 : IPV4;
  return copy(p);
}

static int32_t decompress(struct state *self, headroom_packet *p) {
  (void)self;
  switch (p->in_type) {
    case IPV4:
    case IPV6:
      return copy(p);
    case UNCOMPRESSED_TCP:
      return HEADROOM_ERR_UNSUPPORTED;
    case COMPRESSED_TCP:
      return HEADROOM_ERR_NO_CONTEXT; /* there is none without UNCOMPRESSED_TCP packets */
    default:
      return HEADROOM_ERR_MALFORMED;
  }
}

static int next_output(struct state *self, int32_t role, headroom_packet *p) {
  return (void)self, (void)role, (void)p, 0; /* a packet has one output */
}
