// SPDX-License-Identifier: Apache-2.0
//
// Lists at the compressor: translation tables (RFC 3095 5.8.1.2), reference lists (5.8.2), pending updates of a
// list, and the sequence numbers of AH and GRE (5.8.4.2, 5.8.4.4, RFC 4815 5.8).
//
// Three lists belong to a flow: the extension headers of the outer and of the innermost IP header, and the CSRC list.
// Each has its own table and its own generations (RFC 4815 5.6). Their state lies in an array of its own, which a flow
// without lists never touches.
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

// Indexes in use: one more than a list has items, so that a new item always finds one that is free or not in the list.
inline constexpr unsigned kTableSlots = wire::kMaxXis + 1;

struct TableEntry {
  std::uint8_t octets;      // of the item; 0: free
  std::uint8_t times;       // how often the (Index, item) pair has been sent (Counter); the item is Known from L on
  std::uint16_t last_used;  // when a list last had the item, by ListState::clock
};

struct ListState {
  IndexList now;
  IndexList reference;  // empty: there is none
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
  bool known;         // there has been one
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

// Compares the lists of a packet with those of the flow, and notes pending updates. True when any octet that CRCs
// count as static has changed. REQUIRES: flow.lists, and flow.h.lists_left counts what is left of them all.
[[nodiscard]] bool observe_lists(Flow flow, const PacketFields& f) noexcept;

// True when the third and further IP headers of the packet are those of the flow, as far as they define it.
[[nodiscard]] bool same_extras(const CompressorLists& lists, Octets packet, const ListedHeaders* listed) noexcept;

// --- What packets say of the lists. Buffers must outlive the octets that are returned.
// --------------------------------

using ListRoom = std::array<std::uint8_t, kMaxListOctets + kMaxItemOctets>;

enum class WhichList : std::uint8_t { kOuter, kInner, kCsrc };

// For the dynamic chain of IR and IR-DYN: encoding type 0 "with all header items present in uncompressed form".
[[nodiscard]] Octets chain_list(Flow flow, const PacketFields& f, WhichList which, ListRoom& room) noexcept;

// For extension 3; empty when there is nothing to tell of this list. The smallest of the encodings that serve. Header
// lists come as the whole field of 5.8.5.1.
[[nodiscard]] Octets extension_list(Flow flow, const PacketFields& f, WhichList which, ListRoom& room) noexcept;

// Fields of compressed headers that are sent as they are: AH data and GRE checksum of one list (5.7), but for items
// that extension_list() sends uncompressed. `in_extension`: extension_list() has been used for this packet.
void write_as_is_fields(Flow flow, const PacketFields& f, WhichList which, bool in_extension,
                        wire::Writer& out) noexcept;

// Third and further IP headers: static parts, dynamic parts (RFC 3843 3.2).
void write_extras_static(const PacketFields& f, bool ends, wire::Writer& out) noexcept;
void write_extras_dynamic(const PacketFields& f, wire::Writer& out) noexcept;

// --- When a list is known
// --------------------------------------------------------------------------------------------- "A list is a reference
// once it has been sent L times or acknowledged", and so is an item (5.8.1.2, 5.8.2.1 a and b). These three functions
// are all there is to that rule.

// A packet has carried pending updates: with `chain` all items of all lists, else those of extension_list().
void count_lists_sent(Flow flow, bool chain) noexcept;

// A packet that carried the present lists has been acknowledged.
void confirm_lists(Flow flow) noexcept;

// The decompressor may have lost its lists: marks everything as pending, from tables to references.
void doubt_lists(Flow flow) noexcept;

}  // namespace headroom::rohc
