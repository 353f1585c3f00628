// SPDX-License-Identifier: Apache-2.0
//
// A receiving core between captures, which stand for networks, and the rings of workers that do not run.
#include "node/receiver.h"

#include <gtest/gtest.h>
#include <rte_mempool.h>

#include <array>
#include <filesystem>
#include <memory>

#include "base/process.h"
#include "capture/writer.h"
#include "io/eal.h"
#include "node_frames.h"

namespace headroom::node {
namespace {

constexpr unsigned kPlaces = 64, kFramesOfPool = 1023;
constexpr std::size_t kFrames = 200, kWorkers = 2;

// Packets belong to a worker by the last octet of an address: the destination on the plain side, the source on the
// link.
class ByAddress final : public ChannelKind {
 public:
  [[nodiscard]] std::unique_ptr<Forwarder> make(const Job&, const Place&) const override { return nullptr; }
  [[nodiscard]] std::optional<std::uint64_t> owner_of(OctetView packet, bool from_plain) const noexcept override {
    return packet[from_plain ? 19 : 15];
  }
};

// Packet `number` of user `user`, from either side.
Octets frame_of_user(std::uint8_t user, std::uint16_t number, bool is_plain) {
  Octets packet = udp_packet(60, number);
  packet[is_plain ? 19 : 15] = user;
  return ipv4_frame(packet);
}

class Scratch {
 public:
  Scratch() {
    char name[] = "/tmp/headroom-receiver-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string at(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string device(const Scratch& scratch, unsigned number, const std::vector<Octets>& frames) {
  const std::string n = std::to_string(number), in = scratch.at("in" + n), none = scratch.at("none" + n);
  for (const std::string& path : {in, none}) {
    PcapWriter writer(path, LinkType::ethernet);
    for (std::size_t i = 0; path == in && i < frames.size(); ++i) writer.write(0, frames[i]);
    writer.close();
  }
  return "net_pcap" + n + ",rx_pcap=" + in + ",rx_pcap=" + none + ",tx_pcap=" + scratch.at("out" + n) +
         ",tx_pcap=" + scratch.at("more" + n);
}

// The numbers of the packets that a ring holds, in order; the frames go back to their pool.
std::vector<unsigned> take_all(Rings& rings, std::size_t worker) {
  std::vector<unsigned> numbers;
  std::array<rte_mbuf*, 32> frames;
  while (const std::uint16_t count = rings.take(worker, frames)) {
    for (std::uint16_t i = 0; i < count; ++i) numbers.push_back(load16(&octets_of(*frames[i])[kHeader + 4]));
    rte_pktmbuf_free_bulk(frames.data(), count);
  }
  return numbers;
}

// DPDK can be started once in a process, so everything that needs it is one test.
TEST(Receiver, GivesEachFrameToItsWorker) {
  // Link: the users 1 and 2 in turn, and ARP, which any worker may take. Plain: more of user 1 than a ring has room
  // for.
  const Scratch scratch;
  std::vector<Octets> plain, link;
  for (std::uint16_t i = 0; i < 20; ++i) link.push_back(frame_of_user(1 + i % 2, i, false));
  link.push_back(frame_of(0x0806, Octets(46, 1)));
  for (std::uint16_t i = 0; i < kFrames; ++i) plain.push_back(frame_of_user(1, i, true));
  Json document = job_of("", {}, {{"workers", {0, 1}}, {"distribution", "rx-cores"}, {"rx_cores", {2}}});
  document["plain"] = {{"vdev", device(scratch, 0, plain)}};
  document["link"] = {{"vdev", device(scratch, 1, link)}};
  Job job = read(document);
  job.kind = std::make_shared<ByAddress>();
  job.wire.memory_mb = 64;
  job.wire.huge_pages = false;
  ASSERT_EQ(job.queues(), kWorkers);

  const io::Eal eal(job.wire, job.ports, job.queues(), 1500, current_core());
  rte_mempool* const pool = eal.make_pool("frames", kFramesOfPool, 1500);
  io::Port plain_port(eal, job.ports[0], 0, job.queues(), 1500, pool);
  io::Port link_port(eal, job.ports[1], 1, job.queues(), 1500, pool);
  const unsigned in_use = rte_mempool_in_use_count(pool);
  auto plain_for = std::make_unique<Rings>("plain", kWorkers, kPlaces);
  auto link_for = std::make_unique<Rings>("link", kWorkers, kPlaces);
  const Node node{job, plain_port, link_port, pool, *plain_for, *link_for};
  Receiver receiver(node, 0);
  unsigned rounds = 0;
  while (receiver.round()) ++rounds;
  EXPECT_GE(rounds, kFrames / job.burst);

  EXPECT_EQ(take_all(*link_for, 0), (std::vector<unsigned>{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 0x0101}))
      << "those of user 2 in order, and frames of no user";
  EXPECT_EQ(take_all(*link_for, 1), (std::vector<unsigned>{0, 2, 4, 6, 8, 10, 12, 14, 16, 18}));
  std::vector<unsigned> first(kPlaces - 1);
  for (unsigned i = 0; i < first.size(); ++i) first[i] = i;
  EXPECT_EQ(take_all(*plain_for, 1), first) << "of a full ring the first remain";
  EXPECT_TRUE(take_all(*plain_for, 0).empty());

  const Json told = receiver.json(true);
  EXPECT_EQ(told["core"], 2);
  EXPECT_EQ(told["plain"]["received"]["packets"], kFrames);
  EXPECT_EQ(told["link"]["received"]["packets"], link.size());
  EXPECT_EQ(told["link"]["received"]["octets"], 20 * link[0].size() + link[20].size());
  EXPECT_EQ(told["errors"]["hand_over_full"], kFrames - first.size());
  EXPECT_EQ(told["handed_over"], link.size() + first.size());
  EXPECT_EQ(rte_mempool_in_use_count(pool), in_use) << "what was lost is back in the pool";

  std::array<rte_mbuf*, 3> left;
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool, left.data(), left.size()), 0);
  EXPECT_EQ(link_for->put(0, left), left.size());
  link_for.reset();
  EXPECT_EQ(rte_mempool_in_use_count(pool), in_use) << "so are frames that are left in a ring";
}

TEST(ReceivingCores, ShareTheQueuesOfBothPorts) {
  Job job;
  job.workers = {0, 1};
  job.rx_cores = {2};
  EXPECT_EQ(job.queues(), 2);
  for (const bool is_plain : {false, true}) {
    EXPECT_EQ(job.receiver_of(is_plain, 0), 0u);
    EXPECT_EQ(job.receiver_of(is_plain, 1), 0u);
  }
  job.rx_cores = {2, 3, 4, 5, 6};
  EXPECT_EQ(job.queues(), 3) << "three cores receive from the link, two from the plain side";
  std::vector<std::size_t> link, plain;
  for (std::uint16_t queue = 0; queue < 3; ++queue) {
    link.push_back(job.receiver_of(false, queue));
    plain.push_back(job.receiver_of(true, queue));
  }
  EXPECT_EQ(link, (std::vector<std::size_t>{0, 2, 4}));
  EXPECT_EQ(plain, (std::vector<std::size_t>{1, 3, 1})) << "no queue without a core";
}

}  // namespace
}  // namespace headroom::node
