// SPDX-License-Identifier: Apache-2.0
#include "node/worker.h"

#include <rte_mbuf.h>

#include "node/make_channel.h"

namespace headroom::node {
namespace {

// Attempts at a full queue, after which the rest of the burst is lost: a worker that waits for the wire stops
// receiving, and the loss moves to a place where it is not counted by cause.
constexpr int kSendAttempts = 8;

Frame frame_of(rte_mbuf* mbuf) noexcept {
  return {.octets = rte_pktmbuf_mtod(mbuf, std::uint8_t*),
          .length = rte_pktmbuf_data_len(mbuf),
          .front = mbuf->data_off,
          .room = std::uint32_t{mbuf->buf_len} - mbuf->data_off,
          .owner = mbuf};
}

// Tells the packet buffer what became of its frame.
rte_mbuf* mbuf_of(const Frame& frame) noexcept {
  auto* const mbuf = static_cast<rte_mbuf*>(frame.owner);
  mbuf->data_off = static_cast<std::uint16_t>(frame.front);
  mbuf->data_len = static_cast<std::uint16_t>(frame.length);
  mbuf->pkt_len = frame.length;
  mbuf->ol_flags = 0;  // offload flags of the received frame do not apply to the frame sent
  return mbuf;
}

}  // namespace

bool MbufStore::take(Frame& frame) noexcept {
  rte_mbuf* const mbuf = rte_pktmbuf_alloc(pool_);
  if (mbuf == nullptr) return false;
  frame = frame_of(mbuf);
  return true;
}

void MbufStore::give_back(const Frame& frame) noexcept { rte_pktmbuf_free(static_cast<rte_mbuf*>(frame.owner)); }

void PortOutbox::send(std::span<const Frame> frames) noexcept {
  std::array<rte_mbuf*, kMost> mbufs;
  std::uint64_t octets = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    mbufs[i] = mbuf_of(frames[i]);
    octets += frames[i].length;
  }
  std::span<rte_mbuf*> left(mbufs.data(), frames.size());
  for (int attempt = 0; attempt < kSendAttempts && !left.empty(); ++attempt)
    left = left.subspan(port_.send(queue_, left));
  for (rte_mbuf* const mbuf : left) {
    octets -= mbuf->pkt_len;
    rte_pktmbuf_free(mbuf);
  }
  sent_.add(frames.size() - left.size(), octets);
  if (!left.empty()) queue_full_.add(left.size());
}

Worker::Worker(const Node& node, std::uint16_t number)
    : node_(node),
      number_(number),
      store_(node.pool),
      channel_(make_channel(node.job, number, node.plain.mac(), node.link.mac(), store_, statistics_)),
      to_plain_(node.plain, number, statistics_.plain.sent, statistics_.send_queue_full),
      to_link_(node.link, number, statistics_.link.sent, statistics_.send_queue_full),
      received_(node.job.burst),
      frames_(node.job.burst),
      busy_(node.job.wire.idle),
      jiffies_before_(read_core_jiffies(node.job.workers[number])) {}

void Worker::run(const std::atomic<bool>& stop) {
  const io::BusyShare::OfThisThread counted(busy_);
  while (!stop.load(std::memory_order_relaxed)) {
    bool busy = serve(Side::plain);
    busy |= serve(Side::link);
    if (channel_->waits()) {
      channel_->act(monotonic_ns(), to_plain_, to_link_);
      to_plain_.flush();
      to_link_.flush();
    }
    busy_.round(busy);
  }
}

bool Worker::serve(Side side) {
  io::Port& port = side == Side::plain ? node_.plain : node_.link;
  const std::uint16_t received = port.receive(number_, received_);
  bool busy = received != 0;
  const std::uint16_t mine = busy && node_.job.workers.size() > 1 ? hand_over(side, received) : received;
  if (mine != 0) forward(side, mine);
  if (node_.job.workers.size() == 1) return busy;
  rte_ring* const ring = (side == Side::plain ? node_.plain_for : node_.link_for)[number_];
  const unsigned more = rte_ring_sc_dequeue_burst(ring, reinterpret_cast<void**>(received_.data()),
                                                  static_cast<unsigned>(received_.size()), nullptr);
  if (more != 0) forward(side, static_cast<std::uint16_t>(more));
  return busy || more != 0;
}

