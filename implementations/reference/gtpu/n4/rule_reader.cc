// SPDX-License-Identifier: Apache-2.0
//
// Elements of FARs, QERs, URRs and BARs (3GPP TS 29.244, tables of 7.5.2 and 7.5.4).
#include "gtpu/n4/rule_reader.h"

#include <bit>

#include "gtpu/n4/rule_reader_templates.h"

namespace headroom::gtpu::n4 {

using pfcp::Cause;
using pfcp::Ie;
using Kind = Refusal::Kind;

void RuleReader::begin(bool explicit_f_teids) {
  failure_ = {};
  explicit_f_teids_ = explicit_f_teids;
  created_.clear();
  new_quotas_.clear();
  left_tunnels_.clear();
  chosen_.clear();
  by_choose_id_.clear();
}

void RuleReader::release() {
  for (const std::uint32_t teid : chosen_) sessions_.release_teid(teid);
  chosen_.clear();
}

bool RuleReader::fail(Cause cause, std::uint16_t offending_ie) {
  failure_ = {cause, offending_ie};
  return false;
}

bool RuleReader::fail_rule(Kind kind, std::uint32_t id, Cause cause) {
  failure_ = {cause, 0, kind, id};
  return false;
}

bool RuleReader::mandatory(const SeenTypes& seen, std::uint16_t type) {
  return seen.has(type) || fail(Cause::mandatory_ie_missing, type);
}

bool RuleReader::conditional(const SeenTypes& seen, std::uint16_t type) {
  return seen.has(type) || fail(Cause::conditional_ie_missing, type);
}

bool RuleReader::create(const Ie& ie, Rules& rules) {
  switch (ie.type) {
    case pfcp::kCreatePdr:
      return read_pdr(ie, rules, false);
    case pfcp::kCreateFar:
      return read_far(ie, rules, false);
    case pfcp::kCreateUrr:
      return read_urr(ie, rules, false);
    case pfcp::kCreateQer:
      return read_qer(ie, rules, false);
    case pfcp::kCreateBar:
      return read_bar(ie, rules, false);
    default:
      return true;
  }
}

bool RuleReader::update(const Ie& ie, Rules& rules) {
  switch (ie.type) {
    case pfcp::kUpdatePdr:
      return read_pdr(ie, rules, true);
    case pfcp::kUpdateFar:
      return read_far(ie, rules, true);
    case pfcp::kUpdateUrr:
      return read_urr(ie, rules, true);
    case pfcp::kUpdateQer:
      return read_qer(ie, rules, true);
    case pfcp::kUpdateBar:
    case pfcp::kUpdateBarOfReport:
      return read_bar(ie, rules, true);
    default:
      return true;
  }
}

bool RuleReader::remove(const Ie& ie, Rules& rules) {
  switch (ie.type) {
    case pfcp::kRemovePdr:
      return erase(ie, rules.pdrs, Kind::pdr, pfcp::kPdrId, 2);
    case pfcp::kRemoveFar:
      return erase(ie, rules.fars, Kind::far, pfcp::kFarId, 4);
    case pfcp::kRemoveUrr:
      return erase(ie, rules.urrs, Kind::urr, pfcp::kUrrId, 4);
    case pfcp::kRemoveQer:
      return erase(ie, rules.qers, Kind::qer, pfcp::kQerId, 4);
    case pfcp::kRemoveBar:
      return erase(ie, rules.bars, Kind::bar, pfcp::kBarId, 1);
    default:
      return true;
  }
}

// Create FAR (7.5.2.3-1) and Update FAR (7.5.4.3-1).
bool RuleReader::read_far(const Ie& group, Rules& rules, bool update) {
  std::uint32_t id = 0;
  if (!identifier(group.value, group.type, pfcp::kFarId, 4, id)) return false;
  Far* const far = target(rules.fars, Kind::far, id, update);
  if (far == nullptr) return false;
  SeenTypes seen;
  const bool read = for_each(group.value, group.type, [&](const Ie& ie) {
    const bool first = seen.first(ie.type);
    switch (ie.type) {
      case pfcp::kApplyAction: {
        if (ie.value.empty()) return fail(Cause::invalid_length, ie.type);
        if (!first) return true;
        far->action = ie.value[0];
        // One of the three is to be done with the packet itself (8.2.26).
        return std::popcount(static_cast<unsigned>(far->action & (kDrop | kForward | kBuffer))) == 1 ||
               fail(Cause::mandatory_ie_incorrect, ie.type);
      }
      case pfcp::kForwardingParameters:
      case pfcp::kUpdateForwardingParameters:
        return !first || read_forwarding(ie, *far, far->forwarding, update);
      case pfcp::kDuplicatingParameters:
      case pfcp::kUpdateDuplicatingParameters:
        if (first) far->duplicates.clear();
        return read_forwarding(ie, *far, far->duplicates.emplace_back(), false);
      case pfcp::kBarId:
        far->has_bar = true;
        return number(ie, 1, far->bar);
      default:
        return true;
    }
  });
  if (!read || (!update && !mandatory(seen, pfcp::kApplyAction))) return false;
  if ((far->action & kForward) != 0 && far->forwarding.side == 0) {
    return fail(Cause::conditional_ie_missing,
                update ? pfcp::kUpdateForwardingParameters : pfcp::kForwardingParameters);
  }
  if ((far->action & kDuplicate) != 0 && far->duplicates.empty()) {
    return fail(Cause::conditional_ie_missing,
                update ? pfcp::kUpdateDuplicatingParameters : pfcp::kDuplicatingParameters);
  }
  return true;
}

// Forwarding Parameters (7.5.2.3-2), Duplicating Parameters (7.5.2.3-3) and their updates.
bool RuleReader::read_forwarding(const Ie& group, const Far& far, Forwarding& forwarding, bool update) {
  const Forwarding before = forwarding;
  int interface_type = -1;
  std::uint8_t flags = 0;
  SeenTypes seen;
  const bool read = for_each(group.value, group.type, [&](const Ie& ie) {
    if (!seen.first(ie.type)) return true;
    switch (ie.type) {
      case pfcp::kDestinationInterface: {
        std::uint8_t destination = 0;
        if (!number(ie, 1, destination)) return false;
        destination &= 0x0F;
        forwarding.destination = static_cast<Interface>(destination);
        // No GTP-U tunnels to the control plane, and no interception (values 3 to 5).
        return destination <= static_cast<std::uint8_t>(Interface::n6_lan) || fail_rule(Kind::far, far.id);
      }
      case pfcp::kInterfaceType:
        return number(ie, 1, interface_type);
      case pfcp::kOuterHeaderCreation:
        return (update && mutant("gtpu-tunnel-not-moved")) || read_outer_header(ie, far, forwarding);
      case pfcp::kTransportLevelMarking: {
        std::uint16_t marking = 0;
        if (!number(ie, 2, marking)) return false;
        forwarding.traffic_class = static_cast<std::uint8_t>(marking >> 8);
        forwarding.traffic_class_mask = static_cast<std::uint8_t>(marking);
        return true;
      }
      case pfcp::kSmReqFlags:
        return number(ie, 1, flags);
      case pfcp::kForwardingPolicy:
        return fail(Cause::invalid_forwarding_policy, ie.type);
      case pfcp::kRedirectInformation:
      case pfcp::kHeaderEnrichment:
      case pfcp::kTrafficEndpointId:
      case pfcp::kProxying:
        return fail_rule(Kind::far, far.id);  // features that were not announced
      default:
        return true;
    }
  });
  if (!read || (!update && !mandatory(seen, pfcp::kDestinationInterface))) return false;
  if (update && before.side == 0 && !conditional(seen, pfcp::kDestinationInterface)) return false;
  if (seen.has(pfcp::kDestinationInterface) || interface_type >= 0 || forwarding.tunnel != before.tunnel) {
    forwarding.side = output_side(forwarding.destination, forwarding.tunnel, interface_type);
  }
  const bool moved = before.teid != forwarding.teid || before.peer != forwarding.peer;
  if (!mutant("gtpu-no-end-marker-for-the-old-tunnel") && (flags & pfcp::kSndem) != 0 && before.tunnel && moved)
    left_tunnels_.push_back(before);
  return true;
}

bool RuleReader::read_outer_header(const Ie& ie, const Far& far, Forwarding& forwarding) {
  pfcp::OuterHeaderCreation header;
  if (!value(ie, pfcp::read_outer_header_creation(ie.value), header)) return false;
  // Of both IP versions, the one that this user plane has an address for.
  const bool has_ipv4 = (header.description & pfcp::kCreateGtpUIpv4) != 0;
  const bool has_ipv6 = (header.description & pfcp::kCreateGtpUIpv6) != 0;
  if (!has_ipv4 && !has_ipv6) return fail_rule(Kind::far, far.id);  // UDP or IP without GTP-U
  const bool ipv4 = has_ipv4 && (!has_ipv6 || sessions_.addresses().find(HEADROOM_N3, true) != LocalAddresses::kNone);
  forwarding.tunnel = true;
  forwarding.teid = header.teid;
  forwarding.peer = ipv4 ? header.ipv4 : header.ipv6;
  return true;
}

// Create QER (7.5.2.5-1) and Update QER (7.5.4.5-1).
bool RuleReader::read_qer(const Ie& group, Rules& rules, bool update) {
  std::uint32_t id = 0;
  if (!identifier(group.value, group.type, pfcp::kQerId, 4, id)) return false;
  Qer* const qer = target(rules.qers, Kind::qer, id, update);
  if (qer == nullptr) return false;
  SeenTypes seen;
  const bool read = for_each(group.value, group.type, [&](const Ie& ie) {
    if (!seen.first(ie.type)) return true;
    std::uint8_t octet = 0;
    switch (ie.type) {
      case pfcp::kGateStatus:
        // 0 is open, 1 closed; 2 and 3 are to be read as closed (8.2.7).
        if (!number(ie, 1, octet)) return false;
        qer->uplink_closed = (octet & 0x0C) != 0;
        qer->downlink_closed = (octet & 0x03) != 0;
        return true;
      case pfcp::kMbr: {
        pfcp::BitRates rates;
        if (!value(ie, pfcp::read_bit_rates(ie.value), rates)) return false;
        qer->uplink_mbr = rates.uplink;
        qer->downlink_mbr = rates.downlink;
        return true;
      }
      case pfcp::kGbr: {
        // A guaranteed rate is kept by not admitting too much, which is the control plane's; it is only checked.
        pfcp::BitRates rates;
        return value(ie, pfcp::read_bit_rates(ie.value), rates);
      }
      case pfcp::kQfi:
        if (!number(ie, 1, octet)) return false;
        qer->qfi = static_cast<std::uint8_t>(octet & 0x3F);
        return true;
      case pfcp::kRqi:
        if (!number(ie, 1, octet)) return false;
        qer->reflective = (octet & 0x01) != 0;
        return true;
      case pfcp::kPagingPolicyIndicator:
        if (!number(ie, 1, octet)) return false;
        qer->paging = static_cast<std::uint8_t>(octet & 0x07);
        return true;
      default:
        return true;
    }
  });
  return read && (update || mandatory(seen, pfcp::kGateStatus));
}

bool RuleReader::read_volume(const Ie& ie, Volumes& target) {
  pfcp::Volume volume;
  if (!value(ie, pfcp::read_volume(ie.value), volume)) return false;
  target = {volume.total.value_or(kUnlimited), volume.uplink.value_or(kUnlimited),
            volume.downlink.value_or(kUnlimited)};
  return true;
}

bool RuleReader::read_seconds(const Ie& ie, std::uint64_t& target_ns) {
  std::uint64_t seconds = 0;
  if (!number(ie, 4, seconds)) return false;
  target_ns = seconds * 1'000'000'000;
  return true;
}

// Create URR (7.5.2.4-1) and Update URR (7.5.4.4-1).
bool RuleReader::read_urr(const Ie& group, Rules& rules, bool update) {
  std::uint32_t id = 0;
  if (!identifier(group.value, group.type, pfcp::kUrrId, 4, id)) return false;
  Urr* const urr = target(rules.urrs, Kind::urr, id, update);
  if (urr == nullptr) return false;
  SeenTypes seen;
  const bool read = for_each(group.value, group.type, [&](const Ie& ie) {
    const bool first = seen.first(ie.type);
    if (ie.type == pfcp::kLinkedUrrId) {
      if (first) urr->linked.clear();
      return number(ie, 4, urr->linked.emplace_back());
    }
    if (!first) return true;
    switch (ie.type) {
      case pfcp::kMeasurementMethod:
        return number(ie, 1, urr->method);
      case pfcp::kReportingTriggers: {
        // Two octets at first, more of later releases (8.2.19).
        if (ie.value.size() < 2) return fail(Cause::invalid_length, ie.type);
        urr->triggers = static_cast<std::uint32_t>(ie.value[0] | ie.value[1] << 8);
        if (ie.value.size() > 2) urr->triggers |= static_cast<std::uint32_t>(ie.value[2]) << 16;
        return true;
      }
      case pfcp::kMeasurementInformation:
        return number(ie, 1, urr->information);
      case pfcp::kVolumeThreshold:
        return read_volume(ie, urr->volume_threshold);
      case pfcp::kVolumeQuota:
        return read_volume(ie, urr->volume_quota);
      case pfcp::kTimeThreshold:
        return read_seconds(ie, urr->time_threshold_ns);
      case pfcp::kTimeQuota:
        return read_seconds(ie, urr->time_quota_ns);
      case pfcp::kMeasurementPeriod:
        return read_seconds(ie, urr->period_ns);
      case pfcp::kInactivityDetectionTime:
        return read_seconds(ie, urr->inactivity_ns);
      case pfcp::kQuotaHoldingTime:
        return read_seconds(ie, urr->holding_ns);
      case pfcp::kFarId:
        urr->has_quota_far = true;
        return number(ie, 4, urr->quota_far);
      default:
        return true;
    }
  });
  if (!read) return false;
  if (!update && (!mandatory(seen, pfcp::kMeasurementMethod) || !mandatory(seen, pfcp::kReportingTriggers)))
    return false;
  if (update && (seen.has(pfcp::kVolumeQuota) || seen.has(pfcp::kTimeQuota))) {
    new_quotas_.push_back({id, seen.has(pfcp::kVolumeQuota), seen.has(pfcp::kTimeQuota)});
  }
  return check_urr(*urr);
}

// Each trigger needs the value that it watches.
bool RuleReader::check_urr(const Urr& urr) {
  const auto unlimited = [](const Volumes& volumes) {
    return volumes.total == kUnlimited && volumes.uplink == kUnlimited && volumes.downlink == kUnlimited;
  };
  const auto missing = [&](std::uint32_t trigger, bool is_missing) {
    return (urr.triggers & trigger) != 0 && is_missing;
  };
  if (missing(pfcp::kPerio, urr.period_ns == kUnlimited)) {
    return fail(Cause::conditional_ie_missing, pfcp::kMeasurementPeriod);
  }
  if (missing(pfcp::kVolth, unlimited(urr.volume_threshold))) {
    return fail(Cause::conditional_ie_missing, pfcp::kVolumeThreshold);
  }
  if (missing(pfcp::kTimth, urr.time_threshold_ns == kUnlimited)) {
    return fail(Cause::conditional_ie_missing, pfcp::kTimeThreshold);
  }
  if (missing(pfcp::kQuhti, urr.holding_ns == kUnlimited)) {
    return fail(Cause::conditional_ie_missing, pfcp::kQuotaHoldingTime);
  }
  if (missing(pfcp::kVolqu, unlimited(urr.volume_quota))) {
    return fail(Cause::conditional_ie_missing, pfcp::kVolumeQuota);
  }
  if (missing(pfcp::kTimqu, urr.time_quota_ns == kUnlimited)) {
    return fail(Cause::conditional_ie_missing, pfcp::kTimeQuota);
  }
  // Reports would never end.
  if (urr.period_ns == 0) return fail(Cause::mandatory_ie_incorrect, pfcp::kMeasurementPeriod);
  return urr.time_threshold_ns != 0 || fail(Cause::mandatory_ie_incorrect, pfcp::kTimeThreshold);
}

// Create BAR (7.5.2.6-1) and Update BAR (7.5.4.11-1, 7.5.9.2-1).
bool RuleReader::read_bar(const Ie& group, Rules& rules, bool update) {
  std::uint8_t id = 0;
  if (!identifier(group.value, group.type, pfcp::kBarId, 1, id)) return false;
  Bar* const bar = target(rules.bars, Kind::bar, id, update);
  if (bar == nullptr) return false;
  return for_each(group.value, group.type, [&](const Ie& ie) {
    return ie.type != pfcp::kSuggestedBufferingPacketsCount || number(ie, 1, bar->suggested_packets);
  });
}

}  // namespace headroom::gtpu::n4
