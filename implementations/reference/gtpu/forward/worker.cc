// SPDX-License-Identifier: Apache-2.0
#include "gtpu/forward/worker.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "mutants.h"

namespace headroom::gtpu {
namespace {

constexpr std::size_t kLine = BlockPool::kLine;
// Where what a packet needs usually lies. In lines after a Session: Meters of one QER, Usage of one URR, then the
// RuleSet of its establishment.
constexpr std::size_t kMetersAt = 1, kUsageAt = 2, kRulesAt = kUsageAt + sizeof(Usage) / kLine;
// In lines after a RuleSet, by direction, the downlink first: the Action, the Billing if any, and the Match of a
// session with one FAR, and one PDR that is looked at last, of each direction. The uplink's come first, but for PDRs.
// Without a flow table, a downlink packet looks at both PDRs.
constexpr std::size_t kBilled[2][3] = {{2, 4, 5}, {1, 3, 6}};
constexpr std::size_t kPlain[2][3] = {{2, 3, 4}, {1, 4, 4}};

void fetch(const void* from, std::size_t line) noexcept {
  __builtin_prefetch(static_cast<const std::uint8_t*>(from) + line * kLine);
}

void fetch_rules(const RuleSet* rules, const std::size_t (&lines)[3]) noexcept {
  fetch(rules, 0);
  for (const std::size_t line : lines) fetch(rules, line);
}

// The session with the rules of its establishment.
void fetch_session(const Session* session, const std::size_t (&lines)[3]) noexcept {
  if (session == nullptr) return;
  for (const std::size_t line : {std::size_t{0}, kMetersAt, kUsageAt}) fetch(session, line);
  fetch_rules(reinterpret_cast<const RuleSet*>(reinterpret_cast<const std::uint8_t*>(session) + kRulesAt * kLine),
              lines);
}

std::span<const std::uint8_t> octets_of(const headroom_user_packet& packet) { return {packet.octets, packet.length}; }

// True if the rules lie where fetch_session has fetched them.
bool lies_behind(const RuleSet* rules, const Session* session) noexcept {
  return reinterpret_cast<std::uintptr_t>(rules) - reinterpret_cast<std::uintptr_t>(session) == kRulesAt * kLine;
}

}  // namespace

Worker::Worker(const Config& config, Sessions& sessions, bool first, std::unique_ptr<FlowInspection> inspection)
    : config_(config), sessions_(sessions), first_(first), inspection_(std::move(inspection)) {
  if (config.flows != 0) flows_ = std::make_unique<FlowTable>(config.flows);
  for (std::size_t i = 0; i < config.addresses.entries.size(); ++i) {
    const LocalAddresses::Entry& entry = config.addresses.entries[i];
    locals_[i] = {entry.address.is_ipv4() ? entry.address.ipv4() : 0, entry.n3, entry.n9};
  }
  sessions_.add_worker(epoch_);
}

Worker::~Worker() { sessions_.remove_worker(epoch_); }

std::size_t Worker::memory_bytes() const noexcept {
  return sizeof *this + (flows_ ? flows_->memory_bytes() : 0) + Outbox::kPlaces * Outbox::kShort + buffer_.octets();
}

void Worker::finish(Item& item, std::int32_t status, std::uint16_t reason) noexcept {
  item.packet->status = status;
  item.packet->reason = reason;
  item.done = true;
  if (mutant("gtpu-off-filter-packets-answered") && reason == HEADROOM_REASON_NO_RULE) {
    item.session = nullptr;
    return find_session(item, 0);
  }
  if (status == HEADROOM_NOTHING) {
    ++counters_.reasons[reason];
  } else if (status != HEADROOM_OK) {
    ++(status == HEADROOM_ERR_MALFORMED ? counters_.malformed : counters_.unsupported);
  }
}

// ---- Stages

void Worker::forward(headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns) {
  Item items[kChunk];
  sessions_.enter(epoch_);
  for (std::size_t at = 0; at < count; at += kChunk) {
    const std::size_t n = std::min(kChunk, count - at);
    for (std::size_t i = 0; i < n; ++i) items[i].packet = packets + at + i;
    if (until_ == Stage::rewrite) {
      forward_chunk<false>(items, n, now_ns);
    } else {
      forward_chunk<true>(items, n, now_ns);
    }
  }
  Sessions::leave(epoch_);
  if (count != 0 && !outbox_.empty()) packets[count - 1].more = 1;
}

template <bool kPartial>
void Worker::forward_chunk(Item* items, std::size_t count, std::uint64_t now_ns) {
  const auto ends_behind = [&](Stage stage) {
    if constexpr (kPartial) {
      if (until_ > stage) return false;
      for (Item* item = items; item != items + count; ++item) {
        if (!item->done) finish(*item, HEADROOM_NOTHING);
      }
      return true;
    }
    return false;
  };
  const auto each = [&](auto&& stage) {
    for (Item* item = items; item != items + count; ++item) {
      if (!item->done) stage(*item);
    }
  };
  for (Item* item = items; item != items + count; ++item) {
    const headroom_user_packet& p = *item->packet;
    __builtin_prefetch(p.octets);
    // An outer header is read behind, or will be written in front.
    __builtin_prefetch(p.side == HEADROOM_N6 ? p.octets - kLine : p.octets + kLine);
  }
  for (Item* item = items; item != items + count; ++item) {
    item->done = false;
    parse(*item, now_ns);
    if (!item->done) item->table->prefetch(item->key);
  }
  if (ends_behind(Stage::parse)) return;
  each([this](Item& item) {
    item.session = item.table->find(item.key);
    if (flows_) {
      fetch_session(item.session, kBilled[item.packet->side != HEADROOM_N6]);
    } else {
      __builtin_prefetch(item.session);
    }
  });
  each([&](Item& item) { find_session(item, now_ns); });
  if (ends_behind(Stage::lookup)) return;
  each([&](Item& item) { find_match(item); });
  if (ends_behind(Stage::flow)) return;
  if (inspection_) {
    each([&](const Item& item) {
      if (item.uninspected) inspect(item);
    });
  }
  if (ends_behind(Stage::dpi)) return;
  // What is behind pointers is fetched one pointer after another, for all packets at once.
  each([](const Item& item) { fetch_lists(item); });
  each([](const Item& item) { fetch_counters(item); });
  // Two loops: an addition that workers share waits until all stores before it are done, those of headers as well.
  each([&](Item& item) { apply(item, now_ns); });
  each([&](Item& item) { rewrite(item); });
}

void Worker::parse(Item& item, std::uint64_t now_ns) {
  const headroom_user_packet& p = *item.packet;
  if (p.side == HEADROOM_N6) {
    item.tunnel = {};
    item.inner = p.octets;
    item.inner_length = p.length;
  } else if (!has_fast_path_ || !parse_usual(item)) {
    parse_tunnel(item, now_ns);
    if (item.done) return;
  }
  const std::span<const std::uint8_t> inner(item.inner, item.inner_length);
  item.fields = {};
  item.is_ip = flows_ ? read_user_packet(inner, item.fields) : read_user_addresses(inner, item.fields);
  if (p.side == HEADROOM_N6) {
    if (!item.is_ip) return finish(item, HEADROOM_ERR_MALFORMED);
    item.table = item.fields.version == 4 ? &sessions_.by_ipv4() : &sessions_.by_ipv6();
    item.key = item.fields.version == 4 ? read32(item.fields.destination) : read64(item.fields.destination);
  }
  if (flows_ && item.is_ip) {
    item.flow_key = FlowKey::of(item.fields, p.side == HEADROOM_N3);
    item.flow = item.flow_key.hash();
    flows_->prefetch(item.flow);
  }
}

bool Worker::parse_usual(Item& item) const noexcept {
  constexpr std::size_t kOuter = kIpv4Header + kUdpHeader;
  const std::uint8_t* const ip = item.packet->octets;
  const std::uint32_t length = item.packet->length;
  if (length < kOuter + kGtpuHeader + 8 || length > 0xFFFF) return false;
  const std::uint8_t *const udp = ip + kIpv4Header, *const gtpu = ip + kOuter;
  if (ip[0] != 0x45 || read16(ip + 2) != length || (read16(ip + 6) & 0x3FFF) != 0 || ip[9] != kProtocolUdp ||
      read16(udp + 2) != kGtpuPort || read16(udp + 4) != length - kIpv4Header || gtpu[1] != kGPdu ||
      read16(gtpu + 2) != length - kOuter - kGtpuHeader ||
      checksum(sum_words(std::span<const std::uint8_t, kIpv4Header>(ip, kIpv4Header))) != 0)
    return false;
  std::uint32_t header = kGtpuHeader;
  std::uint8_t qfi = kNoQfi;
  if (gtpu[0] == (kVersion1 | kProtocolType | kExtensionFlag)) {
    if (gtpu[11] != kPduSessionContainer || gtpu[12] != 1 || gtpu[15] != kNoExtension) return false;
    header = kGtpuHeader + 8;
    qfi = gtpu[14] & 0x3F;
  } else if (gtpu[0] != (kVersion1 | kProtocolType)) {
    return false;
  }
  const std::uint32_t teid = read32(gtpu + 4);
  const std::uint8_t place = place_of(read32(ip + 16), item.packet->side);
  if (teid == 0 || place == LocalAddresses::kNone) return false;
  item.tunnel = {teid, place, qfi};
  item.inner = gtpu + header;
  item.inner_length = length - static_cast<std::uint32_t>(kOuter) - header;
  item.table = &sessions_.by_teid();
  item.key = Sessions::teid_key(place, teid);
  return true;
}

void Worker::parse_tunnel(Item& item, std::uint64_t now_ns) {
  const Transport t = read_transport(octets_of(*item.packet));
  if (t.kind == Transport::Kind::malformed) return finish(item, HEADROOM_ERR_MALFORMED);
  const std::uint8_t place = place_of(t, item.packet->side);
  if (place == LocalAddresses::kNone) return finish(item, HEADROOM_NOTHING, HEADROOM_REASON_NO_SESSION);
  if (t.kind == Transport::Kind::fragment) return reassemble(item, now_ns);
  if (t.kind != Transport::Kind::datagram || t.destination_port != kGtpuPort)
    return finish(item, HEADROOM_ERR_UNSUPPORTED);
  const Message message = read_message({t.payload, t.payload_length});
  item.tunnel = {message.teid, place, message.qfi};
  item.inner = message.payload.data();
  item.inner_length = static_cast<std::uint32_t>(message.payload.size());
  item.table = &sessions_.by_teid();
  item.key = message.teid == 0 ? 0 : Sessions::teid_key(place, message.teid);
  if (message.type != kGPdu || message.fault != Message::Fault::none) handle_message(item, t, message, now_ns);
}

std::uint8_t Worker::place_of(std::uint32_t ipv4, std::int32_t side) const noexcept {
  for (std::uint8_t i = 0; i < locals_.size(); ++i) {
    if (locals_[i].ipv4 == ipv4 && (side == HEADROOM_N9 ? locals_[i].n9 : locals_[i].n3)) return i;
  }
  return LocalAddresses::kNone;
}

std::uint8_t Worker::place_of(const Transport& t, std::int32_t side) const noexcept {
  if (!t.ipv6) return place_of(read32(t.destination), side);
  const std::uint8_t place = config_.addresses.find(t.destination_address());
  if (place == LocalAddresses::kNone) return place;
  return (side == HEADROOM_N9 ? locals_[place].n9 : locals_[place].n3) ? place : LocalAddresses::kNone;
}

void Worker::find_session(Item& item, std::uint64_t now_ns) {
  if (item.session != nullptr) {
    item.rules = item.session->rules.load(std::memory_order_acquire);
    const bool uplink = item.packet->side != HEADROOM_N6;
    if (!flows_) {
      fetch_rules(item.rules, kPlain[uplink]);
    } else if (!lies_behind(item.rules, item.session)) {
      fetch_rules(item.rules, kBilled[uplink]);
    }
    return;
  }
  if (item.packet->side == HEADROOM_N6) return finish(item, HEADROOM_NOTHING, HEADROOM_REASON_NO_SESSION);
  // An Error Indication tells the sender, as often as the limit allows, unless the TEID is 0 (7.3.1).
  finish(item, HEADROOM_NOTHING, HEADROOM_REASON_NO_SESSION);
  if (mutant("gtpu-no-error-indication")) return;
  if ((item.tunnel.teid == 0 && !mutant("gtpu-error-indication-for-teid-0")) || !may_reply(now_ns)) return;
  std::uint8_t room[kLongestReply];
  const Transport t = read_transport(octets_of(*item.packet));
  reply(item, t, {room, write_error_indication(room, {item.tunnel.teid, t.destination_address()}, t.source_port)},
        kGtpuPort);
}

void Worker::find_match(Item& item) {
  item.uninspected = false;
  if (!item.is_ip) return finish(item, HEADROOM_ERR_MALFORMED);
  const RuleSet& rules = *item.rules;
  if (!rules.has_filters && !inspection_) {
    item.drop = false;
    item.match = rules.find_without_filters(item.tunnel, item.fields);
    if (item.match == nullptr) finish(item, HEADROOM_NOTHING, HEADROOM_REASON_NO_RULE);
    return;
  }
  if (!flows_) {
    (void)read_user_packet({item.inner, item.inner_length}, item.fields);
    item.match = rules.find(item.tunnel, item.fields, item.drop);
    if (item.match == nullptr) finish(item, HEADROOM_NOTHING, HEADROOM_REASON_NO_RULE);
    return;
  }
  const bool uplink = item.packet->side == HEADROOM_N3;
  const FlowPath path = FlowPath::of(item.fields, item.tunnel);
  FlowTable::Entry* entry = flows_->find(item.flow, item.flow_key);
  const std::uint16_t known = entry != nullptr ? entry->find(path, uplink, rules.generation) : FlowTable::kUnknown;
  if (known != FlowTable::kUnknown) {
    ++counters_.flows_found;
    item.match = rules.matches + (known & ~FlowTable::kDrop);
    __builtin_prefetch(item.match);
    item.drop = (known & FlowTable::kDrop) != 0;
    item.uninspected = entry->inspected != FlowTable::kInspected;
    return;
  }
  item.match = rules.find(item.tunnel, item.fields, item.drop);
  if (item.match == nullptr) return finish(item, HEADROOM_NOTHING, HEADROOM_REASON_NO_RULE);
  ++counters_.flows_inserted;
  if (entry == nullptr) entry = &flows_->insert(item.flow, item.flow_key);
  entry->keep(path, uplink, rules.generation,
              static_cast<std::uint16_t>((item.match - rules.matches) | (item.drop ? FlowTable::kDrop : 0)));
  item.uninspected = entry->inspected != FlowTable::kInspected;
}

// Inspects the packet if it has payload. Its flow may have lost its entry to a later packet of the chunk; a packet that
// comes after is inspected then.
void Worker::inspect(const Item& item) {
  const PacketFields& fields = item.fields;
  if (fields.payload_at == 0 || fields.payload_at >= fields.length) return;
  FlowTable::Entry* const entry = flows_->find(item.flow, item.flow_key);
  if (entry == nullptr || entry->inspected == FlowTable::kInspected) return;
  inspection_->inspect(item.flow_key, {item.inner + fields.payload_at, item.inner + fields.length}, entry->inspected);
}

void Worker::fetch_lists(const Item& item) noexcept {
  const Match& match = *item.match;
  __builtin_prefetch(match.action);
  __builtin_prefetch(match.billing);
}

void Worker::fetch_counters(const Item& item) noexcept {
  const Billing* const billing = item.match->billing;
  if (billing == nullptr) return;
  for (const Rate& rate : billing->rates()) __builtin_prefetch(rate.meter, 1);
  for (const Usage* const usage : billing->usages()) __builtin_prefetch(usage, 1);
}

Container Worker::container_of(const Item& item) noexcept {
  const Match& match = *item.match;
  const std::uint8_t qfi = match.qfi != kNoQfi ? match.qfi : item.tunnel.qfi;
  Container container;
  container.present = qfi != kNoQfi && !mutant("gtpu-no-container");
  container.uplink = (match.flags & Match::kUplink) != 0 || mutant("gtpu-container-of-the-uplink");
  container.octet = container.uplink ? qfi : static_cast<std::uint8_t>(match.container | qfi);
  container.paging = match.paging;
  return container;
}

void Worker::apply(Item& item, std::uint64_t now_ns) {
  const Match& match = *item.match;
  const Action*& action = item.action = match.action;
  if (item.drop) return finish(item, HEADROOM_NOTHING, HEADROOM_REASON_RULE);
  if ((match.flags & Match::kGateClosed) != 0) {
    if (mutant("gtpu-dropped-packets-counted")) count(item, now_ns);
    if ((action->apply & kForward) != 0) count_before_qos(item, now_ns);
    return finish(item, HEADROOM_NOTHING, HEADROOM_REASON_GATE);
  }
  if ((action->apply & kBuffer) != 0) return buffer(item, now_ns);
  if ((action->apply & kForward) == 0 && !mutant("gtpu-drop-forwards")) {
    if ((action->apply & kNotify) != 0) notify(item, now_ns);
    return finish(item, HEADROOM_NOTHING, HEADROOM_REASON_RULE);
  }
  if (match.billing != nullptr) {
    for (const Rate& rate : match.billing->rates()) {
      if (rate.meter->pass(item.fields.length, rate.rate, now_ns)) continue;
      count_before_qos(item, now_ns);
      return finish(item, HEADROOM_NOTHING, HEADROOM_REASON_RATE);
    }
    if (!within_quota(item, action)) return finish(item, HEADROOM_NOTHING, HEADROOM_REASON_QUOTA);
    count(item, now_ns);
  }
}

void Worker::rewrite(Item& item) {
  const Match& match = *item.match;
  const Action* const action = item.action;
  headroom_user_packet& p = *item.packet;
  std::uint8_t* octets = p.octets + (item.inner - p.octets);
  std::uint32_t length = item.fields.length;
  if (item.tunnel.teid != 0 && match.removal == HeaderRemoval::none) {  // the packet stays as it came
    const Transport t = read_transport(octets_of(p));
    octets = p.octets;
    length = static_cast<std::uint32_t>(t.payload - p.octets) + t.payload_length;
  }
  if ((action->apply & kDuplicate) != 0) duplicate(item, *action, octets, length);
  ++counters_.forwarded;
  counters_.octets += item.fields.length;
  const Target& target = action->target;
  if (target.header_length != 0) {
    std::uint8_t* const begin = encapsulate(octets, length, kGPdu, target, container_of(item));
    if (begin == nullptr) return finish(item, HEADROOM_ERR_UNSUPPORTED);
    length += static_cast<std::uint32_t>(octets - begin);
    octets = begin;
  } else if (target.traffic_class_mask != 0) {
    mark(octets, target);
  }
  p.octets = octets;
  p.length = length;
  p.side = target.side;
  finish(item, HEADROOM_OK);
}

// ---- Usage and events

bool Worker::within_quota(const Item& item, const Action*& action) noexcept {
  for (const Usage* const held : item.match->billing->usages()) {
    const Usage& usage = *held;
    if (!usage.exhausted.load(std::memory_order_relaxed) || mutant("gtpu-quota-ignored")) continue;
    const std::vector<Urr>& urrs = item.rules->cold->rules.urrs;
    const auto urr = std::ranges::find(urrs, usage.id, &Urr::id);
    if (urr == urrs.end() || !urr->has_quota_far) return false;
    const std::vector<Far>& fars = item.rules->cold->rules.fars;
    const auto far = std::ranges::find(fars, urr->quota_far, &Far::id);
    if (far == fars.end() || (far->action & kForward) == 0) return false;
    action = item.rules->actions + (far - fars.begin());
  }
  return true;
}

void Worker::count_before_qos(const Item& item, std::uint64_t now_ns) {
  const Action* action = item.action;
  if (item.match->billing == nullptr || !within_quota(item, action) || mutant("gtpu-mbqe-ignored")) return;
  for (Usage* const usage : item.match->billing->usages()) {
    const std::vector<Urr>& urrs = item.rules->cold->rules.urrs;
    const auto urr = std::ranges::find(urrs, usage->id, &Urr::id);
    if (urr != urrs.end() && (urr->information & Urr::kBeforeQos) != 0) count(item, now_ns, *usage);
  }
}

void Worker::count(const Item& item, std::uint64_t now_ns) {
  for (Usage* const usage : item.match->billing->usages()) count(item, now_ns, *usage);
}

void Worker::count(const Item& item, std::uint64_t now_ns, Usage& usage) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const std::uint64_t octets = mutant("gtpu-outer-headers-counted") ? item.packet->length : item.fields.length;
  const bool uplink = (item.match->flags & Match::kUplink) != 0;
  if (usage.inactive.load(kRelaxed)) return;
  Usage::Counter& counter = uplink ? usage.uplink : usage.downlink;
  const Usage::Counter& other = uplink ? usage.downlink : usage.uplink;
  if (usage.counts_packets.load(kRelaxed)) counter.packets.fetch_add(1, kRelaxed);
  const std::uint64_t sum = counter.octets.fetch_add(octets, kRelaxed) + octets;
  const std::uint64_t total = sum + other.octets.load(kRelaxed);
  std::uint32_t reached = 0;
  if (total >= usage.watched_from.load(kRelaxed)) {
    reached =
        (uplink ? usage.uplink_limit : usage.downlink_limit).reached_by(sum) | usage.total_limit.reached_by(total);
  }
  const std::uint64_t inactivity =
      usage.has_inactivity.load(kRelaxed) ? usage.inactivity_s.load(kRelaxed) * 1'000'000'000 : 0;
  std::uint64_t last = now_ns;
  if (inactivity == 0) {
    usage.last_packet_ns.store(now_ns, kRelaxed);
  } else {
    last = usage.last_packet_ns.exchange(now_ns, kRelaxed);
  }
  if (usage.first_packet_ns.load(kRelaxed) == kUnlimited) {
    std::uint64_t none = kUnlimited;
    usage.first_packet_ns.compare_exchange_strong(none, now_ns, kRelaxed);
  } else if (inactivity != 0 && now_ns > last && now_ns - last > inactivity) {
    usage.idle_ns.fetch_add(now_ns - last - inactivity, kRelaxed);
  }
  if (usage.reports_start.load(kRelaxed)) reached |= Usage::kStart;
  if (reached == 0) return;
  if ((reached & Usage::kQuota) != 0) usage.exhausted.store(true, kRelaxed);
  reached &= ~std::uint32_t{usage.reached.load(kRelaxed)};
  if (reached == 0) return;
  Event event;
  event.kind = Event::Kind::usage;
  event.session = item.session->seid;
  event.id = usage.id;
  event.reached = reached;
  event.time_ns = now_ns;
  if (!epoch_.events.push(event)) return;  // the next packet tries again
  usage.reached.fetch_or(static_cast<std::uint8_t>(reached), kRelaxed);
  if ((reached & Usage::kStart) != 0) usage.reports_start.store(false, kRelaxed);
}

