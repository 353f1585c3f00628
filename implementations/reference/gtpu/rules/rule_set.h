// SPDX-License-Identifier: Apache-2.0
//
// RuleSet holds a session's rules in the form that workers read: compiled once, never changed, and laid out in one
// block, so that a worker can fetch the whole set as soon as it knows the block's address.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "gtpu/rules/rules.h"
#include "gtpu/rules/sdf_filter.h"
#include "gtpu/sessions/block_pool.h"
#include "gtpu/sessions/usage.h"
#include "mutants.h"

namespace headroom::gtpu {

// Target is the destination of a FAR: the outer header up to UDP, with lengths and checksums left 0.
struct Target {
  std::uint8_t header[48] = {};
  std::uint32_t teid = 0;
  std::uint32_t sum = 0;                // checksum sum. IPv4: of the header. IPv6: of pseudo header and ports
  std::uint8_t header_length = 0;       // 28 or 48; 0: no tunnel
  std::uint8_t side = 0;                // headroom_side
  std::uint8_t traffic_class_mask = 0;  // 0: the traffic class is not changed
  std::uint8_t traffic_class = 0;       // of the user's packet if there is no tunnel
};

// Action is a compiled FAR. ActionDetails has the fields that are rarely needed.
struct Action {
  Target target{};
  std::uint16_t apply = kDrop;  // Apply Action
};
static_assert(sizeof(Action) == BlockPool::kLine);

// ActionDetails has the rarely needed fields of the Action with the same index.
struct ActionDetails {
  const Far* far = nullptr;
  std::size_t first_duplicate = 0;
  std::uint16_t duplicate_count = 0;
  std::uint16_t buffered_packets = 0;  // limit on the packets buffered for the session
};

// Rate is a QER's MBR in one direction.
struct Rate {
  Meter* meter = nullptr;
  BitRate rate{};
};

// Billing lists what meters and counts the packets of a PDR: rates of QERs and usages of URRs, which are stored after
// the Billing itself. PDRs with the same QERs and URRs share a Billing.
struct Billing {
  std::uint32_t rate_count = 0;
  std::uint32_t usage_count = 0;
  [[nodiscard]] std::span<const Rate> rates() const noexcept {
    return {reinterpret_cast<const Rate*>(this + 1), rate_count};
  }
  [[nodiscard]] std::span<Usage* const> usages() const noexcept {
    return {reinterpret_cast<Usage* const*>(rates().data() + rate_count), usage_count};
  }
};

// Match is a compiled PDR.
struct Match {
  // Bits of `flags`.
  static constexpr std::uint8_t kUplink = 1, kUserIsDestination = 2, kGateClosed = 4, kHasFilters = 8, kHasUser = 16,
                                kHasFar = 32, kToControlPlane = 64;
  std::uint32_t precedence = 0;
  std::uint32_t teid = 0;  // 0: matches packets without a tunnel
  std::uint32_t ipv4 = 0;  // IPv4 address of the user
  std::uint16_t id = 0;
  std::uint8_t addresses = 0;  // as in LocalTeid
  std::uint8_t flags = 0;
  std::uint64_t ipv6 = 0;
  std::uint64_t qfis = 0;
  const Action* action = nullptr;
  const PredefinedGroup* predefined = nullptr;  // predefined rules that the PDR activates, or nullptr
  const Billing* billing = nullptr;             // nullptr: no meters and no usages
  std::uint8_t qfi = 0xFF;                      // QFI that a QER sets; 0xFF: none
  std::uint8_t container = 0;                   // second octet of the downlink PDU session container, without the QFI
  std::uint8_t paging = 0;                      // PPI, used if `container` has PPP set
  HeaderRemoval removal = HeaderRemoval::none;
  Interface source = Interface::access;
  std::uint16_t first_screen = 0;  // index of the first screen of the PDR's filters
};
static_assert(sizeof(Match) == BlockPool::kLine);

// Tunnel is the tunnel through which a packet arrived. TEID 0: the packet came from N6 without a tunnel.
struct Tunnel {
  std::uint32_t teid = 0;
  std::uint8_t address = 0;  // index of the outer destination address in LocalAddresses
  std::uint8_t qfi = 0xFF;
};

struct alignas(64) RuleSet {
  // Compiles rules into a block of `pool`. `before` is the set that the new set replaces, or nullptr; the new set takes
  // over its usages and meters. Returns nullptr and fills `refusal` if rules contradict each other. REQUIRES: `pool`
  // outlives the set.
  [[nodiscard]] static std::unique_ptr<const RuleSet> compile(Rules rules, const LocalAddresses& addresses,
                                                              const RuleSet* before, std::uint64_t generation,
                                                              BlockPool& pool, Refusal& refusal);
  ~RuleSet();
  // Gives the block back to its pool.
  static void operator delete(RuleSet* set, std::destroying_delete_t);

