// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/test/support/bad_link.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace headroom::rohc::test {
namespace {

using wire::PacketType;

void add(Account::ByProtection& to, const Account::ByProtection& from) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

std::uint64_t& at(Account::ByProtection& counts, PacketType type) noexcept {
  return counts[static_cast<std::size_t>(protection_of(type))];
}

}  // namespace

Protection protection_of(PacketType type) noexcept {
  switch (type) {
    case PacketType::kUo0:
    case PacketType::kUo1:
    case PacketType::kUo1Id:
    case PacketType::kUo1Ts:
      return Protection::kCrc3;
    case PacketType::kUor2:
    case PacketType::kUor2Id:
    case PacketType::kUor2Ts:
    case PacketType::kR0Crc:
      return Protection::kCrc7;
    case PacketType::kIr:
    case PacketType::kIrDyn:
      return Protection::kCrc8;
    default:
      return Protection::kNone;
  }
}

void Account::add(const Account& a) noexcept {
  packets += a.packets;
  lost += a.lost;
  bursts += a.bursts;
  reordered += a.reordered;
  delivered += a.delivered;
  profiles |= a.profiles;
  reordered_updates += a.reordered_updates;
  intact_and_wrong += a.intact_and_wrong;
  test::add(damaged, a.damaged);
  test::add(mismatched, a.mismatched);
  test::add(first_wrong, a.first_wrong);
  test::add(wrong, a.wrong);
}

std::uint64_t Account::all_wrong() const noexcept { return wrong[0] + wrong[1] + wrong[2] + wrong[3]; }

void BadLink::add(Source source) { senders_.push_back({std::move(source), random_.below(channels_)}); }

Account BadLink::account() const noexcept {
  Account a = account_;
  for (std::size_t i = 1; i < kCrcBits.size(); ++i)
    a.mismatched[i] = decompressor_.counters().crc_mismatches[kCrcBits[i]];
  return a;
}

void BadLink::run(std::size_t packets, bool bad) {
  for (std::size_t i = 0; i < packets; ++i) {
    now_ns_ += 2 * kMillisecond;
    const Sender& sender = senders_[random_.below(static_cast<std::uint32_t>(senders_.size()))];
    Travelling t{{}, sender.source(), sender.channel};
    Compressed c = compress(compressor_, t.original, now_ns_, t.channel);
    if (c.status != HEADROOM_OK) {
      std::fprintf(stderr, "a packet was not compressed: status %d\n", c.status);
      std::abort();
    }
    t.octets = std::move(c.octets);
    ++account_.packets;
    account_.profiles |= 1U << c.detail.profile;
    if (bad) {
      impair(std::move(t), c);
    } else {
      deliver(t);
    }
    feed_back(bad);
  }
  account_.lost += late_.size();
  late_.clear();
}

void BadLink::impair(Travelling t, const Compressed& sent) {
  if (burst_left_ != 0) {
    --burst_left_;
    ++account_.lost;
    return;
  }
  if (random_.chance(damage_.burst)) {
    burst_left_ = random_.between(3, 59);
    ++account_.bursts;
    ++account_.lost;
    return;
  }
  if (random_.chance(damage_.loss)) {
    ++account_.lost;
    return;
  }
  if (random_.chance(damage_.bit_errors)) damage(t, sent);
  if (random_.chance(damage_.reordering)) {
    note_out_of_place(t, sent);
    late_.push_back(std::move(t));
    return;
  }
  deliver(t);
  if (random_.chance(damage_.duplication)) {
    note_out_of_place(t, sent);
    deliver(t);
  }
  if (!late_.empty() && random_.chance(0.3)) {
    deliver(late_.front());
    late_.erase(late_.begin());
  }
}

void BadLink::damage(Travelling& t, const Compressed& sent) {
  t.touched = true;
  ++at(account_.damaged, sent.type());
  const auto bits = static_cast<std::uint32_t>(8 * sent.header());
  for (unsigned flips = random_.between(1, 3); flips > 0; --flips) {
    const std::uint32_t bit = random_.below(bits);
    t.octets[bit / 8] = static_cast<std::uint8_t>(t.octets[bit / 8] ^ 1U << bit % 8);
  }
}

void BadLink::note_out_of_place(Travelling& t, const Compressed& sent) {
  t.touched = true;
  ++account_.reordered;
  account_.reordered_updates += wire::updates_in_r_mode(sent.type()) ? 1U : 0U;
}

void BadLink::deliver(const Travelling& t) {
  const Restored r = decompress(decompressor_, t.octets, now_ns_, t.channel);
  const bool delivered = r.status == HEADROOM_OK;
  const bool right = delivered && r.octets == t.original;
  account_.delivered += delivered ? 1U : 0U;
  failures_ += right ? 0U : 1U;
  if (delivered && !right) note_wrong(r, t);
  if (r.detail.cid < per_channel_) was_wrong_[t.channel * per_channel_ + r.detail.cid] = delivered && !right;
}

void BadLink::note_wrong(const Restored& r, const Travelling& t) {
  ++at(account_.wrong, r.type());
  const bool again = r.detail.cid < per_channel_ && was_wrong_[t.channel * per_channel_ + r.detail.cid];
  if (!again) ++at(account_.first_wrong, r.type());
  if (!t.touched && protection_of(r.type()) == Protection::kNone) ++account_.intact_and_wrong;
}

void BadLink::feed_back(bool bad) {
  for (FeedbackElement& e : take_all(decompressor_.own_feedback())) {
    if (bad && random_.chance(0.1)) continue;
    if (bad && random_.chance(0.02)) e.octets[random_.below(static_cast<std::uint32_t>(e.octets.size()))] ^= 0x10;
    compressor_.give_feedback(e.channel, e.octets, now_ns_);
  }
  (void)take_all(decompressor_.received_feedback());
}

}  // namespace headroom::rohc::test
