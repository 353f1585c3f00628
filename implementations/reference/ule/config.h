// SPDX-License-Identifier: Apache-2.0
//
// Config is the configuration of encapsulators and receivers: RFC 4326, 4.1, 4.5 and 6.2.
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

// The type of a whole link-layer frame that an encapsulator gets or a receiver passes on, with its MAC header and
// without its frame check sequence. The value is the EtherType of Transparent Ethernet Bridging.
inline constexpr std::uint16_t kTypeFrame = 0x6558;
// The type of TS packets from a TS-Concat extension.
inline constexpr std::uint16_t kTypeTsPacket = wire::kTypeTsConcat;

inline constexpr std::uint16_t kFirstPid = 0x0010;  // smaller PIDs are reserved (ISO/IEC 13818-1, table 2-3)
inline constexpr std::uint32_t kMostChannels = wire::kNullPid - kFirstPid;  // a PID has 13 bits
inline constexpr std::uint32_t kLargestThresholdUs = 60'000'000;            // "MUST be bounded" (RFC 4326, 6.2)
// The largest number of PDUs that an encapsulator puts into one SNDU; a receiver passes them on at once. An SNDU has
// room for 1,488 IP packets, which have at least 20 octets, but for more of shorter PDUs.
inline constexpr unsigned kMostConcatenated = 4096;

// The encapsulation of packets in link packets: SNDUs of ULE, sections of MPE in the same TS packets, or GSE packets in
// BBFRAMEs of DVB-S2. MPE and GSE are there for comparison with ULE.
enum class Encapsulation : std::uint8_t { ule, mpe, gse };
inline constexpr std::array<std::string_view, 3> kEncapsulationNames = {"ule", "mpe", "gse"};

// A link packet may be 512 octets longer than the packet that caused it (headroom.h, HEADROOM_EXPANSION), which may
// have one octet.
inline constexpr std::uint32_t kLargestFrame = 513, kSmallestFrame = 64;
inline constexpr std::uint32_t kMostStreams = 256;  // input streams of BBFRAMEs: an identifier has 8 bits

// The input streams that a receiver of GSE accepts. `usual`: with one channel, frames without an input stream
// identifier or with identifier 0; with more channels, the identifier of each channel.
enum class Streams : std::uint8_t { usual, one, all };

struct Config {
  Encapsulation encapsulation = Encapsulation::ule;
  std::uint32_t channels = 1;
  std::uint16_t first_pid = 0x0100;          // PID of channel 0; channel n has first_pid + n
  bool address = true;                       // "The default method SHOULD use a D-bit value of 0" (4.1)
  wire::Npa npa = {0x02, 0, 0, 0, 0, 0x01};  // encapsulator: destination of unicast packets; receiver: its own address
  bool any_address = false;                  // receiver: accepts packets for any address
  bool bridged = false;                      // IP packets travel in bridged frames (5.2), which the receiver removes
  wire::Npa mac = {0x02, 0, 0, 0, 0, 0x02};  // source address of bridged frames
  wire::CrcKernel crc = wire::CrcKernel::table;
  std::uint32_t frame_octets = 384;  // octets of a BBFRAME of GSE: a short FECFRAME of rate 1/4, 3,072 bits
  Streams streams = Streams::usual;  // receiver of GSE: accepted input streams
  std::uint8_t stream = 0;           // the accepted input stream, with Streams::one

  // The multicast groups that a receiver accepts: "any required multicast NPA addresses" (7.2); no value: all groups.
  std::optional<std::vector<wire::Npa>> groups{};

  // Options of an encapsulator.
  std::vector<std::uint32_t> broadcasts{};   // IPv4 broadcast addresses of the link's subnetworks (4.5)
  std::uint64_t universal_time_ns = 0;       // time since 1970 when `now_ns` was 0
  bool packing = true;                       // True: packing, 6.2 (v); false: padding, 6.2 (iv)
  std::uint32_t threshold_us = 1000;         // Packing Threshold
  unsigned padding_words = 0;                // words of 16 bits in an Extension-Padding header (5.3); 0: no header
  bool time_stamp = false;                   // a TimeStamp extension header (RFC 5163, 3.3)
  unsigned concat = 1;                       // most PDUs, or TS packets, in an SNDU (RFC 5163, 3.1 and 3.2)
  std::uint32_t concat_threshold_us = 1000;  // PDU and TS Packing Threshold

  // True if a receiver accepts packets for the address `to`.
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
