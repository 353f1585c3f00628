// SPDX-License-Identifier: Apache-2.0
//
// Reads Create, Update and Remove elements of session requests (3GPP TS 29.244, tables of 7.5.2 and 7.5.4) into a copy
// of a session's rules. After a failure the copy is worthless; nothing else has changed but TEIDs that were chosen,
// which `release` gives back.
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

// Failure is why a request is rejected: the fields of a response (7.5.3, 7.5.5).
struct Failure {
  pfcp::Cause cause = pfcp::Cause::accepted;
  std::uint16_t offending_ie = 0;            // 0: none
  Refusal::Kind kind = Refusal::Kind::none;  // of the failed rule
  std::uint32_t id = 0;                      // of the failed rule
};

// Seen remembers the types of one group: of an element that may not be repeated, the first counts (7.6.10).
class Seen {
 public:
  // True when the type occurs for the first time.
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

  // Begins another request. `explicit_f_teids`: PDRs may have F-TEIDs of the control plane's choice.
  void begin(bool explicit_f_teids);
  // Handles an element of the request if its type is a Create, Update or Remove of a rule. False after a failure.
  bool create(const pfcp::Ie& ie, Rules& rules);
  bool update(const pfcp::Ie& ie, Rules& rules);
  bool remove(const pfcp::Ie& ie, Rules& rules);
  // Gives back the TEIDs that were chosen: the request has been rejected.
  void release();

  [[nodiscard]] const Failure& failure() const { return failure_; }
  // F-TEIDs that were chosen, for Created PDR.
  [[nodiscard]] std::span<const Created> created() const { return created_; }
  // Quotas that Update URR provisioned anew.
  [[nodiscard]] std::span<const NewQuota> new_quotas() const { return new_quotas_; }
  // Tunnels that Update FAR left, with SNDEM (5.2.1): each gets an End Marker.
  [[nodiscard]] std::span<const Forwarding> left_tunnels() const { return left_tunnels_; }

  // Sets the failure; returns false.
  bool fail(pfcp::Cause cause, std::uint16_t offending_ie = 0);
  bool fail_rule(Refusal::Kind kind, std::uint32_t id, pfcp::Cause cause = pfcp::Cause::rule_failure);

  // Reads the elements of a group, or of a message, one after another. `each` returns false after a failure.
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
  // Takes what a reader of pfcp_values.h returned.
  template <typename T>
  bool value(const pfcp::Ie& ie, std::optional<T> read, T& target) {
    if (!read) return fail(pfcp::Cause::invalid_length, ie.type);
    target = *read;
    return true;
  }

 private:
  // Finds the identifier of a rule in its group.
  template <typename T>
  bool identifier(pfcp::Octets group, std::uint16_t group_type, pfcp::IeType type, std::size_t octets, T& id);
  // Fails with Mandatory IE missing, or Conditional IE missing, unless the type was seen.
  bool mandatory(const Seen& seen, std::uint16_t type);
  bool conditional(const Seen& seen, std::uint16_t type);
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
  std::vector<const PredefinedRule*> activated_{};  // of the PDR that is read
  Failure failure_{};
  bool explicit_f_teids_ = false;
  std::vector<Created> created_{};
  std::vector<NewQuota> new_quotas_{};
  std::vector<Forwarding> left_tunnels_{};
  std::vector<std::uint32_t> chosen_{};  // TEIDs
  std::vector<std::pair<std::uint8_t, LocalTeid>> by_choose_id_{};
};

}  // namespace headroom::gtpu::n4
