// SPDX-License-Identifier: Apache-2.0
#include "load/pipeline.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

#include "schemes/scheme.h"
#include "traffic/packet.h"

namespace headroom::load {
namespace {

constexpr std::size_t kReverseAtOnce = 16;
constexpr std::size_t kMostPiecesOfAPacket = 64;  // link packets: enough for 9,000 octets in TS packets
constexpr std::size_t kMostWaitingPackets = 256;  // that a compressor keeps for later, of a channel
constexpr std::size_t kMostReverseABurst = 4096;  // an adapter that never stops must not hang the run

// Rounded up to whole cache lines, an odd number of them, so that the buffers of a burst spread over the sets of the
// cache.
constexpr std::size_t odd_lines(std::size_t octets) {
  const std::size_t lines = (octets + kCacheLine - 1) / kCacheLine;
  return (lines | 1) * kCacheLine;
}

}  // namespace

BurstBuffers::BurstBuffers(std::uint32_t burst, std::size_t stride, std::uint32_t longest_payload,
                           std::uint32_t longest_packet)
    : payload_at_(stride),
      plain_stride_(odd_lines(stride + longest_payload)),
      out_stride_(odd_lines(longest_packet + 2 * HEADROOM_EXPANSION)),
      link_capacity_(longest_packet + HEADROOM_EXPANSION),
      out_capacity_(longest_packet + 2 * HEADROOM_EXPANSION),
      plain_(burst * plain_stride_),
      link_(burst * out_stride_),
      out_(burst * out_stride_) {
  for (Pages* pages : {&plain_, &link_, &out_}) pages->take();
  for (std::uint32_t i = 0; i < burst; ++i) {
    for (std::size_t j = 0; j < longest_payload; ++j) payload(i)[j] = traffic::pattern_octet(j);
  }
}

Pipeline::Pipeline(const Job& job, bool reverse, BurstBuffers& buffers, Generator& generator)
    : job_(job),
      buffers_(buffers),
      generator_(generator),
      order_(job.flow_pairs, job.random_order, derive(job.seed, reverse ? 0x6F726465 : 0x6F726466)),
      uniform_(generator.is_uniform()),
      chance_((std::uint64_t{std::random_device()()} << 32) ^ std::random_device()()),
      until_verify_(job.verify_every == 0 ? 0 : draw_distance()),
      to_compress_(job.burst),
      to_decompress_(job.burst),
      origin_(job.burst),
      spare_(std::max<std::size_t>(kReverseAtOnce * HEADROOM_REVERSE_MAX, buffers.out_capacity())),
      channels_{job.compressor.channels, job.compressor.flows_of_channel,
                static_cast<unsigned>(std::bit_width(job.compressor.flows_of_channel)) - 1,
                job.compressor.channels == 1, std::has_single_bit(job.compressor.flows_of_channel)} {
  for (std::uint32_t i = 0; i < job.burst; ++i) {
    to_compress_[i].out = buffers.link(i);
    to_compress_[i].out_capacity = buffers.link_capacity();
    to_decompress_[i].out = buffers.out(i);
    to_decompress_[i].out_capacity = buffers.out_capacity();
  }
}

void Pipeline::open() {
  compressor_ = std::make_unique<Instance>(job_.compressor, HEADROOM_COMPRESSOR);
  decompressor_ = std::make_unique<Instance>(job_.decompressor, HEADROOM_DECOMPRESSOR);
  // The configuration decides whether there will be feedback: asking an adapter that has none costs a call a burst.
  const Scheme& scheme = scheme_or_default(job_.decompressor.scheme);
  if (compressor_->packs()) {
    // A burst's packets in the smallest link packets that there may be, and what has waited before.
    const std::size_t most = std::size_t{job_.burst} * kMostPiecesOfAPacket;
    packed_.emplace(PackedState{OutputList(most, buffers_.link_capacity()), OutputList(most, buffers_.out_capacity()),
                                SentPackets(job_.compressor.channels, job_.burst + kMostWaitingPackets)});
  }
  carries_feedback_ = scheme.has_feedback(job_.decompressor.config) && decompressor_->api().take_reverse != nullptr &&
                      compressor_->api().give_reverse != nullptr;
}

std::uint32_t Pipeline::generate(std::uint64_t& visits, PhaseMeasurement& measured) noexcept {
  return uniform_ ? generate_with(generator_.uniform_maker(), visits, measured)
                  : generate_with(generator_.maker(), visits, measured);
}

// What the loop needs is kept in locals: the compiler cannot know that the packets written do not lie on the members
// read.
template <typename Maker>
std::uint32_t Pipeline::generate_with(const Maker maker, std::uint64_t& visits, PhaseMeasurement& measured) noexcept {
  const Channels channels = channels_;
  const std::uint32_t flow_pairs = job_.flow_pairs;
  const std::uint32_t burst = job_.burst;
  const std::size_t payload_stride = buffers_.payload_stride();
  std::uint32_t* const ring = ahead_.data();
  std::uint8_t* payload = buffers_.payload(0);
  headroom_packet* packet = to_compress_.data();
  const headroom_packet* const end = packet + burst;
  std::uint64_t head = head_, tick = tick_, left = visits, octets = 0;
  std::uint32_t popped_in_tick = popped_in_tick_;
  while (left != 0 && packet != end) {
    Order order = order_;
    tail_ = order.fill<kRing>(ring, head, tail_, std::uint64_t{burst} + kAhead);
    order_ = order;
    // Flows that are silent cost a visit and no packet; then there is another round.
    for (std::uint64_t round = std::min<std::uint64_t>(left, burst); round != 0 && packet != end; --round, --left) {
      maker.prefetch(ring[(head + kAhead) % kRing]);
      const std::uint32_t flow = ring[head++ % kRing];
      std::uint32_t length;
      packet->in = maker.make(flow, tick, payload, length);
      if (++popped_in_tick == flow_pairs) [[unlikely]] {
        popped_in_tick = 0;
        ++tick;
      }
      packet->in_length = length;
      packet->channel = channels.of(flow);
      packet->status = HEADROOM_ERR_INTERNAL;  // of an adapter that forgets it
      packet->out_length = 0;
      octets += length;
      if (Maker::kMayBeSilent && length == 0) continue;  // its place is taken by the next one
      ++packet;
      payload += payload_stride;
    }
  }
  head_ = head;
  tick_ = tick;
  popped_in_tick_ = popped_in_tick;
  visits -= left;
  const auto count = static_cast<std::uint32_t>(packet - to_compress_.data());
  measured.packets += count;
  measured.plain_octets += octets;
  return count;
}

// Makes the compressed packets the decompressor's input; returns how many there are.
std::uint32_t Pipeline::hand_over(std::uint32_t count, PhaseMeasurement& measured) noexcept {
  headroom_packet* compressed = to_compress_.data();
  headroom_packet* packet = to_decompress_.data();
  std::uint32_t* origin = origin_.data();
  std::uint64_t octets = 0;
  for (std::uint32_t i = 0; i != count; ++i, ++compressed) {
    const std::uint32_t length = compressed->out_length;
    if (compressed->status != HEADROOM_OK || length > compressed->out_capacity) [[unlikely]] {
      measured.compressor_statuses.add(compressed->status == HEADROOM_OK ? INT32_MAX : compressed->status);
      continue;
    }
    packet->in = compressed->out;
    packet->in_length = length;
    packet->in_type = compressed->out_type;
    packet->out_type = compressed->out_type = HEADROOM_TYPE_DEFAULT;
    packet->channel = compressed->channel;
    packet->out_length = 0;
    packet->status = HEADROOM_ERR_INTERNAL;
    octets += length;
    *origin++ = i;
    ++packet;
  }
  const auto passed = static_cast<std::uint32_t>(origin - origin_.data());
  measured.packets_compressed += passed;
  measured.link_octets += octets;
  return passed;
}

std::uint64_t Pipeline::draw_distance() noexcept {
  const std::uint64_t most = 2 * job_.verify_every - 1;
  return 1 + chance_.next() % most;
}

void Pipeline::spoil_buffers(std::uint32_t count) noexcept {
  if (job_.verify_every == 0 || until_verify_ > count) return;
  const auto i = static_cast<std::uint32_t>(until_verify_ - 1);
  const std::uint32_t last = to_compress_[i].in_length - 1;
  for (std::uint8_t* const buffer : {buffers_.link(i), buffers_.out(i)}) buffer[scale(chance_.next(), last)] ^= 0xFF;
}

// Octets of one packet in n that came out are compared; which are due is counted out over the packets of right length
// at the beginning of the burst, mostly all, rather than packet by packet.
void Pipeline::verify(std::uint32_t made, std::uint32_t count, PhaseMeasurement& measured) noexcept {
  const std::uint64_t every = job_.verify_every;
  const auto compare = [&](const headroom_packet& packet, const headroom_packet& original) {
    ++measured.verified;
    if (std::memcmp(packet.out, original.in, original.in_length) != 0) ++measured.mismatched;
  };
  std::uint32_t right = 0;
  if (count == made) {  // then each packet has the place of its original
    const headroom_packet* original = to_compress_.data();
    const headroom_packet* packet = to_decompress_.data();
    while (right != count && packet->status == HEADROOM_OK && packet->out_length == original->in_length) {
      ++packet, ++original, ++right;
    }
    if (every != 0) {
      std::uint64_t due = until_verify_ - 1;
      for (; due < right; due += draw_distance()) compare(to_decompress_[due], to_compress_[due]);
      until_verify_ = due - right + 1;
    }
  }
  std::uint32_t decompressed = right;
  for (std::uint32_t i = right; i < count; ++i) {
    const headroom_packet& packet = to_decompress_[i];
    if (packet.status != HEADROOM_OK) [[unlikely]] {
      measured.decompressor_statuses.add(packet.status);
      continue;
    }
    ++decompressed;
    const headroom_packet& original = to_compress_[origin_[i]];
    if (packet.out_length != original.in_length) [[unlikely]] {
      ++measured.wrong_length;
      continue;
    }
    if (every != 0 && --until_verify_ == 0) {
      until_verify_ = draw_distance();
      compare(packet, original);
    }
  }
  measured.packets_decompressed += decompressed;
}

std::uint64_t Pipeline::carry_feedback(std::uint64_t now_ns, std::uint64_t began, PhaseMeasurement& measured) noexcept {
  const Caller<Fast> from(*decompressor_), to(*compressor_);
  std::uint64_t last = began;
  const auto charge = [&](Stage stage) {
    const std::uint64_t now = cycles_.now();
    measured.stage_cycles[static_cast<std::size_t>(stage)] += now - last;
    last = now;
  };
  std::array<headroom_packet, kReverseAtOnce> packets;
  for (std::size_t i = 0; i < kMostReverseABurst; i += kReverseAtOnce) {
    for (std::size_t k = 0; k < kReverseAtOnce; ++k)
      packets[k] = record_of({}, &spare_[k * HEADROOM_REVERSE_MAX], HEADROOM_REVERSE_MAX, HEADROOM_OK);
    charge(Stage::feedback);
    const std::size_t taken = from.take_reverse(packets.data(), kReverseAtOnce, now_ns);
    charge(Stage::decompress);
    if (taken == 0 || taken > kReverseAtOnce) return last;
    std::size_t given = 0;
    for (std::size_t k = 0; k < taken; ++k) {
      const headroom_packet packet = packets[k];
      if (packet.out_type != HEADROOM_REVERSE_FAR) continue;  // there is no compressor at this end
      if (packet.out_length > HEADROOM_REVERSE_MAX) return last;
      ++measured.feedback_messages;
      measured.feedback_octets += packet.out_length;
      const OctetView octets(&spare_[k * HEADROOM_REVERSE_MAX], packet.out_length);
      packets[given++] = record_of({octets, packet.channel, HEADROOM_REVERSE_NEAR}, nullptr, 0, HEADROOM_OK);
    }
    if (given == 0) continue;
    charge(Stage::feedback);
    to.give_reverse(packets.data(), given, now_ns);
    charge(Stage::compress);
  }
  return last;
}

// A packet is to have one output: others are counted, and go nowhere. What an adapter does not handle has the status of
// one forgotten.
void Pipeline::process(const Instance& instance, std::vector<headroom_packet>& packets, std::uint32_t count,
                       std::uint64_t now_ns, StatusCounts& statuses) noexcept {
  const Caller<Fast> caller(instance);
  const bool compressing = instance.role() == HEADROOM_COMPRESSOR;
  caller.process_all(compressing, packets.data(), count, now_ns, nullptr, [&](std::size_t, std::size_t end) {
    if (packets[end - 1].more == 0) [[likely]]
      return;
    packets[end - 1].more = 0;
    caller.drain_all(compressing, record_of({}, spare_.data(), buffers_.out_capacity(), HEADROOM_OK),
                     kMostReverseABurst, now_ns, [&](const headroom_packet&) { statuses.add_more(1); });
  });
}

void Pipeline::drain_into(OutputList& list, const Caller<Fast>& caller, std::uint64_t now_ns,
                          StatusCounts& statuses) noexcept {
  while (!list.full()) {
    headroom_packet output = record_of({}, list.room(), list.longest(), HEADROOM_OK);
    if (caller.drain(&output, 1, now_ns) == 0) return;
    if (output.status != HEADROOM_OK || output.out_length > list.longest() ||
        output.channel >= job_.compressor.channels) [[unlikely]] {
      statuses.add(output.status == HEADROOM_OK ? INT32_MAX : output.status);
      continue;
    }
    list.keep(output.out_length, output.channel, output.out_type);
  }
  statuses.add_more(1);
}

void Pipeline::compress_packed(std::uint32_t count, std::uint64_t now_ns, PhaseMeasurement& measured) noexcept {
  const Caller<Fast> caller(*compressor_);
  OutputList& link = packed_->link;
  link.clear();
  if (caller.has_next_deadline() && caller.next_deadline() <= now_ns)
    drain_into(link, caller, now_ns, measured.compressor_statuses);
  caller.process_all(true, to_compress_.data(), count, now_ns, nullptr, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const headroom_packet& packet = to_compress_[i];
      if (packet.status == HEADROOM_OK && packet.out_length <= packet.out_capacity && !link.full())
        link.add({{packet.out, packet.out_length}, packet.channel, packet.out_type});
    }
    if (to_compress_[end - 1].more == 0) return;
    to_compress_[end - 1].more = 0;
    drain_into(link, caller, now_ns, measured.compressor_statuses);
  });
}

