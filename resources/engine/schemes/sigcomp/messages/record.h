// SPDX-License-Identifier: Apache-2.0
//
// The outcome of a message, and its JSON in a result (README.md, `messages`).
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

// A NACK sent back to the sender of a message.
struct NackRecord {
  Octets octets;
  std::optional<LinkOutcome> link;  // no value: the NACK was not sent
  std::optional<MessageOutput> arrived;
  std::vector<Octets> answers;  // NACKs that answer this NACK; they are not sent
};

// The arrival of a message at a decompressor, with its outcome.
struct Arrival {
  std::uint64_t time_ns = 0;
  MessageOutput output;
  std::optional<bool> accepted;  // where the application accepted it afterwards: whether that succeeded
  bool duplicate = false;
  bool identical = false;
  bool again = false;              // of a stream: it came out before, and none was to come
  std::vector<std::size_t> nacks;  // of Record::nacks
};

struct Record {
  Verdict verdict = Verdict::not_run;
  std::uint64_t time_ns = 0;
  std::optional<MessageOutput> compressed;  // output of the compressor, for a sent message
  bool plain = false;                       // True if the message could not be compressed and was sent uncompressed
  std::optional<LinkOutcome> link;
  std::vector<Arrival> arrivals;
  std::vector<NackRecord> nacks;
  std::uint64_t unread_octets = 0;       // of a literal piece of a stream: what the decompressor refused
  std::vector<std::string> differences;  // differences of a literal message from the expectation
  // The cycles of the calls of each run, with `repeats`.
  std::vector<std::uint64_t> compress_cycles, decompress_cycles;
};

// Returns the differences between an arrival and the expectation, as sentences; none if there is no difference.
[[nodiscard]] std::vector<std::string> differences(const Expectation& expected, const Arrival& arrival);

// Returns the JSON of a detail, without unknown keys. `receiving`: the detail is of `decompress`.
[[nodiscard]] Json json_of(const headroom_message_detail& detail, bool receiving);

// Returns the JSON of a record. `hz` is the number of cycles per second, for times; 0 if no times were taken.
[[nodiscard]] Json json_of(const Record& record, const Step& step, std::size_t index, const Job& job, double hz);

}  // namespace headroom::sigcomp::messages

#endif  // HEADROOM_SCHEMES_SIGCOMP_MESSAGES_RECORD_H
