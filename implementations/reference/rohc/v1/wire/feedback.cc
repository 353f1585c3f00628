// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/wire/feedback.h"

#include <algorithm>
#include <array>

#include "mutants.h"
#include "rohc/framework/wire/crc.h"

namespace headroom::rohc::wire {
namespace {

// CRC over the feedback data with all CRC options' values taken as zero (5.7.6.3). `crc_at` marks where they are.
std::uint8_t data_crc(Octets data, std::span<const std::uint8_t> crc_at) noexcept {
  std::array<std::uint8_t, kMaxFeedbackData> copy{};
  std::copy(data.begin(), data.end(), copy.begin());
  for (const std::uint8_t at : crc_at) copy[at] = 0;
  return crc8({copy.data(), data.size()});
}

// The options of a FEEDBACK-2. False: the feedback is to be ignored.
bool read_options(Reader& in, Octets data, Feedback& f) noexcept {
  std::array<std::uint8_t, kMaxFeedbackData> crc_at{};
  std::size_t crcs = 0;
  while (in.remaining() > 0) {
    const std::uint8_t head = in.octet();
    const std::uint8_t length = head & 0x0f;
    const bool known = head >> 4 <= static_cast<unsigned>(FeedbackOption::kContextMemory);
    const std::uint8_t* value = in.take(known || !mutant("unknown-option-data-not-skipped") ? length : 0);
    if (!in.ok()) return false;
    const auto expect = [&](std::uint8_t octets) { return length == octets; };
    switch (static_cast<FeedbackOption>(head >> 4)) {
      case FeedbackOption::kCrc:
        if (!expect(1)) return false;
        crc_at[crcs++] = static_cast<std::uint8_t>(value - data.data());
        break;
      case FeedbackOption::kReject:
        if (!expect(0)) return false;
        f.reject = true;
        break;
      case FeedbackOption::kSnNotValid:
        if (!expect(0)) return false;
        f.sn_valid = mutant("sn-not-valid-ignored");
        break;
      case FeedbackOption::kSn:  // several: concatenated (RFC 4815 8.5)
        if (!expect(1)) return false;
        f.sn = mutant("sn-option-ignored")                    ? f.sn
               : mutant("sn-options-least-significant-first") ? std::uint32_t{*value} << f.sn_width | f.sn
                                                              : f.sn << 8 | *value;
        f.sn_width = static_cast<std::uint8_t>(std::min(32, f.sn_width + 8));
        break;
      case FeedbackOption::kClock:
        if (!expect(1) || mutant("clock-option-refused")) return false;
        f.clock_ms = *value;
        break;
      case FeedbackOption::kJitter:
        if (!expect(1) || mutant("jitter-option-refused")) return false;
        f.max_jitter = *value;
        break;
      case FeedbackOption::kLoss:
        if (!expect(1) || mutant("loss-option-refused")) return false;
        f.longest_loss = *value;
        break;
      case FeedbackOption::kContextMemory:
        if (!expect(0)) return false;
        f.context_memory = !mutant("context-memory-ignored");
        break;
      default:
        if (mutant("unknown-option-refused")) return false;
        // "MUST otherwise ignore the unknown option" (5.7.6.10)
        break;
    }
  }
  f.crc = crcs != 0;
  if (!f.crc || mutant("feedback-crc-not-checked")) return true;
  const std::uint8_t right = data_crc(data, {crc_at.data(), crcs});
  if (mutant("only-last-crc-option-checked")) return data[crc_at[crcs - 1]] == right;
  return std::all_of(crc_at.begin(), crc_at.begin() + static_cast<std::ptrdiff_t>(crcs),
                     [&](std::uint8_t at) { return data[at] == right; });
}

void write_feedback_2(Writer& out, const Feedback& f) noexcept {
  const unsigned further = f.sn_width > 12 ? (f.sn_width - 12U + 7U) / 8U : 0;  // SN options
  const std::uint32_t first = further == 0 || mutant("sn-option-repeats-the-sn-field") ? f.sn : f.sn >> 8 * further;
  out.octet(static_cast<std::uint8_t>(static_cast<unsigned>(f.ack) << 6 | static_cast<unsigned>(f.mode) << 4 |
                                      (first >> 8 & 0x0f)));
  out.octet(static_cast<std::uint8_t>(first));
  for (unsigned i = further; i > 0; --i)
    write_feedback_option(out, FeedbackOption::kSn, static_cast<std::uint8_t>(f.sn >> 8 * (i - 1)));
  if (!f.sn_valid) write_feedback_option(out, FeedbackOption::kSnNotValid);
  if (f.reject) write_feedback_option(out, FeedbackOption::kReject);
  if (f.context_memory) write_feedback_option(out, FeedbackOption::kContextMemory);
  if (f.clock_ms) write_feedback_option(out, FeedbackOption::kClock, f.clock_ms);
  if (f.max_jitter) write_feedback_option(out, FeedbackOption::kJitter, f.max_jitter);
  if (f.longest_loss) write_feedback_option(out, FeedbackOption::kLoss, f.longest_loss);
}

}  // namespace

std::optional<Feedback> read_feedback(Octets data, bool large_cids) noexcept {
  const auto found = read_feedback_cid(data, large_cids);
  return found ? read_feedback(*found) : std::nullopt;
}

std::optional<Feedback> read_feedback(const FeedbackData& data) noexcept {
  Reader in(data.feedback);
  Feedback f;
  f.cid = data.cid;
  if (in.remaining() == 1) {
    f.one = true;
    f.sn = in.octet();
    f.sn_width = 8;
    return f;
  }
  const std::uint8_t head = in.octet();
  if (head >> 6 == 3 && !mutant("acktype-3-taken-for-nack")) return std::nullopt;  // reserved Acktype
  f.ack = mutant("acktype-3-taken-for-nack") && head >> 6 == 3 ? AckType::kNack : static_cast<AckType>(head >> 6);
  f.mode = static_cast<Mode>(head >> 4 & 3);
  f.sn = (head & 0x0fU) << 8 | in.octet();
  f.sn_width = 12;
  const Octets covered = mutant("feedback-crc-read-without-cid") ? data.feedback : data.all;
  if (!read_options(in, covered, f)) return std::nullopt;
  return f;
}

void write_feedback_element(Writer& out, bool large_cids, const Feedback& f) noexcept {
  std::array<std::uint8_t, kMaxFeedbackElement> room{};
  Writer data(room);
  write_feedback_cid(data, large_cids, f.cid);
  const std::size_t uncovered = mutant("feedback-crc-without-cid") ? data.size() : 0;
  if (f.one) {
    data.octet(static_cast<std::uint8_t>(f.sn));
  } else {
    write_feedback_2(data, f);
    if (f.crc) {
      write_feedback_option(data, FeedbackOption::kCrc, std::uint8_t{0});
      room[data.size() - 1] = crc8(data.written().subspan(uncovered));
    }
  }
  write_feedback_element(out, data.written());
}

}  // namespace headroom::rohc::wire
