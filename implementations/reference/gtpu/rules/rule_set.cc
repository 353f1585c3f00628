// SPDX-License-Identifier: Apache-2.0
#include "gtpu/rules/rule_set.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "gtpu/wire/gtpu.h"
#include "gtpu/wire/ip.h"

namespace headroom::gtpu {
namespace {

constexpr std::size_t kMostRules = 1024;        // PDRs of a session
constexpr std::size_t kMostOfOnePdr = 255;      // QERs or URRs
constexpr std::size_t kMostFilters = 0xFFFF;    // of a session, which Match::first_screen counts
constexpr std::uint16_t kBufferedPackets = 64;  // of a session whose BAR suggests no number

Refusal refusal_of(Refusal::Reason reason, Refusal::Kind kind, std::uint32_t id) { return {reason, kind, id}; }

// Places finds rules of one kind by their ids: most sessions have so few that looking at each is fastest.
template <typename Rule>
class Places {
 public:
  explicit Places(const std::vector<Rule>& rules) : rules_(rules) {
    if (rules.size() <= kFew) return;
    for (std::uint32_t i = 0; i < rules.size(); ++i) sorted_.emplace_back(rules[i].id, i);
    std::ranges::sort(sorted_);
  }
  // The place of the rule, or nothing.
  [[nodiscard]] std::optional<std::size_t> find(std::uint32_t id) const {
    if (sorted_.empty()) {
      const auto it = std::ranges::find(rules_, id, &Rule::id);
      if (it == rules_.end()) return std::nullopt;
      return static_cast<std::size_t>(it - rules_.begin());
    }
    const auto it = std::ranges::lower_bound(sorted_, id, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
    if (it == sorted_.end() || it->first != id) return std::nullopt;
    return it->second;
  }
  // False where an id occurs twice.
  [[nodiscard]] bool check(Refusal::Kind kind, Refusal& refusal) const {
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (find(rules_[i].id) == i) continue;
      refusal = refusal_of(Refusal::Reason::doubled_id, kind, rules_[i].id);
      return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kFew = 8;
  const std::vector<Rule>& rules_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted_{};
};

std::uint32_t folded(std::uint64_t sum) { return static_cast<std::uint16_t>(~checksum(sum)); }

// Writes the outer header. False if the user plane has no address of the peer's IP version.
bool compile_target(const Forwarding& f, const LocalAddresses& addresses, Target& target) {
  target.side = static_cast<std::uint8_t>(f.side);
  target.traffic_class_mask = f.traffic_class_mask;
  target.traffic_class = f.traffic_class;
  if (!f.tunnel) return true;
  const std::uint8_t place = addresses.find(f.side, f.peer.is_ipv4());
  if (place == LocalAddresses::kNone) return false;
  const Address& source = addresses.entries[place].address;
  const std::size_t length =
      write_transport(target.header, source, f.peer, kGtpuPort, kGtpuPort, 0, f.traffic_class & f.traffic_class_mask);
  const std::size_t ip = length - kUdpHeader;
  write16(target.header + ip + 4, 0);
  if (f.peer.is_ipv4()) {
    write16(target.header + 2, 0);
    write16(target.header + 10, 0);
    target.sum = folded(sum_words({target.header, ip}));
  } else {
    write16(target.header + 4, 0);
    target.sum = folded(sum_words({target.header + 8, 32 + 4}, kProtocolUdp));
  }
  target.teid = f.teid;
  target.header_length = static_cast<std::uint8_t>(length);
  return true;
}

// What a Billing is made of.
struct Bill {
  const Pdr* pdr = nullptr;  // the first one with these QERs and URRs
  std::vector<Rate> rates{};
  std::vector<Usage*> usages{};
  std::size_t at = 0;  // in the block
  [[nodiscard]] bool is_empty() const noexcept { return rates.empty() && usages.empty(); }
};
constexpr std::size_t kNoBill = ~std::size_t{0};

struct Compilation {
  Compilation(const Rules& r, const LocalAddresses& a)
      : rules(r), addresses(a), pdrs(r.pdrs), fars(r.fars), qers(r.qers), urrs(r.urrs), bars(r.bars) {
    matches.reserve(r.pdrs.size());
    far_of.reserve(r.pdrs.size());
    bill_of.reserve(r.pdrs.size());
    actions.reserve(r.fars.size() + 1);
  }

  const Rules& rules;
  const LocalAddresses& addresses;
  Places<Pdr> pdrs;
  Places<Far> fars;
  Places<Qer> qers;
  Places<Urr> urrs;
  Places<Bar> bars;
  std::vector<Match> matches{};
  std::vector<FilterScreen> screens{};
  std::vector<std::size_t> far_of{};  // of each of `matches`
  std::vector<Action> actions{};
  std::vector<Bill> bills{};
  std::vector<std::size_t> bill_of{};             // of each of `matches`; kNoBill
  std::size_t last_bill[2] = {kNoBill, kNoBill};  // of the downlink and the uplink
};

bool compile_actions(Compilation& c, RuleSet::Cold& cold, Refusal& refusal) {
  cold.actions.reserve(c.rules.fars.size() + 1);
  for (const Far& far : c.rules.fars) {
    Action action;
    action.apply = far.action;
    ActionDetails details{&far, cold.duplicates.size(), static_cast<std::uint16_t>(far.duplicates.size()),
                          kBufferedPackets};
    if (far.has_bar) {
      const auto bar = c.bars.find(far.bar);
      if (!bar) {
        refusal = refusal_of(Refusal::Reason::unknown_id, Refusal::Kind::far, far.id);
        return false;
      }
      const std::uint8_t suggested = c.rules.bars[*bar].suggested_packets;
      if (suggested != 0) details.buffered_packets = suggested;
    }
    bool reachable = compile_target(far.forwarding, c.addresses, action.target);
    for (const Forwarding& duplicate : far.duplicates) {
      Target target;
      reachable = compile_target(duplicate, c.addresses, target) && reachable;
      cold.duplicates.push_back(target);
    }
    if (!reachable) {
      refusal = refusal_of(Refusal::Reason::no_address, Refusal::Kind::far, far.id);
      return false;
    }
    c.actions.push_back(action);
    cold.actions.push_back(details);
  }
  // For PDRs without a FAR, which drop.
  if (std::ranges::any_of(c.rules.pdrs, [](const Pdr& pdr) { return !pdr.has_far; })) {
    c.actions.emplace_back();
    cold.actions.emplace_back();
  }
  return true;
}

void add_qer(const Qer& qer, bool uplink, Match& match) {
  if ((uplink ? qer.uplink_closed : qer.downlink_closed) && !mutant("gtpu-gates-ignored"))
    match.flags |= Match::kGateClosed;
  if (qer.qfi && !mutant("gtpu-qfi-not-marked")) match.qfi = *qer.qfi & (mutant("gtpu-qfi-of-five-bits") ? 0x1F : 0x3F);
  if (qer.reflective && !mutant("gtpu-rqi-not-marked")) match.container |= 0x40;
  if (qer.paging) {
    match.container |= 0x80;
    match.paging = static_cast<std::uint8_t>(*qer.paging << 5);
  }
}

// Makes a bill of the PDR's QERs and URRs, and sets its place. False where an id is unknown.
bool compile_bill(const Pdr& pdr, bool uplink, Compilation& c, const RuleSet::Cold& cold, std::size_t& place) {
  Bill bill;
  bill.pdr = &pdr;
  for (const std::uint32_t id : pdr.qers) {
    const auto at = c.qers.find(id);
    if (!at) return false;
    const Qer& qer = c.rules.qers[*at];
    Meters& meters = *cold.meters[*at];
    if (const auto& mbr = uplink && !mutant("gtpu-one-mbr") ? qer.uplink_mbr : qer.downlink_mbr) {
      const std::uint64_t rate = mutant("gtpu-mbr-5-percent-high") ? *mbr + *mbr / 20 : *mbr;
      bill.rates.push_back({uplink ? &meters.uplink : &meters.downlink, BitRate::of(rate)});
    }
  }
  for (const std::uint32_t id : pdr.urrs) {
    const auto at = c.urrs.find(id);
    if (!at) return false;
    bill.usages.push_back(cold.usages[*at]);
  }
  place = c.bills.size();
  c.bills.push_back(std::move(bill));
  return true;
}

bool compile_pdr(const Pdr& pdr, Compilation& c, RuleSet::Cold& cold, Refusal& refusal) {
  Match match;
  match.precedence = pdr.precedence;
  match.teid = pdr.teid.teid;
  match.addresses = pdr.teid.addresses;
  match.ipv4 = pdr.user.ipv4;
  match.ipv6 = pdr.user.ipv6;
  match.id = pdr.id;
  match.qfis = pdr.qfis;
  match.removal = pdr.removal;
  match.source = pdr.source;
  const bool uplink = pdr.source == Interface::access;
  if (uplink) match.flags |= Match::kUplink;
  if (pdr.user_is_destination) match.flags |= Match::kUserIsDestination;
  if (pdr.user.ipv4 != 0 || pdr.user.ipv6 != 0) match.flags |= Match::kHasUser;
  if (!pdr.filters.empty()) match.flags |= Match::kHasFilters;
  match.predefined = pdr.predefined.get();
  match.first_screen = static_cast<std::uint16_t>(c.screens.size());
  for (const auto& filter : pdr.filters) {
    c.screens.push_back(FilterScreen::of(*filter));
    c.screens.back().is_last = &filter == &pdr.filters.back();
  }
  refusal = refusal_of(Refusal::Reason::unknown_id, Refusal::Kind::pdr, pdr.id);
  std::size_t far = c.actions.size() - 1;  // of PDRs without a FAR
  if (pdr.has_far) {
    match.flags |= Match::kHasFar;
    const auto found = c.fars.find(pdr.far);
    if (!found) return false;
    far = *found;
    if (c.rules.fars[far].forwarding.destination == Interface::control_plane) match.flags |= Match::kToControlPlane;
  }
  for (const std::uint32_t id : pdr.qers) {
    const auto qer = c.qers.find(id);
    if (!qer) return false;
    add_qer(c.rules.qers[*qer], uplink, match);
  }
  std::size_t& last = c.last_bill[uplink ? 1 : 0];
  std::size_t bill = last;
  if (bill == kNoBill || c.bills[bill].pdr->qers != pdr.qers || c.bills[bill].pdr->urrs != pdr.urrs) {
    if (!compile_bill(pdr, uplink, c, cold, bill)) return false;
    last = bill;
  }
  if (pdr.teid.teid != 0 && (pdr.teid.addresses == 0 || pdr.teid.addresses >> c.addresses.entries.size() != 0)) {
    refusal.reason = Refusal::Reason::no_address;
    return false;
  }
  refusal = {};
  c.matches.push_back(match);
  c.far_of.push_back(far);
  c.bill_of.push_back(bill);
  return true;
}

// Fills `objects` with those of the rules: of `before` where the id is the same, otherwise new ones.
template <typename Object, typename Rule>
void hold_objects(const std::vector<Rule>& rules, const std::vector<Object*>* before, BlockPool& pool,
                  std::vector<Object*>& objects) {
  objects.reserve(rules.size());
  for (const Rule& rule : rules) {
    Object* object = nullptr;
    if (before != nullptr) {
      const auto same = std::ranges::find(*before, rule.id, &Object::id);
      if (same != before->end()) object = *same;
    }
    if (object == nullptr) {
      object = new (pool.allocate(sizeof(Object))) Object;
      object->id = rule.id;
    }
    ++object->holders;
    objects.push_back(object);
  }
}

template <typename Object>
void release_objects(const std::vector<Object*>& objects, BlockPool& pool) {
  for (Object* const object : objects) {
    if (--object->holders == 0) pool.free(object, sizeof(Object));
  }
}

}  // namespace

RuleSet::Cold::~Cold() {
  release_objects(meters, pool);
  release_objects(usages, pool);
}

RuleSet::~RuleSet() = default;

void RuleSet::operator delete(RuleSet* set, std::destroying_delete_t) {
  BlockPool& pool = set->cold->pool;
  const std::size_t octets = set->cold->octets;
  set->~RuleSet();
  pool.free(set, octets);
}

std::unique_ptr<const RuleSet> RuleSet::compile(Rules rules, const LocalAddresses& addresses, const RuleSet* before,
                                                std::uint64_t generation, BlockPool& pool, Refusal& refusal) {
  auto cold = std::make_unique<Cold>(pool);
  cold->rules = std::move(rules);
  const Rules& held = cold->rules;
  Compilation c(held, addresses);
  using Kind = Refusal::Kind;
  if (!c.pdrs.check(Kind::pdr, refusal) || !c.fars.check(Kind::far, refusal) || !c.qers.check(Kind::qer, refusal) ||
      !c.urrs.check(Kind::urr, refusal) || !c.bars.check(Kind::bar, refusal))
    return nullptr;
  if (held.fars.size() > kMostRules) refusal = refusal_of(Refusal::Reason::no_resources, Kind::far, held.fars[0].id);
  if (refusal) return nullptr;
  std::size_t filters = 0;
  for (const Pdr& pdr : held.pdrs) {
    filters += pdr.filters.size();
    if (held.pdrs.size() <= kMostRules && pdr.qers.size() <= kMostOfOnePdr && pdr.urrs.size() <= kMostOfOnePdr &&
        filters <= kMostFilters)
      continue;
    refusal = refusal_of(Refusal::Reason::no_resources, Kind::pdr, pdr.id);
    return nullptr;
  }
  hold_objects(held.qers, before != nullptr ? &before->cold->meters : nullptr, pool, cold->meters);
  hold_objects(held.urrs, before != nullptr ? &before->cold->usages : nullptr, pool, cold->usages);
  if (!compile_actions(c, *cold, refusal)) return nullptr;
  UserAddresses user;
  std::vector<const Pdr*> by_precedence;
  by_precedence.reserve(held.pdrs.size());
  for (const Pdr& pdr : held.pdrs) {
    by_precedence.push_back(&pdr);
    if (pdr.user.ipv4 != 0) user.ipv4 = pdr.user.ipv4;
    if (pdr.user.ipv6 != 0) user.ipv6 = pdr.user.ipv6;
  }
  // In the order in which they were given where precedences are equal: their addresses grow.
  std::ranges::sort(by_precedence, {}, [](const Pdr* pdr) { return std::pair(pdr->precedence, pdr); });
  for (const Pdr* const pdr : by_precedence) {
    if (!compile_pdr(*pdr, c, *cold, refusal)) return nullptr;
  }

  std::size_t octets = sizeof(RuleSet) + c.actions.size() * sizeof(Action);
  for (Bill& bill : c.bills) {
    bill.at = octets;
    if (bill.is_empty()) continue;
    octets += sizeof(Billing) + bill.rates.size() * sizeof(Rate) + bill.usages.size() * sizeof(Usage*);
    octets = (octets + BlockPool::kLine - 1) / BlockPool::kLine * BlockPool::kLine;
  }
  const std::size_t matches_at = octets;
  octets += c.matches.size() * sizeof(Match);
  const std::size_t screens_at = octets;
  octets += c.screens.size() * sizeof(FilterScreen);
  auto* const block = static_cast<std::uint8_t*>(pool.allocate(octets));
  auto* const set = new (block) RuleSet;
  auto* const action = reinterpret_cast<Action*>(block + sizeof(RuleSet));
  auto* const match = reinterpret_cast<Match*>(block + matches_at);
  auto* const screen = reinterpret_cast<FilterScreen*>(block + screens_at);
  std::uninitialized_copy(c.actions.begin(), c.actions.end(), action);
  std::uninitialized_copy(c.screens.begin(), c.screens.end(), screen);
  for (const Bill& bill : c.bills) {
    if (bill.is_empty()) continue;
    auto* const billing = new (block + bill.at)
        Billing{static_cast<std::uint32_t>(bill.rates.size()), static_cast<std::uint32_t>(bill.usages.size())};
    std::ranges::uninitialized_copy(bill.rates,
                                    std::span(const_cast<Rate*>(billing->rates().data()), bill.rates.size()));
    std::ranges::uninitialized_copy(bill.usages,
                                    std::span(const_cast<Usage**>(billing->usages().data()), bill.usages.size()));
  }
  for (std::size_t i = 0; i < c.matches.size(); ++i) {
    Match* const made = new (match + (c.matches.size() - 1 - i)) Match(c.matches[i]);
    made->action = action + c.far_of[i];
    const Bill& bill = c.bills[c.bill_of[i]];
    if (!bill.is_empty()) made->billing = reinterpret_cast<const Billing*>(block + bill.at);
    set->has_filters = set->has_filters || (made->flags & Match::kHasFilters) != 0 || made->predefined != nullptr;
  }
  set->generation = generation;
  set->user = user;
  set->matches = match;
  set->match_count = static_cast<std::uint16_t>(c.matches.size());
  set->actions = action;
  set->screens = screen;
  cold->octets = octets;
  set->cold = std::move(cold);
  return std::unique_ptr<const RuleSet>(set);
}

const Match* RuleSet::find(const Tunnel& tunnel, const PacketFields& packet, bool& drop) const noexcept {
  drop = false;
  const Match* best = nullptr;
  std::uint32_t lowest = 0;
  const RemoteEnd remote[2] = {RemoteEnd::of(packet, false), RemoteEnd::of(packet, true)};
  for (std::size_t i = match_count; i-- != 0;) {
    const Match& m = matches[i];
    const bool own_wins = best == nullptr || m.precedence < lowest;
    if (!own_wins && m.predefined == nullptr) continue;
    if (!fits(m, tunnel, packet)) continue;
    const bool uplink = (m.flags & Match::kUplink) != 0 && !mutant("gtpu-uplink-filters-not-turned");
    const auto passes = [&](const FilterScreen& screen) {
      return !screen.refuses(remote[uplink]) && gtpu::matches(*screen.filter, packet, user, uplink);
    };
    if (m.predefined != nullptr) {
      for (std::size_t at = 0; at < m.predefined->screens.size(); ++at) {
        const FilterScreen& screen = m.predefined->screens[at];
        if (!passes(screen)) continue;
        const PredefinedRule& rule = *m.predefined->rules[at];
        if (best != nullptr && rule.precedence >= lowest) break;
        best = &m;
        lowest = rule.precedence;
        drop = rule.drop;
        break;
      }
    }
    if (best != nullptr && m.precedence >= lowest) continue;
    // Without a FAR, a PDR is there for the rules that it activates (TS 29.244, 5.19).
    if (m.predefined != nullptr && (m.flags & Match::kHasFar) == 0) continue;
    if ((m.flags & Match::kHasFilters) != 0) {
      const FilterScreen* screen = screens + m.first_screen;
      bool passed = passes(*screen);
      while (!passed && !screen->is_last) passed = passes(*++screen);
      if (!passed) continue;
    }
    best = &m;
    lowest = m.precedence;
    drop = false;
  }
  return best;
}

}  // namespace headroom::gtpu
