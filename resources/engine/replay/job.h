// SPDX-License-Identifier: Apache-2.0
//
// The job of `replay` (README.md), read and checked as a whole before anything runs.
#ifndef HEADROOM_REPLAY_JOB_H
#define HEADROOM_REPLAY_JOB_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapter/checked.h"
#include "adapter/instance.h"
#include "base/json_reader.h"
#include "capture/link_framing.h"
#include "link/impairment.h"
#include "replay/carrier_job.h"
#include "sim/hop.h"
#include "traffic/source.h"

namespace headroom::replay {

// The framing of link packets in the capture of the link.
enum class Encapsulation : std::uint8_t { ethernet, ppp, none };

enum class Records : std::uint8_t { none, failures, all };

// An action before a packet of the source: a message for an adapter's `control`, or feedback for a compressor.
struct ControlStep {
  std::uint64_t before = 0;
  bool reverse = false;
  headroom_role role = HEADROOM_COMPRESSOR;
  std::string message;  // JSON; empty if the step is feedback
  ReversePacket feedback;
  std::string where;
};

// The framing of a scheme's link packets.
struct LinkFormat {
  const LinkFraming* framing = &kUnknownFraming;
  std::size_t ppp_variant = 0;  // index of the variant, by the configuration
  Encapsulation encapsulation = Encapsulation::ethernet;
};

struct Outputs {
  std::optional<std::string> source, link, decompressed;
};

struct Job {
  std::optional<AdapterJob> compressor, decompressor;
  std::vector<SourcePacket> source;
  std::optional<CaptureCounts> captured;     // counts of the capture, if the source is one
  std::vector<SourcePacket> reverse_source;  // empty without a reverse channel
  std::vector<SourcePacket> expected;        // expected packets; only without a compressor
  bool has_expected = false;
  bool reverse = false;
  std::uint64_t seed = 0;
  std::uint32_t burst = 1;
  Impairment forward, backward, feedback;
  sim::FeedbackPath path = sim::FeedbackPath::none;
  std::vector<ControlStep> control;  // ascending by packet
  std::optional<CarrierJob> carrier;
  LinkFormat format;  // format of link packets, by the scheme of the first adapter or its carrier
  LinkFormat inner;   // by the scheme of the first adapter
  Outputs outputs;
  Records records = Records::none;
  bool record_octets = true;
  bool timing = false;  // True if calls are timed; only times differ from run to run
};

inline constexpr std::uint32_t kLargestBurst = 1024;

[[nodiscard]] Job read_job(const Json& document);

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_JOB_H
