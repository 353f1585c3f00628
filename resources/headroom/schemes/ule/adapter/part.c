/* RFC 4326: this one begins each SNDU in a TS packet of its own and pads the last (6.2), without addresses (a D-bit of
 * 1). Its receiver takes packed SNDUs and addresses, too; it refuses extension headers. */
enum { MOST_CHANNELS = 16, TS = 188, PAYLOAD = TS - 4, LARGEST = 32767, BASE = 4, CRC = 4, SYNC = 0x47, NO_MORE = 16 };

struct stream { /* of one PID */
  uint8_t counter, octets[BASE + LARGEST];
  uint32_t have, needed; /* of the SNDU that is put together; 0: idle */
};

struct state {
  uint32_t first_pid, channel, rest; /* octets that wait for `next_output`, and the channel that they are of */
  int starts;                        /* an SNDU begins in the TS packet (PUSI) */
  const uint8_t *at;
  uint8_t npa[6]; /* of a receiver; zeros: it takes what is for others, too */
  uint8_t payload[PAYLOAD], counters[MOST_CHANNELS], sndu[BASE + LARGEST];
  struct stream streams[MOST_CHANNELS];
};

static void read_npa(settings *s, const char *options, struct state *self) {
  settings inside = *s;
  unsigned octets[6] = {2, 0, 0, 0, 0, 1}, sum = 0;
  if (*options != '{') settings_fail(s, "options", "an object");
  if (!s->good) return;
  inside.object = options;
  settings_only(&inside, "npa");
  const char *npa = settings_find(&inside, "npa");
  const int whole = npa != NULL && json_end(npa, 0) - npa == 19 &&
                    sscanf(npa, "\"%2x:%2x:%2x:%2x:%2x:%2x\"", &octets[0], &octets[1], &octets[2], &octets[3],
                           &octets[4], &octets[5]) == 6;
  for (size_t i = 0; i < 6; ++i) sum += octets[i], self->npa[i] = (uint8_t)octets[i];
  if (npa != NULL && strncmp(npa, "\"any\"", 5) == 0)
    memset(self->npa, 0, 6);
  else if (npa != NULL && (!whole || sum == 0 || (octets[0] & 1) != 0))
    settings_fail(&inside, "npa", "a unicast address such as 02:00:00:00:00:01");
  s->good = inside.good;
}

static void read_keys(settings *s, struct state *self, uint32_t channels) {
  self->first_pid = (uint32_t)settings_number(s, "first_pid", 16, 8191 - channels, 256);
  (void)settings_is(s, "encapsulation", " ule ", "ule");
  (void)settings_is(s, "packing", " padding packing ", "packing"); /* a receiver takes both */
  (void)settings_is(s, "address", " absent present ", "present");
  (void)settings_number(s, "frame_octets", 64, 513, 384);
  (void)settings_number(s, "threshold_us", 0, UINT64_MAX, 0);
  (void)settings_number(s, "padding_words", 0, 0, 0);
  (void)settings_number(s, "universal_time_ns", 0, UINT64_MAX, 0);
  (void)settings_number(s, "mrru", 0, 65535, 0);
  for (size_t i = 0; i < 4; ++i) {
    static const char *const keys[] = {"subnets", "groups", "bridged", "time_stamp"};
    const char *value = settings_find(s, keys[i]);
    if (value != NULL && *value != 'f') settings_fail(s, keys[i], i < 2 ? "left out" : "false"); /* TODO */
  }
  const char *options = settings_find(s, "options");
  read_npa(s, options == NULL ? "{}" : options, self);
  for (uint32_t i = 0; i < MOST_CHANNELS; ++i) self->streams[i].counter = NO_MORE;
}

static uint32_t get16(const uint8_t *at) { return (uint32_t)at[0] << 8 | at[1]; }
static void put16(uint8_t *at, uint32_t value) { at[0] = (uint8_t)(value >> 8), at[1] = (uint8_t)value; }

/* RFC 4326, 4.6 */
static uint32_t crc32(const uint8_t *octets, size_t count) {
  uint32_t crc = 0xFFFFFFFFu;
  for (size_t i = 0; i < count; ++i) {
    crc ^= (uint32_t)octets[i] << 24;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x80000000u) != 0 ? crc << 1 ^ 0x04C11DB7u : crc << 1;
  }
  return crc;
}

/* The next TS packet of the SNDU; `start`: the first. */
static int32_t put_ts(struct state *self, headroom_packet *p, int start) {
  const uint32_t room = start ? PAYLOAD - 1 : PAYLOAD, length = self->rest < room ? self->rest : room;
  if (p->out_capacity < TS) return HEADROOM_ERR_NO_SPACE;
  memset(p->out, 0xFF, TS);
  p->out[0] = SYNC;
  put16(p->out + 1, (start ? 0x4000u : 0) | (self->first_pid + self->channel));
  p->out[3] = (uint8_t)(0x10 | (self->counters[self->channel]++ & 15));
  if (start) p->out[4] = 0; /* Payload Pointer */
  memcpy(p->out + TS - room, self->at, length);
  self->at += length, self->rest -= length;
  p->out_length = TS;
  return HEADROOM_OK;
}

