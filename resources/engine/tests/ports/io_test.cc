// SPDX-License-Identifier: Apache-2.0
//
// Ports without a network: DPDK's device that reads and writes capture files stands for the interface.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/process.h"
#include "capture/reader.h"
#include "capture/writer.h"
#include "io/busy.h"
#include "io/eal.h"
#include "io/port.h"
#include "io/supervisor.h"

namespace headroom::io {
namespace {

PortJob port_of(const std::string& text) { return read_port(Value(parse_json(text), "/plain")); }

WireJob wire_job_of(const std::string& text) {
  const Json json = parse_json(text);
  Object object(Value(json, ""));
  WireJob job = read_wire_job(object);
  object.finish();
  return job;
}

std::string refusal(const std::string& text) {
  try {
    port_of(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PortJob, NamesOneDevice) {
  EXPECT_EQ(port_of(R"({"interface": "veth0"})").name(), "veth0");
  EXPECT_EQ(port_of(R"({"pci": "0000:03:00.0"})").name(), "0000:03:00.0");
  EXPECT_EQ(port_of(R"({"vdev": "net_null0"})").name(), "net_null0");
  EXPECT_NE(refusal("{}").find("one of interface, pci and vdev"), std::string::npos);
  EXPECT_NE(refusal(R"({"interface": "a", "pci": "b"})").find("one of"), std::string::npos);
}

// A comma would begin another argument of DPDK's.
TEST(PortJob, RefusesWordsThatWouldBecomeArguments) {
  EXPECT_NE(refusal(R"({"interface": "veth0,qpairs=9"})").find("commas"), std::string::npos);
  EXPECT_NE(refusal(R"({"interface": "an-interface-name-too-long"})").find("15"), std::string::npos);
  EXPECT_NE(refusal(R"({"interface": ""})"), "");
  EXPECT_NE(refusal(R"({"pci": "0000:03:00.0", "driver": "af_xdp"})").find("interface of the kernel"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"vdev": "eth_something"})").find("net_"), std::string::npos);
}

TEST(PortJob, BecomesADeviceWithRoomForFramesOfTheMtu) {
  const std::string device = device_argument(port_of(R"({"interface": "veth0"})"), 1, 2, 1500);
  EXPECT_TRUE(device.starts_with("net_af_packet1,iface=veth0,qpairs=2,")) << device;
  EXPECT_NE(device.find("framesz=2048"), std::string::npos) << device;
  EXPECT_NE(device_argument(port_of(R"({"interface": "veth0"})"), 0, 1, 9000).find("framesz=16384"), std::string::npos);
  EXPECT_EQ(device_argument(port_of(R"({"interface": "veth0", "driver": "af_xdp"})"), 0, 1, 1500),
            "net_af_xdp0,iface=veth0,start_queue=0,queue_count=1");
  EXPECT_EQ(device_argument(port_of(R"({"pci": "0000:03:00.0"})"), 0, 1, 1500), "");
}

TEST(WireJob, HasDefaultsAndRefusesWhatCannotBe) {
  const WireJob job = wire_job_of("{}");
  EXPECT_EQ(job.memory_mb, 256u);
  EXPECT_FALSE(job.duration_s);
  EXPECT_EQ(job.idle, Idle::poll);
  EXPECT_EQ(wire_job_of(R"({"idle": "sleep", "duration_s": 2.5, "control": null})").duration_s, 2.5);
  EXPECT_FALSE(wire_job_of(R"({"eal": {"huge": "never"}})").huge_pages);
  EXPECT_THROW(wire_job_of(R"({"duration_s": 0})"), Error);
  EXPECT_THROW(wire_job_of(R"({"eal": {"huge": "always"}})"), Error);
  EXPECT_THROW(wire_job_of(R"({"control": ")" + std::string(108, 'x') + R"("})"), Error);
  EXPECT_EQ(wire_job_of(R"({"control": 64})").listening, 64);
  EXPECT_THROW(wire_job_of(R"({"control": 2})"), Error) << "the standard streams";
}

class Scratch {
 public:
  Scratch() {
    char name[] = "/tmp/headroom-io-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string at(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string ask(const std::string& path) {
  const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  std::string text;
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    char buffer[256];
    for (ssize_t n; (n = read(descriptor, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(n));
  }
  close(descriptor);
  return text;
}

TEST(Supervisor, AnswersUntilItIsToldToStop) {
  const Scratch scratch;
  WireJob job;
  job.control = scratch.at("control");
  const StopSignals signals;
  std::string answer;
  std::thread client([&] {
    while (answer.empty()) answer = ask(job.control);
    kill(getpid(), SIGTERM);
  });
  const EndReason reason = supervise(job, signals, {}, [] { return Json{{"packets", 7}}; });
  client.join();
  EXPECT_EQ(reason, EndReason::signal);
  EXPECT_EQ(answer, "{\"packets\":7}\n");
  EXPECT_FALSE(std::filesystem::exists(job.control));
  std::array<char, 256> taken;  // or the signal would end this process once it is let through again
  EXPECT_GT(read(signals.descriptor(), taken.data(), taken.size()), 0);
}

TEST(Supervisor, EndsWithItsTimeAndWithItsWork) {
  WireJob job;
  job.duration_s = 0.001;
  const StopSignals signals;
  EXPECT_EQ(supervise(job, signals, {}, [] { return Json(); }), EndReason::duration);
  job.duration_s.reset();
  EXPECT_EQ(supervise(
                job, signals, {}, [] { return Json(); }, [] { return true; }),
            EndReason::finished);
}

TEST(ControlSocket, TakesThePlaceOfOneThatNobodyListensAtAnyMore) {
  const Scratch scratch;
  const std::string path = scratch.at("control");
  const int abandoned = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(abandoned, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  close(abandoned);
  const ControlSocket socket(path);
  EXPECT_THROW(ControlSocket second(path), Error) << "somebody listens there";
}

TEST(ControlSocket, TakesOverASocketThatListensAlready) {
  const Scratch scratch;
  const std::string path = scratch.at("control");
  const int listening = socket(AF_UNIX, SOCK_STREAM, 0), connecting = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THROW(ControlSocket not_yet(listening), Error) << "it is bound, and does not listen";
  EXPECT_THROW(ControlSocket file(STDIN_FILENO), Error);
  EXPECT_THROW(ControlSocket closed(1 << 20), Error);
  ASSERT_EQ(listen(listening, 1), 0);
  ASSERT_EQ(connect(connecting, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << "before it is read";
  {
    const ControlSocket control(listening);
    control.answer([] { return Json{{"packets", 7}}; });
  }
  std::array<char, 64> answer{};
  EXPECT_EQ(read(connecting, answer.data(), answer.size()), 14);
  EXPECT_STREQ(answer.data(), "{\"packets\":7}\n");
  EXPECT_TRUE(std::filesystem::exists(path)) << "the file belongs to the one that bound the socket";
  EXPECT_EQ(close(listening), -1) << "the socket has been closed";
  close(connecting);
}

TEST(Supervisor, ALoopEndsByItselfWithItsTimeOrWithItsError) {
  const StopSignals signals;
  const auto nothing = [] { return Json(); };
  WireJob job;
  EXPECT_EQ(supervise_loop(job, signals, {}, nothing, [](const std::atomic<bool>&) {}), EndReason::finished);
  try {
    supervise_loop(job, signals, {}, nothing,
                   [](const std::atomic<bool>&) { throw Error(ErrorKind::output, "the disk is full."); });
    FAIL() << "what the loop throws is told";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::output);
  }
  job.duration_s = 0.01;
  bool saw_stop = false;
  const auto until_told = [&](const std::atomic<bool>& stop) {
    while (!stop) std::this_thread::yield();
    saw_stop = true;
  };
  EXPECT_EQ(supervise_loop(job, signals, {}, nothing, until_told), EndReason::duration);
  EXPECT_TRUE(saw_stop);
}

TEST(BusyShare, CountsRoundsWithWork) {
  BusyShare share(Idle::sleep);
  for (int i = 0; i < 40; ++i) share.round(false);
  EXPECT_EQ(share.busy_cycles(), 0u);
  share.round(true);
  EXPECT_GT(share.busy_cycles(), 0u);
  EXPECT_GT(share.total_cycles(), share.busy_cycles());
}

TEST(BusyShare, CountsTheTimeOfItsThread) {
  BusyShare share(Idle::poll);
  EXPECT_EQ(share.cpu_ns(), 0u) << "there is no thread yet";
  std::uint64_t during = 0;
  std::thread([&] {
    const BusyShare::OfThisThread counted(share);
    while (during < 1'000'000) during = share.cpu_ns();
  }).join();
  const std::uint64_t after = share.cpu_ns();
  EXPECT_GE(after, during) << "it has ended, and its time is still known";
  EXPECT_EQ(share.cpu_ns(), after);
}

// DPDK can be started once in a process, so everything that needs it is one test.
TEST(Port, CarriesFramesFromCaptureToCapture) {
  const Scratch scratch;
  const Octets ip = {0x45, 0, 0, 20, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
  const Octets frame = ethernet_frame(kMacB, kMacA, kEtherTypeIpv4, ip);
  {
    PcapWriter writer(scratch.at("in.pcap"), LinkType::ethernet);
    for (int i = 0; i < 3; ++i) writer.write(0, frame);
    writer.close();
  }
  const std::array ports = {port_of(R"({"vdev": "net_pcap0,rx_pcap=)" + scratch.at("in.pcap") + R"(,tx_pcap=)" +
                                    scratch.at("out.pcap") + "\"}"),
                            port_of(R"({"interface": "no-such-one"})")};
  WireJob job;
  job.memory_mb = 64;
  EXPECT_THROW(Eal(job, ports, 1, 1500, current_core()), Error) << "before DPDK is started";

  const Eal eal(job, {ports.data(), 1}, 1, 1500, current_core());
  EXPECT_THROW((void)eal.make_pool("too-large", 1 << 20, 9000), Error);
  {
    Port port(eal, ports[0], 0, 1, 1500, eal.make_pool("frames", 1023, 1500));
    EXPECT_TRUE(port.is_there());
    std::array<rte_mbuf*, 8> frames;
    ASSERT_EQ(port.receive(0, frames), 3);
    EXPECT_EQ(rte_pktmbuf_pkt_len(frames[0]), frame.size());
    EXPECT_EQ(port.send(0, {frames.data(), 3}), 3);
    EXPECT_EQ(port.statistics().at("sent").at("packets"), 3);
    EXPECT_EQ(port.statistics().at("received").at("octets"), 3 * frame.size());
  }
  const Capture written = read_capture(scratch.at("out.pcap"), {});
  ASSERT_EQ(written.packets.size(), 3u);
  EXPECT_EQ(written.packets[2].octets, ip);
}

}  // namespace
}  // namespace headroom::io
