// SPDX-License-Identifier: Apache-2.0
#include "taroc/wire/compressed.h"

#include "mutants.h"

namespace headroom::taroc::wire {
namespace {

// Fields of bits, the most significant first, padded with zeros to whole octets.
class BitWriter {
 public:
  explicit BitWriter(std::uint8_t* out) noexcept : out_(out) {}

  void put(std::uint32_t value, unsigned bits) noexcept {
    pending_ = pending_ << bits | value;
    count_ += bits;
    while (count_ >= 8) {
      count_ -= 8;
      *out_++ = static_cast<std::uint8_t>(pending_ >> count_);
    }
  }
  [[nodiscard]] std::uint8_t* end() noexcept {
    if (count_ != 0) put(mutant("taroc-padding-of-ones") ? (1U << (8 - count_)) - 1 : 0, 8 - count_);
    return out_;
  }

 private:
  std::uint8_t* out_;
  std::uint64_t pending_ = 0;
  unsigned count_ = 0;  // bits of `pending_` that are not yet written
};

class Reader {
 public:
  explicit Reader(Octets octets) noexcept : octets_(octets) {}

  [[nodiscard]] std::size_t length() const noexcept { return at_; }
  // Octets as one number; 0, and `ok()` is false, where they are not there.
  std::uint32_t take(std::size_t count) noexcept {
    std::uint32_t value = 0;
    for (; count != 0; --count) value = value << 8 | next();
    return value;
  }
  std::uint32_t take_bits(unsigned bits) noexcept {
    while (count_ < bits) {
      pending_ = pending_ << 8 | next();
      count_ += 8;
    }
    count_ -= bits;
    return static_cast<std::uint32_t>(pending_ >> count_ & ((std::uint64_t{1} << bits) - 1));
  }
  // The rest of the octet that bits were taken of.
  std::uint32_t take_padding() noexcept { return take_bits(count_); }
  // RFC 1144, 3.2.2: one octet, or zero and two.
  std::uint16_t take_change() noexcept {
    const std::uint32_t first = take(1);
    return static_cast<std::uint16_t>(first != 0 ? first : take(2));
  }
  [[nodiscard]] bool ok() const noexcept { return ok_; }

 private:
  std::uint8_t next() noexcept {
    if (at_ < octets_.size()) return octets_[at_++];
    ok_ = false;
    return 0;
  }

