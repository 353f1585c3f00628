// SPDX-License-Identifier: Apache-2.0
#include "gtpu/config.h"

#include "cxx/settings.h"

namespace headroom::gtpu {
namespace {

using nlohmann::json;

Address address_of(const Settings& settings, const char* key) {
  const json* value = settings.find(key);
  const auto address = value != nullptr && value->is_string() ? parse_address(value->get<std::string>()) : std::nullopt;
  require(address.has_value(), settings.where(key) + " must be an IP address");
  return *address;
}

void add(LocalAddresses& addresses, const Address& address, bool n9) {
  std::uint8_t place = addresses.find(address);
  if (place == LocalAddresses::kNone) {
    place = static_cast<std::uint8_t>(addresses.entries.size());
    addresses.entries.push_back({address});
  }
  (n9 ? addresses.entries[place].n9 : addresses.entries[place].n3) = true;
}

void read_side(const json& value, bool n9, LocalAddresses& addresses) {
  const Settings side(value, n9 ? "\"n9\"" : "\"n3\"");
  side.only({"ipv4", "ipv6"});
  for (const char* const key : {"ipv4", "ipv6"}) {
    if (side.find(key) == nullptr) continue;
    const Address address = address_of(side, key);
    require(address.is_ipv4() == (std::string_view(key) == "ipv4"), side.where(key) + " is of the other IP version");
    add(addresses, address, n9);
  }
  require(!value.empty(), std::string(n9 ? "\"n9\"" : "\"n3\"") + " must have \"ipv4\", \"ipv6\" or both");
}

PredefinedRule predefined_rule_of(const json& value) {
  const Settings settings(value, "a rule of \"predefined_rules\"");
  settings.only({"name", "precedence", "flow", "action"});
  PredefinedRule rule;
  const json *name = settings.find("name"), *flow = settings.find("flow");
  require(name != nullptr && name->is_string() && !name->get<std::string>().empty(),
          settings.where("name") + " must be a string that is not empty");
  rule.name = *name;
  settings.number("precedence", 0, 0xFFFFFFFF, rule.precedence);
  const auto filter =
      flow != nullptr && flow->is_string() ? parse_flow_description(flow->get<std::string>()) : std::nullopt;
  require(filter.has_value(), settings.where("flow") + " must be a flow description, such as " +
                                  "\"permit out udp from 198.18.0.0/24 9 to assigned\"");
  rule.filter = *filter;
  rule.drop = settings.choice("action", {"forward", "drop"}, 0) == 1;
  return rule;
}

InspectionFiles read_inspection(const json& value) {
  const Settings settings(value, "\"inspection\"");
  settings.only({"l7", "l3", "cache"});
  InspectionFiles files;
  for (const auto& [key, path] : {std::pair{"l7", &files.l7}, {"l3", &files.l3}, {"cache", &files.cache}}) {
    const json* const name = settings.find(key);
    if (name == nullptr) continue;
    require(name->is_string(), settings.where(key) + " must be the path of a file");
    *path = *name;
  }
  return files;
}

}  // namespace

Config read_config(const json& value) {
  const Settings settings(value, "the configuration");
  Config config;
  require(settings.find("n3") != nullptr, "\"n3\" is missing in the configuration");
  read_side(*settings.find("n3"), false, config.addresses);
  const json* const n9 = settings.find("n9");
  read_side(n9 != nullptr ? *n9 : *settings.find("n3"), true, config.addresses);
  if (const json* n4 = settings.find("n4")) {
    const Settings side(*n4, "\"n4\"");
    side.only({"address"});
    config.node = address_of(side, "address");
  }
  settings.number("max_sessions", 1, kMostSessions, config.max_sessions);
  settings.number("recovery_time", 0, 0xFFFFFFFF, config.recovery_time);
  settings.number("error_indications_per_second", 0, 1'000'000, config.error_indications_per_second);
  settings.number("flows", 0, kMostFlows, config.flows);
  if (const json* rules = settings.find("predefined_rules")) {
    require(rules->is_array(), settings.where("predefined_rules") + " must be a list");
    for (const json& rule : *rules) config.predefined_rules.push_back(predefined_rule_of(rule));
  }
  if (const json* inspection = settings.find("inspection")) {
    require(kHasInspection,
            settings.where("inspection") + " needs Hyperscan, without which this user plane was built; leave it out");
    require(config.flows != 0, settings.where("inspection") + " needs \"flows\", a flow table");
    config.inspection = read_inspection(*inspection);
  }
  if (const json* options = settings.find("options")) Settings(*options, "\"options\"").only({});
  return config;
}

}  // namespace headroom::gtpu