  // Returns the matching PDR with the lowest precedence value, or nullptr. Sets `drop` if a predefined rule of this PDR
  // has matched that drops packets.
  [[nodiscard]] const Match* find(const Tunnel& tunnel, const PacketFields& packet, bool& drop) const noexcept;
  // Finds a PDR as `find` does, in a set whose PDRs have no filters and no predefined rules. REQUIRES: !has_filters.
  [[nodiscard]] const Match* find_without_filters(const Tunnel& tunnel, const PacketFields& packet) const noexcept {
    for (std::size_t i = match_count; i-- != 0;) {
      if (fits(matches[i], tunnel, packet)) return &matches[i];
    }
    return nullptr;
  }
  // True if the packet matches the PDR's tunnel, user address and QFI. Filters are not checked.
  [[nodiscard]] bool fits(const Match& match, const Tunnel& tunnel, const PacketFields& packet) const noexcept;

  // The first cache line. After it follow the actions, the billings, and the PDRs in reverse order of evaluation,
  // because most packets match the PDRs that are evaluated last. The screens of the filters are at the end.
  std::uint64_t generation = 0;
  const Match* matches = nullptr;
  const Action* actions = nullptr;
  const FilterScreen* screens = nullptr;
  UserAddresses user{};  // user addresses of all PDRs together
  std::uint16_t match_count = 0;
  bool has_filters = false;  // True if any PDR has filters, so that the flow table is useful

  [[nodiscard]] const ActionDetails& details_of(const Action& action) const noexcept;

  // Data that workers rarely need, and that N4 reads.
  struct Cold;
  std::unique_ptr<const Cold> cold;

 private:
  RuleSet() = default;
};

struct RuleSet::Cold {
  explicit Cold(BlockPool& p) : pool(p) {}
  ~Cold();
  Cold(const Cold&) = delete;
  Cold& operator=(const Cold&) = delete;

  BlockPool& pool;         // pool of the block, the meters and the usages
  std::size_t octets = 0;  // size of the block
  Rules rules{};
  std::vector<ActionDetails> actions{};
  std::vector<Target> duplicates{};
  std::vector<Meters*> meters{};  // in the order of rules.qers
  std::vector<Usage*> usages{};   // in the order of rules.urrs
};

inline bool is_of_user(const std::uint8_t* address, std::uint8_t version, const UserAddresses& user) noexcept {
  return version == 4 ? user.ipv4 != 0 && read32(address) == user.ipv4 : user.ipv6 != 0 && read64(address) == user.ipv6;
}

inline bool RuleSet::fits(const Match& m, const Tunnel& tunnel, const PacketFields& packet) const noexcept {
  if (m.teid != tunnel.teid) return false;
  const bool uplink = (m.flags & Match::kUplink) != 0;
  if (tunnel.teid != 0) {
    if ((m.addresses >> tunnel.address & 1) == 0) return false;
  } else if (uplink || m.source == Interface::control_plane) {
    return false;
  }
  if (m.qfis != 0 && !mutant("gtpu-qfi-of-the-uplink-not-checked") &&
      (tunnel.qfi > 63 || (m.qfis >> tunnel.qfi & 1) == 0))
    return false;
  if (uplink && mutant("gtpu-source-address-not-checked")) return true;
  if ((m.flags & Match::kHasUser) != 0) {
    const bool destination = (m.flags & Match::kUserIsDestination) != 0;
    return is_of_user(destination ? packet.destination : packet.source, packet.version, {m.ipv4, m.ipv6});
  }
  // A PDR without a UE address applies to the session's other UE addresses; packets to the control plane, such as
  // Router Solicitations from link-local addresses, may have any source address.
  if ((user.ipv4 == 0 && user.ipv6 == 0) || (m.flags & Match::kToControlPlane) != 0) return true;
  return is_of_user(uplink ? packet.source : packet.destination, packet.version, user);
}

inline const ActionDetails& RuleSet::details_of(const Action& action) const noexcept {
  return cold->actions[static_cast<std::size_t>(&action - actions)];
}

}  // namespace headroom::gtpu
