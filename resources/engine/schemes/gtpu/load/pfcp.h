// SPDX-License-Identifier: Apache-2.0
//
// Builds the PFCP messages by which a control plane establishes sessions (TS 29.244, 7.4.4.1 and 7.5.2), and reads the
// cause of an answer. Apart from every implementation on purpose.
#ifndef HEADROOM_SCHEMES_GTPU_LOAD_PFCP_H
#define HEADROOM_SCHEMES_GTPU_LOAD_PFCP_H

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/octets.h"

namespace headroom::gtpu::load::pfcp {

enum Message : std::uint8_t { kAssociationSetupRequest = 5, kSessionEstablishmentRequest = 50 };

// Types of information elements (8.1.2).
enum Element : std::uint16_t {
  kCreatePdr = 1,
  kPdi = 2,
  kCreateFar = 3,
  kForwardingParameters = 4,
  kCreateUrr = 6,
  kCreateQer = 7,
  kCreatedPdr = 8,
  kCause = 19,
  kSourceInterface = 20,
  kFTeid = 21,
  kSdfFilter = 23,
  kGateStatus = 25,
  kMbr = 26,
  kPrecedence = 29,
  kVolumeThreshold = 31,
  kReportingTriggers = 37,
  kDestinationInterface = 42,
  kApplyAction = 44,
  kPdrId = 56,
  kFSeid = 57,
  kNodeId = 60,
  kMeasurementMethod = 62,
  kUrrId = 81,
  kOuterHeaderCreation = 84,
  kUeIpAddress = 93,
  kOuterHeaderRemoval = 95,
  kRecoveryTimeStamp = 96,
  kActivatePredefinedRules = 106,
  kFarId = 108,
  kQerId = 109,
  kQfi = 124,
};

inline constexpr std::uint8_t kAccepted = 1;  // of causes (8.2.1)

// Writes one message; groups are closed in the order in which they were opened, the last first.
class Writer {
 public:
  // `seid`: of a message of a session; nothing in one of the node.
  void begin(Message type, std::uint32_t sequence, std::optional<std::uint64_t> seid);
  // The message, whole. Valid until the next `begin`.
  [[nodiscard]] OctetView end() noexcept;

  // Opens an element; its length is written by `close`.
  [[nodiscard]] std::size_t open(Element type);
  void close(std::size_t opened) noexcept;
  void put8(std::uint32_t value) { octets_.push_back(static_cast<std::uint8_t>(value)); }
  void put16(std::uint32_t value);
  void put32(std::uint32_t value);
  void put64(std::uint64_t value);
  void put_text(std::string_view text);

  // Elements with one value.
  void element8(Element type, std::uint32_t value);
  void element16(Element type, std::uint32_t value);
  void element32(Element type, std::uint32_t value);

 private:
  Octets octets_;
};

// The content of an answer (7.5.3).
struct Answer {
  std::optional<std::uint8_t> cause;
  std::uint64_t seid = 0;  // of the side that is answered; 0 in one of the node
  std::uint32_t teid = 0;  // of the first F-TEID that the user plane has chosen; 0: of none
};
[[nodiscard]] Answer read_answer(OctetView message) noexcept;

}  // namespace headroom::gtpu::load::pfcp

#endif  // HEADROOM_SCHEMES_GTPU_LOAD_PFCP_H
