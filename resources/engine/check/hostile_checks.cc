// SPDX-License-Identifier: Apache-2.0
//
// Octets that nobody honest would send. Whatever they are, the answer is a status.
#include <algorithm>

#include "base/nth.h"
#include "base/random.h"
#include "check/checks.h"

namespace headroom::check {
namespace {

constexpr std::size_t kHostilePackets = 6'000;
constexpr unsigned kNoType = 7;  // of a reverse packet

class Forger {
 public:
  explicit Forger(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_.next() % limit); }

  [[nodiscard]] Octets random_octets(std::size_t most) {
    Octets octets(below(most + 1));
    for (std::uint8_t& octet : octets) octet = static_cast<std::uint8_t>(random_.next());
    return octets;
  }

  // `original` with bits flipped, cut short, lengthened, or with a random head.
  [[nodiscard]] Octets damaged(const Octets& original) {
    Octets octets = original;
    switch (below(5)) {
      case 0:
        for (std::size_t n = below(8) + 1; n > 0 && !octets.empty(); --n) {
          octets[below(std::min<std::size_t>(octets.size(), 24))] ^= static_cast<std::uint8_t>(1u << below(8));
        }
        break;
      case 1:
        octets.resize(below(octets.size() + 1));
        break;
      case 2: {
        const Octets more = random_octets(200);
        octets.insert(octets.end(), more.begin(), more.end());
        break;
      }
      case 3: {
        const Octets head = random_octets(std::min<std::size_t>(octets.size(), 12));
        std::copy(head.begin(), head.end(), octets.begin());
        break;
      }
      default:
        if (octets.size() > 1) octets.erase(octets.begin() + static_cast<std::ptrdiff_t>(below(octets.size())));
        break;
    }
    return octets;
  }

 private:
  Xoshiro256 random_;
};

// What a decompressor has to say after a packet, to either end.
void take_all(const Instance& instance, std::uint64_t now_ns, const CallOptions& options = {}) {
  if (instance.role() == HEADROOM_DECOMPRESSOR) (void)take_reverse(instance, now_ns, options);
}

}  // namespace

Outcome check_hostile_packets(const Subject& subject) {
  for_each_role(subject, [&](headroom_role role) {
    const std::vector<TypedPacket> honest = inputs_for(subject, role, 100);
    const Instance instance(subject.adapter, role);
    // When even honest packets have impossible outcomes, there is nothing to add here.
    for (std::size_t i = 0; i < honest.size(); ++i) {
      (void)call_one(instance, input_of(honest[i]), time_of(i));
      take_all(instance, time_of(i));
    }
    Forger forger(1);
    for (std::size_t i = 0; i < kHostilePackets; ++i) {
      // Honest packets in between, so that there is a context to attack.
      const std::size_t kind = i % 4;
      const bool forged = honest.empty() || kind == 0;
      const Octets random = forged ? forger.random_octets(i % 64 == 0 ? 2'000 : 120) : Octets();
      // Random octets come with each type that there is.
      TypedPacket packet =
          honest.empty() ? TypedPacket() : honest[forged ? i % honest.size() : forger.below(honest.size())];
      if (forged) packet.octets = random;
      if (kind == 2 || kind == 3) packet.octets = forger.damaged(packet.octets);
      note(nth("packet", i) + " of hostile ones, " + std::to_string(packet.octets.size()) +
           " octets, was given to the " + name_of(role));
      const CallOptions judged = {OnBadOutcome::broken};
      (void)call_one(instance, input_of(packet), time_of(honest.size() + i), judged);
      take_all(instance, time_of(honest.size() + i), judged);
    }
  });
  return {};
}

Outcome check_hostile_feedback(const Subject& subject) {
  if (!subject.compressor) throw NotJudged("this needs a compressor.");
  const Instance compressor(subject.adapter, HEADROOM_COMPRESSOR);
  const Caller<Judged> caller = caller_of(compressor);
  if (!caller.has_give_reverse()) throw NotJudged("the adapter takes no reverse packets.");
  Forger forger(2);
  std::size_t next = 0;
  for (std::size_t i = 0; i < kHostilePackets; ++i) {
    Octets octets = forger.random_octets(i % 16 == 0 ? HEADROOM_REVERSE_MAX : 12);
    // Half of it looks like feedback: 11110 and a length (RFC 5795, 5.2.4.1).
    if (i % 2 == 0 && !octets.empty()) octets[0] = static_cast<std::uint8_t>(0xF0 | forger.below(8));
    octets.reserve(octets.size() + 1);  // so that none has a pointer that is NULL
    const std::uint32_t channel = i % 32 == 0 ? 0x7FFFFFFF : 0;
    note(nth("reverse packet", i) + " of hostile ones, " + std::to_string(octets.size()) +
         " octets, was given to the compressor");
    for (const unsigned type : {HEADROOM_REVERSE_NEAR, HEADROOM_REVERSE_FAR, kNoType}) {
      if (type != HEADROOM_REVERSE_NEAR && i % 8 != 0) continue;
      (void)caller.give_reverse({octets, channel, static_cast<std::uint16_t>(type)}, time_of(i));
    }
    const SourcePacket& packet = subject.packets[next++ % subject.packets.size()];
    // Octets waiting to be piggybacked count against the room; what does not fit may be refused, but not overflow.
    (void)call_one(compressor, input_of(packet), time_of(i));
  }
  return {};
}

}  // namespace headroom::check
