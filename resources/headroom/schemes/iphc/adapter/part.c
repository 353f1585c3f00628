/* RFC 2507 over PPP (RFC 3544): this one sends every packet with its regular header, and takes no other. */
enum { MOST_CHANNELS = 1024, IPV4 = 0x0021, IPV6 = 0x0057, FULL_HEADER = 0x0061 };
enum { COMPRESSED_TCP = 0x0063, COMPRESSED_NON_TCP = 0x0065, COMPRESSED_TCP_NODELTA = 0x2063 };

struct state {
  uint32_t tcp_space, non_tcp_space; /* TODO: the largest CIDs; a FULL_HEADER packet makes a context for one */
};

static void read_keys(settings *s, struct state *self, uint32_t channels) {
  (void)channels;
  self->tcp_space = (uint32_t)settings_number(s, "tcp_space", 0, 255, 15);
  self->non_tcp_space = (uint32_t)settings_number(s, "non_tcp_space", 0, 65535, 15);
  (void)settings_number(s, "max_header", 60, 512, 168);
  (void)settings_number(s, "f_max_period", 0, 65535, 256);
  (void)settings_number(s, "f_max_time", 0, 255, 5);
  (void)settings_is(s, "compress", " all tcp non-tcp ", "all");
  settings_boolean(s, "reordering");
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
    case FULL_HEADER:
      return HEADROOM_ERR_UNSUPPORTED;
    case COMPRESSED_TCP:
    case COMPRESSED_NON_TCP:
    case COMPRESSED_TCP_NODELTA:
      return HEADROOM_ERR_NO_CONTEXT; /* there is none without full headers */
    default:
      return HEADROOM_ERR_MALFORMED;
  }
}

static int next_output(struct state *self, int32_t role, headroom_packet *p) {
  return (void)self, (void)role, (void)p, 0; /* a packet has one output */
}
