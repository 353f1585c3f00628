// SPDX-License-Identifier: Apache-2.0
//
// What a packet changes, and since when the decompressor may know it.
#include <algorithm>
#include <cstring>

#include "rohc/tcp/compressor/context.h"

namespace headroom::rohc::tcp {
namespace {

bool differ(const std::uint8_t* a, const std::uint8_t* b, std::size_t from, std::size_t count) noexcept {
  return std::memcmp(a + from, b + from, count) != 0;
}

// True if fields of a header differ that only IR packets carry.
bool static_differs(const Header& h, const std::uint8_t* a, const std::uint8_t* b) noexcept {
  switch (h.kind) {
    case HeaderKind::kIpv4:
      return a[ipv4::kProtocol] != b[ipv4::kProtocol] || differ(a, b, ipv4::kAddresses, 8);
    case HeaderKind::kIpv6:
      return ((load32(a) ^ load32(b)) & 0xfffff) != 0 || a[ipv6::kNextHeader] != b[ipv6::kNextHeader] ||
             differ(a, b, ipv6::kAddresses, 32);
    case HeaderKind::kHopByHop:
    case HeaderKind::kDestination:
      return differ(a, b, 0, 2);
    case HeaderKind::kRouting:
      return differ(a, b, 0, h.length);
    case HeaderKind::kAh:
      return differ(a, b, 0, 2) || differ(a, b, 4, 4);
    case HeaderKind::kGre:
      return differ(a, b, 0, 4) || ((a[0] & 0x20) != 0 && differ(a, b, (a[0] & 0x80) != 0 ? 8 : 4, 4));
    case HeaderKind::kMine:
      return differ(a, b, 0, 2) || differ(a, b, 4, h.length - 4U);
    case HeaderKind::kTcp:
      return differ(a, b, 0, 4);
  }
  return true;
}

constexpr unsigned kJump = 4, kMostJumps = 8;  // of id_jumps_: a jump adds so many, more than so many are too many
constexpr unsigned kSteady = 8;                // packets of another behaviour before it is believed

}  // namespace

bool CompressorContext::is_same_flow(const Layout& layout, const std::uint8_t* octets) const noexcept {
  if (is_forgotten_ || layout.count != layout_.count) return false;
  for (unsigned i = 0; i < layout.count; ++i) {
    const Header &h = layout.headers[i], &mine = layout_.headers[i];
    const bool last = i + 1U == layout.count;
    if (h.kind != mine.kind || (!last && h.length != mine.length)) return false;
    if (static_differs(h, octets + h.at, octets_.data() + mine.at)) return false;
  }
  return true;
}

// An index for an option that has none of its own, or whose own is taken in this list by another content: that of the
// same option before, else a free one, else one that this list does not need.
std::uint8_t CompressorContext::generic_index(const Now& now, const std::uint8_t* option,
                                              std::size_t length) const noexcept {
  std::uint8_t best = 0;
  unsigned best_rank = 0;
  for (std::uint8_t i = kGeneric; i < kTableItems; ++i) {
    if (std::memchr(now.list.index.data(), i, now.list.count) != nullptr) continue;
    const Octets item = options().item(i);
    unsigned rank = 1;
    if (item.empty()) rank = 2;
    if (item.size() == length && item[0] == option[0]) rank = std::memcmp(item.data(), option, length) == 0 ? 4 : 3;
    if (rank > best_rank) {
      best_rank = rank;
      best = i;
    }
  }
  return best;
}

// Finds the options of a packet and gives them indexes. False if they make no list.
bool CompressorContext::find_options(Now& now) noexcept {
  const Octets all{now.tcp + kTcpLength, now.layout.options()};
  for (std::size_t at = 0; at < all.size();) {
    const std::uint8_t* const option = all.data() + at;
    const std::size_t length = option_length(all.subspan(at));
    if (length == 0) return false;
    std::uint8_t index = index_of(option, length);
    if (index != kNop && index != kGeneric) {
      const void* taken = std::memchr(now.list.index.data(), index, now.list.count);
      if (taken != nullptr) index = kGeneric;
    }
    if (index == kGeneric) index = generic_index(now, option, length);
    if (index == 0 && option[0] != 1) return false;  // no generic index is left
    if (index == kEol && option[0] != 0) return false;
    if (!now.list.append(index, length)) return false;
    at += length;
  }
  return true;
}

// The context becomes that of another flow.
void CompressorContext::start_flow(Now& now) noexcept {
  is_reused_ = is_reused_ || layout_.count != 0;
  is_forgotten_ = false;
  table_ = ItemTable{};
  item_changed_[kNop] = 0;  // which is known without an item, but established "for consistency" (6.3.4)
  list_ = OptionList{};
  layout_ = now.layout;
  for (unsigned i = 0; i < layout_.count; ++i) {
    Header& h = layout_.headers[i];
    if (h.kind != HeaderKind::kIpv4) continue;
    const bool zero = load16(now.packet.data() + h.at + ipv4::kId) == 0;
    h.ip_id = zero                     ? IpIdBehaviour::kZero
              : i == layout_.innermost ? IpIdBehaviour::kSequential
                                       : IpIdBehaviour::kRandom;
  }
  std::memcpy(octets_.data(), now.packet.data(), layout_.octets);
  layout_.set_options(0);
  const Header& inner = layout_.inner();
  const std::uint16_t id = inner.kind == HeaderKind::kIpv4 ? load16(octets_.data() + inner.at + ipv4::kId) : 0;
  for (References& r : references_) at(r, Field::kIpId) = (id - msn_of(next_)) & 0xffffU;
  const std::uint8_t flags = now.tcp[field::kFlags];
  control_.ecn_used = (tos_of(layout_.inner(), octets_.data()) & 3) != 0 || (flags & flag::kEcn) != 0;
  control_.ack_stride = 0;
  stride_candidate_ = stride_seen_ = 0;
  id_jumps_ = id_steps_ = id_zeros_ = 0;
  seq_payload_ = 0;
  crc_acked_ = 0;
  ir_period_ =
      config_.ir_refresh_start == 0 ? config_.ir_refresh : std::min(config_.ir_refresh_start, config_.ir_refresh);
  mark(kStatic);
}

void CompressorContext::observe_headers(const Now& now) noexcept {
  for (unsigned i = 0; i + 1 < now.layout.count; ++i) {
    const Header& h = now.layout.headers[i];
    const std::uint8_t *a = now.packet.data() + h.at, *b = octets_.data() + layout_.headers[i].at;
    switch (h.kind) {
      case HeaderKind::kIpv4:
      case HeaderKind::kIpv6:
        if (i == now.layout.innermost) break;
        if (!control_.ecn_used && tos_of(h, now.packet.data()) != tos_of(layout_.headers[i], octets_.data()))
          mark(kDynamic);
        if (now.packet[ttl_place(h)] != octets_[ttl_place(layout_.headers[i])]) mark(kOuterTtl);
        if (h.kind == HeaderKind::kIpv4) {
          if (differ(a, b, ipv4::kFragment, 2)) mark(kDynamic);
          if (layout_.headers[i].ip_id == IpIdBehaviour::kZero && load16(a + ipv4::kId) != 0) {
            layout_.headers[i].ip_id = IpIdBehaviour::kRandom;
            mark(kDynamic);
          }
        }
        break;
      case HeaderKind::kHopByHop:
      case HeaderKind::kDestination:
        if (differ(a, b, 0, h.length)) mark(kDynamic);
        break;
      case HeaderKind::kAh:
        if (differ(a, b, 2, 2)) mark(kDynamic);
        break;
      default:
        break;
    }
  }
}

// Follows the behaviour of the innermost IP-ID (6.1.2) and sets its field of the base header.
void CompressorContext::observe_ip_id(Now& now) noexcept {
  Header& mine = layout_.inner();
  if (mine.kind != HeaderKind::kIpv4) return;
  const Header& inner = now.layout.inner();
  const std::uint16_t id = load16(now.packet.data() + inner.at + ipv4::kId);
  const std::uint16_t last = load16(octets_.data() + mine.at + ipv4::kId);
  const auto steps = [&](IpIdBehaviour b) {
    const unsigned step = static_cast<std::uint16_t>(counting_id(b, id) - counting_id(b, last));
    return step != 0 && step <= config_.ip_id_largest_step;
  };
  const auto offset = [&] { return static_cast<std::uint16_t>(counting_id(mine.ip_id, id) - msn_of(next_)); };
  const auto become = [&](IpIdBehaviour b) {
    mine.ip_id = b;
    id_jumps_ = id_steps_ = id_zeros_ = 0;
    mark(kBehaviour);
  };
  const bool counts = steps(IpIdBehaviour::kSequential), counts_swapped = !counts && steps(IpIdBehaviour::kSwapped);
  id_zeros_ = static_cast<std::uint8_t>(id == 0 ? std::min(id_zeros_ + 1U, kSteady) : 0);
  switch (mine.ip_id) {
    case IpIdBehaviour::kSequential:
    case IpIdBehaviour::kSwapped:
      if (id_zeros_ >= 2) {
        become(IpIdBehaviour::kZero);
      } else if (mine.ip_id == IpIdBehaviour::kSequential && counts_swapped && !is_settled(kStatic)) {
        become(IpIdBehaviour::kSwapped);  // the second packet shows in which order it counts
      } else if (!reaches_short_ip_id(offset(), references_.data(), config_.repeats) && !(counts || counts_swapped)) {
        id_jumps_ = static_cast<std::uint8_t>(id_jumps_ + kJump);
        if (id_jumps_ > kMostJumps) become(IpIdBehaviour::kRandom);
      } else {
        const bool other = mine.ip_id == IpIdBehaviour::kSequential ? counts_swapped : counts && !steps(mine.ip_id);
        id_steps_ = static_cast<std::uint8_t>(other ? id_steps_ + 1 : 0);
        if (id_jumps_ != 0) --id_jumps_;
        if (id_steps_ >= 2)
          become(mine.ip_id == IpIdBehaviour::kSequential ? IpIdBehaviour::kSwapped : IpIdBehaviour::kSequential);
      }
      break;
    case IpIdBehaviour::kRandom:
      id_steps_ = static_cast<std::uint8_t>(counts || counts_swapped ? id_steps_ + 1 : 0);
      if (id_zeros_ >= kSteady) {
        become(IpIdBehaviour::kZero);
      } else if (id_steps_ >= kSteady) {
        become(counts ? IpIdBehaviour::kSequential : IpIdBehaviour::kSwapped);
      }
      break;
    case IpIdBehaviour::kZero:
      if (id != 0) become(IpIdBehaviour::kSequential);
      break;
  }
  if (is_sequential(mine.ip_id)) at(now.values, Field::kIpId) = offset();
}

void CompressorContext::observe_tcp(Now& now) noexcept {
  const std::uint8_t *a = now.tcp, *b = tcp();
  const Header &inner = now.layout.inner(), &mine = layout_.inner();
  const std::uint8_t tos = tos_of(inner, now.packet.data()), old_tos = tos_of(mine, octets_.data());
  if (tos >> 2 != old_tos >> 2) mark(kDscp);
  if (inner.kind == HeaderKind::kIpv4 &&
      differ(now.packet.data() + inner.at, octets_.data() + mine.at, ipv4::kFragment, 2))
    mark(kDf);
  const bool ecn = ((tos ^ old_tos) & 3) != 0 || ((a[field::kFlags] ^ b[field::kFlags]) & flag::kEcn) != 0 ||
                   ((a[field::kOffset] ^ b[field::kOffset]) & 0x0f) != 0;
  if (ecn && !control_.ecn_used) {
    control_.ecn_used = true;
    mark(kEcnUsed);
  }
  if (differ(a, b, field::kUrgent, 2)) mark(kUrgent);
  if (((a[field::kFlags] ^ b[field::kFlags]) & (flag::kAck | flag::kUrg)) != 0) mark(kFlags);

  Values& v = now.values;
  const std::uint32_t seq = load32(a + field::kSeq), ack = load32(a + field::kAck);
  at(v, Field::kMsn) = msn_of(next_);
  at(v, Field::kSeq) = seq;
  at(v, Field::kAck) = ack;
  at(v, Field::kWindow) = load16(a + field::kWindow);
  at(v, Field::kTtl) = now.packet[ttl_place(inner)];
  observe_numbers(v, ack - load32(b + field::kAck), static_cast<std::uint32_t>(now.payload));
}

// Follows the scaling of sequence and acknowledgement numbers, of which `v` has the values. `step`: how far the
// acknowledgement number has gone.
void CompressorContext::observe_numbers(Values& v, std::uint32_t step, std::uint32_t payload) noexcept {
  const std::uint32_t seq = at(v, Field::kSeq), ack = at(v, Field::kAck);
  const Scaled scaled_seq = payload == 0 ? Scaled{} : scale(seq, payload, seq_scaled_);
  if (payload == 0 || payload != seq_payload_ || scaled_seq.residue != seq_scaled_.residue) mark(kSeqScaling);
  seq_payload_ = payload;
  seq_scaled_ = scaled_seq;
  at(v, Field::kSeqScaled) = scaled_seq.value;

  // A stride is worth its co_common packets if acknowledgements have grown by multiples of it for a while.
  if (config_.stride_after != 0 && step != 0 && step <= 0xffff) {
    if (is_multiple(step, stride_candidate_) && step <= 8 * std::uint64_t{stride_candidate_}) {
      if (stride_seen_ < config_.stride_after) ++stride_seen_;
    } else {
      stride_candidate_ = step;
      stride_seen_ = 0;
    }
    if (stride_seen_ >= config_.stride_after && !is_multiple(step, control_.ack_stride)) {
      control_.ack_stride = static_cast<std::uint16_t>(stride_candidate_);
      mark(kStride);
      mark(kAckScaling);
    }
  }
  const std::uint32_t stride = control_.ack_stride;
  const Scaled scaled_ack = stride == 0 ? Scaled{0, ack} : scale(ack, stride, ack_scaled_);
  if (stride != 0 && scaled_ack.residue != ack_scaled_.residue) mark(kAckScaling);
  ack_scaled_ = scaled_ack;
  at(v, Field::kAckScaled) = scaled_ack.value;
}

// Compares the options with what the item table and the last header have.
void CompressorContext::observe_options(Now& now) noexcept {
  const std::uint8_t* const all = now.tcp + kTcpLength;
  for (unsigned i = 0; i < now.list.count; ++i) {
    const std::uint8_t index = now.list.index[i];
    const Octets option{all + now.list.at[i], now.list.length[i]}, known = options().item(index);
    const bool is_new_nop = index == kNop && item_changed_[kNop] == 0;
    if (is_new_nop || known.size() != option.size() || known[0] != option[0]) {
      item_changed_[index] = content_changed_[index] = next_;
      if (index >= kGeneric) table_.set_static(index, config_.static_options);  // until it changes
    } else if (std::memcmp(known.data(), option.data(), option.size()) != 0) {
      content_changed_[index] = next_;
      const bool static_item = index >= kGeneric && table_.is_static_item(index);
      if (static_item) table_.set_static(index, false);
      if (static_item || index == kMss || index == kWscale) item_changed_[index] = next_;
    }
    for (Index* const changed : {&item_changed_[index], &content_changed_[index]})
      if (*changed == kGone) *changed = next_;
  }
  if (now.list.has_structure_of(list_)) return;
  mark(kList);
  for (unsigned i = 0; i < list_.count; ++i) {
    const std::uint8_t index = list_.index[i];
    const bool stays = std::memchr(now.list.index.data(), index, now.list.count) != nullptr;
    if (stays) continue;
    if (index == kTs || !is_settled(item_changed_[index])) item_changed_[index] = kGone;
    if (!is_settled(content_changed_[index])) content_changed_[index] = kGone;
  }
  if (list_.count != 0) save_items(table_, list_, tcp() + kTcpLength);
}

// Decides how the irregular chain is written, and which options must be in a list.
void CompressorContext::choose_irregular(Now& now) noexcept {
  now.irregular.ecn_used = control_.ecn_used;
  now.irregular.outer_ttl = !is_settled(kOuterTtl);
  unsigned number = 0;
  for (unsigned i = 0; i < now.layout.count; ++i) {
    const std::size_t place = sequence_place(now.layout.headers[i], now.packet.data());
    if (place == 0) continue;
    const std::uint32_t value = load32(now.packet.data() + place);
    const auto reach = [&](unsigned bits, std::int64_t p) {
      return all_sent([&](const Sent& s) { return in_reach(value, s.numbers[number], bits, p, 32); });
    };
    if (!reach(kSevenBits, kSevenP)) {
      now.irregular.wide_numbers = static_cast<std::uint16_t>(now.irregular.wide_numbers | 1U << i);
      now.numbers_reach = now.numbers_reach && reach(kThirtyOneBits, kThirtyOneP);
    }
    ++number;
  }
  for (unsigned i = 0; i < now.list.count; ++i) {
    const std::uint8_t index = now.list.index[i];
    bool present = !is_settled(item_changed_[index]);
    if (index == kTs) {
      const std::uint8_t* const option = now.tcp + kTcpLength + now.list.at[i];
      const auto format = [&](std::uint32_t value, std::uint32_t Sent::*sent) {
        for (unsigned f = 0; f < kTsTooFar; ++f)
          if (all_sent(
                  [&](const Sent& s) { return in_reach(value, s.*sent, kTsFormats[f].bits, kTsFormats[f].p, 32); }))
            return f;
        return kTsTooFar;
      };
      const unsigned value = format(load32(option + 2), &Sent::ts_value),
                     echo = format(load32(option + 6), &Sent::ts_echo);
      now.choice.ts_value = static_cast<std::uint8_t>(value);
      now.choice.ts_echo = static_cast<std::uint8_t>(echo);
      present = present || value == kTsTooFar || echo == kTsTooFar;
    } else if (is_settled(content_changed_[index])) {
      now.choice.unchanged = static_cast<std::uint16_t>(now.choice.unchanged | 1U << index);
    }
    now.present = static_cast<std::uint16_t>(now.present | static_cast<unsigned>(present) << i);
  }
  now.needs_list = now.present != 0 || !is_settled(kList);
}

void CompressorContext::observe(Now& now) noexcept {
  oldest_ = std::max(next_ - config_.repeats, acked_);
  observe_headers(now);
  observe_tcp(now);
  observe_ip_id(now);
  observe_options(now);
  for (unsigned i = 0; i < now.layout.count; ++i) now.layout.headers[i].ip_id = layout_.headers[i].ip_id;
  choose_irregular(now);
}

}  // namespace headroom::rohc::tcp
