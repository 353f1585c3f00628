// SPDX-License-Identifier: Apache-2.0
//
// A connection at the compressor: the logic of 7.1.1 and 7.1.2.
//
// Interpretation of the draft: the size of the window is the range of its numbers in octets. F_PERIOD counts packets;
// F_PERIOD times MSS is compared with W. A packet that is older than the window or cannot be compressed restarts the IR
// state with an F_PERIOD of 1.
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

// The fields of a packet that a flow uses.
struct Segment {
  const std::uint8_t* packet = nullptr;
  wire::Lengths lengths;
  std::uint32_t data = 0;  // octets
  std::uint8_t r_octet = 0;
  Values values{};
  // The packet's options. Not set if the options have the form of the context and are only time stamps after two NOPs,
  // or if there are no options.
  std::optional<PacketOptions> options;
};

// The reason for sending a packet as UNCOMPRESSED_TCP; none for COMPRESSED_TCP.
enum class Reason : std::uint8_t { none, new_context, slow_start, repeated, changed, fell_behind };

struct Decision {
  Reason reason = Reason::none;
  bool has_options = false;
  wire::Header header;
  wire::Options options;
};

struct Flow {
  // Starts a flow with its first packet. REQUIRES: `sent_uncompressed` is called for `packet` before any other packet.
  Flow(const Config& config, const std::uint8_t* packet, const wire::Lengths& lengths) noexcept;

  [[nodiscard]] Segment read(const std::uint8_t* packet, std::size_t length,
                             const wire::Lengths& lengths) const noexcept;
  // Decides how to send a packet, without any change of the flow. The first packet is sent as UNCOMPRESSED_TCP.
  [[nodiscard]] Decision decide(const Segment& segment, bool rescue) const noexcept;
  // Writes the header of a packet that can be compressed, and returns its end. REQUIRES: room for kLongestHeader.
  [[nodiscard]] std::uint8_t* write(const Segment& segment, const Decision& decision, std::uint8_t* out) const noexcept;
  // Record a packet that was sent as UNCOMPRESSED_TCP or as COMPRESSED_TCP.
  void sent_uncompressed(const Config& config, const Segment& segment, Reason reason) noexcept;
  void sent_compressed(const Config& config, const Segment& segment) noexcept;

  [[nodiscard]] State state() const noexcept { return state_; }
  // Returns W(cwnd_seq, ssthresh_seq, cwnd_ack, ssthresh_ack) in octets, limited to the widest window that C_SEQ can
  // encode.
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
  // True if an earlier UNCOMPRESSED_TCP packet had another R-octet. The R-octet is then always sent: if the last
  // UNCOMPRESSED_TCP packet was lost, the decompressor has the earlier R-octet, and the checksum does not cover the
  // TOS.
  bool r_varied_ = false;
  bool usual_form_ = false;

  State state_ = State::ir;
  bool turn_ = false;         // the next packet is sent as UNCOMPRESSED_TCP
  std::uint32_t period_ = 1;  // F_PERIOD
  std::uint32_t left_ = 1;    // compressed packets until the period ends

  Values last_{};               // values of the last packet; its packet ID has 32 bits, so that it does not wrap
  std::uint32_t end_;           // sequence number after the last octet of data
  std::uint32_t repeated_ = 0;  // sequence number retransmitted last; transmissions_ counts its transmissions
  unsigned transmissions_ = 0;
  // The last 16 sequence numbers of data that was sent as UNCOMPRESSED_TCP.
  std::array<std::uint32_t, 16> uncompressed_{};
  unsigned uncompressed_count_ = 0;
};

}  // namespace headroom::taroc
