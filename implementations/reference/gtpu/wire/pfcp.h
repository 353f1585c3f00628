// SPDX-License-Identifier: Apache-2.0
//
// PFCP messages (3GPP TS 29.244, clauses 7.2 and 8.1): header, types, and a bounded reader and writer of information
// elements. The values of information elements are in pfcp_values.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace headroom::gtpu::pfcp {

using Octets = std::span<const std::uint8_t>;

inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::size_t kNodeHeader = 8;          // without SEID
inline constexpr std::size_t kSessionHeader = 16;      // with SEID
inline constexpr std::size_t kLengthStart = 4;         // Message Length counts the octets from here on (7.2.2.4)
inline constexpr std::size_t kLongestMessage = 65507;  // octets of the largest UDP payload over IPv4

// Message types (7.3). Session messages begin at kSessionEstablishmentRequest.
enum MessageType : std::uint8_t {
  kHeartbeatRequest = 1,
  kHeartbeatResponse = 2,
  kPfdManagementRequest = 3,
  kPfdManagementResponse = 4,
  kAssociationSetupRequest = 5,
  kAssociationSetupResponse = 6,
  kAssociationUpdateRequest = 7,
  kAssociationUpdateResponse = 8,
  kAssociationReleaseRequest = 9,
  kAssociationReleaseResponse = 10,
  kVersionNotSupportedResponse = 11,
  kSessionSetDeletionRequest = 14,
  kSessionSetDeletionResponse = 15,
  kSessionEstablishmentRequest = 50,
  kSessionEstablishmentResponse = 51,
  kSessionModificationRequest = 52,
  kSessionModificationResponse = 53,
  kSessionDeletionRequest = 54,
  kSessionDeletionResponse = 55,
  kSessionReportRequest = 56,
  kSessionReportResponse = 57,
};

// Cause values (8.2.1).
enum class Cause : std::uint8_t {
  accepted = 1,
  rejected = 64,
  session_context_not_found = 65,
  mandatory_ie_missing = 66,
  conditional_ie_missing = 67,
  invalid_length = 68,
  mandatory_ie_incorrect = 69,
  invalid_forwarding_policy = 70,
  invalid_f_teid_allocation_option = 71,
  no_established_association = 72,
  rule_failure = 73,
  no_resources_available = 75,
  service_not_supported = 76,
  unknown_predefined_rule = 80,
  unknown_application_id = 81,
};

// Types of information elements (8.1.2).
enum IeType : std::uint16_t {
  kCreatePdr = 1,
  kPdi = 2,
  kCreateFar = 3,
  kForwardingParameters = 4,
  kDuplicatingParameters = 5,
  kCreateUrr = 6,
  kCreateQer = 7,
  kCreatedPdr = 8,
  kUpdatePdr = 9,
  kUpdateFar = 10,
  kUpdateForwardingParameters = 11,
  kUpdateBarOfReport = 12,
  kUpdateUrr = 13,
  kUpdateQer = 14,
  kRemovePdr = 15,
  kRemoveFar = 16,
  kRemoveUrr = 17,
  kRemoveQer = 18,
  kCause = 19,
  kSourceInterface = 20,
  kFTeid = 21,
  kNetworkInstance = 22,
  kSdfFilter = 23,
  kApplicationId = 24,
  kGateStatus = 25,
  kMbr = 26,
  kGbr = 27,
  kPrecedence = 29,
  kTransportLevelMarking = 30,
  kVolumeThreshold = 31,
  kTimeThreshold = 32,
  kInactivityDetectionTime = 36,
  kReportingTriggers = 37,
  kRedirectInformation = 38,
  kReportType = 39,
  kOffendingIe = 40,
  kForwardingPolicy = 41,
  kDestinationInterface = 42,
  kUpFunctionFeatures = 43,
  kApplyAction = 44,
  kDownlinkDataServiceInformation = 45,
  kSmReqFlags = 49,
  kSrRspFlags = 50,
  kPdrId = 56,
  kFSeid = 57,
  kNodeId = 60,
  kMeasurementMethod = 62,
  kUsageReportTrigger = 63,
  kMeasurementPeriod = 64,
  kVolumeMeasurement = 66,
  kDurationMeasurement = 67,
  kTimeOfFirstPacket = 69,
  kTimeOfLastPacket = 70,
  kQuotaHoldingTime = 71,
  kVolumeQuota = 73,
  kTimeQuota = 74,
  kStartTime = 75,
  kEndTime = 76,
  kQueryUrr = 77,
  kUsageReportOfModification = 78,
  kUsageReportOfDeletion = 79,
  kUsageReportOfReport = 80,
  kUrrId = 81,
  kLinkedUrrId = 82,
  kDownlinkDataReport = 83,
  kOuterHeaderCreation = 84,
  kCreateBar = 85,
  kUpdateBar = 86,
  kRemoveBar = 87,
  kBarId = 88,
  kUeIpAddress = 93,
  kOuterHeaderRemoval = 95,
  kRecoveryTimeStamp = 96,
  kHeaderEnrichment = 98,
  kErrorIndicationReport = 99,
  kMeasurementInformation = 100,
  kUrSeqn = 104,
  kUpdateDuplicatingParameters = 105,
  kActivatePredefinedRules = 106,
  kDeactivatePredefinedRules = 107,
  kFarId = 108,
  kQerId = 109,
  kFailedRuleId = 114,
  kRqi = 123,
  kQfi = 124,
  kTrafficEndpointId = 131,
  kEthernetPacketFilter = 132,
  kProxying = 137,
  kSuggestedBufferingPacketsCount = 140,
  kPagingPolicyIndicator = 158,
  kInterfaceType = 160,  // Source and Destination Interface Type
  kSessionRetentionInformation = 183,
  kSeReqFlags = 186,
};

