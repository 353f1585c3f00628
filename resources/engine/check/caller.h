// SPDX-License-Identifier: Apache-2.0
//
// Functions that the checks share: the packets that an adapter gets, calls without fences (a check looks at one promise
// at a time), and the transcript of all output, by which two runs are compared.
#ifndef HEADROOM_CHECK_CALLER_H
#define HEADROOM_CHECK_CALLER_H

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapter/buffers.h"
#include "adapter/caller.h"
#include "base/octets.h"
#include "schemes/scheme.h"
#include "traffic/source.h"

namespace headroom::check {

using headroom::name_of;  // of roles, beside that of verdicts

// A check cannot say anything, because what it rests on is broken or absent.
class NotJudged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// As NotJudged: because this machine lacks what the check needs.
class LacksHere : public NotJudged {
 public:
  using NotJudged::NotJudged;
};

// The promise that the check is about is broken.
class Broken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The subject that all checks of one run work with.
struct Subject {
  AdapterJob adapter;
  std::vector<SourcePacket> packets;  // IP packets; link packets when there is no compressor
  bool compressor = false;            // which roles the adapter has
  bool decompressor = false;
  bool endpoint = false;
  bool user_plane = false;
  UserPlaneTrial user_plane_trial{};  // of a user plane, in place of packets
  Json scheme;                        // what describe says of it
};

// Octets with their type of the link layer.
struct TypedPacket {
  Octets octets;
  std::uint16_t type = HEADROOM_TYPE_DEFAULT;
};

// The input record of a TypedPacket, a SourcePacket or a PacketOutput.
template <typename Packet>
[[nodiscard]] PacketInput input_of(const Packet& packet) {
  return {packet.octets, 0, packet.type};
}

// True if `describe` lists `word` in a list of the subject's scheme, such as "features".
[[nodiscard]] bool offers(const Subject& subject, const char* list, const char* word);

// The adapter with a link for packets of kNarrowLink octets, on which most become segments; as it is where it makes
// none.
inline constexpr std::uint32_t kNarrowLink = 24;
[[nodiscard]] AdapterJob on_narrow_link(const Subject& subject);

// The engine's description of the subject's scheme; empty if it does not know the scheme.
[[nodiscard]] const Scheme& known_scheme(const Subject& subject) noexcept;

// The reaction of a call to an outcome that the ABI does not allow.
enum class OnBadOutcome { not_judged, broken };

// The policy of calls (adapter/caller.h) with this reaction.
struct Judged : Safe {
  OnBadOutcome on_bad = OnBadOutcome::not_judged;

  template <typename Sentence>
  [[noreturn]] void broken(headroom_role role, const char* function, Sentence&& sentence) const {
    if (on_bad == OnBadOutcome::broken) Safe::broken(role, function, sentence);
    throw NotJudged("not judged, because the outcome of a call is not what the ABI allows; see the check \"outcome\".");
  }
};

[[nodiscard]] inline Caller<Judged> caller_of(const Instance& instance,
                                              OnBadOutcome on_bad = OnBadOutcome::not_judged) {
  return Caller<Judged>(instance, {{}, on_bad});
}

// Compresses or decompresses one packet, depending on the instance's role, and drains. The record has the outcome.
void process_one(const Instance& instance, headroom_packet& packet, std::uint64_t now_ns);

struct CallOptions {
  OnBadOutcome on_bad = OnBadOutcome::not_judged;
  std::uint8_t fill = 0;                        // what output buffers hold beforehand
  std::optional<std::uint32_t> capacity = {};   // of an output, where it is not what the engine promises
  std::vector<std::size_t>* written = nullptr;  // gets, of each output, the octets up to the last that is not `fill`
};

// Compresses or decompresses, depending on the instance's role, and drains, with room to spare on all sides. Outputs
// after the first are left out.
[[nodiscard]] std::vector<PacketOutput> call(const Instance& instance, const std::vector<PacketInput>& inputs,
                                             std::uint64_t now_ns, const CallOptions& options = {});
[[nodiscard]] PacketOutput call_one(const Instance& instance, const PacketInput& input, std::uint64_t now_ns,
                                    const CallOptions& options = {});

// Returns all reverse packets of an instance; none if the adapter has no such function.
[[nodiscard]] std::vector<ReversePacket> take_reverse(const Instance& instance, std::uint64_t now_ns,
                                                      const CallOptions& options = {});
// Passes the feedback of the decompressor to the compressor.
void carry_reverse(const Instance& decompressor, const Instance& compressor, std::uint64_t now_ns);

// Returns the link packets of a fresh compressor for the subject's packets, without loss; without a compressor, the
// packets themselves. Packets that could not be compressed are left out.
[[nodiscard]] std::vector<TypedPacket> link_packets(const Subject& subject, std::size_t most);

// Returns the inputs of a role: packets for a compressor, link packets for a decompressor.
[[nodiscard]] std::vector<TypedPacket> inputs_for(const Subject& subject, headroom_role role, std::size_t most);

// Everything that compressor and decompressor put out for the subject's packets, as text: one line for each packet,
// status and octets, and for each feedback. Made with fresh instances.
struct TranscriptOptions {
  std::uint32_t burst = 1;
  std::uint8_t fill = 0;   // what output buffers hold beforehand
  std::size_t most = 200;  // packets
};
[[nodiscard]] std::string transcript(const Subject& subject, const TranscriptOptions& options);

// Returns the first difference of two transcripts, as half a sentence: "packet 8 of the compressor: 'OK 45…' and then
// 'OK 46…'".
[[nodiscard]] std::string first_difference(const std::string& a, const std::string& b);

// Returns the time of packet number `i` in checks that need a time.
[[nodiscard]] constexpr std::uint64_t time_of(std::size_t i) noexcept { return (std::uint64_t{i} + 1) * 20'000'000; }

}  // namespace headroom::check

#endif  // HEADROOM_CHECK_CALLER_H