void Pipeline::decompress_packed(std::span<const OutputList::Output> packets, std::uint64_t now_ns,
                                 PhaseMeasurement& measured) noexcept {
  const Caller<Fast> caller(*decompressor_);
  OutputList& plain = packed_->plain;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    headroom_packet& packet = to_decompress_[i];
    packet.in = packets[i].octets.data();
    packet.in_length = static_cast<std::uint32_t>(packets[i].octets.size());
    packet.in_type = packets[i].type;
    packet.channel = packets[i].channel;
    packet.out_type = HEADROOM_TYPE_DEFAULT;
    packet.out_length = 0;
    packet.status = HEADROOM_ERR_INTERNAL;
    packet.more = 0;
  }
  plain.clear();
  caller.process_all(
      false, to_decompress_.data(), packets.size(), now_ns, nullptr, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const headroom_packet& packet = to_decompress_[i];
          if (packet.status == HEADROOM_OK && packet.out_length <= packet.out_capacity && !plain.full()) {
            plain.add({{packet.out, packet.out_length}, packet.channel, packet.out_type});
          } else if (packet.status != HEADROOM_NOTHING) {
            measured.decompressor_statuses.add(packet.status == HEADROOM_OK ? INT32_MAX : packet.status);
          }
        }
        if (to_decompress_[end - 1].more == 0) return;
        to_decompress_[end - 1].more = 0;
        drain_into(plain, caller, now_ns, measured.decompressor_statuses);
      });
}

