// SPDX-License-Identifier: Apache-2.0
//
// Lists at the compressor: translation tables (RFC 3095 5.8.1.2), reference lists (5.8.2), pending updates of a
// list, and the sequence numbers of AH and GRE (5.8.4.2, 5.8.4.4, RFC 4815 5.8).
//
// Three lists belong to a flow: the extension headers of the outer and of the innermost IP header, and the CSRC list.
// Each has its own table and its own generations (RFC 4815 5.6). The state of the lists lies in a separate array, which
// a flow without lists never accesses.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "rohc/v1/encoding/list_change.h"
#include "rohc/v1/header/listed.h"
#include "rohc/v1/wire/list.h"

namespace headroom::rohc {

struct Flow;
struct PacketFields;

// The number of indexes in use: one more than a list has items, so that there is always an index for a new item that is
// free or not in the list.
inline constexpr unsigned kTableSlots = wire::kMaxXis + 1;

struct TableEntry {
  std::uint8_t octets;      // octets of the item; 0: free
  std::uint8_t times;       // times that the (Index, item) pair was sent (Counter); the item is Known from L on
  std::uint16_t last_used;  // time of the last list with the item, by ListState::clock
};

struct ListState {
  IndexList now;
  IndexList reference;  // empty: no reference list
  std::uint8_t generation;
  std::uint8_t reference_generation;
  std::uint8_t left;  // packets that must still carry the list
  std::uint16_t clock;
  std::array<TableEntry, kTableSlots> entries;
};

// A sequence number that follows the SN at a constant offset (RFC 4815 5.8).
struct SequenceState {
  std::uint32_t last;
  std::uint16_t last_sn;
  std::uint8_t left;  // packets that must still carry the number itself
  bool known;         // the flow had such a number
};

struct HeaderListState {
  ListState list;
  SequenceState ah;
  SequenceState gre;
  std::array<std::uint8_t, kTableSlots * kMaxItemOctets> items;
};

struct CsrcListState {
  ListState list;
  std::array<std::uint8_t, kTableSlots * 4> items;
};

// All octets zero: no lists.
struct CompressorLists {
  HeaderListState outer;
  HeaderListState inner;
  CsrcListState csrc;
  std::uint8_t extra_count;
  std::array<std::array<std::uint8_t, kIpv6Header>, kMaxExtraIps> extras;  // third and further IP headers
};

// Compares the lists of a packet with those of the flow and records pending updates. Returns true if a CRC-STATIC octet
// has changed. REQUIRES: flow.lists is not nullptr; flow.h.lists_left covers the pending updates of all lists.
[[nodiscard]] bool observe_lists(Flow flow, const PacketFields& f) noexcept;

// True if the definition fields of the third and further IP headers of the packet equal those of the flow.
[[nodiscard]] bool same_extras(const CompressorLists& lists, Octets packet, const ListedHeaders* listed) noexcept;

// --- Lists in packets. Buffers must outlive the octets that are returned. --------------------------------------------

using ListRoom = std::array<std::uint8_t, kMaxListOctets + kMaxItemOctets>;

enum class WhichList : std::uint8_t { kOuter, kInner, kCsrc };

// Returns the list for the dynamic chain of IR and IR-DYN: encoding type 0 "with all header items present in
// uncompressed form".
[[nodiscard]] Octets chain_list(Flow flow, const PacketFields& f, WhichList which, ListRoom& room) noexcept;

// Returns the list for extension 3 in the smallest suitable encoding, or no octets if the list has no pending update.
// Header lists are returned as the whole field of 5.8.5.1.
[[nodiscard]] Octets extension_list(Flow flow, const PacketFields& f, WhichList which, ListRoom& room) noexcept;

// Writes the fields of one list that compressed headers carry uncompressed: AH data and GRE checksum (5.7), except
// those of items that extension_list() sends uncompressed. `in_extension`: true if extension_list() was used for this
// packet.
void write_as_is_fields(Flow flow, const PacketFields& f, WhichList which, bool in_extension,
                        wire::Writer& out) noexcept;

// Write the static and dynamic parts of the third and further IP headers (RFC 3843 3.2).
void write_extras_static(const PacketFields& f, bool ends, wire::Writer& out) noexcept;
void write_extras_dynamic(const PacketFields& f, wire::Writer& out) noexcept;

// --- Known lists -----------------------------------------------------------------------------------------------------

// "A list is a reference once it has been sent L times or acknowledged", and so is an item (5.8.1.2, 5.8.2.1 a and b).
// The three functions below implement this rule.

// Counts, for each pending list item that a sent packet carries, one packet more: for all items of all lists if `chain`
// is true, otherwise for the items of extension_list().
void count_lists_sent(Flow flow, bool chain) noexcept;

// Marks the present lists as known, because a packet that carried them has been acknowledged.
void confirm_lists(Flow flow) noexcept;

// Marks all tables and references as pending, because the decompressor may have lost its lists.
void doubt_lists(Flow flow) noexcept;

}  // namespace headroom::rohc
