// SPDX-License-Identifier: Apache-2.0
//
// What became of one message, and how that stands in a result (README.md, `messages`).
#ifndef HEADROOM_SCHEMES_SIGCOMP_MESSAGES_RECORD_H
#define HEADROOM_SCHEMES_SIGCOMP_MESSAGES_RECORD_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapter/checked_endpoint.h"
#include "base/json_reader.h"
#include "link/link.h"
#include "schemes/sigcomp/messages/job.h"

namespace headroom::sigcomp::messages {

enum class Verdict : std::uint8_t {
  not_run,
  identical,
  mismatched,
  not_delivered,
  lost_on_link,
  not_compressed,
  met,        // a literal message did what was expected,
  unmet,      // or did not,
  unchecked,  // or nothing was expected
};
[[nodiscard]] const char* name_of(Verdict verdict) noexcept;
[[nodiscard]] bool is_failure(Verdict verdict) noexcept;

// A NACK on its way back.
struct NackRecord {
  Octets octets;
  std::optional<LinkOutcome> link;  // nothing: it was not sent
  std::optional<MessageOutput> arrived;
  std::vector<Octets> answers;  // NACKs with which it was answered in turn; they are not sent
};

// One message that came out of a decompressor, or did not.
struct Arrival {
  std::uint64_t time_ns = 0;
  MessageOutput output;
  std::optional<bool> accepted;  // where the application accepted it afterwards: whether that succeeded
  bool duplicate = false;
  bool identical = false;
  std::vector<std::size_t> nacks;  // of Record::nacks
};

struct Record {
  Verdict verdict = Verdict::not_run;
  std::uint64_t time_ns = 0;
  std::optional<MessageOutput> compressed;  // of a message that was sent
  bool plain = false;                       // it could not be compressed, and went as it was
  std::optional<LinkOutcome> link;
  std::vector<Arrival> arrivals;
  std::vector<NackRecord> nacks;
  std::uint64_t unread_octets = 0;       // of a literal piece of a stream: what the decompressor refused
  std::vector<std::string> differences;  // of a literal message from what was expected
  // Cycles of the calls of each run, with `repeats`.
  std::vector<std::uint64_t> compress_cycles, decompress_cycles;
};

// In what an arrival differs from what was expected, as sentences; none when it does not.
[[nodiscard]] std::vector<std::string> differences(const Expectation& expected, const Arrival& arrival);

// The JSON of a detail, without keys that it does not know. `receiving`: it is of `decompress`.
[[nodiscard]] Json json_of(const headroom_message_detail& detail, bool receiving);

// `hz`: cycles a second, for times; 0 where none were taken.
[[nodiscard]] Json json_of(const Record& record, const Step& step, std::size_t index, const Job& job, double hz);

}  // namespace headroom::sigcomp::messages

#endif  // HEADROOM_SCHEMES_SIGCOMP_MESSAGES_RECORD_H
