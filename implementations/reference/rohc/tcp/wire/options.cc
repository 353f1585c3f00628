// SPDX-License-Identifier: Apache-2.0
#include "rohc/tcp/wire/options.h"

#include "mutants.h"
#include "rohc/framework/lsb.h"

namespace headroom::rohc::tcp {
namespace {

constexpr std::uint8_t kKinds[] = {1, 0, 2, 3, 8, 4, 5};     // option kinds by index
constexpr std::uint8_t kLengths[] = {1, 0, 4, 3, 10, 2, 0};  // and their lengths where they have one alone
constexpr std::uint8_t kStable = 0xff, kFull = 0x00;         // discriminators of generic_*_irregular
constexpr std::size_t kSackBlock = 8;
constexpr unsigned kMostBlocks = 4;
constexpr std::size_t kMostPadding = 255 / 8;  // pad_len has 8 bits and counts bits

// Reads `blocks` SACK blocks into an option. The length of the option, or 0 if malformed.
std::size_t read_sack_blocks(Reader& in, unsigned blocks, std::uint32_t ack, std::uint8_t* out,
                             std::size_t room) noexcept {
  const std::size_t length = 2 + blocks * kSackBlock;
  if (blocks == 0 || blocks > kMostBlocks || length > room) return 0;
  out[0] = kKinds[kSack];
  out[1] = static_cast<std::uint8_t>(length);
  std::uint32_t base = ack;
  for (unsigned i = 0; i < 2 * blocks; ++i) {
    if (!read_sack_field(in, base, base)) return 0;
    store32(out + 2 + 4 * i, base);
  }
  return length;
}

// A list item. The length of the option, or 0 if malformed.
std::size_t read_item(Reader& in, std::uint8_t index, std::uint32_t ack, std::uint8_t* out, std::size_t room,
                      bool& is_static) noexcept {
  std::size_t length = 0;
  switch (index) {
    case kEol: {
      const std::uint8_t padding = in.octet();
      length = 1U + padding / 8U;
      if (padding % 8 != 0 || length > room) return 0;
      std::memset(out, 0, length);
      break;
    }
    case kSack:
      length = read_sack_blocks(in, in.octet(), ack, out, room);
      break;
    case kNop:
    case kMss:
    case kWscale:
    case kTs:
    case kSackPermitted:
      length = kLengths[index];
      if (length > room) return 0;
      out[0] = kKinds[index];
      if (length > 1) {
        out[1] = kLengths[index];
        if (const std::uint8_t* p = in.take(length - 2)) std::memcpy(out + 2, p, length - 2);
      }
      break;
    default: {
      const std::uint8_t kind = in.octet(), second = in.octet();
      length = second & 0x7fU;
      if (length < 2 || length > room) return 0;
      is_static = second >> 7 != 0;
      out[0] = kind;
      out[1] = static_cast<std::uint8_t>(length);
      if (const std::uint8_t* p = in.take(length - 2)) std::memcpy(out + 2, p, length - 2);
      break;
    }
  }
  return in.ok() ? length : 0;
}

// An item of the irregular chain. The length of the option, or 0 if malformed.
std::size_t read_irregular_item(Reader& in, std::uint8_t index, Octets reference, bool is_static, std::uint32_t ack,
                                std::uint8_t* out, std::size_t room) noexcept {
  if (index == kSack) {
    if (const std::uint8_t blocks = in.octet(); blocks != 0) return read_sack_blocks(in, blocks, ack, out, room);
  }
  if (reference.size() > room) return 0;
  std::memcpy(out, reference.data(), reference.size());
  if (index == kTs) {
    store32(out + 2, read_ts_lsb(in, load32(out + 2)));
    store32(out + 6, read_ts_lsb(in, load32(out + 6)));
  } else if (index >= kGeneric && !is_static) {
    const std::uint8_t discriminator = in.octet();
    if (discriminator == kFull) {
      if (const std::uint8_t* p = in.take(reference.size() - 2)) std::memcpy(out + 2, p, reference.size() - 2);
    } else if (discriminator != kStable) {
      return 0;
    }
  }
  return in.ok() ? reference.size() : 0;
}

}  // namespace

Octets OptionContext::item(unsigned index) const noexcept {
  for (unsigned i = 0; i < list.count; ++i)
    if (list.index[i] == index) return {options + list.at[i], list.length[i]};
  // "Since its value is always the same, no context information needs to be transmitted" for NOP (6.3.4).
  if (index == kNop) return {&kKinds[kNop], 1};
  return {table.octets[index].data(), table.length[index]};
}

void save_items(ItemTable& table, const OptionList& list, const std::uint8_t* options) noexcept {
  for (unsigned i = list.count; i-- > 0;) {  // the first of several wins, as item() finds it
    std::memcpy(table.octets[list.index[i]].data(), options + list.at[i], list.length[i]);
    table.length[list.index[i]] = list.length[i];
  }
}

std::uint8_t index_of(const std::uint8_t* option, std::size_t length) noexcept {
  switch (option[0]) {
    case 0:
      return kEol;
    case 1:
      return kNop;
    case 2:
      return length == 4 ? kMss : kGeneric;
    case 3:
      return length == 3 ? kWscale : kGeneric;
    case 4:
      return length == 2 ? kSackPermitted : kGeneric;
    case 5:
      return length >= 2 + kSackBlock && (length - 2) % kSackBlock == 0 ? kSack : kGeneric;
    case kOptionTs:
      return length == kTsLength ? kTs : kGeneric;
    default:
      return kGeneric;
  }
}

std::size_t option_length(Octets rest) noexcept {
  if (rest[0] == 0) {
    if (rest.size() - 1 > kMostPadding) return 0;
    for (const std::uint8_t o : rest)
      if (o != 0) return 0;
    return rest.size();
  }
  if (rest[0] == 1) return 1;
  if (rest.size() < 2 || rest[1] < 2 || rest[1] > rest.size()) return 0;
  return rest[1];
}

void write_ts_lsb(Writer& out, std::uint32_t value, unsigned format) noexcept {
  switch (format) {
    case 0:
      out.octet(static_cast<std::uint8_t>(value & 0x7f));
      break;
    case 1:
      out.two(static_cast<std::uint16_t>(0x8000U | (value & 0x3fff)));
      break;
    case 2:
      out.octet(static_cast<std::uint8_t>(0xc0U | (value >> 16 & 0x1f)));
      out.two(static_cast<std::uint16_t>(value));
      break;
    default:
      out.four(0xe0000000U | (value & 0x1fffffff));
      break;
  }
}

std::uint32_t read_ts_lsb(Reader& in, std::uint32_t reference) noexcept {
  const std::uint8_t first = in.octet();
  std::uint32_t lsb = 0;
  unsigned format = 0;
  if (first < 0x80) {
    lsb = first;
  } else if (first < 0xc0) {
    format = 1;
    lsb = (first & 0x3fU) << 8 | in.octet();
  } else {
    format = first < 0xe0 ? 2 : 3;
    lsb = first & 0x1fU;
    if (format == 3) lsb = lsb << 8 | in.octet();
    lsb = lsb << 16 | in.two();
  }
  return lsb_decode(lsb, kTsFormats[format].bits, reference, kTsFormats[format].p);
}

void write_sack_field(Writer& out, std::uint32_t field, std::uint32_t base) noexcept {
  const std::uint32_t offset = field - base;
  if (offset <= 0x7fff) {
    out.two(static_cast<std::uint16_t>(offset));
  } else if (offset <= 0x3fffff) {
    out.octet(static_cast<std::uint8_t>(0x80 | offset >> 16));
    out.two(static_cast<std::uint16_t>(offset));
  } else if (offset <= 0x1fffffff) {
    out.four(0xc0000000U | offset);
  } else {
    out.octet(0xff);
    out.four(offset);
  }
}

bool read_sack_field(Reader& in, std::uint32_t base, std::uint32_t& field) noexcept {
  const std::uint8_t first = in.octet();
  std::uint32_t offset = 0;
  if (first < 0x80) {
    offset = std::uint32_t{first} << 8 | in.octet();
  } else if (first < 0xc0) {
    offset = (first & 0x3fU) << 16;
    offset |= in.two();
  } else if (first < 0xe0) {
    offset = (first & 0x1fU) << 24;
    offset |= std::uint32_t{in.octet()} << 16;
    offset |= in.two();
  } else if (first == 0xff) {
    offset = in.four();
  } else {
    return false;
  }
  field = base + offset;
  return in.ok();
}

void write_sack(Writer& out, Octets option, std::uint32_t ack) noexcept {
  out.octet(static_cast<std::uint8_t>((option.size() - 2) / kSackBlock));
  std::uint32_t base = ack;
  for (std::size_t at = 2; at < option.size(); at += 4) {
    const std::uint32_t edge = load32(option.data() + at);
    write_sack_field(out, edge, base);
    base = edge;
  }
}

void write_item(Writer& out, std::uint8_t index, Octets option, bool is_static, std::uint32_t ack) noexcept {
  switch (index) {
    case kEol:
      out.octet(static_cast<std::uint8_t>((option.size() - 1) * 8));
      break;
    case kSack:
      write_sack(out, option, ack);
      break;
    case kNop:
    case kSackPermitted:
      break;
    case kMss:
    case kWscale:
    case kTs:
      out.octets(option.subspan(2));
      break;
    default:
      out.octet(option[0]);
      out.octet(static_cast<std::uint8_t>(static_cast<unsigned>(is_static) << 7 | option[1]));
      out.octets(option.subspan(2));
      break;
  }
}

void write_irregular_item(Writer& out, std::uint8_t index, Octets option, bool is_static, const IrregularChoice& choice,
                          std::uint32_t ack) noexcept {
  const bool unchanged = (choice.unchanged >> index & 1) != 0;
  if (index == kTs) {
    write_ts_lsb(out, load32(option.data() + 2), choice.ts_value);
    write_ts_lsb(out, load32(option.data() + 6), choice.ts_echo);
  } else if (index == kSack) {
    if (unchanged) {
      out.octet(0);
    } else {
      write_sack(out, option, ack);
    }
  } else if (index >= kGeneric && !is_static) {
    out.octet(unchanged ? kStable : kFull);
    if (!unchanged) out.octets(option.subspan(2));
  }
}

void write_list(Writer& out, const OptionList& list, std::uint16_t present) noexcept {
  bool wide = false;
  for (unsigned i = 0; i < list.count; ++i) wide = wide || list.index[i] > 7;
  out.octet(static_cast<std::uint8_t>(static_cast<unsigned>(wide) << 4 | list.count));
  const auto x = [&](unsigned i) { return static_cast<unsigned>(present >> i & 1); };
  if (wide) {
    for (unsigned i = 0; i < list.count; ++i) out.octet(static_cast<std::uint8_t>(x(i) << 7 | list.index[i]));
  } else {
    for (unsigned i = 0; i < list.count; i += 2) {
      unsigned pair = (x(i) << 3 | list.index[i]) << 4;
      if (i + 1 < list.count) pair |= x(i + 1) << 3 | list.index[i + 1];
      out.octet(static_cast<std::uint8_t>(pair));
    }
  }
}

bool read_list(Reader& in, std::uint32_t ack, bool all_present, ReceivedList& list) noexcept {
  const std::uint8_t first = in.octet();
  if (first >> 5 != 0 && !mutant("tcp-reserved-bits-taken")) return false;  // "Reserved: MUST be set to zero"
  const bool wide = (first & 0x10) != 0;
  list.count = first & 0x0f;
  list.present = list.is_static = 0;
  for (unsigned i = 0; i < list.count; ++i) {
    unsigned x = 0;
    if (wide) {
      const std::uint8_t xi = in.octet();
      if ((xi & 0x70) != 0) return false;
      x = xi >> 7;
      list.index[i] = xi & 0x0f;
    } else {
      const unsigned xi = i % 2 == 0 ? in.peek() >> 4U : in.octet() & 0x0fU;
      x = xi >> 3;
      list.index[i] = xi & 7;
    }
    list.present = static_cast<std::uint16_t>(list.present | x << i);
  }
  if (!wide && list.count % 2 != 0 && (in.octet() & 0x0f) != 0)
    return false;  // "The Padding field MUST be set to zero"
  if (all_present && list.present != (1U << list.count) - 1) return false;
  std::size_t length = 0;
  for (unsigned i = 0; i < list.count; ++i) {
    if ((list.present >> i & 1) == 0) continue;
    bool is_static = false;
    const std::size_t item =
        read_item(in, list.index[i], ack, list.octets.data() + length, kMostOptions - length, is_static);
    if (item == 0) return false;
    if (is_static) list.is_static = static_cast<std::uint16_t>(list.is_static | 1U << i);
    list.length[i] = static_cast<std::uint8_t>(item);
    length += item;
  }
  return in.ok();
}

OptionStatus build_options(Reader* in, const ReceivedList* received, const OptionContext& context, std::uint32_t ack,
                           std::uint8_t* out, OptionList& list) noexcept {
  list.count = list.octets = 0;
  const unsigned count = received != nullptr ? received->count : context.list.count;
  const std::uint8_t* carried = received != nullptr ? received->octets.data() : nullptr;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint8_t index = received != nullptr ? received->index[i] : context.list.index[i];
    std::uint8_t* const to = out + list.octets;
    std::size_t length = 0;
    if (received != nullptr && (received->present >> i & 1) != 0) {
      length = received->length[i];
      if (list.octets + length > kMostOptions) return OptionStatus::kMalformed;
      std::memcpy(to, carried, length);
      carried += length;
    } else {
      const Octets reference = received == nullptr
                                   ? Octets{context.options + context.list.at[i], context.list.length[i]}
                                   : context.item(index);
      if (reference.empty()) return OptionStatus::kUnknownItem;
      const std::size_t room = kMostOptions - list.octets;
      if (in != nullptr) {
        length = read_irregular_item(*in, index, reference, context.table.is_static_item(index), ack, to, room);
      } else if (reference.size() <= room) {
        length = reference.size();
        std::memcpy(to, reference.data(), length);
      }
    }
    if (length == 0 || !list.append(index, length)) return OptionStatus::kMalformed;
  }
  return list.octets % 4 == 0 ? OptionStatus::kOk : OptionStatus::kMalformed;
}

}  // namespace headroom::rohc::tcp
