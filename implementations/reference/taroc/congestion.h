// SPDX-License-Identifier: Apache-2.0
//
// Tracking of TCP's congestion window, by the sequence numbers of a direction (6.2, Algorithm SEQ) and by its
// acknowledgement numbers (6.3, Algorithm ACK). Numbers are compared modulo 2^32; windows are octets.
//
// Interpretation of the draft: cwnd is at most the window that a receiver can have advertised, and at least 2 * MSS.
// CMINSN is CMAXSN - cwnd; the draft swaps the operands. "The distance between NSN and CMAXSN" is the distance
// backwards; a distance of 0 is ignored. In FAST-RECOVERY Algorithm SEQ does not change CMAXSN, and sets CMAXSN to NSN
// when it leaves that state; Algorithm ACK likewise updates CMAXACK on leaving. "NDUPACKS is greater than 3" means the
// fourth duplicate.
#pragma once

#include <algorithm>
#include <cstdint>

#include "taroc/wire/wlsb.h"

namespace headroom::taroc {

enum class Phase : std::uint8_t { slow_start, congestion_avoidance, fast_recovery };

// The common part of both algorithms.
class CongestionWindow {
 public:
  CongestionWindow(std::uint32_t mss, std::uint32_t issthresh) noexcept
      : cwnd_(std::uint64_t{4} * mss), ssthresh_(issthresh), mss_(mss) {}  // "IW SHOULD be set to 4*MSS"

  [[nodiscard]] Phase phase() const noexcept { return phase_; }
  [[nodiscard]] std::uint64_t cwnd() const noexcept { return cwnd_; }
  [[nodiscard]] std::uint64_t ssthresh() const noexcept { return ssthresh_; }
  // Returns the term of W for this direction (7.1) in octets: MAX(cwnd, 2 * ssthresh).
  [[nodiscard]] std::uint64_t reach() const noexcept { return std::max(cwnd_, 2 * ssthresh_); }

 protected:
  void grow(std::uint32_t octets, std::uint64_t advertised) noexcept {
    const bool slow_start = phase_ == Phase::slow_start;
    cwnd_ += slow_start ? octets : std::uint64_t{octets} * mss_ / cwnd_;
    cwnd_ = std::max<std::uint64_t>(std::min(cwnd_, advertised), 2 * std::uint64_t{mss_});
    if (slow_start && cwnd_ > ssthresh_) phase_ = Phase::congestion_avoidance;
  }
  // "Halve the cwnd and set ssthresh to MAX(cwnd, 2*MSS)."
  void halve() noexcept {
    cwnd_ = ssthresh_ = std::max<std::uint64_t>(cwnd_ / 2, 2 * std::uint64_t{mss_});
    phase_ = Phase::fast_recovery;
  }
  void recovered() noexcept { phase_ = Phase::congestion_avoidance; }
  [[nodiscard]] std::uint32_t mss() const noexcept { return mss_; }

 private:
  std::uint64_t cwnd_, ssthresh_;
  std::uint32_t mss_;
  Phase phase_ = Phase::slow_start;
};

class SequenceTracker : public CongestionWindow {
 public:
  // `first` is the sequence number of the first segment.
  SequenceTracker(std::uint32_t mss, std::uint32_t issthresh, std::uint32_t first) noexcept
      : CongestionWindow(mss, issthresh), highest_(first), lowest_(first) {}

  // Handles a segment. `advertised`: the largest window in octets that the receiver may have advertised.
  void receive(std::uint32_t sequence, std::uint64_t advertised) noexcept {
    const std::int32_t ahead = wire::distance(highest_, sequence);
    if (phase() == Phase::fast_recovery) {
      if (ahead < 0 || static_cast<std::uint64_t>(ahead) < cwnd()) return;
      recovered();
      highest_ = sequence;
    } else if (ahead > 0) {
      grow(static_cast<std::uint32_t>(ahead), advertised);
      highest_ = sequence;
      const auto outstanding = static_cast<std::uint64_t>(highest_ - lowest_);
      if (outstanding > cwnd()) lowest_ = highest_ - static_cast<std::uint32_t>(cwnd());
    } else if (-std::int64_t{ahead} > 3 * std::int64_t{mss()}) {
      halve();
    }
  }
  [[nodiscard]] std::uint32_t highest() const noexcept { return highest_; }  // CMAXSN
  [[nodiscard]] std::uint32_t lowest() const noexcept { return lowest_; }    // CMINSN

 private:
  std::uint32_t highest_, lowest_;
};

class AcknowledgementTracker : public CongestionWindow {
 public:
  AcknowledgementTracker(std::uint32_t mss, std::uint32_t issthresh, std::uint32_t first) noexcept
      : CongestionWindow(mss, issthresh), highest_(first) {}

  void receive(std::uint32_t acknowledgement, std::uint64_t advertised) noexcept {
    const std::int32_t ahead = wire::distance(highest_, acknowledgement);
    if (phase() == Phase::fast_recovery) {
      if (ahead <= 0) return;
      duplicates_ = 0;
      recovered();
      highest_ = acknowledgement;
    } else if (ahead > 0) {
      grow(static_cast<std::uint32_t>(ahead), advertised);
      duplicates_ = 0;
      highest_ = acknowledgement;
    } else if (ahead == 0) {
      if (++duplicates_ > 3) halve();
    } else {
      duplicates_ = 0;
    }
  }
  [[nodiscard]] std::uint32_t highest() const noexcept { return highest_; }  // CMAXACK
  [[nodiscard]] std::uint32_t duplicates() const noexcept { return duplicates_; }

 private:
  std::uint32_t highest_;
  std::uint32_t duplicates_ = 0;  // NDUPACKS
};

}  // namespace headroom::taroc