void Worker::notify(const Item& item, std::uint64_t now_ns) {
  auto& session = const_cast<Session&>(*item.session);
  if (session.notified.load(std::memory_order_relaxed) || mutant("gtpu-downlink-data-not-reported")) return;
  Event event;
  event.kind = Event::Kind::downlink_data;
  event.session = session.seid;
  event.id = item.match->id;
  event.qfi = item.match->qfi != kNoQfi ? item.match->qfi : std::uint8_t{0};
  event.time_ns = now_ns;
  if (epoch_.events.push(event)) session.notified.store(true, std::memory_order_relaxed);
}

// ---- Packets that are kept

void Worker::buffer(Item& item, std::uint64_t now_ns) {
  const Action& action = *item.match->action;
  if ((action.apply & kNotify) != 0) notify(item, now_ns);
  const std::size_t most = mutant("gtpu-one-packet-buffered") ? 1 : item.rules->details_of(action).buffered_packets;
  buffer_.add(item.session->seid, item.rules->generation, most, octets_of(*item.packet), item.packet->side,
              item.session->buffer_epoch.load(std::memory_order_relaxed));
  finish(item, HEADROOM_NOTHING, HEADROOM_REASON_BUFFERED);
}

void Worker::duplicate(const Item& item, const Action& action, const std::uint8_t* octets, std::uint32_t length) {
  if (mutant("gtpu-nothing-duplicated")) return;
  const ActionDetails& details = item.rules->details_of(action);
  for (std::size_t i = 0; i < details.duplicate_count; ++i) {
    const Target& target = item.rules->cold->duplicates[details.first_duplicate + i];
    std::uint8_t* const room = outbox_.add(kMostOuterHeader + length, target.side);
    if (room == nullptr) return;
    std::uint8_t* const copy = room + kMostOuterHeader;
    std::memcpy(copy, octets, length);
    const std::uint8_t* begin = copy;
    if (target.header_length != 0) begin = encapsulate(copy, length, kGPdu, target, container_of(item));
    const std::size_t total = begin == nullptr ? 0 : static_cast<std::size_t>(copy + length - begin);
    if (total != 0) std::memmove(room, begin, total);
    outbox_.shorten(total);
  }
}

