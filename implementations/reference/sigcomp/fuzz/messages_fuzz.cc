// SPDX-License-Identifier: Apache-2.0
//
// An endpoint that gets whatever the input says: record marking, headers, bytecode, state and feedback, message after
// message, so that later ones find the states of earlier ones. Some messages are decompressed twice, the second time
// with the tracer and without verifier and kept instructions: both must do the same.
//
// Input: an octet with the parameters; then a stream as RFC 3320 4.2.2 delimits it. The length of a message decides
// on its transport and its compartment.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sigcomp/assembler/disassembler.h"
#include "sigcomp/decompressor.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/fuzz/input.h"
#include "sigcomp/message/record_marking.h"

namespace headroom::sigcomp::fuzz {
namespace {

constexpr CompartmentId kCompartments = 3;
// UDVM cycles of one input, so that an input stays fast with sanitizers.
constexpr std::uint64_t kMostCycles = 200000;
constexpr std::uint64_t kMostTraced = 3000;

class Target {
 public:
  explicit Target(std::uint8_t setting)
      : states_(kCompartments),
        decompressor_(configured(setting, true), states_),
        unverified_(configured(setting, false), states_),
        trace_([this](const std::string& line) { traced_octets_ += line.size(); }) {
    require(states_.offer({}, sip_sdp_dictionary().value), "the dictionary cannot be offered");
    for (CompartmentId id = 0; id < kCompartments; ++id) require(states_.open(id, 2048), "no compartment");
  }

  static DecompressorConfig configured(std::uint8_t setting, bool verify) {
    DecompressorConfig config;
    config.cycles_per_bit = static_cast<std::uint16_t>(16U << (setting & 3));
    config.decompression_memory_size = 2048U << (setting >> 2 & 3);
    config.version = static_cast<std::uint8_t>((setting & 0x10) != 0 ? kVersionBasic : kVersionWithNack);
    config.work_per_cycle = 0;
    config.verify = verify;
    config.keep_decoded = verify;
    return config;
  }

  void give(Octets message) {
    const Transport transport = message.size() % 2 == 0 ? Transport::kMessages : Transport::kStream;
    const Outcome& outcome = decompressor_.decompress(message, transport);
    const std::uint64_t most = (8 * message.size() + 1000) * decompressor_.config().cycles_per_bit;
    require(outcome.cycles <= most, "more cycles than the message brings");
    require(outcome.output.size() <= udvm::kMostOutput, "more output than there may be");
    const bool failed = outcome.kind == Outcome::Kind::kFailure;
    require(failed == (outcome.failure.reason != Reason::kNone), "a failure without a reason");
    require(name_of(outcome.failure.reason) != "UNKNOWN", "no reason of RFC 4077");
    const Octets nack = decompressor_.nack(message);
    require(!nack.empty() == (failed && decompressor_.config().version == kVersionWithNack),
            "a NACK at the wrong time");
    cycles_ += outcome.cycles;
    compare(message, transport, traced_cycles_ + outcome.cycles < kMostTraced);
    if (!failed) decompressor_.accept(message.size() % (kCompartments + 1));
    for (CompartmentId id = 0; id < kCompartments; ++id) {
      require(states_.memory_of(id) <= 2048, "a compartment exceeds its memory");
    }
    require(states_.items() <= 1 + kCompartments * 2048 / kItemCost, "states without an owner");
  }

  [[nodiscard]] bool is_tired() const { return cycles_ > kMostCycles; }

 private:
  void compare(Octets message, Transport transport, bool traced) {
    const Outcome first = decompressor_.decompress(message, transport);
    if (traced) traced_cycles_ += first.cycles;
    const std::vector<std::uint8_t> output(first.output.begin(), first.output.end());
    const Outcome& other = unverified_.decompress(message, transport, traced ? &trace_ : nullptr);
    require(other.kind == first.kind && other.cycles == first.cycles, "tracer or verifier change something");
    require(std::ranges::equal(other.output, output), "tracer or verifier change the output");
    require(other.failure.reason == first.failure.reason && other.failure.pc == first.failure.pc,
            "tracer or verifier change the failure");
  }

  StateHandler states_;
  Decompressor decompressor_;
  Decompressor unverified_;
  std::uint64_t cycles_ = 0;
  std::uint64_t traced_cycles_ = 0;
  assembler::TracePrinter trace_;
  std::size_t traced_octets_ = 0;
};

}  // namespace
}  // namespace headroom::sigcomp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom::sigcomp;
  if (size == 0) return 0;
  fuzz::Target target(data[0]);
  Octets stream(data + 1, size - 1);
  RecordReader reader(9000);
  for (;;) {
    switch (reader.read(stream)) {
      case RecordReader::Event::kMessage:
        target.give(reader.message());
        if (target.is_tired()) return 0;
        break;
      case RecordReader::Event::kTooLong:
        break;
      case RecordReader::Event::kMore:
      case RecordReader::Event::kFramingError:
        return 0;
    }
  }
}
