// SPDX-License-Identifier: Apache-2.0
//
// Whole nodes, as processes of their own: captures take the place of networks on both sides.
#include <gtest/gtest.h>
#include <pcap/pcap.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/cycles.h"
#include "base/process.h"
#include "capture/writer.h"
#include "node_frames.h"

namespace headroom::node {
namespace {

constexpr std::uint64_t kPatienceNs = 60'000'000'000;

class Scratch {
 public:
  Scratch() {
    char name[] = "/tmp/headroom-node-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string at(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void write_frames(const std::string& path, const std::vector<Octets>& frames) {
  PcapWriter writer(path, LinkType::ethernet);
  for (const Octets& frame : frames) writer.write(0, frame);
  writer.close();
}

std::vector<Octets> read_frames(const std::string& path) {
  std::vector<Octets> frames;
  char error[PCAP_ERRBUF_SIZE];
  pcap_t* const file = pcap_open_offline(path.c_str(), error);
  if (file == nullptr) {
    ADD_FAILURE() << error;
    return frames;
  }
  pcap_pkthdr* header;
  const u_char* octets;
  while (pcap_next_ex(file, &header, &octets) == 1) frames.emplace_back(octets, octets + header->caplen);
  pcap_close(file);
  return frames;
}

std::string text_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A port that receives what stands in `in`, one queue each, and sends into `out`.
Json port(unsigned number, const std::vector<std::string>& in, const std::string& out) {
  std::string words = "net_pcap" + std::to_string(number);
  for (const std::string& path : in) words += ",rx_pcap=" + path;
  for (std::size_t i = 0; i < in.size(); ++i) words += ",tx_pcap=" + out + (i == 0 ? "" : std::to_string(i));
  return {{"vdev", words}};
}

// A node in a process of its own.
class NodeProcess {
 public:
  NodeProcess(const Scratch& scratch, const std::string& name, Json job)
      : control_(scratch.at(name + ".sock")), output_(scratch.at(name + ".json")) {
    job["control"] = control_;
    job["idle"] = "sleep";
    job["eal"] = {{"huge", "never"}, {"memory_mb", 64}};
    const std::string path = scratch.at(name + ".job");
    std::ofstream(path) << job.dump();
    process_ = fork();
    if (process_ != 0) return;
    if (std::freopen(output_.c_str(), "w", stdout) == nullptr) _exit(99);
    if (std::freopen(scratch.at(name + ".err").c_str(), "w", stderr) == nullptr) _exit(99);
    execl(HEADROOM_ENGINE, "headroom-engine", "node", "--job", path.c_str(), nullptr);
    _exit(99);
  }
  ~NodeProcess() {
    if (process_ > 0) kill(process_, SIGKILL), waitpid(process_, nullptr, 0);
  }
  NodeProcess(const NodeProcess&) = delete;
  NodeProcess& operator=(const NodeProcess&) = delete;

