// SPDX-License-Identifier: Apache-2.0
//
// Many flows over a link that loses, damages, repeats and reorders, and the account of what came out of it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "rohc/compressor.h"
#include "rohc/decompressor.h"
#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/link.h"

namespace headroom::rohc::test {

// Probabilities for each packet.
struct Damage {
  const char* name = "None";
  double loss = 0;
  double burst = 0;       // that 4 to 60 packets in a row get lost from here on
  double bit_errors = 0;  // 1 to 3 bits of the compressed header flipped
  double reordering = 0;
  double duplication = 0;
};

// By what protects a header from being delivered wrong: no CRC (R-0, R-1*, Normal), or one of 3, 7 or 8 bits.
enum class Protection : std::uint8_t { kNone, kCrc3, kCrc7, kCrc8 };
inline constexpr std::array<unsigned, 4> kCrcBits = {0, 3, 7, 8};
[[nodiscard]] Protection protection_of(wire::PacketType type) noexcept;

struct Account {
  using ByProtection = std::array<std::uint64_t, 4>;

  std::uint64_t packets = 0;
  std::uint64_t lost = 0;
  std::uint64_t bursts = 0;
  std::uint64_t reordered = 0;  // or repeated
  std::uint64_t reordered_updates = 0;
  std::uint64_t delivered = 0;
  std::uint32_t profiles = 0;  // bit n: there were packets of profile n
  ByProtection damaged{};      // headers with bit errors, by the type that was sent
  ByProtection mismatched{};   // restored headers that a CRC did not fit (DecompressorCounters::crc_mismatches)
  // Packets delivered that are not the original, by the type that was received: the first in a row of them in one
  // context, and all.
  ByProtection first_wrong{};
  ByProtection wrong{};
  std::uint64_t intact_and_wrong = 0;  // of those without CRC, the ones that nothing had happened to on the link

  void add(const Account& a) noexcept;
  [[nodiscard]] std::uint64_t all_wrong() const noexcept;
};

class BadLink {
 public:
  using Source = std::function<Packet()>;

  BadLink(const Damage& damage, const CompressorConfig& c, const DecompressorConfig& d, std::uint64_t seed)
      : damage_(damage),
        random_(seed),
        compressor_(c),
        decompressor_(d),
        channels_(c.channel.channels),
        per_channel_(c.channel.contexts_per_channel()),
        was_wrong_(c.channel.contexts()) {}

  // A flow, on a channel drawn at random. `source` gives its packets.
  void add(Source source);

  // Sends `packets`, each of a flow drawn at random. `bad`: damage is done. Otherwise the link is perfect.
  void run(std::size_t packets, bool bad);

  // Packets so far that were not delivered as they had been, for whatever reason but that they were lost.
  [[nodiscard]] std::uint64_t failures() const noexcept { return failures_; }

  [[nodiscard]] Account account() const noexcept;
  [[nodiscard]] const Compressor& compressor() const noexcept { return compressor_; }
  [[nodiscard]] const Decompressor& decompressor() const noexcept { return decompressor_; }

  [[nodiscard]] Random& random() noexcept { return random_; }
  void pause(std::uint64_t ns) noexcept { now_ns_ += ns; }

 private:
  struct Travelling {
    Packet octets;
    Packet original;
    std::uint32_t channel = 0;
    bool touched = false;
  };
  struct Sender {
    Source source;
    std::uint32_t channel;
  };

  void impair(Travelling packet, const Compressed& sent);
  void damage(Travelling& packet, const Compressed& sent);
  void note_out_of_place(Travelling& packet, const Compressed& sent);
  void deliver(const Travelling& packet);
  void note_wrong(const Restored& restored, const Travelling& packet);
  void feed_back(bool bad);

  Damage damage_;
  Random random_;
  Compressor compressor_;
  Decompressor decompressor_;
  std::uint32_t channels_;
  std::uint32_t per_channel_;
  std::vector<Sender> senders_;
  std::vector<Travelling> late_;
  std::uint64_t now_ns_ = 0;
  unsigned burst_left_ = 0;
  std::uint64_t failures_ = 0;
  std::vector<bool> was_wrong_;  // by context: the last packet that came out of it
  Account account_;
};

}  // namespace headroom::rohc::test
