// SPDX-License-Identifier: Apache-2.0
//
// The rules of a session as received over N4 (TS 29.244, 5.2). They are plain values: each change is made on a copy,
// which Sessions (sessions/sessions.h) then compiles into a RuleSet that replaces the old one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtpu/rules/sdf_filter.h"
#include "gtpu/wire/address.h"
#include "headroom_user_plane.h"

namespace headroom::gtpu {

// Values of Source Interface and Destination Interface (8.2.2, 8.2.24).
enum class Interface : std::uint8_t { access = 0, core = 1, n6_lan = 2, control_plane = 3 };

// LocalAddresses are the GTP-U addresses of a user plane. A F-TEID refers to an address by its index. There are fewer
// than four if N3 and N9 share addresses.
struct LocalAddresses {
  static constexpr std::size_t kMost = 4;
  static constexpr std::uint8_t kNone = 0xFF;

  struct Entry {
    Address address{};
    bool n3 = false;
    bool n9 = false;
  };
  std::vector<Entry> entries{};

  // Returns the index of the address, or kNone.
  [[nodiscard]] std::uint8_t find(const Address& address) const noexcept {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].address == address) return static_cast<std::uint8_t>(i);
    }
    return kNone;
  }
  // Returns the index of the address of N3 or N9 (`side`, a headroom_side) of this IP version, or kNone.
  [[nodiscard]] std::uint8_t find(std::int32_t side, bool ipv4) const noexcept {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if ((side == HEADROOM_N9 ? entries[i].n9 : entries[i].n3) && entries[i].address.is_ipv4() == ipv4)
        return static_cast<std::uint8_t>(i);
    }
    return kNone;
  }
};

// LocalTeid is a F-TEID of this user plane (8.2.3). TEID 0: none.
struct LocalTeid {
  std::uint32_t teid = 0;
  std::uint8_t addresses = 0;  // bit i: the address with index i in LocalAddresses
  friend bool operator==(const LocalTeid&, const LocalTeid&) = default;
};

// PredefinedRule is a rule of the configuration that a PDR activates by name (5.19).
struct PredefinedRule {
  std::string name{};
  std::uint32_t precedence = 0;
  SdfFilter filter{};
  bool drop = false;  // True if packets are dropped; false: the activating PDR is applied
};
// PredefinedGroup holds the predefined rules that one PDR has activated, sorted by precedence. Sessions with the same
// rules share a group.
struct PredefinedGroup {
  explicit PredefinedGroup(std::vector<const PredefinedRule*> sorted) : rules(std::move(sorted)) {
    for (const PredefinedRule* const rule : rules) screens.push_back(FilterScreen::of(rule->filter));
  }
  std::vector<const PredefinedRule*> rules;
  std::vector<FilterScreen> screens{};  // screens of the rules' filters, in the same order
};

// The supported values of Outer Header Removal (8.2.64). `gtp_u_ip` removes either IP version.
enum class HeaderRemoval : std::uint8_t { gtp_u_ipv4 = 0, gtp_u_ipv6 = 1, gtp_u_ip = 6, none = 0xFF };

struct Pdr {
  std::uint16_t id = 0;
  std::uint32_t precedence = 0;  // the PDR with the lowest value is evaluated first (8.2.11)
  // PDI (7.5.2.2-2)
  Interface source = Interface::access;
  LocalTeid teid{};
  UserAddresses user{};                                     // UE IP address; IPv6 by its /64
  bool user_is_destination = false;                         // S/D of the UE IP address (8.2.62)
  std::uint64_t qfis = 0;                                   // bit i: QFI i; 0: any
  std::vector<std::shared_ptr<const SdfFilter>> filters{};  // matches if any filter matches; empty: matches all packets
  std::shared_ptr<const PredefinedGroup> predefined{};
  // Treatment of matching packets
  HeaderRemoval removal = HeaderRemoval::none;
  std::uint32_t far = 0;
  bool has_far = false;
  std::vector<std::uint32_t> qers{};  // QER IDs
  std::vector<std::uint32_t> urrs{};
};

// Apply Action (8.2.26), flags.
inline constexpr std::uint16_t kDrop = 1, kForward = 2, kBuffer = 4, kNotify = 8, kDuplicate = 16;