  Octets octets_;
  std::size_t at_ = 0;
  bool ok_ = true;
  std::uint64_t pending_ = 0;
  unsigned count_ = 0;
};

// RFC 1144, 3.2.2: "A change of one through 255 is represented in one byte."
std::uint8_t* write_change(std::uint8_t* at, std::uint16_t value) noexcept {
  if (value != 0 && value < 256) {
    *at = static_cast<std::uint8_t>(value);
    return at + 1;
  }
  *at = 0;
  store16(at + 1, value);
  return at + 3;
}

// The forms of a time stamp: the bits of its prefix, and those after it.
struct TimestampForm {
  std::uint8_t prefix, prefix_bits, bits;
};
constexpr std::array<TimestampForm, 3> kTimestampForms = {{{0b0, 1, 15}, {0b10, 2, 22}, {0b110, 3, 29}}};
constexpr std::uint8_t kWholeTimestamp = 0b1110'0000;  // four octets follow

std::uint8_t* write_timestamp(std::uint8_t* at, const Lsb& stamp) noexcept {
  for (const TimestampForm& form : kTimestampForms) {
    if (form.bits != stamp.bits) continue;
    BitWriter out(at);
    out.put(form.prefix, form.prefix_bits);
    out.put(stamp.value, form.bits);
    return out.end();
  }
  *at = kWholeTimestamp;
  store32(at + 1, stamp.value);
  return at + 5;
}

bool read_timestamp(Reader& in, Lsb& stamp) noexcept {
  for (const TimestampForm& form : kTimestampForms) {
    if (in.take_bits(1) != 0) continue;
    stamp = {in.take_bits(form.bits), form.bits};
    return true;
  }
  if (in.take_bits(1) != 0) return false;
  (void)in.take_padding();
  stamp = {in.take(4), 32};
  return true;
}

}  // namespace

std::uint8_t timestamp_bits(unsigned needed) noexcept {
  for (const TimestampForm& form : kTimestampForms) {
    if (needed <= form.bits) return form.bits;
  }
  return 32;
}

std::uint8_t* write(const Header& header, std::uint8_t* out) noexcept {
  out[0] = header.cid;
  out[1] = header.flags;
  store16(out + 2, header.checksum);
  out += 4;
  if ((header.flags & kR) != 0) *out++ = header.r_octet;
  if ((header.flags & kU) != 0) out = write_change(out, header.urgent);
  if ((header.flags & kWasi) == 0) return out;
  const WasiLengths& lengths = kWasiLengths[header.pt];
  BitWriter wasi(out);
  wasi.put(header.pt, 2);
  if ((header.flags & kW) != 0) wasi.put(header.window, lengths.window);
  if ((header.flags & kA) != 0) wasi.put(header.acknowledgement, lengths.acknowledgement);
  if ((header.flags & kS) != 0) wasi.put(header.sequence, lengths.sequence);
  if ((header.flags & kI) != 0) wasi.put(header.packet_id, lengths.packet_id);
  return wasi.end();
}

std::uint8_t* write(const Options& options, std::uint8_t* out) noexcept {
  *out++ = static_cast<std::uint8_t>((options.has_value ? 8 : 0) | (options.has_echo ? 4 : 0) | options.blocks);
  if (options.has_value) out = write_timestamp(out, options.value);
  if (options.has_echo) out = write_timestamp(out, options.echo);
  for (std::size_t i = 0; i < options.blocks; ++i) {
    out = write_change(out, options.block[i].offset);
    out = write_change(out, options.block[i].size);
  }
  return out;
}

std::optional<Parsed<Header>> parse_header(Octets octets) noexcept {
  Reader in(octets);
  Header h;
  h.cid = static_cast<std::uint8_t>(in.take(1));
  h.flags = static_cast<std::uint8_t>(in.take(1));
  h.checksum = static_cast<std::uint16_t>(in.take(2));
  if ((h.flags & kR) != 0) h.r_octet = static_cast<std::uint8_t>(in.take(1));
  if ((h.flags & kU) != 0) h.urgent = in.take_change();
  if ((h.flags & kWasi) != 0) {
    h.pt = static_cast<std::uint8_t>(in.take_bits(2));
    const WasiLengths& lengths = kWasiLengths[h.pt];
    if ((h.flags & kW) != 0) h.window = in.take_bits(lengths.window);
    if ((h.flags & kA) != 0) h.acknowledgement = in.take_bits(lengths.acknowledgement);
    if ((h.flags & kS) != 0) h.sequence = in.take_bits(lengths.sequence);
    if ((h.flags & kI) != 0) h.packet_id = in.take_bits(lengths.packet_id);
    if (in.take_padding() != 0) return std::nullopt;
  }
  if (!in.ok()) return std::nullopt;
  return Parsed<Header>{h, in.length()};
}

std::optional<Parsed<Options>> parse_options(Octets octets) noexcept {
  Reader in(octets);
  Options o;
  (void)in.take_bits(4);
  o.has_value = in.take_bits(1) != 0;
  o.has_echo = in.take_bits(1) != 0;
  o.blocks = static_cast<std::uint8_t>(in.take_bits(2));
  if (o.has_value && !read_timestamp(in, o.value)) return std::nullopt;
  if (o.has_echo && !read_timestamp(in, o.echo)) return std::nullopt;
  for (std::size_t i = 0; i < o.blocks; ++i) o.block[i] = {in.take_change(), in.take_change()};
  if (!in.ok()) return std::nullopt;
  return Parsed<Options>{o, in.length()};
}

}  // namespace headroom::taroc::wire
