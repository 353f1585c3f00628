// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/wire/list.h"

#include <bit>

#include "mutants.h"
#include "rohc/v1/header/listed.h"

namespace headroom::rohc::wire {
namespace {

constexpr std::uint8_t kGp = 0x20;
constexpr std::uint8_t kPs = 0x10;
constexpr std::uint8_t kWideMask = 0x80;
constexpr std::size_t kCsrcOctets = 4;

constexpr bool inserts(unsigned type) noexcept { return type == 1 || type == 3; }
constexpr bool removes(unsigned type) noexcept { return type == 2 || type == 3; }

bool wide_xis(const CompressedList& list) noexcept {
  if (mutant("list-index-of-three-bits")) return false;
  for (unsigned i = 0; i < list.xi_count; ++i) {
    if (list.xis[i].index > 7) return true;
  }
  return false;
}

// --- Masks: 0 and seven bits, or 1 and fifteen
// ------------------------------------------------------------------------

std::size_t mask_octets(ListMask mask) noexcept { return mask.width == 7 ? 1 : 2; }

void write_mask(Writer& out, ListMask mask) noexcept {
  if (mask.width == 7) {
    out.octet(static_cast<std::uint8_t>(mask.bits >> 8));
  } else {
    out.two(static_cast<std::uint16_t>(kWideMask << 8 | mask.bits));
  }
}

// The masks of a list, as they are but for mutants.
ListMask removal_of(const CompressedList& list) noexcept {
  if (mutant("list-masks-swapped") && list.type == 3) return list.insertion;
  if (mutant("list-removal-mask-inverted"))
    return {static_cast<std::uint16_t>(~list.removal.bits & 0x7fff), list.removal.width};
  return list.removal;
}
ListMask insertion_of(const CompressedList& list) noexcept {
  if (mutant("list-masks-swapped") && list.type == 3) return list.removal;
  if (mutant("list-insertion-mask-shifted"))
    return {static_cast<std::uint16_t>(list.insertion.bits >> 1), list.insertion.width};
  return list.insertion;
}

ListMask read_mask(Reader& in) noexcept {
  const bool wide = (in.peek() & kWideMask) != 0 && !mutant("list-mask-of-15-bits-read-as-7");
  if (wide) return {static_cast<std::uint16_t>(in.two() & 0x7fffU), 15};
  return {static_cast<std::uint16_t>(in.octet() << 8), 7};
}

// --- XI fields
// --------------------------------------------------------------------------------------------------------

unsigned narrow(const Xi& xi) noexcept { return (xi.has_item ? 8U : 0U) | xi.index; }
unsigned wide(const Xi& xi) noexcept { return (xi.has_item ? 0x80U : 0U) | xi.index; }

// From `first` on: two in an octet, the last one padded with zeros, or one in each.
void write_xis(Writer& out, const CompressedList& list, bool ps, unsigned first) noexcept {
  if (ps) {
    for (unsigned i = first; i < list.xi_count; ++i) out.octet(static_cast<std::uint8_t>(wide(list.xis[i])));
    return;
  }
  for (unsigned i = first; i < list.xi_count; i += 2) {
    const unsigned second = i + 1U < list.xi_count ? narrow(list.xis[i + 1U]) : 0U;
    out.octet(static_cast<std::uint8_t>(narrow(list.xis[i]) << 4 | second));
  }
}

void take_narrow(unsigned bits, Xi& xi) noexcept {
  xi.has_item = (bits & 8) != 0;
  xi.index = bits & 7;
}

void read_xis(Reader& in, bool ps, unsigned first, CompressedList& list) noexcept {
  if (ps) {
    for (unsigned i = first; i < list.xi_count; ++i) {
      const std::uint8_t octet = in.octet();
      list.xis[i].has_item = (octet & 0x80) != 0;
      list.xis[i].index = octet & (mutant("list-index-read-as-three-bits") ? 0x07 : 0x7f);
    }
    return;
  }
  for (unsigned i = first; i < list.xi_count; i += 2) {
    const std::uint8_t octet = in.octet();
    take_narrow(octet >> 4, list.xis[i]);
    if (i + 1U < list.xi_count) take_narrow(octet & 0x0fU, list.xis[i + 1U]);
  }
}

bool read_items(Reader& in, ListKind kind, CompressedList& list) noexcept {
  for (unsigned i = 0; i < list.xi_count; ++i) {
    Xi& xi = list.xis[i];
    if (!xi.has_item) continue;
    const std::size_t octets = kind == ListKind::kCsrc ? kCsrcOctets : item_octets(in.rest(), list.type == 0);
    const std::uint8_t* item = octets == 0 ? nullptr : in.take(octets);
    if (item == nullptr) return false;
    xi.item = {item, octets};
  }
  return true;
}

void write_sequence(Writer& out, SequenceBits bits) noexcept {
  if (bits.width == 7) {
    out.octet(static_cast<std::uint8_t>(bits.value & 0x7fU));
  } else if (bits.width != 0) {
    out.four(0x80000000U | bits.value);
  }
}

SequenceBits read_sequence(Reader& in) noexcept {
  if (in.peek() < 0x80) return {in.octet(), 7};
  return {in.four() & 0x7fffffffU, 31};
}

}  // namespace

std::size_t list_octets(const CompressedList& list) noexcept {
  std::size_t octets = 1 + (list.has_generation ? 1U : 0U) + (list.type != 0 ? 1U : 0U);
  if (removes(list.type)) octets += mask_octets(list.removal);
  if (inserts(list.type)) octets += mask_octets(list.insertion);
  const std::size_t in_first = inserts(list.type) && list.xi_count != 0 ? 1 : 0;
  octets += wide_xis(list) ? list.xi_count : (list.xi_count - in_first + 1U) / 2;
  for (unsigned i = 0; i < list.xi_count; ++i) octets += list.xis[i].has_item ? list.xis[i].item.size() : 0;
  return octets;
}

void write_list(Writer& out, const CompressedList& list) noexcept {
  const bool ps = wide_xis(list);
  unsigned first = static_cast<unsigned>(list.type) << 6 | (list.has_generation ? kGp : 0U) | (ps ? kPs : 0U);
  const bool in_first = inserts(list.type) && !ps && list.xi_count != 0;
  if (list.type == 0) {
    first |= list.xi_count;
  } else if (list.type == 2) {
    first |= list.count;
  } else if (in_first) {
    first |= narrow(list.xis[0]);
  }
  out.octet(static_cast<std::uint8_t>(first));
  if (list.has_generation) out.octet(list.generation);
  if (list.type != 0) out.octet(list.reference);
  if (removes(list.type)) write_mask(out, removal_of(list));
  if (inserts(list.type)) write_mask(out, insertion_of(list));
  write_xis(out, list, ps, in_first ? 1 : 0);
  for (unsigned i = 0; i < list.xi_count; ++i) {
    if (list.xis[i].has_item) out.octets(list.xis[i].item);
  }
}

bool read_list(Reader& in, ListKind kind, CompressedList& list) noexcept {
  const std::uint8_t first = in.octet();
  list.type = first >> 6;
  list.has_generation = (first & kGp) != 0;
  const bool ps = (first & kPs) != 0 && list.type != 2;
  const auto low = static_cast<std::uint8_t>(first & 0x0f);
  list.generation = list.has_generation ? in.octet() : std::uint8_t{0};
  list.reference = list.type != 0 ? in.octet() : std::uint8_t{0};
  list.count = list.type == 2 ? low : std::uint8_t{0};
  list.removal = removes(list.type) ? read_mask(in) : ListMask{};
  list.insertion = inserts(list.type) ? read_mask(in) : ListMask{};
  list.xi_count = list.type == 0 ? low : static_cast<std::uint8_t>(std::popcount(list.insertion.bits));
  const bool in_first = inserts(list.type) && !ps && list.xi_count != 0;
  if (in_first) take_narrow(low, list.xis[0]);
  read_xis(in, ps, in_first ? 1 : 0, list);
  return read_items(in, kind, list) && in.ok();
}

// CL ASeq ESeq GSeq res
void write_extension_headers(Writer& out, const ExtensionHeadersField& field) noexcept {
  out.octet(static_cast<std::uint8_t>((field.has_list ? 0x80U : 0U) | (field.ah.width != 0 ? 0x40U : 0U) |
                                      (field.esp.width != 0 ? 0x20U : 0U) | (field.gre.width != 0 ? 0x10U : 0U)));
  write_sequence(out, field.ah);
  write_sequence(out, field.esp);
  write_sequence(out, field.gre);
  if (field.has_list) write_list(out, field.list);
}

bool read_extension_headers(Reader& in, ExtensionHeadersField& field) noexcept {
  const std::uint8_t flags = in.octet();
  field.ah = (flags & 0x40) != 0 ? read_sequence(in) : SequenceBits{};
  field.esp = (flags & 0x20) != 0 ? read_sequence(in) : SequenceBits{};
  field.gre = (flags & 0x10) != 0 ? read_sequence(in) : SequenceBits{};
  field.has_list = (flags & 0x80) != 0;
  return (!field.has_list || read_list(in, ListKind::kHeaders, field.list)) && in.ok();
}

}  // namespace headroom::rohc::wire