static int32_t compress(struct state *self, headroom_packet *p) {
  const uint32_t type = p->in_type >= 1536 ? p->in_type : p->in[0] >> 4 == 6 ? 0x86DD : 0x0800;
  if (type == 0x6558 || p->in_length > LARGEST - CRC) return HEADROOM_ERR_UNSUPPORTED; /* a bridged frame */
  if (p->out_capacity < TS) return HEADROOM_ERR_NO_SPACE;
  put16(self->sndu, 0x8000u | (p->in_length + CRC)), put16(self->sndu + 2, type);
  memcpy(self->sndu + BASE, p->in, p->in_length);
  const uint32_t crc = crc32(self->sndu, BASE + p->in_length);
  put16(self->sndu + BASE + p->in_length, crc >> 16), put16(self->sndu + BASE + p->in_length + 2, crc & 0xFFFF);
  self->at = self->sndu, self->rest = BASE + p->in_length + CRC, self->channel = p->channel;
  const int32_t status = put_ts(self, p, 1);
  p->more = self->rest != 0;
  return status;
}

/* The outcome of an SNDU that is complete. */
static int32_t open_sndu(const struct state *self, const struct stream *stream, headroom_packet *p) {
  static const uint8_t any[6] = {0};
  const uint8_t *octets = stream->octets;
  const uint32_t addressed = (octets[0] & 0x80) == 0 ? 6 : 0; /* the D-bit */
  const uint32_t type = get16(octets + 2), length = stream->needed - BASE - CRC - addressed;
  const uint8_t *end = octets + stream->needed - CRC;
  if ((get16(end) << 16 | get16(end + 2)) != crc32(octets, stream->needed - CRC)) return HEADROOM_ERR_CRC;
  if (stream->needed < BASE + CRC + addressed) return HEADROOM_ERR_MALFORMED;
  if (addressed && (octets[BASE] & 1) == 0 && memcmp(octets + BASE, self->npa, 6) != 0 &&
      memcmp(any, self->npa, 6) != 0)
    return HEADROOM_NOTHING;                        /* for another receiver */
  if (type < 1536) return HEADROOM_ERR_UNSUPPORTED; /* TODO: extension headers */
  if (length > p->out_capacity) return HEADROOM_ERR_NO_SPACE;
  memcpy(p->out, octets + BASE + addressed, length);
  p->out_length = length, p->out_type = (uint16_t)type;
  return length != 0 ? HEADROOM_OK : HEADROOM_NOTHING;
}

/* Goes on in the payload until an SNDU is complete. */
static int32_t read_payload(struct state *self, headroom_packet *p) {
  struct stream *stream = &self->streams[self->channel];
  while (self->rest != 0) {
    if (stream->needed == 0) {
      if (self->rest < 2 || get16(self->at) == 0xFFFF) break; /* padding, or an End Indicator */
      stream->needed = BASE + (get16(self->at) & 0x7FFF);
      stream->have = 0;
      if (stream->needed <= BASE + CRC) {
        stream->needed = self->rest = 0;
        return HEADROOM_ERR_MALFORMED;
      }
    }
    const uint32_t wanted = stream->needed - stream->have, length = wanted < self->rest ? wanted : self->rest;
    memcpy(stream->octets + stream->have, self->at, length);
    stream->have += length, self->at += length, self->rest -= length;
    if (stream->have == stream->needed) {
      const int32_t status = open_sndu(self, stream, p);
      stream->needed = 0;
      if (!self->starts || status == HEADROOM_ERR_CRC) self->rest = 0; /* 7.2: what is behind it is no SNDU */
      if (status != HEADROOM_NOTHING) return status;
    }
  }
  self->rest = 0;
  return HEADROOM_NOTHING;
}

static int32_t decompress(struct state *self, headroom_packet *p) {
  struct stream *stream = &self->streams[p->channel];
  const uint8_t *in = p->in;
  if (p->in_length != TS || in[0] != SYNC) return HEADROOM_ERR_MALFORMED;
  if ((get16(in + 1) & 0x1FFF) != self->first_pid + p->channel) return HEADROOM_NOTHING;
  if ((in[1] & 0x80) != 0) return stream->needed = 0, HEADROOM_ERR_MALFORMED; /* a transmission error */
  if ((in[3] & 0x30) != 0x10) return HEADROOM_ERR_UNSUPPORTED;                /* no payload alone */
  const uint8_t before = stream->counter, counter = in[3] & 15;
  if (counter == before) return HEADROOM_NOTHING;
  stream->counter = counter;
  if (before != NO_MORE && counter != ((before + 1) & 15)) stream->needed = 0;
  const int starts = (in[1] & 0x40) != 0;
  if (starts && in[4] > PAYLOAD - 3) return stream->needed = 0, HEADROOM_ERR_MALFORMED; /* Payload Pointer */
  if (!starts && stream->needed == 0) return HEADROOM_NOTHING;
  self->starts = starts, self->channel = p->channel, self->rest = starts ? PAYLOAD - 1u : PAYLOAD;
  memcpy(self->payload, in + TS - self->rest, self->rest);
  self->at = self->payload;
  /* The Payload Pointer says where the SNDU before this TS packet ends. */
  if (starts && (stream->needed == 0 || stream->needed - stream->have != in[4]))
    stream->needed = 0, self->at += in[4], self->rest -= in[4];
  const int32_t status = read_payload(self, p);
  p->more = self->rest != 0;
  return status;
}

static int next_output(struct state *self, int32_t role, headroom_packet *p) {
  if (self->rest == 0) return 0;
  p->channel = self->channel, p->out_length = 0;
  p->status = role == HEADROOM_COMPRESSOR ? put_ts(self, p, 0) : read_payload(self, p);
  if (p->status == HEADROOM_ERR_NO_SPACE && role == HEADROOM_COMPRESSOR) self->rest = 0;
  return p->status != HEADROOM_NOTHING;
}
