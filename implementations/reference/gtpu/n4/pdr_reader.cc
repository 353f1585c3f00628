// SPDX-License-Identifier: Apache-2.0
//
// Create PDR and Update PDR (3GPP TS 29.244, tables 7.5.2.2-1, 7.5.2.2-2 and 7.5.4.2-1).
#include <algorithm>

#include "gtpu/n4/rule_reader.h"
#include "gtpu/n4/rule_reader_templates.h"

namespace headroom::gtpu::n4 {

using pfcp::Cause;
using pfcp::Ie;
using Kind = Refusal::Kind;

bool RuleReader::read_pdr(const Ie& group, Rules& rules, bool update) {
  std::uint16_t id = 0;
  if (!identifier(group.value, group.type, pfcp::kPdrId, 2, id)) return false;
  Pdr* const pdr = target(rules.pdrs, Kind::pdr, id, update);
  if (pdr == nullptr) return false;
  activated_.clear();
  if (pdr->predefined) activated_ = pdr->predefined->rules;
  SeenTypes seen;
  const bool read = for_each(group.value, group.type, [&](const Ie& ie) {
    const bool first = seen.first(ie.type);
    switch (ie.type) {
      case pfcp::kPrecedence:
        return !first || mutant("gtpu-precedence-ignored") || (update && mutant("gtpu-precedence-stays")) ||
               number(ie, 4, pdr->precedence);
      case pfcp::kPdi:
        return !first || read_pdi(ie, rules, *pdr);
      case pfcp::kOuterHeaderRemoval: {
        std::uint8_t description = 0;
        if (!number(ie, 1, description)) return false;
        pdr->removal = static_cast<HeaderRemoval>(description);
        return pdr->removal == HeaderRemoval::gtp_u_ipv4 || pdr->removal == HeaderRemoval::gtp_u_ipv6 ||
               pdr->removal == HeaderRemoval::gtp_u_ip || fail_rule(Kind::pdr, id);
      }
      case pfcp::kFarId:
        pdr->has_far = true;
        return !first || number(ie, 4, pdr->far);
      case pfcp::kUrrId:
        if (first) pdr->urrs.clear();  // the list takes the place of the one before
        return number(ie, 4, pdr->urrs.emplace_back());
      case pfcp::kQerId:
        if (first) pdr->qers.clear();
        return number(ie, 4, pdr->qers.emplace_back());
      case pfcp::kActivatePredefinedRules:
      case pfcp::kDeactivatePredefinedRules: {
        const std::string_view name(reinterpret_cast<const char*>(ie.value.data()), ie.value.size());
        const PredefinedRule* rule = predefined_.find(name);
        if (rule == nullptr) return fail_rule(Kind::pdr, id, Cause::unknown_predefined_rule);
        if (ie.type == pfcp::kActivatePredefinedRules) {
          activated_.push_back(rule);
        } else if (!mutant("gtpu-predefined-rule-stays")) {
          std::erase(activated_, rule);
        }
        return true;
      }
      default:
        return true;
    }
  });
  if (!read) return false;
  if (seen.has(pfcp::kActivatePredefinedRules) || seen.has(pfcp::kDeactivatePredefinedRules)) {
    pdr->predefined = predefined_.group(activated_);
  }
  if (update) return true;
  if (!mandatory(seen, pfcp::kPrecedence) || !mandatory(seen, pfcp::kPdi)) return false;
  return pdr->predefined || conditional(seen, pfcp::kFarId);
}

bool RuleReader::read_pdi(const Ie& group, Rules& rules, Pdr& pdr) {
  const LocalTeid before = pdr.teid;
  pdr.teid = {};
  pdr.user = {};
  pdr.qfis = 0;
  pdr.filters.clear();
  std::optional<Ie> f_teid;
  std::uint8_t interface_type = 0;
  SeenTypes seen;
  const bool read = for_each(group.value, group.type, [&](const Ie& ie) {
    const bool first = seen.first(ie.type);
    switch (ie.type) {
      case pfcp::kSourceInterface: {
        std::uint8_t source = 0;
        if (!number(ie, 1, source)) return false;
        source &= 0x0F;
        if (source > static_cast<std::uint8_t>(Interface::control_plane)) return fail_rule(Kind::pdr, pdr.id);
        if (first) pdr.source = static_cast<Interface>(source);
        return true;
      }
      case pfcp::kInterfaceType:
        return number(ie, 1, interface_type);
      case pfcp::kFTeid:
        if (first) f_teid = ie;
        return true;
      case pfcp::kUeIpAddress:
        return !first || read_user(ie, pdr);
      case pfcp::kQfi: {
        std::uint8_t qfi = 0;
        if (!number(ie, 1, qfi)) return false;
        pdr.qfis |= std::uint64_t{1} << (qfi & 0x3F);
        return true;
      }
      case pfcp::kSdfFilter:
        return (!first && mutant("gtpu-first-filter-alone")) || read_sdf_filter(ie, rules, pdr);
      case pfcp::kApplicationId: {
        // Applications are known as predefined rules of that name.
        const std::string_view name(reinterpret_cast<const char*>(ie.value.data()), ie.value.size());
        const PredefinedRule* rule = predefined_.find(name);
        if (rule == nullptr) return fail_rule(Kind::pdr, pdr.id, Cause::unknown_application_id);
        pdr.filters.emplace_back(std::shared_ptr<void>(), &rule->filter);  // owned by the configuration
        return true;
      }
      case pfcp::kTrafficEndpointId:
      case pfcp::kEthernetPacketFilter:
        // Without these conditions, which belong to features that were not announced, the PDR would match too much.
        return fail_rule(Kind::pdr, pdr.id);
      default:
        return true;
    }
  });
  if (!read || !mandatory(seen, pfcp::kSourceInterface)) return false;
  if (!f_teid) return true;
  const bool n9 = interface_type == kInterfaceTypeN9 || (interface_type == 0 && pdr.source == Interface::core);
  return read_f_teid(*f_teid, rules, pdr, n9 ? HEADROOM_N9 : HEADROOM_N3, before);
}

// F-TEID (8.2.3), which the user plane alone chooses (5.5.1). The control plane may name one that the session has, or
// one from before a restart of the user plane.
bool RuleReader::read_f_teid(const Ie& ie, const Rules& rules, Pdr& pdr, std::int32_t side, const LocalTeid& before) {
  pfcp::FTeid f;
  if (!value(ie, pfcp::read_f_teid(ie.value), f)) return false;
  if (!f.has_ipv4 && !f.has_ipv6) return fail(Cause::mandatory_ie_incorrect, ie.type);
  if (f.choose) {
    if (before.teid == 0) return choose_f_teid(f, pdr, side);
    pdr.teid = before;  // an update leaves the F-TEID as it was chosen
    return true;
  }
  const LocalAddresses& addresses = sessions_.addresses();
  for (const Address& address : {f.ipv4, f.ipv6}) {
    if (address.is_none()) continue;
    const std::uint8_t place = addresses.find(address);
    if (place == LocalAddresses::kNone) return fail_rule(Kind::pdr, pdr.id);
    pdr.teid.addresses = static_cast<std::uint8_t>(pdr.teid.addresses | 1u << place);
  }
  pdr.teid.teid = f.teid;
  if (f.teid == 0) return fail(Cause::mandatory_ie_incorrect, ie.type);
  if (explicit_f_teids_ || pdr.teid == before) return true;
  const bool known = std::any_of(rules.pdrs.begin(), rules.pdrs.end(),
                                 [&](const Pdr& other) { return &other != &pdr && other.teid == pdr.teid; });
  return known || fail(Cause::invalid_f_teid_allocation_option, ie.type);
}

bool RuleReader::choose_f_teid(const pfcp::FTeid& f, Pdr& pdr, std::int32_t side) {
  if (f.choose_id) {
    for (const auto& [id, teid] : by_choose_id_) {
      if (id != *f.choose_id) continue;
      pdr.teid = teid;
      created_.push_back({pdr.id, teid});
      return true;
    }
  }
  for (const bool ipv4 : {true, false}) {
    if (!(ipv4 ? f.has_ipv4 : f.has_ipv6)) continue;
    const std::uint8_t place = sessions_.addresses().find(side, ipv4);
    if (place == LocalAddresses::kNone) continue;
    pdr.teid.addresses = static_cast<std::uint8_t>(pdr.teid.addresses | 1u << place);
  }
  if (pdr.teid.addresses == 0) return fail_rule(Kind::pdr, pdr.id);
  pdr.teid.teid = sessions_.choose_teid();
  if (pdr.teid.teid == 0) return fail(Cause::no_resources_available);
  chosen_.push_back(pdr.teid.teid);
  created_.push_back({pdr.id, pdr.teid});
  if (f.choose_id) by_choose_id_.emplace_back(*f.choose_id, pdr.teid);
  return true;
}

bool RuleReader::read_sdf_filter(const Ie& ie, const Rules& rules, Pdr& pdr) {
  const std::string_view description(reinterpret_cast<const char*>(ie.value.data()), ie.value.size());
  if (auto known = filters_.find(description)) {
    pdr.filters.push_back(std::move(known));
    return true;
  }
  pfcp::SdfFilter read;
  if (!value(ie, pfcp::read_sdf_filter(ie.value), read)) return false;
  SdfFilter filter;
  if (read.flow_description) {
    const auto parsed = parse_flow_description(*read.flow_description);
    if (!parsed) return fail_rule(Kind::pdr, pdr.id);
    filter = *parsed;
  } else if (!read.tos && !read.spi && !read.flow_label) {
    // A bidirectional filter is described once and referred to by its ID elsewhere in the session (8.2.5).
    if (!read.filter_id) return fail(Cause::mandatory_ie_incorrect, ie.type);
    for (const Pdr& other : rules.pdrs) {
      const auto known = std::ranges::find(other.filters, *read.filter_id, [](const auto& held) { return held->id; });
      if (known == other.filters.end()) continue;
      pdr.filters.push_back(std::shared_ptr(*known));  // a copy first: `other` may be the PDR itself
      return true;
    }
    return fail_rule(Kind::pdr, pdr.id);
  }
  filter.has_flow = read.flow_description.has_value();
  if (read.tos) {
    filter.traffic_class = static_cast<std::uint8_t>(*read.tos >> 8);
    filter.traffic_class_mask = static_cast<std::uint8_t>(*read.tos);
  }
  filter.spi = read.spi;
  filter.flow_label = read.flow_label;
  filter.id = read.filter_id.value_or(0);
  pdr.filters.push_back(filters_.keep(description, std::move(filter)));
  return true;
}

bool RuleReader::read_user(const Ie& ie, Pdr& pdr) {
  pfcp::UeIpAddress user;
  if (!value(ie, pfcp::read_ue_ip_address(ie.value), user)) return false;
  if (!user.ipv4 && !user.ipv6 && !user.choose) return fail(Cause::mandatory_ie_incorrect, ie.type);
  // Addresses are chosen by the control plane alone (UEIP is not announced); sessions are found by /64.
  if (user.choose || (user.ipv6 && user.ipv6_prefix != 64)) return fail_rule(Kind::pdr, pdr.id);
  if (user.ipv4) pdr.user.ipv4 = user.ipv4->ipv4();
  if (user.ipv6) pdr.user.ipv6 = user.ipv6->high();
  pdr.user_is_destination = user.destination;
  return true;
}

}  // namespace headroom::gtpu::n4