  // Returns the answer of the control socket; null without one, also if a node that is stuck keeps the socket open.
  [[nodiscard]] Json ask() const {
    const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    control_.copy(address.sun_path, sizeof address.sun_path - 1);
    std::string text;
    if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      char buffer[4096];
      for (ssize_t n; (n = ::read(descriptor, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(n));
    }
    close(descriptor);
    return text.empty() ? Json(nullptr) : parse_json(text);
  }

  // Waits until the node has received so many frames from both sides together, then ends it; its result.
  Json finish_after(std::uint64_t frames) {
    for (const std::uint64_t began = monotonic_ns(); monotonic_ns() - began < kPatienceNs && !ended();) {
      const Json told = ask();
      std::uint64_t received = 0;
      for (const Json& worker : told.is_null() ? Json::array() : told["workers"]) {
        for (const char* side : {"plain", "link"}) received += worker[side]["received"]["packets"].get<std::uint64_t>();
      }
      if (received >= frames) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    kill(process_, SIGTERM);
    return result(0);
  }

  // Waits until it has ended with `status`; what it printed.
  Json result(int status) {
    for (const std::uint64_t began = monotonic_ns(); !ended() && monotonic_ns() - began < kPatienceNs;)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(WIFEXITED(status_)) << status_;
    EXPECT_EQ(WEXITSTATUS(status_), status) << text_of(output_);
    EXPECT_FALSE(std::filesystem::exists(control_)) << "the socket goes with its node";
    const std::string text = text_of(output_);
    return text.empty() ? Json::object() : parse_json(text);
  }

 private:
  bool ended() {
    if (process_ > 0 && waitpid(process_, &status_, WNOHANG) == process_) process_ = 0;
    return process_ <= 0;
  }

  std::string control_, output_;
  pid_t process_ = -1;
  int status_ = -1;
};

// Frames of many kinds: flows of IPv4 and IPv6, fragments, tags, ARP, one that grows beyond the MTU.
std::vector<Octets> traffic(std::uint16_t first_flow = 5000) {
  std::vector<Octets> frames;
  for (std::uint16_t i = 0; i < 100; ++i) {
    const auto flow = static_cast<std::uint16_t>(first_flow + i % 7);
    frames.push_back(ipv4_frame(udp_packet(60u + i, static_cast<std::uint16_t>(i / 7), flow)));
    if (i % 10 == 0) frames.push_back(ipv4_frame(udp_packet(100, i, flow), {vlan(42)}));
    if (i % 20 == 0) frames.push_back(frame_of(0x0806, Octets(46, 1)));
    Octets fragment = udp_packet(500, i, flow);
    store16(&fragment[6], 0x2000 | i);
    store16(&fragment[10], 0);
    store16(&fragment[10], checksum_finish(checksum_add(0, {fragment.data(), 20})));
    if (i % 9 == 0) frames.push_back(ipv4_frame(fragment));
    if (i % 5 == 0)
      frames.push_back(frame_of(kEtherTypeIpv6, ipv6_packet(17, {0x10, 0, 0x10, 1, 0, 12, 0xAB, 0xCD, 1, 2, 3, 4})));
  }
  frames.push_back(ipv4_frame(udp_packet(1500)));
  return frames;
}

std::vector<unsigned> usable_cores() {
  std::vector<unsigned> cores;
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  for (unsigned core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

Json on_core(Json job, const Json& plain, const Json& link) {
  job["workers"] = {usable_cores().at(0)};
  job["plain"] = plain;
  job["link"] = link;
  return job;
}

class ThroughTwoNodes : public testing::Test {
 protected:
  const Scratch scratch;

  // Sends `frames` through node A, what it sends through node B; returns what comes out there.
  std::vector<Octets> carry(const Json& job, const std::vector<Octets>& frames) {
    write_frames(scratch.at("plain"), frames);
    write_frames(scratch.at("nothing"), {});
    NodeProcess a(scratch, "a",
                  on_core(job, port(0, {scratch.at("plain")}, scratch.at("back-a")),
                          port(1, {scratch.at("nothing")}, scratch.at("link"))));
    result_a = a.finish_after(frames.size());
    NodeProcess b(scratch, "b",
                  on_core(job, port(0, {scratch.at("nothing")}, scratch.at("out")),
                          port(1, {scratch.at("link")}, scratch.at("back-b"))));
    result_b = b.finish_after(read_frames(scratch.at("link")).size());
    return read_frames(scratch.at("out"));
  }

  Json result_a, result_b;
};

TEST_F(ThroughTwoNodes, NothingChangesWithoutAdapters) {
  EXPECT_EQ(carry(job_of(""), traffic()), traffic());
  EXPECT_EQ(read_frames(scratch.at("link")), traffic());
  EXPECT_EQ(result_a["compressor"], nullptr);
}

TEST_F(ThroughTwoNodes, NothingChangesWithNull) {
  EXPECT_EQ(carry(job_of("null"), traffic()), traffic());
  EXPECT_EQ(result_a["compressor"]["name"], "null");
  EXPECT_EQ(result_b["workers"][0]["decompressed"], result_a["workers"][0]["compressed"]);
}

TEST_F(ThroughTwoNodes, NothingChangesWithTheReference) {
  EXPECT_EQ(carry(job_of("reference", {{"mode", "O"}}), traffic()), traffic());
  const Json& worker = result_b["workers"][0];
  EXPECT_GT(worker["feedback"]["sent"], 0u);
  EXPECT_EQ(worker["errors"], result_a["workers"][0]["errors"]) << "all of them 0";
  EXPECT_EQ(worker["plain"]["sent"]["packets"], traffic().size());
  EXPECT_EQ(result_b["ports"]["plain"]["sent"]["packets"], traffic().size());
  EXPECT_LT(result_a["workers"][0]["link"]["sent"]["octets"].get<std::uint64_t>(),
            result_a["workers"][0]["plain"]["received"]["octets"].get<std::uint64_t>());
  EXPECT_EQ(worker["histograms"]["link_to_plain_ns"]["count"], worker["link"]["received"]["packets"]);
  EXPECT_GT(worker["statistics"]["decompressor"]["contexts"], 0u);
}

// Feedback of B reaches A, whose compressor makes use of it.
TEST_F(ThroughTwoNodes, FeedbackComesBack) {
  (void)carry(job_of("reference", {{"mode", "O"}}), traffic());
  NodeProcess again(scratch, "again",
                    on_core(job_of("reference", {{"mode", "O"}}), port(0, {scratch.at("plain")}, scratch.at("back")),
                            port(1, {scratch.at("back-b")}, scratch.at("link"))));
  const Json result = again.finish_after(traffic().size() + read_frames(scratch.at("back-b")).size());
  EXPECT_EQ(result["workers"][0]["feedback"]["received"], result_b["workers"][0]["feedback"]["sent"]);
}

// Two queues and two workers: flows come through both queues and leave by the worker that they belong to.
TEST(Workers, ShareTheFlows) {
  const std::vector<unsigned> cores = usable_cores();
  if (cores.size() < 2) GTEST_SKIP() << "this machine has one core";
  const Scratch scratch;
  const auto half = [](std::uint16_t flow) {
    std::vector<Octets> frames = traffic(flow);
    std::erase_if(frames, [](const Octets& frame) { return find_parts(frame).carries != Carries::ip; });
    return frames;
  };
  write_frames(scratch.at("plain0"), half(1000));
  write_frames(scratch.at("plain1"), half(2000));
  write_frames(scratch.at("nothing0"), {});
  write_frames(scratch.at("nothing1"), {});
  Json job = job_of("reference", {{"mode", "O"}}, {{"workers", {cores[0], cores[1]}}, {"channel_vlan", 200}});
  job["plain"] = port(0, {scratch.at("plain0"), scratch.at("plain1")}, scratch.at("back-a"));
  job["link"] = port(1, {scratch.at("nothing0"), scratch.at("nothing1")}, scratch.at("link"));
  NodeProcess a(scratch, "a", job);
  std::vector<Octets> sent = half(1000);
  const std::vector<Octets> others = half(2000);
  sent.insert(sent.end(), others.begin(), others.end());
  const Json result_a = a.finish_after(sent.size());

  // At the far end the first queue brings everything.
  std::vector<Octets> link = read_frames(scratch.at("link"));
  const std::vector<Octets> more = read_frames(scratch.at("link1"));
  EXPECT_GT(link.size(), 0u);
  EXPECT_GT(more.size(), 0u);
  link.insert(link.end(), more.begin(), more.end());
  write_frames(scratch.at("all"), link);
  job["plain"] = port(0, {scratch.at("nothing0"), scratch.at("nothing1")}, scratch.at("out"));
  job["link"] = port(1, {scratch.at("all"), scratch.at("nothing0")}, scratch.at("back-b"));
  NodeProcess b(scratch, "b", job);
  const Json result_b = b.finish_after(link.size());

  std::vector<Octets> received = read_frames(scratch.at("out"));
  const std::vector<Octets> rest = read_frames(scratch.at("out1"));
  received.insert(received.end(), rest.begin(), rest.end());
  std::sort(sent.begin(), sent.end());
  std::sort(received.begin(), received.end());
  EXPECT_EQ(received, sent);
  EXPECT_GT(result_a["workers"][0]["handed_over"].get<int>() + result_a["workers"][1]["handed_over"].get<int>(), 0);
  EXPECT_EQ(result_b["workers"][0]["handed_over"], more.size());
  EXPECT_EQ(result_b["workers"][1]["channel"], 1u);
}

// A receiving core in front of one worker, on the same core here: everything comes out, in order.
TEST_F(ThroughTwoNodes, NothingChangesBehindReceivingCores) {
  Json job = job_of("reference", {{"mode", "O"}}, {{"distribution", "rx-cores"}});
  job["rx_cores"] = {usable_cores().at(0)};
  EXPECT_EQ(carry(job, traffic()), traffic());
  const Json& core = result_a["rx_cores"][0];
  EXPECT_EQ(core["plain"]["received"]["packets"], traffic().size());
  EXPECT_EQ(core["handed_over"], traffic().size());
  EXPECT_EQ(core["errors"]["hand_over_full"], 0);
  EXPECT_GT(core["cpu_ns"], 0u);
  EXPECT_LT(result_a["other_threads_cpu_ns"], 100'000'000u) << "there are none but those of DPDK, which wait";
  EXPECT_EQ(result_a["workers"][0]["plain"]["received"]["packets"], traffic().size());
}

// Workers end last, and forward what is in their rings: a node that is stopped amid traffic loses nothing in between.
TEST(NodeProcess, ForwardsWhatItsReceivingCoresHaveHandedOver) {
  const Scratch scratch;
  write_frames(scratch.at("in"), std::vector<Octets>(512, ipv4_frame(udp_packet(60))));
  Json endless = port(0, {scratch.at("in")}, scratch.at("back"));
  endless["vdev"] = endless["vdev"].get<std::string>() + ",infinite_rx=1";
  Json job =
      on_core(job_of("null", Json::object(), {{"distribution", "rx-cores"}}), endless, {{"vdev", "net_null1,no-rx=1"}});
  job["rx_cores"] = job["workers"];
  NodeProcess node(scratch, "a", job);
  const Json result = node.finish_after(100'000);
  const Json &core = result["rx_cores"][0], &worker = result["workers"][0];
  EXPECT_GT(core["handed_over"], 100'000u);
  EXPECT_EQ(core["plain"]["received"]["packets"].get<std::uint64_t>(),
            core["handed_over"].get<std::uint64_t>() + core["errors"]["hand_over_full"].get<std::uint64_t>());
  EXPECT_EQ(worker["plain"]["received"]["packets"], core["handed_over"]);
  EXPECT_EQ(worker["link"]["sent"]["packets"], core["handed_over"]);
}

TEST(NodeProcess, EndsWithTheFaultOfItsAdapterBehindReceivingCores) {
  const Scratch scratch;
  write_frames(scratch.at("in"), traffic());
  write_frames(scratch.at("nothing"), {});
  Json job =
      on_core(job_of("faulty/faulty_has_a_status_of_its_own", Json::object(), {{"distribution", "rx-cores"}}),
              port(0, {scratch.at("in")}, scratch.at("back")), port(1, {scratch.at("nothing")}, scratch.at("link")));
  job["rx_cores"] = job["workers"];
  EXPECT_EQ(NodeProcess(scratch, "a", job).result(1)["error"]["kind"], "adapter");
}

TEST(NodeProcess, EndsWithTheFaultOfItsAdapter) {
  const Scratch scratch;
  write_frames(scratch.at("in"), traffic());
  write_frames(scratch.at("nothing"), {});
  NodeProcess node(
      scratch, "a",
      on_core(job_of("faulty/faulty_has_a_status_of_its_own"), port(0, {scratch.at("in")}, scratch.at("back")),
              port(1, {scratch.at("nothing")}, scratch.at("link"))));
  const Json error = node.result(1)["error"];
  EXPECT_EQ(error["kind"], "adapter");
  EXPECT_NE(error["message"].get<std::string>().find("the status 77"), std::string::npos) << error;
}

// It tells how long it has been silent, and after 5 s it ends although its thread never does.
TEST(NodeProcess, EndsWhenItsAdapterDoesNotReturn) {
  const Scratch scratch;
  write_frames(scratch.at("garbage"), {frame_of(kEtherTypeRohc, Octets(60, 0xFF))});
  write_frames(scratch.at("nothing"), {});
  NodeProcess node(
      scratch, "a",
      on_core(job_of("faulty/faulty_hangs_on_garbage"), port(0, {scratch.at("nothing")}, scratch.at("out")),
              port(1, {scratch.at("garbage")}, scratch.at("back"))));
  std::uint64_t silent_ns = 0;
  for (const std::uint64_t began = monotonic_ns(); silent_ns < 1'000'000'000 && monotonic_ns() - began < kPatienceNs;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const Json told = node.ask();
    if (!told.is_null()) silent_ns = told["workers"][0]["silent_ns"].get<std::uint64_t>();
  }
  EXPECT_GE(silent_ns, 1'000'000'000u);
  const Json error = node.result(1)["error"];
  EXPECT_EQ(error["kind"], "adapter");
  EXPECT_EQ(error["where"], "/workers/0");
  EXPECT_NE(error["message"].get<std::string>().find("does not return"), std::string::npos) << error;
}

TEST(NodeProcess, SaysWhatIsWrongWithItsJob) {
  const Scratch scratch;
  write_frames(scratch.at("nothing"), {});
  const Json plain = port(0, {scratch.at("nothing")}, scratch.at("back"));
  const Json link = port(1, {scratch.at("nothing")}, scratch.at("link"));
  Json refused = on_core(job_of("reference", {{"mode", "X"}}), plain, link);
  EXPECT_EQ(NodeProcess(scratch, "a", refused).result(1)["error"]["where"], "/compressor/config");
  Json absent = on_core(job_of("null"), {{"interface", "no-such-port"}}, link);
  EXPECT_EQ(NodeProcess(scratch, "b", absent).result(1)["error"]["where"], "/plain/interface");
  Json unusable = on_core(job_of("null"), plain, link);
  unusable["workers"] = {1023};
  EXPECT_EQ(NodeProcess(scratch, "c", unusable).result(2)["error"]["where"], "/workers/0");
}

}  // namespace
}  // namespace headroom::node