// Gives frames that belong to other workers to them; returns how many remain, at the front of `received_`.
std::uint16_t Worker::hand_over(Side side, std::uint16_t count) noexcept {
  std::uint16_t mine = 0;
  for (std::uint16_t i = 0; i < count; ++i) {
    rte_mbuf* const frame = received_[i];
    const unsigned owner = owner_of(side, *frame);
    if (owner == number_) {
      received_[mine++] = frame;
    } else if (rte_ring_mp_enqueue((side == Side::plain ? node_.plain_for : node_.link_for)[owner], frame) == 0) {
      statistics_.handed_over.add();
    } else {
      statistics_.hand_over_full.add();
      rte_pktmbuf_free(frame);
    }
  }
  return mine;
}

// A plain packet belongs to the worker of its flow, a link packet to that of its channel, all else to the worker that
// receives it. A kind of channel that a scheme brings along says which packets belong together on either side; its
// other packets belong to the worker of their flow.
unsigned Worker::owner_of(Side side, const rte_mbuf& frame) const noexcept {
  const OctetView octets(rte_pktmbuf_mtod(&frame, const std::uint8_t*), rte_pktmbuf_data_len(&frame));
  const ChannelKind* const kind = node_.job.kind.get();
  if (side == Side::link && !kind) return channel_of(octets, node_.job.tags()).value_or(number_);
  const Look seen = look(octets);
  if (seen.carries != Carries::ip) return number_;
  const OctetView packet = octets.subspan(seen.payload_at, seen.packet);
  const auto workers = static_cast<unsigned>(node_.job.workers.size());
  if (kind != nullptr) {
    if (const auto owner = kind->owner_of(packet, side == Side::plain)) return static_cast<unsigned>(*owner % workers);
  }
  return worker_of(packet, workers);
}

void Worker::forward(Side side, std::uint16_t count) {
  const std::uint64_t began = cycles_.now();
  std::uint16_t whole = 0;
  for (std::uint16_t i = 0; i < count; ++i) {
    if (received_[i]->nb_segs == 1) [[likely]] {
      frames_[whole++] = frame_of(received_[i]);
    } else {  // more than a buffer holds is more than any MTU
      statistics_.too_long.add();
      rte_pktmbuf_free(received_[i]);
    }
  }
  const std::span<Frame> frames(frames_.data(), whole);
  if (side == Side::plain) {
    channel_->to_link(frames, monotonic_ns(), to_link_);
    to_link_.flush();
    plain_to_link_.record(cycles_.now() - began, count);
  } else {
    channel_->to_plain(frames, monotonic_ns(), to_plain_, to_link_);
    to_plain_.flush();
    to_link_.flush();
    link_to_plain_.record(cycles_.now() - began, count);
  }
}

Json Worker::json(bool ended) const {
  const unsigned core = node_.job.workers[number_];
  Json json = {{"core", core},
               {"channel", number_},
               {"busy_cycles", busy_.busy_cycles()},
               {"total_cycles", busy_.total_cycles()},
               {"busy_share", busy_.share()},
               {"cpu_ns", busy_.cpu_ns()},
               {"proc_stat", {{"before", json_of(jiffies_before_)}, {"after", json_of(read_core_jiffies(core))}}}};
  json.update(statistics_.json());
  if (!ended) return json;
  const double ns = 1e9 / busy_.hz();
  json["histograms"] = {{"plain_to_link_ns", json_of(plain_to_link_, ns)},
                        {"link_to_plain_ns", json_of(link_to_plain_, ns)}};
  const auto statistics = [](const Instance* one) { return one != nullptr ? one->statistics() : Json(nullptr); };
  json["statistics"] = {{"compressor", statistics(channel_->compressor())},
                        {"decompressor", statistics(channel_->decompressor())},
                        {"endpoint", statistics(channel_->endpoint())}};
  return json;
}

}  // namespace headroom::node