// Forwarding describes where packets are sent (7.5.2.3-2, 7.5.2.3-3).
struct Forwarding {
  Interface destination = Interface::access;
  std::int32_t side = 0;  // headroom_side; see output_side()
  bool tunnel = false;    // Outer Header Creation with GTP-U, to `peer` with `teid`
  std::uint32_t teid = 0;
  Address peer{};
  std::uint8_t traffic_class = 0;  // Transport Level Marking (8.2.12) with its mask; mask 0: none
  std::uint8_t traffic_class_mask = 0;
};

// Returns the side on which packets to `destination` leave. `interface_type` is the Destination Interface Type
// (8.2.118), or -1 if absent: 11 to 14 are N3, 15 is N9. If absent, tunnels to the core are N9.
[[nodiscard]] constexpr std::int32_t output_side(Interface destination, bool tunnel, int interface_type) noexcept {
  if (!tunnel) return HEADROOM_N6;
  if (interface_type >= 11 && interface_type <= 14) return HEADROOM_N3;
  if (interface_type == 15) return HEADROOM_N9;
  return destination == Interface::access ? HEADROOM_N3 : HEADROOM_N9;
}

struct Far {
  std::uint32_t id = 0;
  std::uint16_t action = kDrop;
  Forwarding forwarding{};
  std::vector<Forwarding> duplicates{};
  std::uint8_t bar = 0;
  bool has_bar = false;
};

struct Qer {
  std::uint32_t id = 0;
  bool uplink_closed = false;  // Gate Status (8.2.7)
  bool downlink_closed = false;
  std::optional<std::uint64_t> uplink_mbr{};  // kbit/s (8.2.8)
  std::optional<std::uint64_t> downlink_mbr{};
  std::optional<std::uint8_t> qfi{};
  bool reflective = false;               // RQI (8.2.88)
  std::optional<std::uint8_t> paging{};  // Paging Policy Indicator (8.2.116)
};

// Limits of the total, uplink and downlink volume, in octets. kUnlimited: no limit.
inline constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
struct Volumes {
  std::uint64_t total = kUnlimited;
  std::uint64_t uplink = kUnlimited;
  std::uint64_t downlink = kUnlimited;
};

struct Urr {
  static constexpr std::uint8_t kBeforeQos = 1;  // MBQE of `information`
  std::uint32_t id = 0;
  std::uint8_t method = 0;       // Measurement Method (8.2.40): 1 duration, 2 volume, 4 event
  std::uint32_t triggers = 0;    // Reporting Triggers (8.2.19): the first octet in bits 0 to 7
  std::uint8_t information = 0;  // Measurement Information (8.2.68): 1 MBQE, 2 INAM, 4 RADI, 8 ISTM, 16 MNOP
  Volumes volume_threshold{};
  Volumes volume_quota{};
  std::uint64_t time_threshold_ns = kUnlimited;
  std::uint64_t time_quota_ns = kUnlimited;
  std::uint64_t period_ns = kUnlimited;
  std::uint64_t inactivity_ns = 0;  // Inactivity Detection Time (8.2.16); 0: none
  std::uint64_t holding_ns = kUnlimited;
  std::vector<std::uint32_t> linked{};
  std::uint32_t quota_far = 0;  // FAR for Quota Action
  bool has_quota_far = false;
};

struct Bar {
  std::uint8_t id = 0;
  std::uint64_t notification_delay_ns = 0;
  std::uint8_t suggested_packets = 0;  // Suggested Buffering Packets Count (8.2.100); 0: none
};

// The rules of one session. The order within a list has no meaning.
struct Rules {
  std::vector<Pdr> pdrs{};
  std::vector<Far> fars{};
  std::vector<Qer> qers{};
  std::vector<Urr> urrs{};
  std::vector<Bar> bars{};
};

// Refusal is the reason why rules are refused; N4 turns it into a cause and a Failed Rule ID (8.2.80).
struct Refusal {
  enum class Reason : std::uint8_t {
    none,
    no_resources,    // too many sessions, PDRs, filters …
    doubled_id,      // two rules of the same kind have the same id
    unknown_id,      // a rule refers to a missing rule: `kind` and `id` name the referring rule
    teid_in_use,     // another session uses the TEID
    address_in_use,  // another session uses the UE address
    no_address,      // the F-TEID has no address of this user plane, or the peer's IP version is not supported
  };
  enum class Kind : std::uint8_t { pdr = 0, far = 1, qer = 2, urr = 3, bar = 4, none = 0xFF };  // Rule ID Type
  Reason reason = Reason::none;
  Kind kind = Kind::none;
  std::uint32_t id = 0;
  explicit operator bool() const noexcept { return reason != Reason::none; }
};

}  // namespace headroom::gtpu
