// SPDX-License-Identifier: Apache-2.0
//
// TcpSender is the congestion control of a TCP sender that always has data: Tahoe, Reno and SACK as implemented by
// simulators of the year 2000. Numbers count segments of a fixed size. TcpSender has neither octets nor a clock: its
// user passes arrivals and the time.
#ifndef HEADROOM_TRANSFER_TCP_SENDER_H
#define HEADROOM_TRANSFER_TCP_SENDER_H

#include <cstdint>
#include <optional>
#include <span>

namespace headroom::transfer {

// tahoe: slow start again after every loss. reno: fast recovery (RFC 2581, 3.2). sack: recovery by the holes that the
// receiver reports (RFC 2018, and the variable `pipe` of Fall and Floyd, 1996).
enum class CongestionControl : std::uint8_t { tahoe, reno, sack };

inline constexpr std::uint32_t kMostWindow = 64;  // segments: each is one bit of a word

// Segments `begin` to `end - 1` have arrived.
struct SackBlock {
  std::uint64_t begin = 0, end = 0;
  friend bool operator==(const SackBlock&, const SackBlock&) = default;
};

struct SenderConfig {
  CongestionControl control = CongestionControl::reno;
  std::uint32_t window = 20;  // segments that the receiver advertises, at most kMostWindow
  std::uint64_t tick_ns = 100'000'000;
  std::uint64_t phase_ns = 0;  // phase of the clock, below tick_ns
  std::uint64_t first_timeout_ns = 6'000'000'000;
  std::uint64_t shortest_timeout_ns = 200'000'000;
  std::uint64_t longest_timeout_ns = 60'000'000'000;
};

struct SenderCounts {
  std::uint64_t sent = 0;  // segments, including retransmissions
  std::uint64_t sent_again = 0;
  std::uint64_t fast_retransmits = 0;
  std::uint64_t timeouts = 0;
};

class TcpSender {
 public:
  explicit TcpSender(const SenderConfig& config) noexcept : config_(config), ssthresh_(config.window) {}

  // Returns the segment to send now, or nothing if the window is used up. The caller calls it until it returns nothing,
  // at the beginning and after each of the functions below.
  [[nodiscard]] std::optional<std::uint64_t> next(std::uint64_t now_ns) noexcept;

  // Processes an acknowledgement: the receiver has all segments before `expected` and in `blocks`. Numbers of segments
  // that were never sent are ignored.
  void acknowledge(std::uint64_t expected, std::span<const SackBlock> blocks, std::uint64_t now_ns) noexcept;

  // Returns the time of the next call of `time_out`, or nothing if no segment is outstanding.
  [[nodiscard]] std::optional<std::uint64_t> timeout_at_ns() const noexcept { return timeout_at_; }
  void time_out(std::uint64_t now_ns) noexcept;

  [[nodiscard]] std::uint64_t acknowledged() const noexcept { return first_; }  // segments
  [[nodiscard]] const SenderCounts& counts() const noexcept { return counts_; }

 private:
  static constexpr int kDuplicates = 3;  // duplicate acknowledgements that indicate a loss
  static constexpr std::uint32_t kMostBackOff = 64;

  [[nodiscard]] std::uint32_t window() const noexcept;
  [[nodiscard]] std::uint64_t ticks(std::uint64_t ns) const noexcept {
    return (ns + config_.phase_ns) / config_.tick_ns;
  }
  [[nodiscard]] std::optional<std::uint64_t> next_in_sack_recovery() noexcept;
  void send(std::uint64_t segment, std::uint64_t now_ns) noexcept;
  void restart_timer(std::uint64_t now_ns) noexcept;
  void take_sample(std::uint64_t now_ns) noexcept;
  void grow() noexcept;
  void duplicate(bool is_news, std::uint64_t now_ns) noexcept;
  void recover(std::uint64_t now_ns) noexcept;
  // Records blocks. Returns true if they report a segment that was not reported before.
  bool note(std::span<const SackBlock> blocks) noexcept;

  SenderConfig config_;
  SenderCounts counts_;
  std::uint64_t first_ = 0;  // the first segment that is not acknowledged
  std::uint64_t next_ = 0;   // next segment to be sent, unless one is retransmitted
  std::uint64_t end_ = 0;    // number behind the last segment ever sent
  double cwnd_ = 1;          // segments
  std::uint32_t ssthresh_;   // segments
  std::uint32_t inflation_ = 0;
  int duplicates_ = 0;
  bool in_recovery_ = false;
  std::uint64_t recovered_at_ = 0;  // `first_` when all segments sent before the last loss are acknowledged
  bool resend_first_ = false;       // retransmit segment `first_` before any other
  // For SACK: bit i is segment first_ + i.
  std::uint64_t arrived_ = 0, resent_ = 0;
  std::int64_t pipe_ = 0;  // segments on their way, during recovery

  // Retransmission timer and round-trip time. The latter in eighths and quarters of ticks (Jacobson, 1988).
  std::optional<std::uint64_t> timeout_at_;
  std::optional<std::uint64_t> timed_;  // the segment whose acknowledgement is awaited
  std::uint64_t timed_at_ = 0;
  std::int64_t srtt_ = 0, rttvar_ = 0;
  bool has_sample_ = false;
  std::uint32_t back_off_ = 1;
};

}  // namespace headroom::transfer

#endif  // HEADROOM_TRANSFER_TCP_SENDER_H
