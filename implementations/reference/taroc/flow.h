// SPDX-License-Identifier: Apache-2.0
//
// One connection at the compressor: the logic of 7.1.1 and 7.1.2.
//
// Readings: the size of the window is what it spans in octets. F_PERIOD counts packets: times MSS it is compared with
// W. A packet that falls behind the window, or cannot be compressed, begins IR state anew, with an F_PERIOD of 1.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "taroc/config.h"
#include "taroc/congestion.h"
#include "taroc/options.h"
#include "taroc/window.h"
#include "taroc/wire/compressed.h"

namespace headroom::taroc {

// The fields of a packet that a flow looks at.
struct Segment {
  const std::uint8_t* packet = nullptr;
  wire::Lengths lengths;
  std::uint32_t data = 0;  // octets
  std::uint8_t r_octet = 0;
  Values values{};
  // Nothing where they are the context's and nothing but time stamps behind two NOPs, or none at all.
  std::optional<PacketOptions> options;
};

// Why a packet goes as UNCOMPRESSED_TCP, if it does.
enum class Reason : std::uint8_t { none, new_context, slow_start, repeated, changed, fell_behind };

struct Decision {
  Reason reason = Reason::none;
  bool has_options = false;
  wire::Header header;
  wire::Options options;
};

struct Flow {
  // REQUIRES: `packet` is given to `sent_uncompressed` before any other.
  Flow(const Config& config, const std::uint8_t* packet, const wire::Lengths& lengths) noexcept;

  [[nodiscard]] Segment read(const std::uint8_t* packet, std::size_t length,
                             const wire::Lengths& lengths) const noexcept;
  // What is to become of a packet: the first one goes as UNCOMPRESSED_TCP. Changes nothing.
  [[nodiscard]] Decision decide(const Segment& segment, bool rescue) const noexcept;
  // Writes the header of a packet that can be compressed, and returns its end. REQUIRES: room for kLongestHeader.
  [[nodiscard]] std::uint8_t* write(const Segment& segment, const Decision& decision, std::uint8_t* out) const noexcept;
  // The packet has been sent, in this way.
  void sent_uncompressed(const Config& config, const Segment& segment, Reason reason) noexcept;
  void sent_compressed(const Config& config, const Segment& segment) noexcept;

  [[nodiscard]] State state() const noexcept { return state_; }
  // W(cwnd_seq, ssthresh_seq, cwnd_ack, ssthresh_ack), as far as a window of that size can be sent with.
  [[nodiscard]] std::uint64_t reach(const Config& config) const noexcept {
    constexpr std::uint64_t kWidestWindow = std::uint64_t{1} << 21;  // octets; C_SEQ reaches 2^22
    return std::min(kWidestWindow, config.k * std::max(sequence_.reach(), acknowledgement_.reach()));
  }

 private:
  [[nodiscard]] bool same_unchanging(const Segment& segment) const noexcept;
  [[nodiscard]] bool is_older_than_all(const Segment& segment) const noexcept;
  [[nodiscard]] bool was_uncompressed(const Segment& segment) const noexcept;
  [[nodiscard]] unsigned transmission(const Segment& segment) const noexcept;
  [[nodiscard]] bool encode(const Segment& segment, Decision& decision) const noexcept;
  [[nodiscard]] bool encode_options(const Segment& segment, Decision& decision) const noexcept;
  void sent(const Config& config, const Segment& segment) noexcept;
  void enter_ir() noexcept;

  SlidingWindow window_;
  SequenceTracker sequence_;
  AcknowledgementTracker acknowledgement_;

  // The last UNCOMPRESSED_TCP packet, whose header is the context's.
  std::array<std::uint8_t, wire::kLongestPlainHeader> header_{};
  wire::Lengths lengths_;
  OptionForm form_;
  std::array<std::uint8_t, wire::kMostOptions> others_{};
  std::uint8_t r_octet_ = 0;
  // Whether an earlier one had another R-octet. The decompressor may have that one's, if this one was lost, and the
  // checksum does not cover the TOS: the octet is always sent then.
  bool r_varied_ = false;
  bool usual_form_ = false;

  State state_ = State::ir;
  bool turn_ = false;         // the next packet goes as UNCOMPRESSED_TCP
  std::uint32_t period_ = 1;  // F_PERIOD
  std::uint32_t left_ = 1;    // compressed packets until it is over

  Values last_{};               // of the last packet; its packet ID has 16 bits more, so that it does not wrap
  std::uint32_t end_;           // behind the last octet of data
  std::uint32_t repeated_ = 0;  // the sequence number that was retransmitted last, and how often it was sent
  unsigned transmissions_ = 0;
  // Sequence numbers of data that went as UNCOMPRESSED_TCP, the last 16 of them.
  std::array<std::uint32_t, 16> uncompressed_{};
  unsigned uncompressed_count_ = 0;
};

}  // namespace headroom::taroc
