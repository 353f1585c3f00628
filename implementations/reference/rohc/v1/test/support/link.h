// SPDX-License-Identifier: Apache-2.0
//
// A compressor, a decompressor and the link between them, driven one packet at a time. Time stands still unless a test
// moves it.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "rohc/compressor.h"
#include "rohc/decompressor.h"
#include "rohc/framework/test/support/octets.h"
#include "rohc/v1/test/support/packet_builder.h"

namespace headroom::rohc::test {

inline constexpr std::uint64_t kMillisecond = 1'000'000;
inline constexpr std::uint64_t kFrame = 20 * kMillisecond;  // the usual time between the packets of a voice flow

struct Compressed {
  Packet octets;
  std::int32_t status = 0;
  headroom_detail detail{};
  std::vector<Packet> more;  // what is drained: further segments

  [[nodiscard]] wire::PacketType type() const noexcept { return static_cast<wire::PacketType>(detail.packet_type); }
  [[nodiscard]] CompressorState state() const noexcept { return static_cast<CompressorState>(detail.state); }
  [[nodiscard]] wire::Mode mode() const noexcept { return static_cast<wire::Mode>(detail.mode); }
  // Octets of header on the link: all but the payload, for packets without feedback and padding.
  [[nodiscard]] std::size_t header() const noexcept { return detail.compressed_header; }
};

struct Restored {
  Packet octets;
  std::int32_t status = 0;
  headroom_detail detail{};

  [[nodiscard]] wire::PacketType type() const noexcept { return static_cast<wire::PacketType>(detail.packet_type); }
  [[nodiscard]] DecompressorState state() const noexcept { return static_cast<DecompressorState>(detail.state); }
  [[nodiscard]] wire::Mode mode() const noexcept { return static_cast<wire::Mode>(detail.mode); }
  [[nodiscard]] Event event() const noexcept { return static_cast<Event>(detail.event); }
};

// What the engine leaves (headroom.h): the length of the packet and HEADROOM_EXPANSION.
inline constexpr std::size_t kEnough = static_cast<std::size_t>(-1);

// Both give the code under test a buffer of exactly `room` octets with guard octets behind it, and end the program when
// one is touched.
[[nodiscard]] Compressed compress(Compressor& compressor, Octets packet, std::uint64_t now_ns = 0,
                                  std::uint32_t channel = 0, std::size_t room = kEnough);
[[nodiscard]] Restored decompress(Decompressor& decompressor, Octets packet, std::uint64_t now_ns = 0,
                                  std::uint32_t channel = 0, std::size_t room = kEnough);

// What goes onto the link: the packet, or its segments.
[[nodiscard]] std::vector<Packet> link_packets_of(const Compressed& sent);

// All feedback elements that wait in a queue.
struct FeedbackElement {
  std::uint32_t channel = 0;
  Packet octets;
};
[[nodiscard]] std::vector<FeedbackElement> take_all(FeedbackQueue& queue);

// Without periodic refreshes, so that a test sees nothing but what it provokes.
[[nodiscard]] inline CompressorConfig without_refreshes() {
  CompressorConfig config;
  config.ir_refresh = config.fo_refresh = {0, 0};
  return config;
}

class Link {
 public:
  explicit Link(const CompressorConfig& c = {}, const DecompressorConfig& d = {})
      : compressor(c), decompressor(d), large_cids_(c.channel.large_cids) {}

  Compressor compressor;
  Decompressor decompressor;
  std::uint64_t now_ns = 0;
  std::uint64_t step_ns = kFrame;  // by which time goes on before each packet
  Compressed sent;                 // the last packet on the link
  Restored received;               // what became of it

  // Compresses only: what the link loses.
  const Compressed& lose(const PacketSpec& spec, std::uint32_t channel = 0) { return lose(build(spec), channel); }
  const Compressed& lose(Octets packet, std::uint32_t channel = 0);

  // Compresses and decompresses. True when the packet arrived as it was.
  [[nodiscard]] bool pass(const PacketSpec& spec, std::uint32_t channel = 0) { return pass(build(spec), channel); }
  [[nodiscard]] bool pass(Octets packet, std::uint32_t channel = 0);

  // Takes the feedback of the decompressor to the compressor. Returns it, without the feedback type octet.
  std::vector<wire::Feedback> carry_feedback();

  [[nodiscard]] std::string describe() const;  // of the last packet, for messages

 private:
  bool large_cids_;
};

// A decoded feedback element. Ends the program when it cannot be read.
[[nodiscard]] wire::Feedback read(const FeedbackElement& element, bool large_cids);

[[nodiscard]] std::string_view name_of(wire::PacketType type) noexcept;

}  // namespace headroom::rohc::test

namespace headroom::rohc {
// For messages of GoogleTest.
inline void PrintTo(Event event, std::ostream* out) { *out << kEventNames[static_cast<std::size_t>(event)]; }
namespace wire {
inline void PrintTo(PacketType type, std::ostream* out) { *out << kPacketTypeNames[static_cast<std::size_t>(type)]; }
}  // namespace wire
}  // namespace headroom::rohc