void Worker::reassemble(Item& item, std::uint64_t now_ns) {
  const std::span<const std::uint8_t> whole = reassembly_.add(octets_of(*item.packet), now_ns);
  finish(item, HEADROOM_NOTHING, HEADROOM_REASON_BUFFERED);
  if (!whole.empty()) forward_kept(whole, item.packet->side, now_ns);
}

void Worker::forward_kept(std::span<const std::uint8_t> octets, std::int32_t side, std::uint64_t now_ns) {
  constexpr std::size_t kRoom = HEADROOM_USER_PLANE_ROOM;
  scratch_.resize(kRoom + octets.size() + kRoom);
  std::memcpy(scratch_.data() + kRoom, octets.data(), octets.size());
  headroom_user_packet packet{};
  packet.octets = scratch_.data() + kRoom;
  packet.length = static_cast<std::uint32_t>(octets.size());
  packet.room_before = packet.room_behind = kRoom;
  packet.side = side;
  Item item;
  item.packet = &packet;
  forward_chunk<false>(&item, 1, now_ns);
  if (packet.status != HEADROOM_OK) return;
  if (std::uint8_t* const room = outbox_.add(packet.length, packet.side))
    std::memcpy(room, packet.octets, packet.length);
}

void Worker::release_buffered(std::uint64_t now_ns) {
  const std::uint64_t generation = sessions_.generation();
  if (generation != buffer_generation_ && !buffer_.empty()) {
    const auto queues = buffer_.take([this](std::uint64_t seid, std::uint64_t held) {
      const Session* const session = sessions_.find(seid);
      return session != nullptr && session->rules.load(std::memory_order_acquire)->generation == held;
    });
    for (const PacketBuffer::Queue& queue : queues) {
      const Session* const session = sessions_.find(queue.seid);
      if (session == nullptr) continue;
      const std::uint32_t epoch = session->buffer_epoch.load(std::memory_order_relaxed);
      std::ranges::copy_if(queue.packets, std::back_inserter(released_),
                           [epoch](const PacketBuffer::Packet& packet) { return packet.epoch == epoch; });
    }
  }
  buffer_generation_ = generation;
  while (!released_.empty() && !outbox_.full()) {
    const PacketBuffer::Packet packet = std::move(released_.front());
    released_.pop_front();
    forward_kept(packet.octets, packet.side, now_ns);
  }
}

std::size_t Worker::take(headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns) {
  sessions_.enter(epoch_);
  release_buffered(now_ns);
  Sessions::leave(epoch_);
  std::size_t taken = 0;
  for (; taken < count; ++taken) {
    headroom_user_packet& p = packets[taken];
    std::size_t length = first_ ? sessions_.take_packet(p.octets, p.side) : 0;
    if (length == 0) length = outbox_.take(p.octets, p.side);
    if (length == 0) break;
    p.length = static_cast<std::uint32_t>(length);
    p.status = HEADROOM_OK;
  }
  return taken;
}

}  // namespace headroom::gtpu
