// SPDX-License-Identifier: Apache-2.0
//
// Two endpoints with compressors in any configuration. Messages go both ways, some are lost; whatever arrives must be
// what was sent, and leave the state that the compressor says. Or a hostile peer tells a compressor anything at all, in
// feedback items, parameters, announcements and NACKs: then what arrives is what was sent, or it fails.
//
// Input: eight octets of configuration; then four for each step: what is done, and what it is done with.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "sigcomp/compressor/compressor.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/fuzz/input.h"
#include "sigcomp/test/support/random.h"

namespace headroom::sigcomp::fuzz {
namespace {

constexpr CompartmentId kCompartment = 1;
constexpr std::size_t kSteps = 60;
constexpr std::size_t kConfiguration = 8;  // octets of the input
constexpr std::size_t kStep = 4;

CompressorConfig configuration(Octets octets, bool& hostile) {
  CompressorConfig c;
  c.algorithm = (octets[0] & 1) == 0 ? Algorithm::kLzss : Algorithm::kDeflate;
  c.mechanism = static_cast<Mechanism>(octets[0] / 2 % 6);
  c.search = octets[0] < 240 ? Search::kHash : Search::kLinear;
  c.acknowledgement = static_cast<Acknowledgement>(octets[1] % 4);
  c.announce = (octets[1] & 16) != 0;
  c.whole_memory = (octets[1] & 32) != 0;
  c.linear_buffer = (octets[3] & 8) != 0;
  c.room_first = (octets[3] & 16) != 0;
  const bool reliable = c.acknowledgement == Acknowledgement::kTransport;
  c.shared_state = reliable && octets[4] % 2 != 0 ? SharedState::kFirstTurnOnce : SharedState::kNewest;
  c.transport = (octets[1] & 64) != 0 ? Transport::kStream : Transport::kMessages;
  hostile = (octets[1] & 128) != 0;
  c.length_bits = 4 + 2 * (octets[2] % 3U);
  c.offset_bits = (octets[2] & 16) != 0 ? 12 + octets[2] / 32 % 3U : 0;
  c.dictionary_priority = octets[3] % 6U;
  c.checkpoint_every = octets[3] / 32U;
  c.shared_length = 8 + 8 * std::size_t{octets[4]} % 2032;
  c.peer = {static_cast<std::uint16_t>(16U << octets[5] % 4), 2048U << octets[5] / 4 % 6,
            octets[5] >= 250 ? 0 : 2048U << octets[5] / 32 % 7};
  c.most_compressed = 1 + std::size_t{octets[6]} * 24;
  c.user_dictionary.assign(octets[7] < 128 ? 0 : octets[7], octets[7]);
  if (octets[7] % 2 != 0) c.own = c.peer;
  return c;
}

struct Endpoint {
  explicit Endpoint(const CompressorConfig& config)
      : states(2),
        decompressor({config.peer.cycles_per_bit, config.peer.decompression_memory_size, kVersionWithNack}, states),
        factory(states) {
    require(states.offer({}, sip_sdp_dictionary().value), "the dictionary cannot be offered");
    require(states.open(kCompartment, config.peer.state_memory_size), "no compartment");
    compressor = factory.make(config, kCompartment);
  }
  StateHandler states;
  Decompressor decompressor;
  CompressorFactory factory;
  std::unique_ptr<Compressor> compressor;
};

// Tells `to` what no honest peer would.
void lie(Endpoint& to, Octets octets) {
  test::Random random(octets[1] * 256U + octets[2]);
  std::vector<std::uint8_t> item(1 + random.below(30));
  for (auto& octet : item) octet = random.below(3) == 0 ? 6 : random.octet();
  std::vector<std::uint8_t> parameters(random.below(40));
  for (auto& octet : parameters) octet = random.below(3) == 0 ? 6 : random.octet();
  const auto length = length_of_feedback_item(item);
  const auto listed = length_of_returned_parameters(parameters);
  to.compressor->heard(
      {item, length ? Octets(item).first(*length) : Octets{}, listed ? Octets(parameters).first(*listed) : Octets{}});
  if (octets[3] % 4 == 0) {
    Nack nack;
    nack.reason = static_cast<Reason>(random.below(30));
    nack.details = item;
    to.compressor->refused(nack);
  }
  if (octets[3] % 8 == 1) (void)to.compressor->acknowledge(item);
  if (octets[3] % 8 == 2 && to.compressor->leaves() != nullptr) {
    (void)to.compressor->acknowledge(*to.compressor->leaves());  // it has not arrived, perhaps
  }
}

class Target {
 public:
  Target(const CompressorConfig& config, bool hostile)
      : a_(config), b_(config), transport_(config.transport), hostile_(hostile), config_(config) {}

  void step(Octets octets) {
    Endpoint& from = (octets[0] & 1) == 0 ? a_ : b_;
    Endpoint& to = (octets[0] & 1) == 0 ? b_ : a_;
    if (hostile_ && (octets[0] & 6) == 6) lie(from, octets);
    test::Random random(octets[1]);
    std::vector<std::uint8_t> message = test::random_message(random, 10 + 12 * std::size_t{octets[2]});
    message.push_back(octets[3]);
    const Octets made = from.compressor->compress(message);
    if (made.empty()) return;
    require(made.size() <= config_.most_compressed, "a message is longer than it may be");
    // Not always asked for, so that it is also computed later.
    std::optional<Sha1Digest> leaves;
    if (const Sha1Digest* const item = octets[1] % 4 != 0 ? from.compressor->leaves() : nullptr; item != nullptr) {
      leaves = *item;
    }
    // Where the transport is reliable, nothing is lost.
    if (config_.acknowledgement != Acknowledgement::kTransport && octets[0] >= 200) return;
    const std::vector<std::uint8_t> link(made.begin(), made.end());
    const Outcome& outcome = to.decompressor.decompress(link, transport_);
    const bool fine = outcome.kind == Outcome::Kind::kMessage;
    require(fine || hostile_, "what an honest endpoint has sent cannot be decompressed");
    if (!fine) {
      from.compressor->forget();
      return;
    }
    require(std::ranges::equal(outcome.output, message), "what arrives is not what was sent");
    require(to.decompressor.accept(kCompartment), "not accepted");
    if (leaves && !hostile_) {
      require(to.states.find(*leaves).kind == StateFound::Kind::kOne, "the peer's state is not what was expected");
    }
    to.compressor->heard(received_parts(outcome, to.decompressor.udvm().completion()));
    if (config_.acknowledgement == Acknowledgement::kOthers && leaves && octets[0] % 3 == 0) {
      (void)from.compressor->acknowledge(*leaves);
    }
  }

 private:
  Endpoint a_;
  Endpoint b_;
  Transport transport_;
  bool hostile_;
  CompressorConfig config_;
};

}  // namespace
}  // namespace headroom::sigcomp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom::sigcomp;
  if (size < fuzz::kConfiguration) return 0;
  bool hostile = false;
  const Octets input(data, size);
  std::unique_ptr<fuzz::Target> target;
  try {
    const CompressorConfig config = fuzz::configuration(input.first(fuzz::kConfiguration), hostile);
    target = std::make_unique<fuzz::Target>(config, hostile);
  } catch (const std::invalid_argument&) {
    return 0;  // a configuration that cannot work
  }
  Octets rest = input.subspan(fuzz::kConfiguration);
  for (std::size_t i = 0; i < fuzz::kSteps && rest.size() >= fuzz::kStep; ++i, rest = rest.subspan(fuzz::kStep)) {
    target->step(rest.first(fuzz::kStep));
  }
  return 0;
}
