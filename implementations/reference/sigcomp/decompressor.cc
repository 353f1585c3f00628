// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/decompressor.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "mutants.h"

namespace headroom::sigcomp {
namespace {

constexpr std::uint32_t kUsefulValues = 32;  // octets, figure 5

}  // namespace

std::uint32_t udvm_memory_size(std::uint32_t decompression_memory_size, Transport transport,
                               std::size_t message) noexcept {
  const std::uint32_t size = transport == Transport::kStream
                                 ? decompression_memory_size / 2
                                 : decompression_memory_size - static_cast<std::uint32_t>(message);
  return std::min(size, udvm::kMostMemory);
}

Decompressor::Decompressor(const DecompressorConfig& config, StateHandler& states) : config_(config), states_(states) {
  if (!is_cycles_per_bit(config.cycles_per_bit)) {
    throw std::invalid_argument("cycles_per_bit must be 16, 32, 64 or 128 (RFC 3320 3.3.1)");
  }
  if (!is_memory_size(config.decompression_memory_size)) {
    throw std::invalid_argument(
        "decompression_memory_size must be a power of two from 2048 to 131072 (RFC 3320 3.3.1)");
  }
  if (config.version != kVersionBasic && config.version != kVersionWithNack) {
    throw std::invalid_argument("SigComp_version must be 1 (RFC 3320) or 2 (with NACK, RFC 4077)");
  }
}

const Outcome& Decompressor::fail(Reason reason) noexcept {
  outcome_.kind = Outcome::Kind::kFailure;
  outcome_.failure.reason = reason;
  return outcome_;
}

const Outcome& Decompressor::decompress(Octets message, Transport transport, udvm::Trace* trace) noexcept {
  outcome_ = {};
  acceptable_ = false;
  if (message.empty() || !is_sigcomp(message[0])) return outcome_;
  Header header;
  if (const Reason reason = read_header(message, header); reason != Reason::kNone) return fail(reason);
  if (config_.version >= kVersionWithNack && is_nack(header)) {
    const auto nack = read_nack(header);
    outcome_.kind = nack ? Outcome::Kind::kNack : Outcome::Kind::kIgnored;
    if (nack) outcome_.nack = *nack;
    return outcome_;
  }
  if (message.size() > config_.decompression_memory_size) return fail(too_large());
  std::uint16_t start = 0;
  const std::uint32_t size = udvm_memory_size(config_.decompression_memory_size, transport, message.size());
  if (const Reason reason = load(header, size, start); reason != Reason::kNone) return fail(reason);
  udvm::Run run;
  run.input = header.rest;
  // 8.6: "1000 plus the number of bits in the SigComp header …; this sum is then multiplied by cycles_per_bit"
  run.cycles = (1000 + (mutant("sigcomp-cycles-without-header") ? 0 : 8 * std::uint64_t{header.length})) *
               config_.cycles_per_bit;
  run.cycles_per_bit = config_.cycles_per_bit;
  run.start = start;
  run.states = &states_;
  run.trace = trace;
  run.verify = config_.verify;
  run.keep_decoded = config_.keep_decoded;
  run.most_work = most_work(header);
  const bool finished = udvm_.run(run);
  outcome_.cycles = udvm_.cycles_used();
  outcome_.work = udvm_.work();
  outcome_.is_endless = udvm_.is_endless();
  if (!finished) {
    outcome_.failure = udvm_.failure();
    return fail(outcome_.failure.reason);
  }
  outcome_.kind = udvm_.has_output() ? Outcome::Kind::kMessage : Outcome::Kind::kNoOutput;
  outcome_.output = udvm_.output();
  const Octets returned = header.returned_feedback;
  std::ranges::copy(returned, returned_feedback_.begin());
  outcome_.returned_feedback = Octets(returned_feedback_).first(returned.size());
  acceptable_ = true;
  return outcome_;
}

std::uint64_t Decompressor::most_work(const Header& header) const noexcept {
  const std::uint64_t cycles = (1000 + 8 * std::uint64_t{header.length + header.rest.size()}) * config_.cycles_per_bit;
  if (mutant("sigcomp-work-without-bound")) return 0;
  const std::uint64_t by_cycles = cycles * config_.work_per_cycle;
  if (by_cycles == 0 || config_.most_work == 0) return std::max(by_cycles, config_.most_work);
  return std::min(by_cycles, config_.most_work);
}

Reason Decompressor::load(const Header& header, std::uint32_t memory_size, std::uint16_t& start) noexcept {
  udvm_.memory().reset(memory_size);
  return header.partial_identifier.empty() ? load_code(header, start) : load_state(header.partial_identifier, start);
}

// 7.2
Reason Decompressor::load_state(Octets partial, std::uint16_t& start) noexcept {
  const StateFound found = states_.find(partial);
  outcome_.failure.set_details(partial);
  if (found.kind == StateFound::Kind::kSeveral) return Reason::kIdNotUnique;
  // An identifier shorter than the item demands counts as not found (RFC 4077 3.2, 1).
  if (found.kind == StateFound::Kind::kNone ||
      (partial.size() < found.item->header.minimum_access_length && !mutant("sigcomp-header-access-unchecked"))) {
    return Reason::kStateNotFound;
  }
  outcome_.failure.set_details({});
  const StateItem& item = *found.item;
  udvm::Memory& memory = udvm_.memory();
  if (item.header.address + item.value.size() > memory.size()) return Reason::kSegfault;
  if (!item.value.empty()) std::memcpy(memory.data() + item.header.address, item.value.data(), item.value.size());
  set_useful_values(partial.size(), item.value.size());
  start = item.header.instruction;
  return Reason::kNone;
}

// 7.3
Reason Decompressor::load_code(const Header& header, std::uint16_t& start) noexcept {
  udvm::Memory& memory = udvm_.memory();
  if (header.destination + header.code.size() > memory.size()) return too_large();
  if (!header.code.empty()) std::memcpy(memory.data() + header.destination, header.code.data(), header.code.size());
  set_useful_values(0, 0);
  start = header.destination;
  return Reason::kNone;
}

// Figure 5; a memory that is smaller than these gets as many as fit.
void Decompressor::set_useful_values(std::size_t partial_identifier, std::size_t state_length) noexcept {
  udvm::Memory& memory = udvm_.memory();
  std::uint8_t values[kUsefulValues] = {};
  store16(values, static_cast<std::uint16_t>(memory.size()));  // modulo 2^16
  store16(values + 2, config_.cycles_per_bit);
  store16(values + 4, mutant("sigcomp-version-0") ? std::uint8_t{0} : config_.version);
  store16(values + 6, static_cast<std::uint16_t>(partial_identifier));
  if (!mutant("sigcomp-no-state-length")) store16(values + 8, static_cast<std::uint16_t>(state_length));
  std::memcpy(memory.data(), values, std::min(kUsefulValues, memory.size()));
}

// A message beyond the decompression memory has no reason code of its own; this one tells the sender how much there is.
Reason Decompressor::too_large() noexcept {
  std::uint8_t size[2];
  store16(size, static_cast<std::uint16_t>(std::min(config_.decompression_memory_size, std::uint32_t{0xffff})));
  outcome_.failure.set_details(size);
  return Reason::kBytecodesTooLarge;
}

bool Decompressor::accept(CompartmentId id) {
  if (!acceptable_ || !states_.apply(id, udvm_.completion(), outcome_.returned_feedback)) return false;
  acceptable_ = false;
  return true;
}

Octets Decompressor::nack(Octets message) noexcept {
  if (config_.version < kVersionWithNack || outcome_.kind != Outcome::Kind::kFailure) return {};
  if (mutant("sigcomp-nack-hash-without-header")) message = message.subspan(1);
  return write_nack(outcome_.failure, udvm_.sha1()(message), nack_);
}

Octets Decompressor::framing_nack() noexcept {
  if (config_.version < kVersionWithNack) return {};
  Failure failure;
  failure.reason = Reason::kFramingError;
  return write_nack(failure, {}, nack_);
}

}  // namespace headroom::sigcomp
