// SPDX-License-Identifier: Apache-2.0
//
// RuleReader reads Create, Update and Remove elements of session requests (3GPP TS 29.244, tables of 7.5.2 and 7.5.4)
// into a copy of a session's rules. After a failure the copy is to be discarded; otherwise nothing has changed, except
// that TEIDs may have been chosen, which `release` gives back.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gtpu/n4/predefined.h"
#include "gtpu/n4/shared_filters.h"
#include "gtpu/rules/rules.h"
#include "gtpu/sessions/sessions.h"
#include "gtpu/wire/pfcp.h"
#include "gtpu/wire/pfcp_values.h"
#include "mutants.h"

namespace headroom::gtpu::n4 {

// Failure is the reason why a request is rejected: the fields of the response (7.5.3, 7.5.5).
struct Failure {
  pfcp::Cause cause = pfcp::Cause::accepted;
  std::uint16_t offending_ie = 0;            // 0: none
  Refusal::Kind kind = Refusal::Kind::none;  // kind of the failed rule
  std::uint32_t id = 0;                      // ID of the failed rule
};

// SeenTypes remembers the element types of one group: if an element that may not be repeated is repeated, the first one
// counts (7.6.10).
class SeenTypes {
 public:
  // True if the type occurs for the first time.
  bool first(std::uint16_t type) noexcept {
    if (type >= types_.size()) return true;
    const bool before = types_[type];
    types_[type] = true;
    return !before;
  }
  [[nodiscard]] bool has(std::uint16_t type) const noexcept { return types_[type]; }

 private:
  std::bitset<256> types_{};
};

class RuleReader {
 public:
  struct Created {
    std::uint16_t pdr = 0;
    LocalTeid teid{};
  };
  struct NewQuota {
    std::uint32_t urr = 0;
    bool volume = false, time = false;
  };

  RuleReader(Sessions& sessions, PredefinedRules& predefined) : sessions_(sessions), predefined_(predefined) {}

  // Begins a request. `explicit_f_teids`: PDRs may have F-TEIDs that the control plane has chosen.
  void begin(bool explicit_f_teids);
  // Handle an element of the request if it creates, updates or removes a rule. Return false after a failure.
  bool create(const pfcp::Ie& ie, Rules& rules);
  bool update(const pfcp::Ie& ie, Rules& rules);
  bool remove(const pfcp::Ie& ie, Rules& rules);
  // Gives back the chosen TEIDs, after the request has been rejected.
  void release();

  [[nodiscard]] const Failure& failure() const { return failure_; }
  // Returns the F-TEIDs that were chosen, for Created PDR elements.
  [[nodiscard]] std::span<const Created> created() const { return created_; }
  // Returns the quotas that Update URR elements provisioned anew.
  [[nodiscard]] std::span<const NewQuota> new_quotas() const { return new_quotas_; }
  // Returns the tunnels that FARs have left because of an Update FAR with the flag SNDEM (5.2.1). Each gets an End
  // Marker.
  [[nodiscard]] std::span<const Forwarding> left_tunnels() const { return left_tunnels_; }

  // Set the failure and return false.
  bool fail(pfcp::Cause cause, std::uint16_t offending_ie = 0);
  bool fail_rule(Refusal::Kind kind, std::uint32_t id, pfcp::Cause cause = pfcp::Cause::rule_failure);

  // Calls `each` for the elements of a group or message in order. `each` returns false after a failure, which ends the
  // loop.
  template <typename Each>
  bool for_each(pfcp::Octets group, std::uint16_t group_type, Each&& each) {
    pfcp::IeReader in(group);
    while (const auto ie = in.next()) {
      if ((ie->type & 0x8000) != 0 && mutant("gtpu-vendor-elements-rejected")) {
        return fail(pfcp::Cause::invalid_length, ie->type);
      }
      if (!each(*ie)) return false;
    }
    if (!in.broken()) return true;
    return fail(pfcp::Cause::invalid_length, in.broken_type() != 0 ? in.broken_type() : group_type);
  }
  // Reads an unsigned number from the beginning of a value.
  template <typename T>
  bool number(const pfcp::Ie& ie, std::size_t octets, T& target) {
    if (ie.value.size() < octets) return fail(pfcp::Cause::invalid_length, ie.type);
    target = static_cast<T>(pfcp::FieldReader(ie.value).number(octets));
    return true;
  }
  // Stores the result of a reader of pfcp_values.h in `target`; fails if the result is nothing.
  template <typename T>
  bool value(const pfcp::Ie& ie, std::optional<T> read, T& target) {
    if (!read) return fail(pfcp::Cause::invalid_length, ie.type);
    target = *read;
    return true;
  }

 private:
  // Reads the rule ID in a rule's group.
  template <typename T>
  bool identifier(pfcp::Octets group, std::uint16_t group_type, pfcp::IeType type, std::size_t octets, T& id);
  // Fail with "Mandatory IE missing" or "Conditional IE missing" if the type was not seen.
  bool mandatory(const SeenTypes& seen, std::uint16_t type);
  bool conditional(const SeenTypes& seen, std::uint16_t type);
  template <typename Rule>
  Rule* target(std::vector<Rule>& rules, Refusal::Kind kind, std::uint32_t id, bool update);
  template <typename Rule>
  bool erase(const pfcp::Ie& ie, std::vector<Rule>& rules, Refusal::Kind kind, pfcp::IeType type, std::size_t octets);

  bool read_pdr(const pfcp::Ie& group, Rules& rules, bool update);
  bool read_pdi(const pfcp::Ie& group, Rules& rules, Pdr& pdr);
  bool read_f_teid(const pfcp::Ie& ie, const Rules& rules, Pdr& pdr, std::int32_t side, const LocalTeid& before);
  bool choose_f_teid(const pfcp::FTeid& f_teid, Pdr& pdr, std::int32_t side);
  bool read_sdf_filter(const pfcp::Ie& ie, const Rules& rules, Pdr& pdr);
  bool read_user(const pfcp::Ie& ie, Pdr& pdr);
  bool read_far(const pfcp::Ie& group, Rules& rules, bool update);
  bool read_forwarding(const pfcp::Ie& group, const Far& far, Forwarding& forwarding, bool update);
  bool read_outer_header(const pfcp::Ie& ie, const Far& far, Forwarding& forwarding);
  bool read_qer(const pfcp::Ie& group, Rules& rules, bool update);
  bool read_urr(const pfcp::Ie& group, Rules& rules, bool update);
  bool check_urr(const Urr& urr);
  bool read_volume(const pfcp::Ie& ie, Volumes& target);
  bool read_seconds(const pfcp::Ie& ie, std::uint64_t& target_ns);
  bool read_bar(const pfcp::Ie& group, Rules& rules, bool update);

  Sessions& sessions_;
  PredefinedRules& predefined_;
  SharedFilters filters_{};
  std::vector<const PredefinedRule*> activated_{};  // predefined rules activated by the PDR that is being read
  Failure failure_{};
  bool explicit_f_teids_ = false;
  std::vector<Created> created_{};
  std::vector<NewQuota> new_quotas_{};
  std::vector<Forwarding> left_tunnels_{};
  std::vector<std::uint32_t> chosen_{};  // TEIDs
  std::vector<std::pair<std::uint8_t, LocalTeid>> by_choose_id_{};
};

}  // namespace headroom::gtpu::n4
