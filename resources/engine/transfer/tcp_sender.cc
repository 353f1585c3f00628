// SPDX-License-Identifier: Apache-2.0
#include "transfer/tcp_sender.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace headroom::transfer {

std::uint32_t TcpSender::window() const noexcept {
  return std::min(static_cast<std::uint32_t>(cwnd_) + inflation_, config_.window);
}

std::optional<std::uint64_t> TcpSender::next(std::uint64_t now_ns) noexcept {
  std::optional<std::uint64_t> segment;
  if (resend_first_) {
    resend_first_ = false;
    segment = first_;
  } else if (in_recovery_ && config_.control == CongestionControl::sack) {
    segment = next_in_sack_recovery();
  } else if (next_ < first_ + window()) {
    segment = next_++;
  }
  if (segment) send(*segment, now_ns);
  return segment;
}

std::optional<std::uint64_t> TcpSender::next_in_sack_recovery() noexcept {
  if (pipe_ >= static_cast<std::int64_t>(cwnd_)) return std::nullopt;
  // The lowest hole below a segment that has arrived; else a new segment.
  const auto below = static_cast<unsigned>(std::bit_width(arrived_));
  const std::uint64_t holes = ~(arrived_ | resent_) & (below == 0 ? 0 : (std::uint64_t{1} << (below - 1)) - 1);
  if (holes != 0) {
    const auto hole = static_cast<unsigned>(std::countr_zero(holes));
    resent_ |= std::uint64_t{1} << hole;
    ++pipe_;
    return first_ + hole;
  }
  if (next_ >= first_ + config_.window) return std::nullopt;
  ++pipe_;
  return next_++;
}

void TcpSender::send(std::uint64_t segment, std::uint64_t now_ns) noexcept {
  ++counts_.sent;
  if (segment < end_) {
    ++counts_.sent_again;  // whose acknowledgement would say nothing of the time (Karn and Partridge, 1987)
  } else {
    end_ = segment + 1;
    if (!timed_) {
      timed_ = segment;
      timed_at_ = now_ns;
    }
  }
  if (!timeout_at_) restart_timer(now_ns);
}

void TcpSender::restart_timer(std::uint64_t now_ns) noexcept {
  std::uint64_t timeout_ns = config_.first_timeout_ns;
  if (has_sample_) timeout_ns = static_cast<std::uint64_t>((srtt_ >> 3) + rttvar_) * config_.tick_ns;
  timeout_ns = std::clamp(timeout_ns * back_off_, config_.shortest_timeout_ns, config_.longest_timeout_ns);
  timeout_at_ = now_ns + timeout_ns;
}

void TcpSender::take_sample(std::uint64_t now_ns) noexcept {
  timed_.reset();
  back_off_ = 1;
  const auto rtt = static_cast<std::int64_t>(std::max<std::uint64_t>(ticks(now_ns) - ticks(timed_at_), 1));
  if (!has_sample_) {
    has_sample_ = true;
    srtt_ = rtt << 3;
    rttvar_ = rtt << 1;
    return;
  }
  const std::int64_t delta = rtt - (srtt_ >> 3);
  srtt_ = std::max<std::int64_t>(srtt_ + delta, 1);
  rttvar_ = std::max<std::int64_t>(rttvar_ + std::abs(delta) - (rttvar_ >> 2), 1);
}

void TcpSender::grow() noexcept { cwnd_ += cwnd_ < ssthresh_ ? 1.0 : 1.0 / cwnd_; }

bool TcpSender::note(std::span<const SackBlock> blocks) noexcept {
  const std::uint64_t before = arrived_;
  for (const SackBlock& block : blocks) {
    for (std::uint64_t at = std::max(block.begin, first_); at < std::min(block.end, end_); ++at)
      arrived_ |= std::uint64_t{1} << (at - first_);
  }
  return arrived_ != before;
}

void TcpSender::acknowledge(std::uint64_t expected, std::span<const SackBlock> blocks, std::uint64_t now_ns) noexcept {
  if (expected > end_ || expected < first_) return;
  const bool is_new = expected > first_;
  if (is_new) {
    const std::uint64_t count = expected - first_;
    first_ = expected;
    next_ = std::max(next_, first_);
    arrived_ = count < kMostWindow ? arrived_ >> count : 0;
    resent_ = count < kMostWindow ? resent_ >> count : 0;
    resend_first_ = false;
  }
  const bool is_news = note(blocks);
  if (!is_new) {
    if (end_ > first_) duplicate(is_news, now_ns);
    return;
  }
  // The timer is set by what was known before this acknowledgement.
  timeout_at_.reset();
  if (end_ > first_ && next_ > first_) restart_timer(now_ns);
  if (timed_ && expected > *timed_) take_sample(now_ns);
  if (in_recovery_ && config_.control == CongestionControl::sack && first_ < recovered_at_) {
    pipe_ -= 2;  // the hole that was sent again, and the packet in whose place it was
    return;
  }
  duplicates_ = 0;
  inflation_ = 0;
  in_recovery_ = false;
  grow();
}

void TcpSender::duplicate(bool is_news, std::uint64_t now_ns) noexcept {
  if (config_.control == CongestionControl::sack && !is_news) return;
  ++duplicates_;
  if (in_recovery_) {
    if (config_.control == CongestionControl::sack) {
      --pipe_;
    } else {
      ++inflation_;
    }
    return;
  }
  // One fast retransmit in a window of data.
  if (duplicates_ == kDuplicates && first_ > recovered_at_) recover(now_ns);
}

void TcpSender::recover(std::uint64_t now_ns) noexcept {
  ++counts_.fast_retransmits;
  const std::uint32_t half = window() / 2;
  ssthresh_ = std::max(2u, half);
  recovered_at_ = end_;
  timed_.reset();
  if (config_.control == CongestionControl::tahoe) {
    cwnd_ = 1;
    next_ = first_;
  } else {
    in_recovery_ = true;
    cwnd_ = std::max(1u, half);
    resend_first_ = true;
    if (config_.control == CongestionControl::reno) {
      inflation_ = kDuplicates;
    } else {
      pipe_ = static_cast<std::int64_t>(next_ - first_) - kDuplicates;
      resent_ = 1;
    }
  }
  restart_timer(now_ns);
}

void TcpSender::time_out(std::uint64_t now_ns) noexcept {
  ++counts_.timeouts;
  ssthresh_ = std::max(2u, window() / 2);
  cwnd_ = 1;
  inflation_ = 0;
  duplicates_ = 0;
  in_recovery_ = resend_first_ = false;
  arrived_ = resent_ = 0;
  recovered_at_ = end_;
  next_ = first_;
  timed_.reset();
  back_off_ = std::min(back_off_ * 2, kMostBackOff);
  restart_timer(now_ns);
}

}  // namespace headroom::transfer
