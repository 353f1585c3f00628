// SPDX-License-Identifier: Apache-2.0
//
// Any octets as a program: with instructions that are kept, from this run and from the one before, with their idioms,
// with the verifier and with a tracer it behaves as it does instruction by instruction. Compared are all observables of
// a run: output, cycles, requests, the whole memory, or where and why it fails.
//
// Input: an octet for the size of the memory and one for the cycles; two that say how many octets are the image; the
// image, from address 64 on, so that the registers are its beginning; and what the program reads. It begins at 128.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/fuzz/input.h"
#include "sigcomp/state/handler.h"
#include "sigcomp/udvm/udvm.h"

namespace headroom::sigcomp::fuzz {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kHead = 4;
constexpr std::uint32_t kImage = 64;
constexpr std::uint32_t kStart = 128;
constexpr std::uint32_t kSizes[] = {2048, 2048, 300, udvm::kMostMemory};

struct Program {
  std::uint32_t memory_size;
  std::uint64_t cycles;
  Octets image;
  Octets input;
};

Program program_of(Octets given) {
  const Octets rest = given.subspan(kHead);
  const std::uint32_t size = kSizes[given[0] % std::size(kSizes)];
  const std::size_t length = std::min<std::size_t>({load16(given.data() + 2), rest.size(), size - kImage});
  return {size, 64 * (1 + std::uint64_t{given[1]}), rest.first(length), rest.subspan(length)};
}

Bytes copy_of(Octets octets) { return {octets.begin(), octets.end()}; }

struct Request {
  bool frees;
  std::uint16_t address, instruction, minimum_access_length, priority;
  Bytes octets;
  bool operator==(const Request&) const = default;
};

struct Trail {
  bool finished = false;
  Reason reason = Reason::kNone;
  std::uint8_t opcode = 0;
  std::uint16_t pc = 0;
  Bytes details;
  std::uint64_t cycles = 0;
  bool has_output = false;
  std::size_t output_length = 0;
  // Of a run that the verifier has ended, these are missing.
  Bytes output;
  Bytes memory;
  std::vector<Request> requests;
  bool operator==(const Trail&) const = default;
};

Trail trail_of(const udvm::Udvm& udvm, bool finished) {
  const Failure& failure = udvm.failure();
  Trail trail;
  trail.finished = finished;
  trail.reason = failure.reason;
  trail.opcode = failure.opcode;
  trail.pc = failure.pc;
  trail.details = copy_of(failure.details());
  trail.cycles = udvm.cycles_used();
  trail.has_output = udvm.has_output();
  trail.output_length = udvm.output().size();
  if (udvm.is_endless()) return trail;
  trail.output = copy_of(udvm.output());
  trail.memory = copy_of(udvm.memory().octets());
  if (!finished) return trail;
  for (const udvm::StateRequest& one : udvm.completion().requests()) {
    trail.requests.push_back({one.kind == udvm::StateRequest::Kind::kFree, one.header.address, one.header.instruction,
                              one.header.minimum_access_length, one.retention_priority, copy_of(one.octets)});
  }
  return trail;
}

// Sees every instruction, and nothing comes of it.
struct Watcher final : udvm::Trace {
  void instruction(const udvm::Memory&, std::uint16_t, std::uint64_t) override {}
};

const StateSource& dictionaries() {
  static StateHandler states(1);
  static const bool there = states.offer({}, sip_sdp_dictionary().value);
  require(there, "the dictionary cannot be offered");
  return states;
}

class Target {
 public:
  explicit Target(const Program& program) : program_(program) {}

  void compare() {
    const Trail one_by_one = run(false, false, nullptr);
    require(run(true, false, nullptr) == one_by_one, "kept instructions do something else");
    require(run(true, false, nullptr) == one_by_one, "instructions kept from the run before do something else");
    Watcher watcher;
    require(run(true, false, &watcher) == one_by_one, "a tracer changes what happens");
    const Trail verified = run(true, true, nullptr);
    if (!udvm_->is_endless()) return require(verified == one_by_one, "the verifier changes what happens");
    Trail without = one_by_one;
    without.output.clear();
    without.memory.clear();
    require(verified == without, "an endless program fails in another way");
  }

 private:
  Trail run(bool keep, bool verify, udvm::Trace* trace) {
    udvm_->memory().reset(program_.memory_size);
    std::ranges::copy(program_.image, udvm_->memory().data() + kImage);
    udvm::Run run;
    run.input = program_.input;
    run.cycles = program_.cycles;
    run.start = kStart;
    run.states = &dictionaries();
    run.trace = trace;
    run.verify = verify;
    run.keep_decoded = keep;
    const bool finished = udvm_->run(run);
    return trail_of(*udvm_, finished);
  }

  Program program_;
  // A new one, which has nothing kept, so that an input does the same whatever has been before it.
  std::unique_ptr<udvm::Udvm> udvm_ = std::make_unique<udvm::Udvm>();
};

}  // namespace
}  // namespace headroom::sigcomp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom::sigcomp;
  if (size < fuzz::kHead) return 0;
  fuzz::Target(fuzz::program_of(Octets(data, size))).compare();
  return 0;
}
