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
    bool busy = false;
    for (const PortSide side : {PortSide::plain, PortSide::link}) {
      if (node_.job.rx_cores.empty()) busy |= receive(side);
      if (!node_.rings(side).empty()) busy |= take_over(side);
    }
    if (channel_->waits()) {
      channel_->act(monotonic_ns(), to_plain_, to_link_);
      to_plain_.flush();
      to_link_.flush();
    }
    busy_.round(busy);
  }
  for (const PortSide side : {PortSide::plain, PortSide::link}) {
    while (!node_.job.rx_cores.empty() && take_over(side)) {
    }
  }
}

bool Worker::receive(PortSide side) {
  const std::uint16_t received = node_.port(side).receive(number_, received_);
  const std::uint16_t mine = received != 0 && !node_.rings(side).empty() ? hand_over(side, received) : received;
  if (mine != 0) forward(side, mine);
  return received != 0;
}

bool Worker::take_over(PortSide side) {
  const std::uint16_t count = node_.rings(side).take(number_, received_);
  if (count != 0) forward(side, count);
  return count != 0;
}

// Gives frames that belong to other workers to them; returns how many remain, at the front of `received_`.
std::uint16_t Worker::hand_over(PortSide side, std::uint16_t count) noexcept {
  std::uint16_t mine = 0;
  for (std::uint16_t i = 0; i < count; ++i) {
    rte_mbuf* const frame = received_[i];
    const unsigned owner = owner_of(node_.job, side, octets_of(*frame), number_);
    if (owner == number_) {
      received_[mine++] = frame;
    } else if (node_.rings(side).put(owner, {&frame, 1}) == 1) {
      statistics_.handed_over.add();
    } else {
      statistics_.hand_over_full.add();
      rte_pktmbuf_free(frame);
    }
  }
  return mine;
}

void Worker::forward(PortSide side, std::uint16_t count) {
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
  if (side == PortSide::plain) {
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
  Json json = load_of(node_.job.workers[number_], busy_, jiffies_before_);
  json["channel"] = number_;
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
