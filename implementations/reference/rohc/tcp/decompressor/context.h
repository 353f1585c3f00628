// SPDX-License-Identifier: Apache-2.0
//
// The context of profile 0x0006 at the decompressor: RFC 6846, 5.3; RFC 4164, 3.4.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "rohc/framework/prefetch.h"
#include "rohc/tcp/packet.h"
#include "rohc/tcp/wire/chain.h"
#include "rohc/tcp/wire/feedback.h"

namespace headroom::rohc::tcp {

// Parameters that RFC 6846 leaves to the decompressor.
struct DecompressorConfig {
  // Context damage is assumed after k failures among the last n packets (5.3.1.2). REQUIRES: 1 <= k <= n <= 32.
  std::uint8_t dynamic_k = 4, dynamic_n = 8;
  std::uint8_t static_k = 2, static_n = 4;
  // After a failure, tries the MSN that results from a loss of 12 to 27 packets. Such a loss can only be detected with
  // a sequential IP-ID.
  bool repair_msn = true;
  // False sends every packet along the general path, which restores the same packets.
  bool fast_path = true;
  // Refuses packets with a wrong TCP checksum, except IR packets, whose CRC covers the whole header.
  bool verify_checksum = false;
};

enum class State : std::uint8_t { kNoContext, kStaticContext, kFullContext };

enum class Status : std::uint8_t {
  kOk,
  kMalformed,    // not a packet of this profile, truncated, or reserved bits are set
  kCrc,          // CRC-8 validation, or CRC verification of the decompressed header, failed
  kChecksum,     // wrong TCP checksum
  kNoContext,    // the state does not allow such a packet
  kNoBase,       // the base context of an IR-CR packet is absent or not valid
  kUnknownItem,  // an index of the option list without an item
  kTooLong,      // headers exceed the limits of a context
  kNoSpace,      // `out` is too small
};

// The feedback that should be sent after a packet; Decompressor limits its rate (5.3.2).
enum class DueFeedback : std::uint8_t { kNone, kAck, kNack, kStaticNack, kContextMemory };

struct Decompressed {
  Status status = Status::kMalformed;
  DueFeedback due_feedback = DueFeedback::kNone;
  PacketType type = PacketType::kUnknown;
  std::uint16_t compressed_header = 0, plain_header = 0;  // octets
  std::uint32_t length = 0;                               // octets of the restored packet
};

// The base context that an IR-CR packet names (7.2).
struct BaseReference {
  bool is_own = true;  // B = 0
  std::uint32_t cid = 0;
};

class DecompressorContext {
 public:
  explicit DecompressorContext(const DecompressorConfig& config) noexcept : config_(config) {}

  // True for IR-CR packets, for which decompress() needs the context that base_of() names.
  [[nodiscard]] static bool is_ir_cr(const LinkPacket& packet) noexcept;
  // Returns the base context of an IR-CR packet, or nothing if the packet is truncated or has reserved bits set.
  [[nodiscard]] static std::optional<BaseReference> base_of(const LinkPacket& packet) noexcept;

  // Restores the packet into `out`, which must not overlap the packet. `base`: the base context of IR-CR packets, which
  // may be this context; nullptr if there is none. A failure changes only the state and damage detection of the
  // context.
  [[nodiscard]] Decompressed decompress(const LinkPacket& packet, std::span<std::uint8_t> out,
                                        const DecompressorContext* base = nullptr) noexcept;

  // Return the due feedback, and the MSN for the feedback: the MSN "corresponding to the last header that was
  // successfully CRC-8 validated or CRC verified" (8.3.1).
  [[nodiscard]] Feedback feedback_for(DueFeedback due_feedback) const noexcept;
  [[nodiscard]] std::uint16_t msn() const noexcept { return static_cast<std::uint16_t>(at(references_, Field::kMsn)); }

  [[nodiscard]] State state() const noexcept { return state_; }
  // Prefetches the memory that packets of a flow without changes need.
  void prefetch() const noexcept {
    constexpr std::size_t kHeaders = kIpv6Length + kTcpLength + 12;  // with time stamps
    prefetch_octets(this, octets_[0].data() + kHeaders);
    prefetch_octets(octets_[1].data(), octets_[1].data() + kHeaders);
  }
  // Resets the context, because the CID has been given to another profile.
  void reset() noexcept { *this = DecompressorContext(config_); }

 private:
  // Headers that are being rebuilt in the spare buffer.
  struct Rebuilt {
    Layout layout;
    Control control;
    OptionList list;
    ReceivedList received;
    bool has_list = false;
    Values values;
  };

  [[nodiscard]] std::uint8_t* reference() noexcept { return octets_[active_].data(); }
  [[nodiscard]] const std::uint8_t* reference() const noexcept { return octets_[active_].data(); }
  [[nodiscard]] std::uint8_t* spare() noexcept { return octets_[1 - active_].data(); }
  [[nodiscard]] OptionContext options() const noexcept {
    return {table_, list_, layout_.count == 0 ? nullptr : reference() + layout_.tcp().at + kTcpLength};
  }

  [[nodiscard]] Decompressed decompress_ir(const LinkPacket& packet, std::span<std::uint8_t> out,
                                           bool dynamic) noexcept;
  [[nodiscard]] Decompressed decompress_ir_cr(const LinkPacket& packet, std::span<std::uint8_t> out,
                                              const DecompressorContext* base) noexcept;
  [[nodiscard]] Decompressed decompress_co(const LinkPacket& packet, std::span<std::uint8_t> out,
                                           Format format) noexcept;
  // fast_path.cc: decompresses packets with a CRC of 3 bits and no options except time stamps. Returns false, with only
  // spare() changed, if the packet needs the general path.
  void prepare_fast_path() noexcept;
  [[nodiscard]] bool decompress_fast(const LinkPacket& packet, std::span<std::uint8_t> out, Format format,
                                     Decompressed& result) noexcept;
  [[nodiscard]] Status parse_co(const LinkPacket& packet, Format format, Rebuilt& r, Octets& payload) noexcept;
  void place_fields(const Rebuilt& r, std::size_t packet) noexcept;
  void place_ip_id(const Rebuilt& r, std::uint16_t offset, std::uint16_t msn) noexcept;
  [[nodiscard]] bool verifies(const Rebuilt& r, Format format) noexcept;
  [[nodiscard]] bool is_older(const Rebuilt& r, std::uint16_t& msn) const noexcept;
  void scale(std::uint32_t seq, std::uint32_t ack, std::size_t payload) noexcept;
  void adopt(const Rebuilt& r, std::uint16_t msn, std::size_t payload) noexcept;
  [[nodiscard]] Decompressed deliver(const Rebuilt& r, Octets payload, std::span<std::uint8_t> out,
                                     Decompressed result) noexcept;
  [[nodiscard]] Decompressed fail(Decompressed result, Status status, bool static_packet) noexcept;
  void succeed() noexcept;

  DecompressorConfig config_;
  State state_ = State::kNoContext;
  std::uint8_t active_ = 0;
  std::uint8_t fast_stamps_ = 0;  // offset of the time stamps in the headers, or 0
  bool is_fast_ = false;
  bool has_msn_ = false;
  Control control_;
  References references_{};
  std::uint32_t seq_residue_ = 0, ack_residue_ = 0;
  std::uint32_t failures_ = 0;  // bit i: the packet i packets ago failed
  Layout layout_;
  OptionList list_;
  std::array<std::array<std::uint8_t, kMostOctets>, 2> octets_;
  ItemTable table_;
};

}  // namespace headroom::rohc::tcp
