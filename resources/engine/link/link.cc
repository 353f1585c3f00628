// SPDX-License-Identifier: Apache-2.0
#include "link/link.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/error.h"

namespace headroom {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kMostIdle = 20'000'000;  // as many as a source may have packets

constexpr bool is_delivered(OnError policy) { return policy == OnError::deliver || policy == OnError::mark; }

}  // namespace

const char* name_of(Fate fate) noexcept {
  switch (fate) {
    case Fate::delivered:
      return "delivered";
    case Fate::scripted_drop:
      return "scripted_drop";
    case Fate::loss:
      return "loss";
    case Fate::burst_loss:
      return "burst_loss";
    case Fate::header_error:
      return "header_error";
    case Fate::payload_error:
      return "payload_error";
    case Fate::queue_full:
      return "queue_full";
    case Fate::carrier:
      return "carrier";
  }
  return "";
}

// The numbers of the streams are part of what a seed means: never renumber them.
Link::Link(Impairment impairment, std::uint64_t seed)
    : impairment_(std::move(impairment)),
      loss_(impairment_.loss),
      good_to_bad_(impairment_.burst_loss ? impairment_.burst_loss->good_to_bad : 0),
      bad_to_good_(impairment_.burst_loss ? impairment_.burst_loss->bad_to_good : 0),
      loss_good_(impairment_.burst_loss ? impairment_.burst_loss->loss_good : 0),
      loss_bad_(impairment_.burst_loss ? impairment_.burst_loss->loss_bad : 0),
      ber_(impairment_.ber),
      reorder_(impairment_.reorder.probability),
      duplicate_(impairment_.duplicate),
      loss_random_(derive(seed, 1)),
      burst_random_(derive(seed, 2)),
      ber_random_(derive(seed, 3)),
      reorder_random_(derive(seed, 4)),
      duplicate_random_(derive(seed, 5)),
      jitter_random_(derive(seed, 6)) {
  if (impairment_.slots) schedule_.emplace(*impairment_.slots, impairment_.rate_bps);
}

std::optional<std::uint64_t> Link::next_close_ns() const noexcept {
  if (!schedule_ || !impairment_.slots->deliver_idle) return std::nullopt;
  return schedule_->next_close_ns();
}

void Link::close_buffer(std::vector<Delivery>& deliveries) {
  for (const std::uint64_t time_ns : schedule_->close()) {
    if (++idle_ > kMostIdle) {
      throw Error(ErrorKind::job, "more than " + std::to_string(kMostIdle) +
                                      " idle packets would be delivered: the traffic has long gaps. Leave out "
                                      "\"deliver_idle\", or send for a shorter time.");
    }
    LinkPacket packet;
    packet.octets = impairment_.idle;
    packet.tag = kInserted;
    deliveries.push_back({time_ns + impairment_.delay_ns, std::move(packet), false, false, true});
  }
}

LinkCounts Link::counts() const {
  LinkCounts counts = counts_;
  if (schedule_) {
    counts.slots = schedule_->counts();
    counts.queue_most_octets = counts.slots->most_waiting * impairment_.slots->packet_octets;
  }
  return counts;
}

std::vector<Delivery> Link::insertions(std::uint64_t now_ns) {
  std::vector<Delivery> deliveries;
  const auto it = impairment_.insert.find(counts_.sent);
  if (it == impairment_.insert.end()) return deliveries;
  for (Insertion& insertion : it->second) {
    LinkPacket packet;
    packet.octets = std::move(insertion.octets);
    packet.channel = insertion.channel;
    packet.type = insertion.type;
    packet.tag = kInserted;
    ++counts_.inserted;
    deliveries.push_back({now_ns + impairment_.delay_ns, std::move(packet), false, insertion.error});
  }
  impairment_.insert.erase(it);
  return deliveries;
}

LinkOutcome Link::send(LinkPacket packet, std::uint64_t now_ns, std::vector<Delivery>& deliveries) {
  LinkOutcome outcome;
  outcome.number = counts_.sent++;
  counts_.sent_octets += packet.octets.size();
  // Everything is decided for every packet, lost or not, so that one impairment never changes what another one does to
  // later packets.
  const Fate lost = lose(outcome.number);
  bool is_marked = false;
  const Fate damaged = damage(packet, outcome.number, outcome.flipped, is_marked);
  outcome.fate = lost != Fate::delivered ? lost : damaged;
  std::optional<std::uint64_t> sent_ns = now_ns;
  if (impairment_.harmed_at == HarmedAt::link || outcome.fate == Fate::delivered || is_reported(outcome.fate)) {
    sent_ns = departure(packet.octets.size(), now_ns);
    if (!sent_ns) outcome.fate = Fate::queue_full;
  }
  ++counts_.fates[static_cast<std::size_t>(outcome.fate)];
  const bool hold = reorder_.happens(reorder_random_.next());
  const bool copy = duplicate_.happens(duplicate_random_.next());
  if (outcome.fate == Fate::delivered) {
    now_ns = *sent_ns;
    if (!outcome.flipped.empty()) ++counts_.damaged_delivered;
    if (is_marked) ++counts_.marked;
    if (copy) {
      outcome.duplicated = true;
      ++counts_.duplicated;
    }
    if (hold) {
      outcome.held = true;
      ++counts_.reordered;
      if (copy) deliver(packet, now_ns, true, deliveries);  // the copy goes ahead, the packet follows later
      release(now_ns, deliveries);
      held_.push_back({std::move(packet), impairment_.reorder.depth});
      return outcome;
    }
    if (copy) {
      deliver(packet, now_ns, false, deliveries);
      deliver(std::move(packet), now_ns, true, deliveries);
    } else {
      deliver(std::move(packet), now_ns, false, deliveries);
    }
    release(now_ns, deliveries);
  } else if (is_reported(outcome.fate)) {
    packet.octets.clear();
    deliveries.push_back({arrival(*sent_ns), std::move(packet), false, true});
  }
  return outcome;
}

