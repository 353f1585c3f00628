// SPDX-License-Identifier: Apache-2.0
//
// Lists at the decompressor: translation tables (RFC 3095 5.8.1), the sliding windows of lists that may be reference
// lists (5.8.2.1 f and g), the lists as they are now, and the sequence numbers of AH and GRE in them.
//
// Their state lies in an array of its own, which a context without lists never touches. A packet works on a copy of it
// (ContextCopy::lists); only verification makes the copy the context.
#pragma once

#include <array>
#include <cstdint>

#include "rohc/v1/encoding/list_change.h"
#include "rohc/v1/header/listed.h"
#include "rohc/v1/wire/chain.h"
#include "rohc/v1/wire/list.h"

namespace headroom::rohc {

// Limits of ours: indexes of extension headers, all those of CSRCs, and generations to keep. When a window is full, the
// oldest list stays, for it is the one that was used as a reference last, and the second-oldest goes.
inline constexpr unsigned kHeaderSlots = 16;
inline constexpr unsigned kCsrcSlots = 128;
inline constexpr unsigned kWindowSize = 16;

struct GenerationList {
  std::uint8_t generation;
  IndexList list;
};

struct ListWindow {
  std::uint8_t count;
  std::array<GenerationList, kWindowSize> lists;  // oldest first
};

// Items by index; an item without octets is not Known.
template <unsigned kSlots, unsigned kItem>
struct ItemTable {
  std::array<std::uint8_t, kSlots> octets;
  std::array<std::uint8_t, std::size_t{kSlots} * kItem> items;
};

// The extension headers of one IP header as they are now, as items one after the other. Sequence numbers in them belong
// to the packet with SN `DecompressorLists::sn`.
struct PresentHeaders {
  std::uint8_t count;
  std::uint16_t octets;
  std::array<std::uint8_t, kMaxListItems> item_octets;
  std::array<std::uint8_t, kMaxListOctets> items;
};

// What the packet at hand says of a list.
struct ListOfPacket {
  bool present;         // it carries one
  bool has_generation;  // with a gen_id
  IndexList indexes;
};

struct HeaderList {
  ListWindow window;
  ItemTable<kHeaderSlots, kMaxItemOctets> table;
  PresentHeaders now;
  // Of the packet at hand only: items that came whole (a bit each, the first one lowest), and sequence numbers.
  std::uint16_t whole;
  wire::SequenceBits ah;
  wire::SequenceBits gre;
  ListOfPacket told;
};

struct CsrcList {
  ListWindow window;
  ItemTable<kCsrcSlots, 4> table;
  std::uint8_t count;
  std::array<std::uint8_t, kMaxCsrcOctets> now;
  ListOfPacket told;
};

// All octets zero: no lists.
struct DecompressorLists {
  HeaderList outer;
  HeaderList inner;
  CsrcList csrc;
  std::uint16_t sn;
  std::uint8_t extra_count;
  std::array<std::array<std::uint8_t, kIpv6Header>, kMaxExtraIps> extras;  // third and further IP headers

  [[nodiscard]] bool empty() const noexcept {
    return outer.now.count == 0 && inner.now.count == 0 && csrc.count == 0 && extra_count == 0;
  }
};

// Forgets what the last packet left that is of that packet only.
void begin_packet(DecompressorLists& lists) noexcept;

// Applies a compressed list: enters (Index, item) pairs into the table, makes the present list and, with a gen_id, puts
// it into the window (5.8.1, 5.8.2.1 g). kMalformed: an index without item that is not Known, an unknown ref_id, masks
// that do not fit the reference list. kUnsupported: over the limits above or those of header/listed.h.
[[nodiscard]] wire::ChainStatus apply_list(const wire::CompressedList& compressed, HeaderList& list) noexcept;
[[nodiscard]] wire::ChainStatus apply_list(const wire::CompressedList& compressed, CsrcList& list) noexcept;

// The generic list of a dynamic chain; nothing stands for an empty one.
[[nodiscard]] wire::ChainStatus apply_chain_list(Octets octets, HeaderList& list) noexcept;
[[nodiscard]] wire::ChainStatus apply_chain_list(Octets octets, CsrcList& list) noexcept;

// The field of extension 3 (5.8.5.1).
[[nodiscard]] wire::ChainStatus apply_field(Octets octets, HeaderList& list) noexcept;

// Reads the dynamic parts of the third and further IP headers into them (RFC 3843 3.2, 3.6). kUnsupported: one has
// extension headers of its own.
[[nodiscard]] wire::ChainStatus read_extras_dynamic(wire::Reader& in, DecompressorLists& lists) noexcept;

// Takes AH data and GRE checksums of one list out of a compressed header, but for items that came whole (5.7).
void read_as_is_fields(wire::Reader& in, HeaderList& list) noexcept;

// The sequence number of item `position` in the packet with SN `sn`. REQUIRES: the item has one.
[[nodiscard]] std::uint32_t sequence_of(const DecompressorLists& lists, const HeaderList& list, unsigned position,
                                        Octets item, std::uint16_t sn) noexcept;

// The packet with SN `sn` has been verified: its sequence numbers are the reference from now on.
void advance_sequences(DecompressorLists& lists, std::uint16_t sn) noexcept;

// The packet with SN `sn` has been verified, and its lists are those of a compressed header. In U/O-mode "lists without
// generation identifiers … do not update the context" but for the table, so that the lists are again those of `before`
// (5.8.2.1 d). In R-mode they do, and the LSBs of the SN name them as reference lists (g). Before advance_sequences().
void settle_lists(const DecompressorLists& before, bool reliable, std::uint16_t sn, DecompressorLists& lists) noexcept;

// Leaves of a verified packet what UO-1-ID may leave: tables and sequence numbers (RFC 4815 6.2); all else is as in
// `before`.
void keep_tables_and_sequences(const DecompressorLists& before, std::uint16_t sn, DecompressorLists& lists) noexcept;

}  // namespace headroom::rohc