void Pipeline::verify_packed(PhaseMeasurement& measured) noexcept {
  for (const OutputList::Output& output : packed_->plain.all()) {
    ++measured.packets_decompressed;
    switch (packed_->sent.take(output.channel, output.octets)) {
      case SentPackets::Verdict::right:
        break;
      case SentPackets::Verdict::wrong_length:
        ++measured.wrong_length;
        break;
      case SentPackets::Verdict::mismatched:
        ++measured.mismatched;
        [[fallthrough]];
      case SentPackets::Verdict::compared:
        ++measured.verified;
    }
  }
}

void Pipeline::run_packed(std::uint32_t count, std::uint64_t now_ns, PhaseMeasurement& measured) noexcept {
  const std::uint64_t generated = cycles_.now();
  compress_packed(count, now_ns, measured);
  const std::uint64_t compressed = cycles_.now();
  const std::span<const OutputList::Output> link = packed_->link.all();
  for (const OutputList::Output& output : link) measured.link_octets += output.octets.size();
  const std::uint64_t every = job_.verify_every;
  for (std::uint32_t i = 0; i < count; ++i) {
    const headroom_packet& packet = to_compress_[i];
    if (packet.status != HEADROOM_OK && packet.status != HEADROOM_NOTHING) [[unlikely]] {
      measured.compressor_statuses.add(packet.status);
      continue;
    }
    ++measured.packets_compressed;
    const bool is_due = every != 0 && --until_verify_ == 0;
    if (is_due) until_verify_ = draw_distance();
    if (packed_->sent.push(packet.channel, {packet.in, packet.in_length}, is_due)) ++measured.lost;
  }
  const std::uint64_t handed = cycles_.now();
  std::uint64_t decompressing = 0, verifying = 0, last = handed;
  for (std::size_t at = 0; at < link.size(); at += job_.burst) {
    decompress_packed(link.subspan(at, std::min<std::size_t>(job_.burst, link.size() - at)), now_ns, measured);
    const std::uint64_t decompressed = cycles_.now();
    decompressing += decompressed - last;
    last_completion_ = decompressed;
    verify_packed(measured);
    last = cycles_.now();
    verifying += last - decompressed;
  }
  if (link.empty()) last_completion_ = handed;
  const auto charge = [&](Stage stage, std::uint64_t cycles) {
    measured.stage_cycles[static_cast<std::size_t>(stage)] += cycles;
  };
  charge(Stage::compress, compressed - generated);
  charge(Stage::handover, handed - compressed);
  charge(Stage::decompress, decompressing);
  charge(Stage::verify, verifying);
  if (count != 0) {
    const auto record = [count](Histogram& histogram, std::uint64_t cycles) {
      histogram.record(cycles * kPerPacketScale / count, count);
    };
    record(measured.compress, compressed - generated);
    record(measured.handover, handed - compressed);
    record(measured.decompress, decompressing);
    record(measured.verify, verifying);
    measured.burst_latency.record(last - generated, count);
  }
  verified_end_ = last;
}