std::vector<Delivery> Link::flush(std::uint64_t now_ns) {
  const auto beyond = [this](const auto& scripted) {
    return static_cast<std::uint64_t>(std::distance(scripted.lower_bound(counts_.sent), scripted.end()));
  };
  counts_.script_missed -= beyond_;
  beyond_ = beyond(impairment_.drop) + beyond(impairment_.flip) + impairment_.insert.size();
  counts_.script_missed += beyond_;
  std::vector<Delivery> deliveries;
  for (Held& held : std::exchange(held_, {})) deliver(std::move(held.packet), now_ns, false, deliveries);
  return deliveries;
}

std::optional<std::uint64_t> Link::departure(std::size_t octets, std::uint64_t now_ns) {
  if (impairment_.rate_bps == 0) return now_ns;
  if (schedule_) return schedule_->hand_over(octets, now_ns, impairment_.queue_octets);
  while (!departures_.empty() && departures_.front() <= now_ns) departures_.pop_front();
  if (impairment_.queue_packets != 0 && departures_.size() >= impairment_.queue_packets) return std::nullopt;
  const std::uint64_t begin = std::max(now_ns, busy_until_ns_);
  const std::uint64_t end = begin + octets * 8 * kSecondNs / impairment_.rate_bps;
  // What is queued is what the link will be busy with: time is the one account of it.
  const auto backlog = static_cast<std::uint64_t>(
      static_cast<double>(end - now_ns) * static_cast<double>(impairment_.rate_bps) / 8e9 + 0.5);
  if (impairment_.queue_octets != 0 && backlog > impairment_.queue_octets) return std::nullopt;
  counts_.queue_most_octets = std::max(counts_.queue_most_octets, backlog);
  busy_until_ns_ = end;
  if (impairment_.queue_packets != 0) departures_.push_back(end);
  return end;
}

bool Link::is_reported(Fate fate) const noexcept {
  return (fate == Fate::header_error && impairment_.header_errors == OnError::report) ||
         (fate == Fate::payload_error && impairment_.payload_errors == OnError::report);
}

Fate Link::lose(std::uint64_t number) {
  const bool lost = loss_.happens(loss_random_.next());
  bool burst = false;
  if (impairment_.burst_loss) {
    burst = (bad_ ? loss_bad_ : loss_good_).happens(burst_random_.next());
    if ((bad_ ? bad_to_good_ : good_to_bad_).happens(burst_random_.next())) bad_ = !bad_;
  }
  if (impairment_.drop.contains(number)) return Fate::scripted_drop;
  if (lost) return Fate::loss;
  return burst ? Fate::burst_loss : Fate::delivered;
}

Fate Link::damage(LinkPacket& packet, std::uint64_t number, std::vector<std::uint32_t>& flipped, bool& is_marked) {
  const auto spared = std::min<std::size_t>(packet.spared_length, packet.octets.size());
  std::uint8_t* const exposed = packet.octets.data() + spared;
  const auto bits = static_cast<std::uint32_t>((packet.octets.size() - spared) * 8);
  if (ber_.possible()) {
    for (std::uint32_t bit = 0; bit < bits; ++bit) {
      if (ber_.happens(ber_random_.next())) flipped.push_back(bit);
    }
  }
  if (const auto it = impairment_.flip.find(number); it != impairment_.flip.end()) {
    for (const std::uint32_t bit : it->second) {
      if (bit < bits) {
        flipped.push_back(bit);
      } else {
        ++counts_.script_missed;
      }
    }
    std::sort(flipped.begin(), flipped.end());
  }
  bool header = false;
  bool payload = false;
  for (const std::uint32_t bit : flipped) {
    exposed[bit / 8] = static_cast<std::uint8_t>(exposed[bit / 8] ^ (0x80u >> (bit % 8)));
    (bit / 8 < packet.header_length ? header : payload) = true;
  }
  counts_.bits_flipped += flipped.size();
  if (header && !is_delivered(impairment_.header_errors)) return Fate::header_error;
  if (payload && !is_delivered(impairment_.payload_errors)) return Fate::payload_error;
  const bool marks = (header && impairment_.header_errors == OnError::mark) ||
                     (payload && impairment_.payload_errors == OnError::mark);
  if (marks && spared + impairment_.error_mark.octet < packet.octets.size())
    exposed[impairment_.error_mark.octet] |= impairment_.error_mark.mask;
  is_marked = marks;
  return Fate::delivered;
}

std::uint64_t Link::arrival(std::uint64_t now_ns) {
  std::uint64_t at = now_ns + impairment_.delay_ns;
  if (impairment_.jitter_ns != 0) at += uniform(impairment_.jitter_ns, [this] { return jitter_random_.next(); });
  return at;
}

void Link::deliver(LinkPacket packet, std::uint64_t now_ns, bool duplicate, std::vector<Delivery>& deliveries) {
  deliveries.push_back({arrival(now_ns), std::move(packet), duplicate, false});
}

// A later packet was sent and not lost: held packets that have waited for enough such packets leave behind it.
void Link::release(std::uint64_t now_ns, std::vector<Delivery>& deliveries) {
  for (std::size_t i = 0; i < held_.size();) {
    if (--held_[i].remaining == 0) {
      deliver(std::move(held_[i].packet), now_ns, false, deliveries);
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

}  // namespace headroom
