// SPDX-License-Identifier: Apache-2.0
//
// Config holds what encapsulators and receivers are configured with: RFC 4326, 4.1, 4.5 and 6.2.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ule/wire/crc32.h"
#include "ule/wire/sndu.h"
#include "ule/wire/ts_packet.h"

namespace headroom::ule {

// The type of a link-layer frame given to an encapsulator, or passed on by a receiver, whole: with its MAC header and
// without its frame check sequence. An EtherType: Transparent Ethernet Bridging.
inline constexpr std::uint16_t kTypeFrame = 0x6558;
// Of TS packets out of a TS-Concat extension.
inline constexpr std::uint16_t kTypeTsPacket = wire::kTypeTsConcat;

inline constexpr std::uint16_t kFirstPid = 0x0010;  // those below are reserved (ISO/IEC 13818-1, table 2-3)
inline constexpr std::uint32_t kMostChannels = wire::kNullPid - kFirstPid;  // a PID has 13 bits
inline constexpr std::uint32_t kLargestThresholdUs = 60'000'000;            // "MUST be bounded" (RFC 4326, 6.2)
// More than an SNDU has room for of IP packets, which have 20 octets at least: 1,488. Of shorter PDUs it has room for
// more; this bounds how many of them an encapsulator puts into one, as a receiver passes them on at once.
inline constexpr unsigned kMostConcatenated = 4096;

// How packets become link packets: as SNDUs of ULE, as sections of MPE in the same TS packets, or as GSE packets in
// BBFRAMEs of DVB-S2. The latter two are there to compare ULE with.
enum class Encapsulation : std::uint8_t { ule, mpe, gse };
inline constexpr std::array<std::string_view, 3> kEncapsulationNames = {"ule", "mpe", "gse"};

// A link packet may be 512 octets longer than what caused it (headroom.h, HEADROOM_EXPANSION), which may be one octet.
inline constexpr std::uint32_t kLargestFrame = 513, kSmallestFrame = 64;
inline constexpr std::uint32_t kMostStreams = 256;  // of BBFRAMEs: an input stream identifier has 8 bits

// The input streams that a receiver of GSE takes. `usual`: with one channel the only one there is, or number 0; else
// that of each channel.
enum class Streams : std::uint8_t { usual, one, all };

struct Config {
  Encapsulation encapsulation = Encapsulation::ule;
  std::uint32_t channels = 1;
  std::uint16_t first_pid = 0x0100;          // of channel 0; channel n has the n-th behind it
  bool address = true;                       // "The default method SHOULD use a D-bit value of 0" (4.1)
  wire::Npa npa = {0x02, 0, 0, 0, 0, 0x01};  // encapsulator: unicast packets are for it; receiver: its own
  bool any_address = false;                  // receiver: packets for any address are its own
  bool bridged = false;                      // IP packets travel in bridged frames (5.2), which the receiver takes away
  wire::Npa mac = {0x02, 0, 0, 0, 0, 0x02};  // source of such frames
  wire::CrcKernel crc = wire::CrcKernel::table;
  std::uint32_t frame_octets = 384;  // of a BBFRAME of GSE: a short FECFRAME of rate 1/4, of 3,072 bits
  Streams streams = Streams::usual;  // receiver of GSE
  std::uint8_t stream = 0;           // with Streams::one

  // Of a receiver: "any required multicast NPA addresses" (7.2); none: all of them.
  std::optional<std::vector<wire::Npa>> groups{};

  // Of an encapsulator.
  std::vector<std::uint32_t> broadcasts{};   // IPv4 broadcast addresses of the link's subnetworks (4.5)
  std::uint64_t universal_time_ns = 0;       // when `now_ns` was 0, since 1970
  bool packing = true;                       // 6.2 (v); else padding, (iv)
  std::uint32_t threshold_us = 1000;         // Packing Threshold
  unsigned padding_words = 0;                // of an Extension-Padding header (5.3), 16 bits each; 0: there is none
  bool time_stamp = false;                   // a TimeStamp extension header (RFC 5163, 3.3)
  unsigned concat = 1;                       // most PDUs, or TS packets, of one SNDU (RFC 5163, 3.1 and 3.2)
  std::uint32_t concat_threshold_us = 1000;  // PDU and TS Packing Threshold

  // True if a receiver takes what is for `to`.
  [[nodiscard]] bool takes(const wire::Npa& to) const noexcept {
    if (any_address) return true;
    if ((to[0] & 1U) == 0) return to == npa;
    return !groups || to == wire::kBroadcast || std::find(groups->begin(), groups->end(), to) != groups->end();
  }
  [[nodiscard]] bool is_mpe() const noexcept { return encapsulation == Encapsulation::mpe; }
  [[nodiscard]] std::uint16_t pid(std::uint32_t channel) const noexcept {
    return static_cast<std::uint16_t>(first_pid + channel);
  }
};

}  // namespace headroom::ule
