// SPDX-License-Identifier: Apache-2.0
#include "rohc/compressor/compressor.h"

#include <algorithm>
#include <cstring>

#include "mutants.h"
#include "rohc/compressor/choose.h"
#include "rohc/compressor/classify.h"
#include "rohc/compressor/coverage.h"
#include "rohc/compressor/fast_path.h"
#include "rohc/compressor/feedback.h"
#include "rohc/compressor/observe.h"
#include "rohc/compressor/refresh.h"
#include "rohc/compressor/reliable.h"
#include "rohc/compressor/segment.h"
#include "rohc/compressor/uncompressed.h"
#include "rohc/compressor/window.h"
#include "rohc/compressor/write.h"
#include "rohc/wire/crc.h"
#include "rohc/wire/segment.h"

namespace headroom::rohc {
namespace {

using wire::PacketType;
using wire::Profile;

// Packets looked at together, so that the memory fetched for one pass has arrived when the next pass needs it.
constexpr std::size_t kBurst = 32;

// Contexts compared when one has to be given up: the one that was used longest ago goes. Exact order would cost a list
// operation, and its cache misses, for each packet.
constexpr std::uint32_t kReplacementSample = 8;

// Contexts keep times as milliseconds in 32 bits, which last seven weeks. Half-way through, the beginning of time is
// moved.
constexpr std::uint32_t kEpochMs = std::uint32_t{1} << 31;
constexpr std::uint64_t kEpochNs = kEpochMs * std::uint64_t{1'000'000};

// How far ahead of its use the history of a flow is fetched, in packets.
constexpr std::size_t kHistoryAhead = 6;

// Packets of type 2 after the IR packets where a CID was one of R-mode and is no longer.
constexpr std::uint8_t kCautiousPackets = 16;

constexpr Octets input_of(const headroom_packet& p) noexcept { return {p.in, p.in_length}; }

// The smaller of two limits of which 0 stands for none.
constexpr std::uint32_t tighter(std::uint32_t a, std::uint32_t b) noexcept {
  return a == 0 || b == 0 ? a + b : std::min(a, b);
}

// The largest link packet that the configuration allows: a size of PACKET_SIZES_ALLOWED where there are such. 0: any.
std::uint32_t largest_link_packet(const CompressorConfig& config) noexcept {
  const std::vector<std::uint16_t>& sizes = config.packet_sizes;
  if (sizes.empty()) return config.largest_packet;
  const std::uint32_t limit = tighter(config.largest_packet, sizes.back());
  const auto above = std::upper_bound(sizes.begin(), sizes.end(), limit);
  return above == sizes.begin() ? limit : *(above - 1);
}

}  // namespace

Compressor::Compressor(const CompressorConfig& config)
    : config_(config),
      contexts_(config.channel.contexts()),
      histories_(config.channel.contexts()),
      tunnels_(config.channel.contexts()),
      reliable_(config.channel.contexts()),
      coverages_(config.channel.contexts()),
      timers_(config.timer_ts != TimerTs::kNever ? config.channel.contexts() : 1),
      port_masks_(port_masks(config.channel.profiles)),
      lists_(config.channel.contexts(), Pages::kSmall),
      table_(config.channel.contexts()),
      channels_(config.channel.channels),
      largest_link_packet_(largest_link_packet(config)) {}

std::size_t Compressor::memory_bytes() const noexcept {
  return in_use_ * (sizeof(CompressorContext) + sizeof(FlowHistory)) + table_.memory_bytes() +
         std::min(lists_begun_, in_use_) * sizeof(CompressorLists) + channels_.size() * sizeof(Channel);
}

std::uint32_t Compressor::now_ms(std::uint64_t now_ns) noexcept {
  if (!started_) {
    started_ = true;
    epoch_ns_ = now_ns;
  }
  if (now_ns - epoch_ns_ >= kEpochNs) move_epoch((now_ns - epoch_ns_) / kEpochNs);
  return milliseconds(now_ns - epoch_ns_);
}

void Compressor::move_epoch(std::uint64_t epochs) noexcept {
  epoch_ns_ += epochs * kEpochNs;
  const auto ms = static_cast<std::uint32_t>(std::min<std::uint64_t>(epochs * kEpochMs, 0xffffffff));
  for (std::uint32_t channel = 0; channel < channels_.size(); ++channel) {
    Channel& c = channels_[channel];
    c.full_until_ms -= std::min(c.full_until_ms, ms);
    for (std::uint32_t cid = 0; cid < c.fresh; ++cid) {
      const Flow flow = flow_at(config_.channel.index_of(channel, cid));
      rebase_times(flow, ms);
      if (flow.timer != nullptr) forget_arrivals(*flow.timer);
    }
  }
}

Flow Compressor::flow_at(std::uint32_t index) noexcept {
  CompressorContext& c = contexts_[index];
  CoverageHistory* const coverage = layout_of(c.shape).has_coverage() ? &coverages_[index] : nullptr;
  Flow flow{c, histories_[index], c.tunnel ? &tunnels_[index] : nullptr, config_, &reliable_[index], coverage};
  if (c.lists != ListUse::kNone) flow.lists = &lists_[index];
  if (config_.timer_ts != TimerTs::kNever) {
    const Clock clock = channels_[index / config_.channel.contexts_per_channel()].clock;
    const bool assumed = config_.timer_ts == TimerTs::kAlways && !clock.told;
    flow.timer = &timers_[index];
    flow.clock_ms = assumed ? 1 : clock.resolution_ms;
  }
  return flow;
}

// --- Bursts ----------------------------------------------------------------------------------------------------------

void Compressor::compress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                          headroom_detail* details) noexcept {
  const std::uint32_t now = now_ms(now_ns);
  const bool plain = piggyback_.empty() && largest_link_packet_ == 0 && fast_path_;
  for (std::size_t from = 0; from < count; from += kBurst) {
    const std::size_t size = std::min(kBurst, count - from);
    headroom_detail* const burst_details = details != nullptr ? details + from : nullptr;
    if (plain) {
      compress_burst(packets + from, size, now, burst_details);
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        compress_slowly(packets[from + i], now, burst_details != nullptr ? burst_details + i : nullptr);
      }
    }
  }
}

