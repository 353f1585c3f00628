// SPDX-License-Identifier: Apache-2.0
//
// Lists at the decompressor: translation tables (RFC 3095 5.8.1), the sliding windows of lists that may be reference
// lists (5.8.2.1 f and g), the lists as they are now, and the sequence numbers of AH and GRE in them.
//
// The state of the lists lies in a separate array, which a context without lists never accesses. A packet changes a
// copy of the state (ContextCopy::lists); the copy becomes the context only after verification.
#pragma once

#include <array>
#include <cstdint>

#include "rohc/v1/encoding/list_change.h"
#include "rohc/v1/header/listed.h"
#include "rohc/v1/wire/chain.h"
#include "rohc/v1/wire/list.h"

namespace headroom::rohc {

// Limits of this implementation: the number of indexes of extension headers and of CSRCs, and of stored generations.
// When a window is full, the oldest list is kept, because it was used as a reference last, and the second-oldest list
// is removed.
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

// The current extension headers of an IP header, as consecutive items. Their sequence numbers belong to the packet with
// SN `DecompressorLists::sn`.
struct PresentHeaders {
  std::uint8_t count;
  std::uint16_t octets;
  std::array<std::uint8_t, kMaxListItems> item_octets;
  std::array<std::uint8_t, kMaxListOctets> items;
};

// The content of the current packet about a list.
struct ListOfPacket {
  bool present;         // the packet carries the list
  bool has_generation;  // the list has a gen_id
  IndexList indexes;
};

struct HeaderList {
  ListWindow window;
  ItemTable<kHeaderSlots, kMaxItemOctets> table;
  PresentHeaders now;
  // Valid for the current packet only: items that were sent uncompressed (one bit each, the first item in bit 0), and
  // sequence numbers.
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

// Clears the members that are valid for one packet only.
void begin_packet(DecompressorLists& lists) noexcept;

// Applies a compressed list: enters (Index, item) pairs into the table, builds the current list and, with a gen_id,
// adds the list to the window (5.8.1, 5.8.2.1 g). kMalformed: an index without item that is not Known, an unknown
// ref_id, masks that do not fit the reference list. kUnsupported: the list exceeds the limits above or those of
// header/listed.h.
[[nodiscard]] wire::ChainStatus apply_list(const wire::CompressedList& compressed, HeaderList& list) noexcept;
[[nodiscard]] wire::ChainStatus apply_list(const wire::CompressedList& compressed, CsrcList& list) noexcept;

// Applies the generic list of a dynamic chain; no octets mean an empty list.
[[nodiscard]] wire::ChainStatus apply_chain_list(Octets octets, HeaderList& list) noexcept;
[[nodiscard]] wire::ChainStatus apply_chain_list(Octets octets, CsrcList& list) noexcept;

// Applies the field "IP extension headers" of extension 3 (5.8.5.1).
[[nodiscard]] wire::ChainStatus apply_field(Octets octets, HeaderList& list) noexcept;

// Reads the dynamic parts of the third and further IP headers into `lists.extras` (RFC 3843 3.2, 3.6). kUnsupported:
// one of these IP headers has extension headers.
[[nodiscard]] wire::ChainStatus read_extras_dynamic(wire::Reader& in, DecompressorLists& lists) noexcept;

// Reads AH data and GRE checksums of one list from a compressed header, except for items that were sent uncompressed
// (5.7).
void read_as_is_fields(wire::Reader& in, HeaderList& list) noexcept;

// Returns the sequence number of item `position` in the packet with SN `sn`. REQUIRES: the item has a sequence number.
[[nodiscard]] std::uint32_t sequence_of(const DecompressorLists& lists, const HeaderList& list, unsigned position,
                                        Octets item, std::uint16_t sn) noexcept;

// Makes the sequence numbers of the verified packet with SN `sn` the reference.
void advance_sequences(DecompressorLists& lists, std::uint16_t sn) noexcept;

// Settles the lists of a verified packet with SN `sn` and a compressed header. In U/O-mode "lists without generation
// identifiers … do not update the context" except the table, so the lists of `before` are restored (5.8.2.1 d). In
// R-mode such lists update the context, and the LSBs of the SN identify them as reference lists (g). Called before
// advance_sequences().
void settle_lists(const DecompressorLists& before, bool reliable, std::uint16_t sn, DecompressorLists& lists) noexcept;

// Keeps only the tables and sequence numbers of a verified packet, which UO-1-ID may update (RFC 4815 6.2), and
// restores everything else from `before`.
void keep_tables_and_sequences(const DecompressorLists& before, std::uint16_t sn, DecompressorLists& lists) noexcept;

}  // namespace headroom::rohc