// Reporting Triggers (8.2.19): the first octet in bits 0 to 7, the second in bits 8 to 15.
inline constexpr std::uint32_t kPerio = 0x01, kVolth = 0x02, kTimth = 0x04, kQuhti = 0x08, kStart = 0x10, kStopt = 0x20,
                               kLiusa = 0x80, kVolqu = 0x100, kTimqu = 0x200;

// Flags of PFCPSMReq-Flags (8.2.31), PFCPSRRsp-Flags (8.2.32) and PFCPSEReq-Flags (8.2.125).
inline constexpr std::uint8_t kDrobu = 0x01, kSndem = 0x02, kQaurr = 0x04, kResti = 0x01;

// The header of a message (7.2.2).
struct Header {
  std::uint8_t type = 0;
  std::optional<std::uint64_t> seid{};  // if the S flag is set
  std::uint32_t sequence = 0;           // 24 bits
};

// The result of reading a header.
enum class HeaderState : std::uint8_t {
  good,
  short_message,  // too short for its header: discarded (7.6.3)
  other_version,  // answered by Version Not Supported Response (7.6.2)
  wrong_length,   // Message Length does not fit the datagram: Invalid length (7.6.3)
};

struct Message {
  HeaderState state = HeaderState::short_message;
  Header header{};
  Octets body{};    // information elements
  Octets behind{};  // the octets of the next message, if the FO flag is set (7.2.2.1)
};

// Reads the header of the first message in a datagram. `header` is filled for every state but `short_message`.
[[nodiscard]] Message read_message(Octets datagram) noexcept;

// An information element (8.1.1). `value` includes the Enterprise ID of a vendor-specific element; such elements have
// types from 32768 on, which are all unknown here.
struct Ie {
  std::uint16_t type = 0;
  Octets value{};
};

// IeReader reads information elements one after another. `next` returns nothing after the last element, and at an
// element that is longer than the remaining octets; in the latter case `broken` is true, and `broken_type` is the
// element's type (0: the octets are too short for an element's header).
class IeReader {
 public:
  explicit IeReader(Octets octets) noexcept : rest_(octets) {}
  [[nodiscard]] std::optional<Ie> next() noexcept;
  [[nodiscard]] bool broken() const noexcept { return broken_; }
  [[nodiscard]] std::uint16_t broken_type() const noexcept { return broken_type_; }

 private:
  Octets rest_;
  bool broken_ = false;
  std::uint16_t broken_type_ = 0;
};

// FieldReader reads fields of a value in network byte order. Fields beyond the end read as 0, and `ok` is false from
// then on.
class FieldReader {
 public:
  explicit FieldReader(Octets octets) noexcept : rest_(octets) {}
  [[nodiscard]] std::uint64_t number(std::size_t octets) noexcept;
  [[nodiscard]] std::uint8_t u8() noexcept { return static_cast<std::uint8_t>(number(1)); }
  [[nodiscard]] std::uint16_t u16() noexcept { return static_cast<std::uint16_t>(number(2)); }
  [[nodiscard]] std::uint32_t u32() noexcept { return static_cast<std::uint32_t>(number(4)); }
  [[nodiscard]] Octets take(std::size_t octets) noexcept;
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] Octets rest() const noexcept { return rest_; }

 private:
  Octets rest_;
  bool ok_ = true;
};

// MessageWriter writes a message into a buffer. Octets that do not fit are left out, and `ok` is false from then on.
class MessageWriter {
 public:
  MessageWriter(std::span<std::uint8_t> buffer, const Header& header) noexcept;

  // Opens an information element and returns a handle for `close`, which writes the element's length. Grouped elements
  // are opened inside one another.
  [[nodiscard]] std::size_t open(IeType type) noexcept;
  void close(std::size_t opened) noexcept;

  MessageWriter& number(std::uint64_t value, std::size_t octets) noexcept;
  MessageWriter& octets(Octets value) noexcept;

  // Writes an information element with a single field.
  void ie(IeType type, std::uint64_t value, std::size_t octets) noexcept;
  void ie(IeType type, Octets value) noexcept;

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // Sets the Message Length and returns the message. REQUIRES: ok().
  [[nodiscard]] Octets finish() noexcept;

 private:
  [[nodiscard]] bool room(std::size_t octets) noexcept;

  std::span<std::uint8_t> buffer_;
  std::size_t size_ = 0;
  bool ok_ = true;
};

}  // namespace headroom::gtpu::pfcp
