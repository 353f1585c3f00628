// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/coverage.h"

#include <algorithm>

#include "mutants.h"
#include "rohc/v1/compressor/refresh.h"
#include "rohc/v1/compressor/reliable.h"

namespace headroom::rohc {
namespace {

// How many packets in a row must speak for another way.
constexpr std::uint8_t kVotes = 3;

std::uint16_t value_in(const PacketFields& f) noexcept {
  return wire::load16(f.inner + f.chain.layout().udp_length_at);
}

// "Equal to the packet length": that of the UDP-Lite datagram (5.2.2).
bool covers_all(const PacketFields& f) noexcept {
  const Layout& l = f.chain.layout();
  const std::size_t csrc_octets = f.lists != nullptr ? 4U * f.lists->csrc_count : 0U;
  const std::size_t header = mutant("coverage-compared-with-payload") ? 0U : std::size_t{l.header} - l.udp;
  return value_in(f) == header + csrc_octets + f.payload.size();
}

// True if a decompressor that knows the flow's way gets the field right without being sent it. Never with kSent.
bool is_compressible(Flow flow, const PacketFields& f) noexcept {
  const Layout& l = flow.layout();
  if (l.coverage == Coverage::kInferred) return covers_all(f);
  return l.coverage == Coverage::kFixed && value_in(f) == wire::load16(flow.c.pattern.data() + l.udp_length_at);
}

void set_way(Flow flow, Coverage way, std::uint16_t value) noexcept {
  CompressorContext& c = flow.c;
  c.shape = with_coverage(c.shape, way);
  c.udp_checksum_octets = way == Coverage::kSent ? 4 : 2;
  wire::store16(c.pattern.data() + flow.layout().udp_length_at, way == Coverage::kFixed ? value : std::uint16_t{0});
}

void forget_votes(CoverageHistory& v) noexcept { v.same_run = v.inferred_run = v.deviations = 0; }

void adopt(Flow flow, Coverage way, const PacketFields& f) noexcept {
  set_way(flow, way, value_in(f));
  forget_votes(*flow.coverage);
  flow.h.coverage_left = mutant("coverage-told-once") ? 1 : flow.repeats();
  flow.h.changed_since_sn = f.sn;
  flow.coverage->told_since_sn = f.sn;
  begin_reminders(flow);
}

// A packet has not told the way: no acknowledgement of it says that the decompressor knows it. Of all else it may.
void not_told(Flow flow, const PacketFields& f) noexcept {
  const std::uint16_t ackable = next_ackable_sn(flow);
  const auto next = static_cast<std::uint16_t>(f.sn + 1);
  flow.coverage->told_since_sn = static_cast<std::int16_t>(next - ackable) > 0 ? next : ackable;
}

void count(std::uint8_t& run) noexcept { run = static_cast<std::uint8_t>(std::min(255, run + 1)); }

}  // namespace

void begin_coverage(Flow flow, const PacketFields& f) noexcept {
  if (flow.coverage == nullptr) return;
  *flow.coverage = {};
  set_way(flow, covers_all(f) ? Coverage::kInferred : Coverage::kSent, 0);
}

void catch_up_coverage(Flow flow) noexcept {
  if (flow.coverage == nullptr || flow.c.fast_run == 0) return;
  forget_votes(*flow.coverage);
  flow.coverage->differed = false;  // they were compressed headers, and there was nothing left to tell
}

void observe_coverage(Flow flow, const PacketFields& f) noexcept {
  if (flow.coverage == nullptr) return;
  CoverageHistory& v = *flow.coverage;
  const Coverage way = flow.layout().coverage;
  // CCE(OFF) cannot tell a fixed value by a packet of that very length: it would mean "inferred" (5.3.2.3). Packets
  // that all have it must not keep the compressor from ever telling.
  const bool untellable = way == Coverage::kFixed && flow.h.coverage_left != 0 && covers_all(f);
  if (is_compressible(flow, f) && !untellable) {
    forget_votes(v);
    return;
  }
  const std::uint16_t value = value_in(f);
  v.same_run = v.deviations != 0 && value == v.last ? v.same_run : std::uint8_t{0};
  v.inferred_run = covers_all(f) ? v.inferred_run : std::uint8_t{0};
  count(v.same_run);
  if (covers_all(f)) count(v.inferred_run);
  count(v.deviations);
  v.last = value;
  if (v.inferred_run >= kVotes) {
    adopt(flow, Coverage::kInferred, f);
  } else if (v.same_run >= kVotes && !untellable) {
    adopt(flow, Coverage::kFixed, f);
  } else if (v.deviations >= kVotes && way != Coverage::kSent && !untellable) {
    adopt(flow, Coverage::kSent, f);
  }
}

wire::Cce choose_cce(Flow flow, const PacketFields& f) noexcept {
  if (flow.coverage == nullptr) return wire::Cce::kNone;
  const Coverage way = flow.layout().coverage;
  const bool news = flow.h.coverage_left != 0 && !mutant("coverage-change-not-told");
  if (way == Coverage::kSent) return news ? wire::Cce::kOn : wire::Cce::kNone;
  if (!is_compressible(flow, f)) return mutant("coverage-deviation-not-sent") ? wire::Cce::kNone : wire::Cce::kOnce;
  if (!news) return wire::Cce::kNone;
  return covers_all(f) == (way == Coverage::kInferred) ? wire::Cce::kOff : wire::Cce::kOnce;
}

void coverage_sent(Flow flow, const PacketFields& f, wire::Cce cce, bool chain) noexcept {
  if (flow.coverage == nullptr) return;
  bool& differed = flow.coverage->differed;
  std::uint8_t& left = flow.h.coverage_left;
  const bool counts = left != 0 && !flow.in_reliable_mode();  // in R-mode an ACK ends it
  if (!chain) {
    const bool told = cce == wire::Cce::kOn || cce == wire::Cce::kOff;
    if (told && counts) --left;
    if (!told && left != 0) not_told(flow, f);
    if (left == 0) differed = false;
    return;
  }
  const Coverage assumed = covers_all(f) ? Coverage::kInferred : Coverage::kSent;
  differed |= assumed == Coverage::kSent;
  const bool certain = flow.layout().coverage == assumed && (assumed == Coverage::kSent || !differed);
  if (!certain) {
    left = flow.repeats();
    not_told(flow, f);
  } else if (counts) {
    --left;
  }
}

}  // namespace headroom::rohc
