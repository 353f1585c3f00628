// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/decompressor/lists.h"

#include <algorithm>
#include <optional>

#include "mutants.h"

namespace headroom::rohc {
namespace {

using wire::ChainStatus;
using wire::CompressedList;

// --- Windows
// ----------------------------------------------------------------------------------------------------------

std::optional<unsigned> find_generation(const ListWindow& window, std::uint8_t generation) noexcept {
  for (unsigned i = window.count; i-- > 0;) {
    if (window.lists[i].generation == generation) return i;
  }
  return std::nullopt;
}

void drop(ListWindow& window, unsigned from, unsigned count) noexcept {
  std::copy(window.lists.begin() + from + count, window.lists.begin() + window.count, window.lists.begin() + from);
  window.count = static_cast<std::uint8_t>(window.count - count);
}

// A generation seen before is the same list, unless gen_id has gone once around: the newer one then counts.
void enter(ListWindow& window, std::uint8_t generation, const IndexList& list) noexcept {
  if (const auto known = find_generation(window, generation)) {
    if (window.lists[*known].list == list) return;
    drop(window, *known, 1);
  }
  if (window.count == kWindowSize) drop(window, 1, 1);
  window.lists[window.count++] = {generation, list};
}

// The list that the compressed one stands for. "All lists with generations older than ref_id are removed" is left to
// the caller: the packet has not been verified yet, but the window is a copy, so that here is as good a place.
std::optional<IndexList> indexes_of(const CompressedList& compressed, ListWindow& window) noexcept {
  IndexList sent;
  for (unsigned i = 0; i < compressed.xi_count; ++i) {
    if (!sent.append(compressed.xis[i].index)) return std::nullopt;
  }
  if (compressed.type == 0) return sent;
  const auto found = find_generation(window, compressed.reference);
  if (!found) return std::nullopt;
  const IndexList reference = window.lists[*found].list;
  if (!mutant("list-old-references-kept")) drop(window, 0, *found);
  if (compressed.type == 1) return insert_into(reference, compressed.insertion, sent);
  if (compressed.type == 2 && compressed.count != reference.count) return std::nullopt;
  if (compressed.type == 3 && mutant("list-inserts-before-it-removes")) {
    const auto more = insert_into(reference, compressed.insertion, sent);
    return more ? remove_from(*more, compressed.removal) : more;
  }
  const auto rest = remove_from(reference, compressed.removal);
  if (!rest || compressed.type == 2) return rest;
  return insert_into(*rest, compressed.insertion, sent);
}

// --- Tables
// -----------------------------------------------------------------------------------------------------------

template <unsigned kSlots, unsigned kItem>
Octets item(const ItemTable<kSlots, kItem>& table, std::uint8_t index) noexcept {
  return {table.items.data() + std::size_t{index} * kItem, table.octets[index]};
}

template <unsigned kSlots, unsigned kItem>
bool enter_items(const CompressedList& compressed, ItemTable<kSlots, kItem>& table) noexcept {
  for (unsigned i = 0; i < compressed.xi_count; ++i) {
    const wire::Xi& xi = compressed.xis[i];
    if (xi.index >= kSlots) return false;
    if (!xi.has_item || (table.octets[xi.index] != 0 && mutant("list-item-never-replaced"))) continue;
    if (xi.item.size() > kItem) return false;
    std::uint8_t* to = table.items.data() + std::size_t{xi.index} * kItem;
    std::copy(xi.item.begin(), xi.item.end(), to);
    if (kItem == kMaxItemOctets && is_gre_by_what_follows(to[0])) to[0] = kGre;
    table.octets[xi.index] = static_cast<std::uint8_t>(xi.item.size());
  }
  return true;
}

bool came_whole(const CompressedList& compressed, std::uint8_t index) noexcept {
  for (unsigned i = 0; i < compressed.xi_count; ++i) {
    if (compressed.xis[i].index == index && compressed.xis[i].has_item) return true;
  }
  return false;
}

// Where the item of the old list is that the new one continues: by type, for a list has one AH and one GRE. Its
// sequence number and data are newer than those in the table.
Octets continued(const PresentHeaders& old, std::uint8_t type) noexcept {
  std::size_t at = 0;
  for (unsigned i = 0; i < old.count; ++i) {
    if (old.items[at] == type) return {old.items.data() + at, old.item_octets[i]};
    at += old.item_octets[i];
  }
  return {};
}

void carry_over_sequence(const PresentHeaders& old, std::uint8_t* to, std::size_t octets) noexcept {
  const ItemFields fields = fields_of_item({to, octets});
  if (fields.sequence_at == 0) return;
  const Octets from = continued(old, to[0]);
  const ItemFields before = from.empty() ? ItemFields{} : fields_of_item(from);
  if (before.sequence_at != 0) std::copy_n(from.data() + before.sequence_at, 4, to + fields.sequence_at);
}

ChainStatus make_present(const IndexList& indexes, const CompressedList& compressed, HeaderList& list) noexcept {
  const PresentHeaders old = list.now;
  PresentHeaders& now = list.now;
  now.count = 0;
  now.octets = 0;
  list.whole = 0;
  for (unsigned i = 0; i < indexes.count; ++i) {
    if (indexes.at[i] >= kHeaderSlots) return ChainStatus::kUnsupported;
    const Octets known = item(list.table, indexes.at[i]);
    if (known.empty()) return ChainStatus::kMalformed;
    if (now.octets + known.size() > now.items.size()) return ChainStatus::kUnsupported;
    std::uint8_t* to = now.items.data() + now.octets;
    std::copy(known.begin(), known.end(), to);
    if (came_whole(compressed, indexes.at[i])) {
      list.whole = static_cast<std::uint16_t>(list.whole | 1U << i);
    } else {
      carry_over_sequence(old, to, known.size());
    }
    now.item_octets[now.count++] = static_cast<std::uint8_t>(known.size());
    now.octets = static_cast<std::uint16_t>(now.octets + known.size());
  }
  return ChainStatus::kOk;
}

ChainStatus make_present(const IndexList& indexes, const CompressedList&, CsrcList& list) noexcept {
  list.count = 0;
  for (unsigned i = 0; i < indexes.count; ++i) {
    const Octets known = item(list.table, indexes.at[i]);
    if (known.empty()) return ChainStatus::kMalformed;
    std::copy(known.begin(), known.end(), list.now.begin() + 4U * list.count++);
  }
  return ChainStatus::kOk;
}

template <typename List>
ChainStatus apply(const CompressedList& compressed, List& list) noexcept {
  if (!enter_items(compressed, list.table)) return ChainStatus::kUnsupported;
  const auto indexes = indexes_of(compressed, list.window);
  if (!indexes) return ChainStatus::kMalformed;
  const ChainStatus status = make_present(*indexes, compressed, list);
  if (status != ChainStatus::kOk) return status;
  const bool may_be_reference = indexes->count != 0 || mutant("list-empty-one-is-a-reference");
  if (compressed.has_generation && may_be_reference) enter(list.window, compressed.generation, *indexes);
  list.told = {true, compressed.has_generation, *indexes};
  return ChainStatus::kOk;
}

template <typename List>
ChainStatus apply_chain(Octets octets, wire::ListKind kind, List& list) noexcept {
  CompressedList compressed;
  if (mutant("list-table-cleared-by-chain")) list.table = {};
  if (octets.empty()) return apply(compressed, list);
  wire::Reader in(octets);
  return wire::read_list(in, kind, compressed) ? apply(compressed, list) : ChainStatus::kMalformed;
}

// Calls `visit(position, item)` for every item.
template <typename List, typename Visit>
void for_each_item(List& list, Visit&& visit) noexcept {
  std::size_t at = 0;
  for (unsigned i = 0; i < list.now.count; ++i) {
    visit(i, list.now.items.data() + at, std::size_t{list.now.item_octets[i]});
    at += list.now.item_octets[i];
  }
}

// The new sequence number of every item that has one, into a list of the same or another packet.
void put_sequences(const DecompressorLists& from_lists, const HeaderList& from, std::uint16_t sn,
                   HeaderList& to) noexcept {
  for_each_item(from, [&](unsigned position, const std::uint8_t* p, std::size_t octets) {
    if (fields_of_item({p, octets}).sequence_at == 0) return;
    const std::uint32_t value = sequence_of(from_lists, from, position, {p, octets}, sn);
    for_each_item(to, [&](unsigned, std::uint8_t* q, std::size_t other) {
      const ItemFields fields = fields_of_item({q, other});
      if (q[0] == p[0] && fields.sequence_at != 0) wire::store32(q + fields.sequence_at, value);
    });
  });
}

}  // namespace

void begin_packet(DecompressorLists& lists) noexcept {
  for (HeaderList* list : {&lists.outer, &lists.inner}) {
    list->whole = 0;
    list->ah = {};
    list->gre = {};
    list->told.present = false;
  }
  lists.csrc.told.present = false;
}

ChainStatus apply_list(const CompressedList& compressed, HeaderList& list) noexcept { return apply(compressed, list); }
ChainStatus apply_list(const CompressedList& compressed, CsrcList& list) noexcept { return apply(compressed, list); }

ChainStatus apply_chain_list(Octets octets, HeaderList& list) noexcept {
  return apply_chain(octets, wire::ListKind::kHeaders, list);
}
ChainStatus apply_chain_list(Octets octets, CsrcList& list) noexcept {
  return apply_chain(octets, wire::ListKind::kCsrc, list);
}

ChainStatus apply_field(Octets octets, HeaderList& list) noexcept {
  wire::Reader in(octets);
  wire::ExtensionHeadersField field;
  if (!wire::read_extension_headers(in, field)) return ChainStatus::kMalformed;
  if (field.esp.width != 0) return ChainStatus::kUnsupported;  // null ESP headers are never part of a list here
  list.ah = field.ah;
  list.gre = field.gre;
  return field.has_list ? apply(field.list, list) : ChainStatus::kOk;
}

ChainStatus read_extras_dynamic(wire::Reader& in, DecompressorLists& lists) noexcept {
  for (unsigned i = 0; i < lists.extra_count; ++i) {
    std::uint8_t* header = lists.extras[i].data();
    wire::IpIdFlags id;
    const ChainStatus status = wire::read_ip_dynamic(in, header[0] >> 4, header, id);
    if (status != ChainStatus::kOk) return status;
  }
  return ChainStatus::kOk;
}

void read_as_is_fields(wire::Reader& in, HeaderList& list) noexcept {
  for_each_item(list, [&](unsigned position, std::uint8_t* p, std::size_t octets) {
    const ItemFields fields = fields_of_item({p, octets});
    if (fields.as_is_at == 0 || (list.whole >> position & 1U) != 0) return;
    if (const std::uint8_t* from = in.take(fields.as_is_octets))
      std::copy_n(from, fields.as_is_octets, p + fields.as_is_at);
  });
}

std::uint32_t sequence_of(const DecompressorLists& lists, const HeaderList& list, unsigned position, Octets item,
                          std::uint16_t sn) noexcept {
  const std::uint32_t value = wire::load32(item.data() + fields_of_item(item).sequence_at);
  if ((list.whole >> position & 1U) != 0) return value;
  const auto packets = static_cast<std::int16_t>(sn - lists.sn);
  const std::uint32_t inferred =
      mutant("sequence-number-not-inferred") ? value : value + static_cast<std::uint32_t>(std::int32_t{packets});
  const wire::SequenceBits bits = item[0] == kAuthentication ? list.ah : list.gre;
  return bits.width == 0 ? inferred : bits.on(inferred);
}

void advance_sequences(DecompressorLists& lists, std::uint16_t sn) noexcept {
  for (HeaderList* list : {&lists.outer, &lists.inner}) put_sequences(lists, *list, sn, *list);
  lists.sn = sn;
  begin_packet(lists);
}

void settle_lists(const DecompressorLists& before, bool reliable, std::uint16_t sn, DecompressorLists& lists) noexcept {
  const auto name = [&](ListWindow& window, const ListOfPacket& told) {
    if (mutant("r-mode-list-not-named-by-sn")) return;
    if (told.present && told.indexes.count != 0) enter(window, static_cast<std::uint8_t>(sn), told.indexes);
  };
  if (reliable) {
    name(lists.outer.window, lists.outer.told);
    name(lists.inner.window, lists.inner.told);
    name(lists.csrc.window, lists.csrc.told);
    return;
  }
  const auto passes = [](const ListOfPacket& told) {
    return told.present && !told.has_generation && !mutant("list-without-gen-id-kept");
  };
  const auto restore = [&](const HeaderList& old, HeaderList& list) {
    if (!passes(list.told)) return;
    HeaderList kept = list;
    kept.now = old.now;
    put_sequences(before, old, sn, kept);
    put_sequences(lists, list, sn, kept);
    // The sequence numbers are those of this packet, from either list.
    kept.whole = 0xffff;
    list = kept;
  };
  restore(before.outer, lists.outer);
  restore(before.inner, lists.inner);
  if (passes(lists.csrc.told)) {
    lists.csrc.count = before.csrc.count;
    lists.csrc.now = before.csrc.now;
  }
}

void keep_tables_and_sequences(const DecompressorLists& before, std::uint16_t sn, DecompressorLists& lists) noexcept {
  const auto keep = [&](const HeaderList& old, HeaderList& list) {
    HeaderList kept = old;
    if (!mutant("uo-1-id-leaves-no-item")) kept.table = list.table;
    // A number in the old list that the packet did not have goes on by its own line.
    put_sequences(before, old, sn, kept);
    put_sequences(lists, list, sn, kept);
    list = kept;
  };
  keep(before.outer, lists.outer);
  keep(before.inner, lists.inner);
  const auto csrc_table = lists.csrc.table;
  lists.csrc = before.csrc;
  if (!mutant("uo-1-id-leaves-no-item")) lists.csrc.table = csrc_table;
  lists.extra_count = before.extra_count;
  lists.extras = before.extras;
  lists.sn = sn;
  begin_packet(lists);
}

}  // namespace headroom::rohc
