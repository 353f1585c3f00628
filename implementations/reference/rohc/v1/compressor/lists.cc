// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/lists.h"

#include <algorithm>
#include <cstring>

#include "mutants.h"
#include "rohc/v1/compressor/flow.h"
#include "rohc/v1/wire/chain.h"

namespace headroom::rohc {
namespace {

// --- Tables
// -----------------------------------------------------------------------------------------------------------

// A list, its table and the items of the packet at hand, whatever kind they are.
struct View {
  ListState& list;
  std::uint8_t* items;
  std::size_t stride;  // octets between items

  [[nodiscard]] Octets item(unsigned index) const noexcept {
    return {items + index * stride, list.entries[index].octets};
  }
};

View view_of(HeaderListState& s) noexcept { return {s.list, s.items.data(), kMaxItemOctets}; }
View view_of(CsrcListState& s) noexcept { return {s.list, s.items.data(), 4}; }
View view_of(CompressorLists& lists, WhichList which) noexcept {
  if (which == WhichList::kCsrc) return view_of(lists.csrc);
  return view_of(which == WhichList::kOuter ? lists.outer : lists.inner);
}

// An index for an item that the table does not have: a free one, the lowest first because those up to 7 take less room,
// or the one that no list has had for the longest time. Reference lists that have it are references no more.
std::uint8_t assign(View v, Octets item, const IndexList& in_use) noexcept {
  unsigned best = kTableSlots;
  for (unsigned i = 0; i < kTableSlots; ++i) {
    const TableEntry& e = v.list.entries[i];
    if (in_use.has(static_cast<std::uint8_t>(i))) continue;
    if (e.octets == 0) {
      best = i;
      break;
    }
    const auto age = [&](unsigned k) { return static_cast<std::uint16_t>(v.list.clock - v.list.entries[k].last_used); };
    if (best == kTableSlots || age(i) > age(best)) best = i;
  }
  const auto index = static_cast<std::uint8_t>(best);
  if (v.list.reference.has(index)) v.list.reference.count = 0;
  if (v.list.now.has(index)) v.list.now.count = 0;  // no longer what it was: so that the new list differs
  v.list.entries[index] = {static_cast<std::uint8_t>(item.size()), 0, v.list.clock};
  std::copy(item.begin(), item.end(), v.items + index * v.stride);
  return index;
}

// The items in use are those of the present list and the part of the new one that has been found: what is gone from the
// present list is often back soon, but there may be no other index left.
std::uint8_t index_for(View v, Octets item, const IndexList& found) noexcept {
  for (unsigned i = 0; i < kTableSlots; ++i) {
    if (v.list.entries[i].octets == 0) continue;
    const Octets known = v.item(i);
    if (std::equal(known.begin(), known.end(), item.begin(), item.end())) return static_cast<std::uint8_t>(i);
  }
  return assign(v, item, found);
}

// True if the list has changed.
bool take_list(View v, const IndexList& now, std::uint8_t repeats) noexcept {
  ListState& s = v.list;
  ++s.clock;
  for (unsigned i = 0; i < now.count; ++i) s.entries[now.at[i]].last_used = s.clock;
  if (now == s.now) return false;
  s.now = now;
  if (!mutant("list-gen-id-stays")) ++s.generation;
  s.left = mutant("list-told-once") ? 1 : repeats;
  return true;
}

// --- Items of the packet
// ----------------------------------------------------------------------------------------------

const ExtensionHeaders* headers_of(const PacketFields& f, WhichList which) noexcept {
  if (f.lists == nullptr) return nullptr;
  return which == WhichList::kOuter ? &f.lists->outer : &f.lists->inner;
}

void item_at(const PacketFields& f, const ExtensionHeader& h, Item& item) noexcept {
  item_of(f.packet + h.offset, h.type, h.octets, item);
}

// The item without what changes with each packet (5.8.4.2, 5.8.4.4): by this, the table knows it.
void clear_changing_fields(Item& item) noexcept {
  const ItemFields fields = fields_of_item({item.data.data(), item.octets});
  if (fields.sequence_at != 0) std::fill_n(item.data.begin() + fields.sequence_at, 4, std::uint8_t{0});
  if (fields.as_is_at != 0) std::fill_n(item.data.begin() + fields.as_is_at, fields.as_is_octets, std::uint8_t{0});
}

IndexList header_indexes(View v, const PacketFields& f, const ExtensionHeaders* headers) noexcept {
  IndexList now;
  for (unsigned i = 0; headers != nullptr && i < headers->count; ++i) {
    Item item;
    item_at(f, headers->headers[i], item);
    clear_changing_fields(item);
    if (!now.append(index_for(v, {item.data.data(), item.octets}, now))) break;
  }
  return now;
}

IndexList csrc_indexes(View v, const PacketFields& f) noexcept {
  IndexList now;
  for (unsigned i = 0; f.lists != nullptr && i < f.lists->csrc_count; ++i) {
    if (!now.append(index_for(v, {f.packet + f.lists->csrc_at + 4U * i, 4}, now))) break;
  }
  return now;
}

// --- Sequence numbers
// -------------------------------------------------------------------------------------------------

std::uint32_t extrapolated(const SequenceState& s, std::uint16_t sn) noexcept {
  return s.last + static_cast<std::uint32_t>(std::int32_t{static_cast<std::int16_t>(sn - s.last_sn)});
}

const std::uint8_t* sequence_of(const PacketFields& f, const ExtensionHeaders* headers, std::uint8_t type,
                                unsigned& position) noexcept {
  for (unsigned i = 0; headers != nullptr && i < headers->count; ++i) {
    const ExtensionHeader& h = headers->headers[i];
    if (h.type != type) continue;
    const ItemFields fields = fields_of_header(h.type, f.packet + h.offset, h.octets);
    if (fields.sequence_at == 0) return nullptr;
    position = i;
    return f.packet + h.offset + fields.sequence_at;
  }
  return nullptr;
}

// A number that leaves its line is sent L times in 31 bits; if these do not suffice, with the whole item. So is that of
// a header that `before` did not have: the decompressor's reference is as old as the item in its table.
void observe_sequence(Flow flow, const PacketFields& f, View v, const IndexList& before,
                      const ExtensionHeaders* headers, std::uint8_t type, SequenceState& s) noexcept {
  unsigned position = 0;
  const std::uint8_t* at = sequence_of(f, headers, type, position);
  if (at == nullptr) return;
  const std::uint32_t value = wire::load32(at);
  const std::uint8_t index = v.list.now.at[position];
  const bool returns = !s.known || !before.has(index);
  if (returns || (value != extrapolated(s, f.sn) && !mutant("sequence-number-jump-not-told"))) {
    s.left = flow.repeats();
    flow.h.changed_since_sn = f.sn;
    if (returns || (value ^ extrapolated(s, f.sn)) >> 31 != 0) {
      v.list.entries[index].times = 0;
      v.list.left = flow.repeats();
    }
  }
  s = {value, f.sn, s.left, true};
}

// The most significant bits must be those of the number that the decompressor expects; it may also go by the last one.
wire::SequenceBits sequence_bits(const SequenceState& before, std::uint32_t value, std::uint8_t left) noexcept {
  const bool same_high_bits = ((value ^ before.last) >> 7) == 0;
  const bool narrow = (left == 0 && same_high_bits) || mutant("sequence-number-of-seven-bits");
  return {value & (narrow ? 0x7fU : 0x7fffffffU), static_cast<std::uint8_t>(narrow ? 7 : 31)};
}

void observe_headers(Flow flow, const PacketFields& f, WhichList which, HeaderListState& s, bool& changed) noexcept {
  const View v = view_of(s);
  const ExtensionHeaders* headers = headers_of(f, which);
  const IndexList before = v.list.now;
  changed |= take_list(v, header_indexes(v, f, headers), flow.repeats());
  observe_sequence(flow, f, v, before, headers, kAuthentication, s.ah);
  observe_sequence(flow, f, v, before, headers, kGre, s.gre);
}

std::uint8_t left_of(const CompressorLists& lists) noexcept {
  return std::max({lists.outer.list.left, lists.inner.list.left, lists.csrc.list.left, lists.outer.ah.left,
                   lists.outer.gre.left, lists.inner.ah.left, lists.inner.gre.left});
}

// --- Compressed lists
// -------------------------------------------------------------------------------------------------

// Items of the packet as XI fields can carry them.
struct PacketItems {
  std::array<Item, wire::kMaxXis> headers;
  std::array<Octets, wire::kMaxXis> octets;
};

void gather_items(const PacketFields& f, WhichList which, PacketItems& items) noexcept {
  if (which == WhichList::kCsrc) {
    for (unsigned i = 0; f.lists != nullptr && i < f.lists->csrc_count; ++i)
      items.octets[i] = {f.packet + f.lists->csrc_at + 4U * i, 4};
    return;
  }
  const ExtensionHeaders* headers = headers_of(f, which);
  for (unsigned i = 0; headers != nullptr && i < headers->count; ++i) {
    item_at(f, headers->headers[i], items.headers[i]);
    items.octets[i] = {items.headers[i].data.data(), items.headers[i].octets};
  }
}

bool is_known(Flow flow, const ListState& s, std::uint8_t index) noexcept {
  return s.entries[index].times >= (mutant("list-item-known-at-once") ? 1 : flow.repeats());
}

void set_xi(wire::CompressedList& list, std::uint8_t index, bool with_item, Octets item) noexcept {
  list.xis[list.xi_count++] = {index, with_item, with_item ? item : Octets{}};
}

// Encoding type 0. Also an empty list has a generation, though it will never be a reference (RFC 4815 5.7): lists
// without one "do not update the context" (5.8.2.1 d).
void encode_generic(Flow flow, const ListState& s, const PacketItems& items, bool all_items,
                    wire::CompressedList& list) noexcept {
  list.type = 0;
  list.xi_count = 0;
  list.has_generation = !flow.in_reliable_mode();  // "present in U/O-mode" (5.8.6.1)
  list.generation = s.generation;
  for (unsigned i = 0; i < s.now.count; ++i) {
    const std::uint8_t index = s.now.at[i];
    set_xi(list, index, all_items || !is_known(flow, s, index), items.octets[i]);
  }
}

// Encoding types 1 to 3. False if there is no reference list, or if an item that stays has to be sent. In R-mode
// reference lists go by SN and not by gen_id (5.8.2.1); all lists are of type 0 there.
bool encode_change(Flow flow, const ListState& s, const PacketItems& items, wire::CompressedList& list) noexcept {
  if (s.reference.count == 0 || flow.in_reliable_mode()) return false;
  const ListChange change = change_between(s.reference, s.now);
  list.type = change.inserts ? (change.removes ? 3 : 1) : 2;
  list.xi_count = 0;
  list.has_generation = true;
  list.generation = s.generation;
  list.reference = s.reference_generation;
  list.count = s.reference.count;
  list.removal = change.removal;
  list.insertion = change.insertion;
  for (unsigned i = 0; i < s.now.count; ++i) {
    const std::uint8_t index = s.now.at[i];
    const bool inserted = change.inserts && i < change.insertion.width && change.insertion.at(i);
    if (inserted) {
      set_xi(list, index, !is_known(flow, s, index), items.octets[i]);
    } else if (!is_known(flow, s, index)) {
      return false;
    }
  }
  return true;
}

void encode_smallest(Flow flow, const ListState& s, const PacketItems& items, wire::CompressedList& list) noexcept {
  encode_generic(flow, s, items, false, list);
  wire::CompressedList change;
  if (encode_change(flow, s, items, change) && wire::list_octets(change) < wire::list_octets(list)) list = change;
}

bool sends_item(const wire::CompressedList& list, const IndexList& now, unsigned position) noexcept {
  for (unsigned i = 0; i < list.xi_count; ++i) {
    if (list.xis[i].index == now.at[position] && list.xis[i].has_item) return true;
  }
  return false;
}

// A compressed sequence number goes into the field whenever the header is there and its item is not: "when not set, the
// corresponding header item is sent uncompressed or is not present" (5.8.5.1).
wire::SequenceBits sequence_field(const PacketFields& f, const ExtensionHeaders* headers, std::uint8_t type,
                                  const SequenceState& s, const ListState& list,
                                  const wire::ExtensionHeadersField& field) noexcept {
  unsigned position = 0;
  const std::uint8_t* at = sequence_of(f, headers, type, position);
  if (at == nullptr || (field.has_list && sends_item(field.list, list.now, position))) return {};
  return sequence_bits(s, wire::load32(at), s.left);
}

// What extension_list() says of a header list; false when it says nothing.
bool header_field(Flow flow, const PacketFields& f, WhichList which, const PacketItems& items,
                  wire::ExtensionHeadersField& field) noexcept {
  const HeaderListState& s = which == WhichList::kOuter ? flow.lists->outer : flow.lists->inner;
  if ((s.list.left | s.ah.left | s.gre.left) == 0) return false;
  const ExtensionHeaders* headers = headers_of(f, which);
  field.has_list = s.list.left != 0;
  if (field.has_list) encode_smallest(flow, s.list, items, field.list);
  field.ah = sequence_field(f, headers, kAuthentication, s.ah, s.list, field);
  field.gre = sequence_field(f, headers, kGre, s.gre, s.list, field);
  return true;
}

// An empty list is no reference (RFC 4815 5.7); the one before it stays.
void make_reference(ListState& s) noexcept {
  if (s.now.count == 0) return;
  s.reference = s.now;
  s.reference_generation = s.generation;
}

void count_list(Flow flow, ListState& s, bool chain) noexcept {
  if (!chain && s.left == 0) return;
  for (unsigned i = 0; i < s.now.count; ++i) {
    const std::uint8_t index = s.now.at[i];
    bool first = true;  // an index that the list has twice counts once
    for (unsigned k = 0; k < i; ++k) first &= s.now.at[k] != index;
    TableEntry& e = s.entries[index];
    if (first && e.times < flow.repeats()) ++e.times;
  }
  if (s.left != 0 && (--s.left == 0 || mutant("list-reference-at-once"))) make_reference(s);
}

void count_sequence(SequenceState& s) noexcept { s.left = static_cast<std::uint8_t>(s.left - (s.left != 0)); }

void confirm_list(Flow flow, ListState& s) noexcept {
  if (s.left == 0) return;
  s.left = 0;
  if (flow.in_reliable_mode()) {
    s.reference.count = 0;  // no gen_id has named the list
  } else {
    make_reference(s);
  }
  for (unsigned i = 0; i < s.now.count; ++i) s.entries[s.now.at[i]].times = flow.repeats();
}

void doubt_list(Flow flow, ListState& s) noexcept {
  if (s.entries[0].octets == 0) return;  // there has been none
  for (TableEntry& e : s.entries) e.times = 0;
  s.reference.count = 0;
  s.left = flow.repeats();
}

void observe_extras(CompressorLists& lists, const PacketFields& f) noexcept {
  lists.extra_count = f.lists != nullptr ? f.lists->extra_count : std::uint8_t{0};
  std::size_t at = f.lists != nullptr ? f.lists->transport_at : std::size_t{0};
  for (unsigned i = 0; i < lists.extra_count; ++i) {
    const Layout& l = ip_layout(f.packet[at] >> 4);
    std::copy_n(f.packet + at, l.header, lists.extras[i].begin());
    at += l.header;
  }
}

}  // namespace

bool observe_lists(Flow flow, const PacketFields& f) noexcept {
  CompressorLists& lists = *flow.lists;
  bool changed = false;
  observe_headers(flow, f, WhichList::kOuter, lists.outer, changed);
  observe_headers(flow, f, WhichList::kInner, lists.inner, changed);
  const View csrc = view_of(lists.csrc);
  changed |= take_list(csrc, csrc_indexes(csrc, f), flow.repeats());
  observe_extras(lists, f);
  flow.h.lists_left = left_of(lists);
  flow.c.lists = f.lists != nullptr ? ListUse::kActive : ListUse::kIdle;
  return changed;
}

bool same_extras(const CompressorLists& lists, Octets packet, const ListedHeaders* listed) noexcept {
  const unsigned count = listed != nullptr ? listed->extra_count : 0U;
  if (lists.extra_count != count) return false;
  std::size_t at = count != 0 ? listed->transport_at : std::size_t{0};
  for (unsigned i = 0; i < count; ++i) {
    const std::uint8_t* header = packet.data() + at;
    if (header[0] >> 4 != lists.extras[i][0] >> 4) return false;
    const Layout& l = ip_layout(header[0] >> 4);
    for (std::size_t k = 0; k < l.header; ++k) {
      if (((header[k] ^ lists.extras[i][k]) & l.definition_mask[k]) != 0) return false;
    }
    at += l.header;
  }
  return true;
}

Octets chain_list(Flow flow, const PacketFields& f, WhichList which, ListRoom& room) noexcept {
  if (flow.lists == nullptr) return {};
  const View v = view_of(*flow.lists, which);
  if (v.list.now.count == 0) return {};
  PacketItems items;
  gather_items(f, which, items);
  wire::CompressedList list;
  encode_generic(flow, v.list, items, !mutant("list-items-not-in-chain"), list);
  wire::Writer out(room);
  wire::write_list(out, list);
  return out.written();
}

Octets extension_list(Flow flow, const PacketFields& f, WhichList which, ListRoom& room) noexcept {
  if (flow.lists == nullptr) return {};
  PacketItems items;
  wire::Writer out(room);
  if (which == WhichList::kCsrc) {
    const ListState& s = flow.lists->csrc.list;
    if (s.left == 0) return {};
    gather_items(f, which, items);
    wire::CompressedList list;
    encode_smallest(flow, s, items, list);
    wire::write_list(out, list);
  } else {
    gather_items(f, which, items);
    wire::ExtensionHeadersField field;
    if (!header_field(flow, f, which, items, field)) return {};
    wire::write_extension_headers(out, field);
  }
  return out.written();
}

void write_as_is_fields(Flow flow, const PacketFields& f, WhichList which, bool in_extension,
                        wire::Writer& out) noexcept {
  const ExtensionHeaders* headers = flow.lists != nullptr ? headers_of(f, which) : nullptr;
  if (headers == nullptr || headers->count == 0) return;
  wire::ExtensionHeadersField field;
  PacketItems items;
  if (in_extension) {
    gather_items(f, which, items);
    in_extension = header_field(flow, f, which, items, field);
  }
  const IndexList& now = view_of(*flow.lists, which).list.now;
  for (unsigned i = 0; i < headers->count; ++i) {
    const ExtensionHeader& h = headers->headers[i];
    const ItemFields fields = fields_of_header(h.type, f.packet + h.offset, h.octets);
    if (h.type == kGre ? mutant("gre-checksum-not-sent") : mutant("ah-data-not-sent")) continue;
    if (fields.as_is_at == 0 || (in_extension && field.has_list && sends_item(field.list, now, i))) continue;
    out.octets({f.packet + h.offset + fields.as_is_at, fields.as_is_octets});
  }
}

void write_extras_static(const PacketFields& f, bool ends, wire::Writer& out) noexcept {
  if (f.lists == nullptr) return;
  const std::uint8_t* header = f.packet + f.lists->transport_at;
  for (unsigned i = 0; i < f.lists->extra_count; ++i) {
    wire::write_ip_static(out, header, ends && i + 1U == f.lists->extra_count);
    header += ip_layout(header[0] >> 4).header;
  }
}

// The IP-ID is there as it is, so that its flags say nothing; they have their initial values (5.7.5.2).
void write_extras_dynamic(const PacketFields& f, wire::Writer& out) noexcept {
  if (f.lists == nullptr || mutant("third-ip-header-not-sent")) return;
  const std::uint8_t* header = f.packet + f.lists->transport_at;
  for (unsigned i = 0; i < f.lists->extra_count; ++i) {
    wire::write_ip_dynamic(out, header, {}, true);
    header += ip_layout(header[0] >> 4).header;
  }
}

void count_lists_sent(Flow flow, bool chain) noexcept {
  if (flow.lists == nullptr) return;
  CompressorLists& lists = *flow.lists;
  for (HeaderListState* s : {&lists.outer, &lists.inner}) {
    count_list(flow, s->list, chain);
    count_sequence(s->ah);
    count_sequence(s->gre);
  }
  count_list(flow, lists.csrc.list, chain);
  flow.h.lists_left = left_of(lists);
}

void confirm_lists(Flow flow) noexcept {
  if (flow.lists == nullptr) return;
  CompressorLists& lists = *flow.lists;
  for (HeaderListState* s : {&lists.outer, &lists.inner}) {
    confirm_list(flow, s->list);
    s->ah.left = 0;
    s->gre.left = 0;
  }
  confirm_list(flow, lists.csrc.list);
  flow.h.lists_left = 0;
}

void doubt_lists(Flow flow) noexcept {
  if (flow.lists == nullptr) return;
  CompressorLists& lists = *flow.lists;
  for (HeaderListState* s : {&lists.outer, &lists.inner}) {
    doubt_list(flow, s->list);
    s->ah.left = s->ah.known ? flow.repeats() : std::uint8_t{0};
    s->gre.left = s->gre.known ? flow.repeats() : std::uint8_t{0};
  }
  doubt_list(flow, lists.csrc.list);
  flow.h.lists_left = left_of(lists);
}

}  // namespace headroom::rohc