// Fetches the history of a flow that will not take the fast path. No branch: for a flow that does, its context is
// fetched once more, which costs nothing.
void Compressor::prefetch_history(std::uint32_t guess) const noexcept {
  if (guess == kNoContext) return;
  const CompressorContext& c = contexts_[guess];
  const auto history = reinterpret_cast<std::uintptr_t>(&histories_[guess]);
  const auto context = reinterpret_cast<std::uintptr_t>(&c);
  const std::uintptr_t mask = std::uintptr_t{0} - c.fast;
  const auto wanted = (context & mask) | (history & ~mask);
  __builtin_prefetch(reinterpret_cast<const void*>(wanted), 1);
  __builtin_prefetch(reinterpret_cast<const void*>(wanted + 64), 1);
}

void Compressor::compress_burst(headroom_packet* packets, std::size_t count, std::uint32_t now,
                                headroom_detail* details) noexcept {
  std::array<std::uint64_t, kBurst> hashes;
  std::array<std::uint32_t, kBurst> guesses;
  for (std::size_t i = 0; i < count; ++i) {
    const headroom_packet& p = packets[i];
    hashes[i] = quick_hash(p.in, p.in_length, port_masks_, salt_of(config_.seed, p.channel));
    table_.prefetch(hashes[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    guesses[i] = table_.guess(hashes[i]);
    if (guesses[i] != kNoContext) {
      __builtin_prefetch(&contexts_[guesses[i]], 1);
      __builtin_prefetch(contexts_[guesses[i]].pattern.data());
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    headroom_packet& p = packets[i];
    const std::uint32_t index = guesses[i];
    prefetch_history(guesses[std::min(i + kHistoryAhead, count - 1)]);
    // A context index is below the number of contexts, so the subtraction tells its channel.
    const std::uint32_t first = config_.channel.index_of(p.channel, 0);
    const bool own_channel = index - first < config_.channel.contexts_per_channel() && index != kNoContext;
    if (own_channel && compress_predicted(contexts_[index], p, now)) {
      p.status = HEADROOM_OK;
      ++counters_.fast;
      ++counters_.packets[static_cast<std::size_t>(PacketType::kUo0)];
      if (details != nullptr) {
        const std::uint8_t header = layout_of(contexts_[index].shape).header;
        const auto payload = p.in_length - header;
        fill_detail(details[i], {HEADROOM_OK, index, PacketType::kUo0, CompressorState::kSo, header,
                                 static_cast<std::uint16_t>(p.out_length - payload)});
      }
      continue;
    }
    if (own_channel && contexts_[index].fast_reliable && compress_predicted<true>(contexts_[index], p, now)) {
      p.status = HEADROOM_OK;
      ++counters_.fast;
      ++counters_.packets[static_cast<std::size_t>(PacketType::kR0)];
      if (details != nullptr) {
        const std::uint8_t header = layout_of(contexts_[index].shape).header;
        const auto compressed = static_cast<std::uint16_t>(p.out_length + header - p.in_length);
        fill_detail(details[i], {HEADROOM_OK, index, PacketType::kR0, CompressorState::kSo, header, compressed});
      }
      continue;
    }
    const Outcome outcome = compress_generally(p, now);
    if (details != nullptr) fill_detail(details[i], outcome);
  }
}

// One packet with all that is rare: feedback in front of it, padding, segments, or no fast path.
void Compressor::compress_slowly(headroom_packet& packet, std::uint32_t now, headroom_detail* detail) noexcept {
  std::uint8_t* const out = packet.out;
  const std::uint32_t capacity = packet.out_capacity;
  std::uint32_t feedback = 0;
  if (!piggyback_.empty() && packet.in_length != 0 && packet.in_length + HEADROOM_EXPANSION / 2 < capacity) {
    std::uint32_t room = capacity - packet.in_length - HEADROOM_EXPANSION / 2;
    // Room for the type octet of a segment and for an octet of it remains behind the feedback.
    if (largest_link_packet_ != 0) room = std::min(room, std::max(largest_link_packet_, 2U) - 2);
    feedback = static_cast<std::uint32_t>(piggyback_.take(packet.channel, {out, room}));
  }
  packet.out += feedback;
  packet.out_capacity -= feedback;
  const Outcome outcome = compress_generally(packet, now);
  packet.out = out;
  packet.out_capacity = capacity;
  if (packet.status == HEADROOM_OK) {
    packet.out_length += feedback;
    fit_to_link(packet, feedback);
  }
  if (detail != nullptr) fill_detail(*detail, outcome);
}

// `feedback`: octets of feedback at the front of the packet.
void Compressor::fit_to_link(headroom_packet& packet, std::uint32_t feedback) noexcept {
  if (largest_link_packet_ == 0) return;
  if (packet.out_length <= largest_link_packet_) {
    pad(packet);
  } else {
    segment(packet, feedback);
  }
}

// A packet that cannot be cut up either goes as it is: to lose it would serve nobody.
void Compressor::segment(headroom_packet& packet, std::uint32_t feedback) noexcept {
  const std::uint32_t octets = packet.out_length - feedback;
  const bool allowed = octets + wire::kSegmentCrc <= config_.channel.mrru;  // MRRU "includes the segmentation CRC"
  const std::size_t length = allowed ? cut_into_segments({packet.out, packet.out_capacity}, feedback, octets,
                                                         {largest_link_packet_, config_.packet_sizes})
                                     : 0;
  if (length == 0) {
    ++counters_.oversize;
    return;
  }
  ++counters_.segmented;
  packet.out_length = static_cast<std::uint32_t>(length);
  packet.status = HEADROOM_SEGMENTS;
}

// Padding octets in front, up to the next of PACKET_SIZES_ALLOWED (RFC 3095 5.2, 6.3.1).
void Compressor::pad(headroom_packet& packet) noexcept {
  if (config_.packet_sizes.empty()) return;
  const auto size = std::lower_bound(config_.packet_sizes.begin(), config_.packet_sizes.end(), packet.out_length);
  if (size == config_.packet_sizes.end() || *size > packet.out_capacity) {
    ++counters_.oversize;
    return;
  }
  const std::size_t padding = *size - packet.out_length;
  std::memmove(packet.out + padding, packet.out, packet.out_length);
  std::memset(packet.out, wire::kPadding, padding);
  packet.out_length = *size;
}

void Compressor::fill_detail(headroom_detail& detail, const Outcome& outcome) const noexcept {
  detail = {};
  detail.packet_type = static_cast<std::uint8_t>(outcome.type);
  detail.plain_header = outcome.plain_header;
  detail.compressed_header = outcome.compressed_header;
  detail.state = static_cast<std::uint8_t>(outcome.state);
  if (outcome.context == kNoContext) {
    detail.cid = 0xffffffffU;
    detail.profile = 0xffff;
    detail.mode = 255;
    return;
  }
  const CompressorContext& c = contexts_[outcome.context];
  detail.cid = outcome.context % config_.channel.contexts_per_channel();
  detail.profile = static_cast<std::uint16_t>(c.profile);
  detail.mode = static_cast<std::uint8_t>(c.mode);
}

// --- General path ----------------------------------------------------------------------------------------------------

Compressor::Outcome Compressor::compress_generally(headroom_packet& packet, std::uint32_t now) noexcept {
  packet.out_length = 0;
  const auto fail = [&](std::int32_t status) {
    packet.status = status;
    Outcome outcome;
    outcome.status = status;
    return outcome;
  };
  if (packet.channel >= config_.channel.channels) return fail(HEADROOM_ERR_CHANNEL);
  if (packet.in_length == 0) return fail(HEADROOM_ERR_MALFORMED);

  const Octets octets = input_of(packet);
  HeaderChain chain;
  ListedHeaders listed;
  Profile profile = profile_for(octets, chain, listed);
  if (profile == Profile::kUncompressed) return send_uncompressed(packet, now);

  Headers headers{octets, chain, chain.listed ? &listed : nullptr};
  const std::uint64_t hash = hash_of(headers, salt_of(config_.seed, packet.channel));
  std::uint32_t index = find_flow(hash, packet.channel, headers, profile);
  const bool is_new = index == kNoContext;
  // An IR packet without payload delivers nothing (5.7.7): such a packet cannot begin a flow.
  if (is_new && headers.size() == octets.size()) return send_uncompressed(packet, now);
  if (is_new && now < channels_[packet.channel].full_until_ms) return send_uncompressed(packet, now);
  if (is_new) index = start_flow(hash, packet.channel, chain, profile, now);

  if (headers.listed != nullptr) begin_lists(index);
  const Flow flow = flow_at(index);
  PacketFields f = fields_of(headers.core(), chain);
  f.arrived_ms = now;
  if (headers.listed != nullptr) {
    f.lists = headers.listed;
    f.packet = octets.data();
    f.payload = octets.subspan(listed.octets);
  }
  if (is_new) {
    const ProfileSet& enabled = config_.channel.profiles;
    flow.c.may_carry_rtp =
        ((profile == Profile::kUdp && enabled.rtp) || (profile == Profile::kUdpLite && enabled.rtp_udp_lite)) &&
        taken_for_rtp(f.inner + flow.layout().udp);
    if (!flow.traits().sn_in_packet())
      f.sn = mutant("sn-starts-at-zero") ? 0 : static_cast<std::uint16_t>(mix(hash ^ counters_.new_flows));
    begin_flow(flow, f);
  } else {
    if (flow.h.rejected_until_ms != 0 && now < flow.h.rejected_until_ms) return send_uncompressed(packet, now);
    catch_up_coverage(flow);
    catch_up_reliably(flow);
    catch_up(flow.c, flow.h, flow.repeats());
    if (!flow.traits().sn_in_packet()) f.sn = static_cast<std::uint16_t>(flow.c.sn + (mutant("sn-by-two") ? 2 : 1));
    observe(flow, f);
    if (flow.timer != nullptr && flow.traits().rtp) observe_clock(flow, f);
    apply_refreshes(flow, now);
  }
  if (flow.in_reliable_mode()) prepare_reliably(flow, f);
  flow.c.last_used_ms = now;

  Outcome outcome;
  outcome.context = index;
  if (!compress_flow(flow, f, packet, now, outcome)) return send_uncompressed(packet, now);
  packet.status = outcome.status;
  return outcome;
}

// False when the packet has to go uncompressed.
bool Compressor::compress_flow(Flow flow, PacketFields& f, headroom_packet& packet, std::uint32_t,
                               Outcome& outcome) noexcept {
  FlowHistory& h = flow.h;
  wire::Writer out({packet.out, packet.out_capacity});
  flow.c.fast = false;
  flow.c.fast_reliable = false;
  const bool ir = h.ir_left != 0;
  flow.c.state = ir ? CompressorState::kIr : has_news(h) ? CompressorState::kFo : CompressorState::kSo;

  bool told_ts = true;
  std::optional<Choice> choice;
  Needs needs;
  if (!ir && h.ir_dyn_left == 0) {
    needs = needs_of(flow, f);
    if (flow.in_reliable_mode()) plan_update(flow, f, needs);
    choice = choose(needs);
    if (choice) choice->cce = choose_cce(flow, f);
  }
  if (!choice && f.payload.empty()) return false;
  if (ir) {
    outcome.type = PacketType::kIr;
    write_ir(flow, f, out);
  } else if (!choice) {
    outcome.type = PacketType::kIrDyn;
    flow.c.state = CompressorState::kFo;
    write_ir_dyn(flow, f, out);
  } else {
    outcome.type = choice->type;
    told_ts = needs.ts_unscaled && needs.ts_bits && choice->extension == 3;
    write_compressed(flow, f, *choice, needs.ts_unscaled, out);
  }
  // "In the SO state, R-0* packets will be sent" (5.5.1.2).
  const bool second_order = outcome.type == PacketType::kR0 || outcome.type == PacketType::kR0Crc;
  if (flow.in_reliable_mode() && flow.c.state == CompressorState::kSo && !second_order)
    flow.c.state = CompressorState::kFo;
  const std::size_t header = out.size();
  out.octets(f.payload);
  if (!out.ok()) {
    outcome.status = HEADROOM_ERR_NO_SPACE;  // as if the link had lost it: nothing is taken for sent
    return true;
  }

  packet.out_length = static_cast<std::uint32_t>(out.size());
  outcome.state = flow.c.state;
  outcome.plain_header = f.lists != nullptr ? f.lists->octets : f.chain.octets;
  outcome.compressed_header = static_cast<std::uint16_t>(header);
  ++counters_.packets[static_cast<std::size_t>(outcome.type)];
  count_sent(flow, outcome.type, told_ts);
  if (choice && choice->cce != wire::Cce::kNone) ++counters_.cce[static_cast<std::size_t>(choice->cce)];
  coverage_sent(flow, f, choice ? choice->cce : wire::Cce::kNone, !choice);
  if (h.mode_left == kUntilAcked) note_mode_told(flow, f.sn, outcome.type);
  if (flow.in_reliable_mode()) {
    count_reliably(flow, f, outcome.type);
  } else {
    add_reference(h, {f.ts, f.sn, id_offset(h.id_behaviour, f.inner_id, f.sn)}, flow.repeats());
    if (flow.timer != nullptr) note_arrival(flow, f);
    if (flow.tunnel != nullptr)
      flow.tunnel->id_offsets[h.newest] = id_offset(flow.tunnel->id_behaviour, f.outer_id, f.sn);
  }
  predict(flow, f);
  load_refreshes(flow);
  return true;
}

Compressor::Outcome Compressor::send_uncompressed(headroom_packet& packet, std::uint32_t now) noexcept {
  Channel& channel = channels_[packet.channel];
  const bool is_new = channel.uncompressed == kNoContext;
  if (is_new) {
    const std::uint32_t index = acquire_context(packet.channel, Profile::kUncompressed);
    reset_context(index, Profile::kUncompressed, now);
    channel.uncompressed = index;
    histories_[index].ir_left = static_cast<std::uint8_t>(config_.repeats);
  }
  const Flow flow = flow_at(channel.uncompressed);
  flow.c.last_used_ms = now;
  if (!is_new) apply_refreshes(flow, now);

  Outcome outcome;
  outcome.context = channel.uncompressed;
  const Uncompressed sent = write_uncompressed(flow, input_of(packet), {packet.out, packet.out_capacity});
  load_refreshes(flow);
  packet.out_length = static_cast<std::uint32_t>(sent.octets);
  outcome.status = sent.octets != 0 ? HEADROOM_OK : HEADROOM_ERR_NO_SPACE;
  packet.status = outcome.status;
  if (sent.octets == 0) return outcome;
  outcome.type = sent.type;
  outcome.state = flow.c.state;
  outcome.compressed_header = static_cast<std::uint16_t>(sent.octets - packet.in_length);
  ++counters_.packets[static_cast<std::size_t>(sent.type)];
  ++counters_.uncompressed;
  return outcome;
}

// --- Flows and contexts
// ------------------------------------------------------------------------------------------------

bool Compressor::taken_for_rtp(const std::uint8_t* udp) const noexcept {
  const std::uint16_t source = wire::load16(udp);
  const std::uint16_t destination = wire::load16(udp + 2);
  switch (config_.rtp_detection) {
    case RtpDetection::kHeuristic:
      return source >= 1024 && destination >= 1024;
    case RtpDetection::kPorts:
      return std::any_of(config_.rtp_ports.begin(), config_.rtp_ports.end(),
                         [&](const auto& range) { return destination >= range.first && destination <= range.second; });
    default:
      return false;
  }
}

Profile Compressor::profile_for(Octets packet, HeaderChain& chain, ListedHeaders& listed) const noexcept {
  const ProfileSet& enabled = config_.channel.profiles;
  const bool lite = enabled.udp_lite || enabled.rtp_udp_lite;
  const ChainLimits limits{enabled.udp || enabled.rtp, enabled.rtp, enabled.esp, lite,
                           enabled.rtp_udp_lite,       enabled.ip};
  if (mutant("nothing-compressed")) return Profile::kUncompressed;
  if (!parse_chain(packet, limits, chain)) return Profile::kUncompressed;
  if (may_be_listed(packet, chain, limits)) {
    HeaderChain core;
    if (parse_listed(packet, limits, core, listed)) chain = core;
  }
  const auto take = [&](Transport transport) {
    if (chain.listed) {
      shorten(chain, listed, transport);
      return;
    }
    chain.shape = shape_for(chain.layout().ip_version, transport);
    chain.octets = static_cast<std::uint8_t>(chain.outer_octets + chain.layout().header);
  };
  const Layout& l = chain.layout();
  if (l.has_esp()) return Profile::kEsp;
  if (l.has_rtp()) {
    const std::uint8_t* headers = chain.listed ? listed.core.data() : packet.data();
    if (taken_for_rtp(headers + chain.outer_octets + l.udp))
      return l.has_coverage() ? Profile::kRtpUdpLite : Profile::kRtp;
    take(without_rtp(l.transport));
  }
  if (chain.layout().has_udp()) {
    const bool coverage = chain.layout().has_coverage();
    if (coverage ? enabled.udp_lite : enabled.udp) return coverage ? Profile::kUdpLite : Profile::kUdp;
    take(Transport::kNone);
  }
  return enabled.ip ? Profile::kIp : Profile::kUncompressed;
}

// The hash under which the flow of these headers is known.
std::uint64_t Compressor::hash_of(const Headers& h, std::uint64_t salt) noexcept {
  if (h.listed != nullptr) {
    const std::uint8_t* extra = h.packet.data() + h.listed->transport_at;
    for (unsigned i = 0; i < h.listed->extra_count; ++i) {
      const unsigned version = extra[0] >> 4;
      salt = hash_ip(extra, version, 0, salt);
      extra += ip_layout(version).header;
    }
  }
  return flow_hash(h.core(), h.chain, salt);
}

// Makes sure that the context has a place for lists.
void Compressor::begin_lists(std::uint32_t index) noexcept {
  CompressorContext& c = contexts_[index];
  if (c.lists != ListUse::kNone) return;
  lists_[index] = CompressorLists{};
  c.lists = ListUse::kActive;
  lists_begun_ += lists_begun_ != in_use_ ? 1 : 0;
}

bool Compressor::same_flow(std::uint32_t index, std::uint32_t channel, const Headers& headers) const noexcept {
  const Octets packet = headers.core();
  const HeaderChain& chain = headers.chain;
  const CompressorContext& c = contexts_[index];
  if (index - config_.channel.index_of(channel, 0) >= config_.channel.contexts_per_channel()) return false;
  if (!same_headers(c.shape, chain.shape) || c.tunnel != (chain.outer_octets != 0)) return false;
  const Layout& l = chain.layout();
  if (!masked_equal(packet.data() + chain.outer_octets, l.definition_mask, c.pattern, l.header)) return false;
  const bool extras = headers.listed != nullptr && headers.listed->extra_count != 0;
  if (c.lists == ListUse::kNone ? extras : !same_extras(lists_[index], headers.packet, headers.listed)) return false;
  if (!c.tunnel) return true;
  const TunnelContext& t = tunnels_[index];
  if (t.version != chain.outer_version) return false;
  const Layout& outer = ip_layout(chain.outer_version);
  return masked_equal(packet.data(), outer.definition_mask, t.pattern, outer.header);
}

// May turn what was taken for RTP into UDP or UDP-Lite: see CompressorConfig::ssrcs_per_flow.
std::uint32_t Compressor::find_flow(std::uint64_t hash, std::uint32_t channel, Headers& headers,
                                    Profile& profile) const {
  HeaderChain& chain = headers.chain;
  const Octets packet = headers.core();
  const auto exact = [&](std::uint32_t index) { return same_flow(index, channel, headers); };
  const std::uint32_t found = table_.find(hash, exact);
  if (found != kNoContext || !traits_of(profile).rtp) return found;

  HeaderChain as_udp = chain;
  as_udp.shape = shape_for(chain.layout().ip_version, without_rtp(chain.layout().transport));
  as_udp.octets = static_cast<std::uint8_t>(chain.octets - kRtpHeader);
  unsigned ssrcs = 0;
  const std::size_t udp_header = as_udp.layout().header;
  const std::uint32_t same_ports = table_.find(hash, [&](std::uint32_t index) {
    const CompressorContext& c = contexts_[index];
    const bool same =
        same_headers(c.shape, chain.shape) &&
        masked_equal(packet.data() + chain.outer_octets, as_udp.layout().definition_mask, c.pattern, udp_header);
    ssrcs += same ? 1 : 0;
    return ssrcs >= config_.ssrcs_per_flow;
  });
  const Profile without = profile == Profile::kRtp ? Profile::kUdp : Profile::kUdpLite;
  if (same_ports == kNoContext || !config_.channel.profiles.has(without)) return kNoContext;
  if (headers.listed != nullptr) {
    shorten(chain, *headers.listed, without_rtp(chain.layout().transport));
    if (!chain.listed) headers.listed = nullptr;
  } else {
    chain = as_udp;
  }
  profile = without;
  return table_.find(hash, exact);
}

std::uint32_t Compressor::start_flow(std::uint64_t hash, std::uint32_t channel, const HeaderChain& chain,
                                     Profile profile, std::uint32_t now) noexcept {
  const std::uint32_t index = acquire_context(channel, profile);
  reset_context(index, profile, now);
  CompressorContext& c = contexts_[index];
  c.shape = chain.shape;
  c.tunnel = chain.outer_octets != 0;
  if (c.tunnel) tunnels_[index] = TunnelContext{};
  FlowHistory& h = histories_[index];
  h.hash_low = static_cast<std::uint32_t>(hash);
  h.hash_tag = static_cast<std::uint16_t>(hash >> 48);
  while (!table_.insert(hash, index)) forget_flow(table_.victim(hash));
  ++counters_.new_flows;
  return index;
}

// A context of `channel` that no flow has: a CID never used, or that of the flow that has been silent longest among a
// few.
std::uint32_t Compressor::acquire_context(std::uint32_t channel, Profile profile) noexcept {
  Channel& ch = channels_[channel];
  const std::uint32_t per_channel = config_.channel.contexts_per_channel();
  const std::uint32_t first = config_.channel.index_of(channel, 0);
  if (ch.fresh < per_channel) {
    ++in_use_;
    return first + ch.fresh++;
  }
  std::uint32_t oldest = kNoContext;
  for (std::uint32_t i = 0; i < std::min(kReplacementSample, per_channel); ++i) {
    const std::uint32_t index = first + ch.hand;
    ch.hand = ch.hand + 1 == per_channel ? 0 : ch.hand + 1;
    // The Uncompressed profile keeps its CID, unless there is no other.
    if (index == ch.uncompressed && per_channel > 1) continue;
    // "A CID for a context currently operating in R-mode SHOULD … not be reused for … a different profile" (RFC 4815
    // 7.2.2): such a one only where there is no other.
    const auto rank = [&](std::uint32_t candidate) {
      const CompressorContext& c = contexts_[candidate];
      return std::pair(c.mode == wire::Mode::kReliable && c.profile != profile, c.last_used_ms);
    };
    if (oldest == kNoContext || rank(index) < rank(oldest)) oldest = index;
  }
  if (oldest == ch.uncompressed) ch.uncompressed = kNoContext;
  forget_flow(oldest);
  ++counters_.replaced_flows;
  return oldest;
}

void Compressor::forget_flow(std::uint32_t index) noexcept {
  CompressorContext& c = contexts_[index];
  const FlowHistory& h = histories_[index];
  if (c.state != CompressorState::kUnused && c.profile != Profile::kUncompressed) {
    table_.erase(std::uint64_t{h.hash_tag} << 48 | h.hash_low, index);
  }
  c.state = CompressorState::kUnused;
  c.fast = false;
  c.fast_reliable = false;
}

// Prepares a context for a new flow. With the same profile as before "the current mode of operation SHOULD be
// inherited", with another one it starts in U-mode (RFC 4815 7.2).
void Compressor::reset_context(std::uint32_t index, Profile profile, std::uint32_t now) noexcept {
  CompressorContext& c = contexts_[index];
  const bool used = c.mode != wire::Mode::kCancel;
  const wire::Mode mode = used && (c.profile == profile || mutant("mode-inherited-by-other-profile"))
                              ? c.mode
                              : wire::Mode::kUnidirectional;
  const bool other_formats = c.mode == wire::Mode::kReliable && mode != wire::Mode::kReliable;
  c = CompressorContext{};
  c.mode = mode;
  c.profile = profile;
  c.state = CompressorState::kIr;
  c.last_used_ms = now;
  c.cid_octets = wire::make_cid_octets(config_.channel.large_cids, index % config_.channel.contexts_per_channel());
  histories_[index] = FlowHistory{};
  if (config_.timer_ts != TimerTs::kNever) timers_[index] = TimerContext{};
  // Should the IR packets get lost, the decompressor would take types 0 and 1 for those of R-mode, which have no CRC
  // (RFC 4815 7.2.2): for a while there are none.
  if (other_formats) histories_[index].long_crc_left = kCautiousPackets;
  if (mode == wire::Mode::kReliable) {
    reliable_[index] = {};
    tell_mode_until_acked(flow_at(index));
  }
  start_refreshes(flow_at(index), now);
}

void Compressor::reinitialize() noexcept {
  for (std::uint32_t channel = 0; channel < channels_.size(); ++channel) {
    for (std::uint32_t cid = 0; cid < channels_[channel].fresh; ++cid) {
      const Flow flow = flow_at(config_.channel.index_of(channel, cid));
      if (flow.c.state == CompressorState::kUnused) continue;
      catch_up_coverage(flow);
      catch_up_reliably(flow);
      catch_up(flow.c, flow.h, flow.repeats());
      flow.h.ir_left = mutant("reinitialisation-ignored") ? 0 : static_cast<std::uint8_t>(config_.repeats);
      doubt_lists(flow);
      flow.h.changed_since_sn = next_ackable_sn(flow);
      flow.c.fast = false;
      flow.c.fast_reliable = false;
      if (flow.in_reliable_mode()) tell_mode_until_acked(flow);
    }
  }
}

}  // namespace headroom::rohc