std::uint64_t Pipeline::run_burst(std::uint64_t visits, std::uint64_t& began, PhaseMeasurement& measured) noexcept {
  const std::uint64_t now_ns = tick_ * job_.tick_ns;  // virtual: the same in every run
  const std::uint64_t start = began;
  const std::uint32_t count = generate(visits, measured);
  spoil_buffers(count);
  const std::uint64_t generated = cycles_.now();
  if (packed_) [[unlikely]] {
    run_packed(count, now_ns, measured);
    measured.stage_cycles[static_cast<std::size_t>(Stage::generate)] += generated - start;
    if (count != 0) {
      ++measured.bursts;
      measured.generate.record((generated - start) * kPerPacketScale / count, count);
    }
    last_packets_ = count;
    began = verified_end_;
    return visits;
  }
  process(*compressor_, to_compress_, count, now_ns, measured.compressor_statuses);
  const std::uint64_t compressed = cycles_.now();
  const std::uint32_t passed = hand_over(count, measured);
  const std::uint64_t handed = cycles_.now();
  process(*decompressor_, to_decompress_, passed, now_ns, measured.decompressor_statuses);
  const std::uint64_t decompressed = cycles_.now();
  verify(count, passed, measured);
  const std::uint64_t verified = cycles_.now();
  std::uint64_t end = verified;
  const auto charge = [&](Stage stage, std::uint64_t from, std::uint64_t to) {
    measured.stage_cycles[static_cast<std::size_t>(stage)] += to - from;
  };
  charge(Stage::verify, decompressed, verified);
  if (carries_feedback_) end = carry_feedback(now_ns, verified, measured);
  charge(Stage::generate, start, generated);
  charge(Stage::compress, generated, compressed);
  charge(Stage::handover, compressed, handed);
  charge(Stage::decompress, handed, decompressed);
  if (count != 0) {
    ++measured.bursts;
    const auto record = [](Histogram& histogram, std::uint64_t from, std::uint64_t to, std::uint32_t packets) {
      histogram.record((to - from) * kPerPacketScale / packets, packets);
    };
    record(measured.generate, start, generated, count);
    record(measured.compress, generated, compressed, count);
    record(measured.handover, compressed, handed, count);
    if (passed != 0) record(measured.decompress, handed, decompressed, passed);
    if (passed != 0) record(measured.verify, decompressed, verified, passed);
    measured.burst_latency.record(decompressed - generated, count);
  }
  last_completion_ = decompressed;
  last_packets_ = count;
  began = end;
  return visits;
}

}  // namespace headroom::load
