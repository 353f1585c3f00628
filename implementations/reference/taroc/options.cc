// SPDX-License-Identifier: Apache-2.0
#include "taroc/options.h"

namespace headroom::taroc {
namespace {

constexpr std::uint8_t kEnd = 0, kNop = 1, kSack = 5, kTimestamps = 8;  // RFC 793, 3.1; RFC 2018, 3; RFC 7323, 3.2
constexpr std::size_t kTimestampsLength = 10, kSackBlock = 8, kUsualNops = 2;

}  // namespace

PacketOptions read_options(const std::uint8_t* options, std::size_t count) noexcept {
  using wire::load32;
  PacketOptions packet;
  OptionForm& form = packet.form;
  std::size_t others = 0, nops = 0;  // octets of other options; NOPs right in front of an option
  const auto unreadable = [&] {
    form.is_readable = false;
    return packet;
  };
  for (std::size_t at = 0; at < count;) {
    const std::uint8_t kind = options[at];
    if (kind == kEnd) {  // padding, which may hold anything, follows
      std::memcpy(&form.octets[form.length], options + at, count - at);
      form.length = static_cast<std::uint8_t>(form.length + count - at);
      break;
    }
    if (kind == kNop) {
      form.octets[form.length++] = kNop;
      ++nops;
      ++at;
      continue;
    }
    if (count - at < 2) return unreadable();
    const std::size_t length = options[at + 1];
    if (length < 2 || length > count - at) return unreadable();
    if (kind == kSack) {
      const std::size_t blocks = (length - 2) / kSackBlock;
      if (form.has_sack_place || blocks == 0 || (length - 2) % kSackBlock != 0) return unreadable();
      form.has_sack_place = true;
      form.length = static_cast<std::uint8_t>(form.length - nops);
      form.sack_at = form.length;
      form.sack_nops = static_cast<std::uint8_t>(nops);
      packet.values.sack_blocks = static_cast<std::uint8_t>(blocks);
      const std::uint8_t* edge = options + at + 2;
      for (std::size_t i = 0; i < blocks; ++i, edge += kSackBlock)
        packet.values.sack[i] = {load32(edge), load32(edge + 4)};
    } else {
      std::uint8_t* const copy = &form.octets[form.length];
      copy[0] = kind;
      copy[1] = static_cast<std::uint8_t>(length);
      if (kind == kTimestamps && length == kTimestampsLength) {
        if (form.timestamps != 0) return unreadable();
        form.timestamps = static_cast<std::uint8_t>(form.length + 2);
        packet.values.ts_value = load32(options + at + 2);
        packet.values.ts_echo = load32(options + at + 6);
      } else {
        std::memcpy(&packet.values.others[others], options + at, length);
        others += length;
        form.others |= ((std::uint64_t{1} << length) - 1) << form.length;
      }
      form.length = static_cast<std::uint8_t>(form.length + length);
    }
    nops = 0;
    at += length;
  }
  return packet;
}

bool fits(const OptionForm& context, const PacketOptions& packet) noexcept {
  const OptionForm& form = packet.form;
  if (!context.is_readable || !form.is_readable || form.length != context.length ||
      form.timestamps != context.timestamps || form.others != context.others ||
      std::memcmp(form.octets.data(), context.octets.data(), form.length) != 0)
    return false;
  if (!form.has_sack_place) return true;
  const std::size_t place = context.has_sack_place ? context.sack_at : context.length;
  const std::size_t nops = context.has_sack_place ? context.sack_nops : kUsualNops;
  return packet.values.sack_blocks <= wire::kMostSackBlocks && form.sack_at == place && form.sack_nops == nops;
}

std::optional<std::size_t> length_of(const OptionForm& form, std::size_t sack_blocks) noexcept {
  std::size_t length = form.length;
  if (sack_blocks != 0) length += (form.has_sack_place ? form.sack_nops : kUsualNops) + 2 + sack_blocks * kSackBlock;
  if (length > wire::kMostOptions || length % 4 != 0) return std::nullopt;
  return length;
}

void write_options(const OptionForm& form, const OptionValues& values, std::uint8_t* out) noexcept {
  std::array<std::uint8_t, wire::kMostOptions> filled = form.octets;
  if (form.timestamps != 0) {
    wire::store32(&filled[form.timestamps], values.ts_value);
    wire::store32(&filled[form.timestamps + 4u], values.ts_echo);
  }
  const std::uint8_t* other = values.others.data();
  for (std::uint64_t left = form.others; left != 0; left &= left - 1)
    filled[static_cast<std::size_t>(std::countr_zero(left))] = *other++;
  const std::size_t place = form.has_sack_place ? form.sack_at : form.length;
  std::memcpy(out, filled.data(), place);
  out += place;
  if (values.sack_blocks != 0) {
    const std::size_t nops = form.has_sack_place ? form.sack_nops : kUsualNops;
    std::memset(out, kNop, nops);
    out += nops;
    *out++ = kSack;
    *out++ = static_cast<std::uint8_t>(2 + values.sack_blocks * kSackBlock);
    for (std::size_t i = 0; i < values.sack_blocks; ++i, out += kSackBlock) {
      wire::store32(out, values.sack[i].left);
      wire::store32(out + 4, values.sack[i].right);
    }
  }
  std::memcpy(out, &filled[place], form.length - place);
}

}  // namespace headroom::taroc
