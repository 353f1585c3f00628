// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "base/error.h"
#include "base/hex.h"
#include "base/random.h"
#include "base/sha256.h"
#include "capture/frame.h"
#include "capture/reader.h"
#include "capture/writer.h"

namespace headroom {
namespace {

// A folder of its own for each test, removed with what is in it.
class CaptureFiles : public ::testing::Test {
 protected:
  CaptureFiles() {
    std::string pattern = ::testing::TempDir() + "headroom-capture-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~CaptureFiles() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  static Octets ipv4(std::size_t length, std::uint8_t fill = 1) {
    Octets packet(length, fill);
    packet[0] = 0x45;
    store16(&packet[2], static_cast<std::uint32_t>(length));
    return packet;
  }
  static Octets ipv6(std::size_t length) {
    Octets packet(length, 2);
    packet[0] = 0x60;
    store16(&packet[4], static_cast<std::uint32_t>(length - 40));
    return packet;
  }

  std::string folder_;
};

TEST(Frame, EthernetWithAndWithoutTags) {
  const Octets payload = {0x45, 1, 2, 3};
  Octets frame = ethernet_frame(kMacB, kMacA, 0x0800, payload);
  auto unwrapped = unwrap(LinkType::ethernet, frame);
  ASSERT_TRUE(unwrapped);
  EXPECT_EQ(unwrapped->ether_type, 0x0800);
  EXPECT_EQ(Octets(unwrapped->octets.begin(), unwrapped->octets.end()), payload);
  EXPECT_EQ(unwrapped->source_mac, kMacA);
  const Octets tags = {0x88, 0xA8, 0, 5, 0x81, 0, 0, 7};
  frame.insert(frame.begin() + 12, tags.begin(), tags.end());  // 802.1ad around 802.1Q
  unwrapped = unwrap(LinkType::ethernet, frame);
  ASSERT_TRUE(unwrapped);
  EXPECT_EQ(unwrapped->ether_type, 0x0800);
  EXPECT_EQ(unwrapped->octets.size(), 4u);
  EXPECT_FALSE(unwrap(LinkType::ethernet, OctetView(frame).first(15)));
  EXPECT_FALSE(unwrap(LinkType::ethernet, ethernet_frame(kMacB, kMacA, 0x0100, payload)));  // a length
}

TEST(Frame, OtherLinkTypes) {
  const Octets ip = {0x60, 0, 0, 0};
  EXPECT_EQ(unwrap(LinkType::raw_ip, ip)->ether_type, kEtherTypeIpv6);
  EXPECT_EQ(unwrap(LinkType::null_loopback, Octets{2, 0, 0, 0, 0x45})->ether_type, kEtherTypeIpv4);
  EXPECT_FALSE(unwrap(LinkType::null_loopback, Octets{2, 0, 0}));
  Octets sll(16, 0);
  store16(&sll[14], 0x86DD);
  sll.push_back(0x60);
  EXPECT_EQ(unwrap(LinkType::linux_sll, sll)->octets.size(), 1u);
  Octets sll2(20, 0);
  store16(sll2.data(), 0x0800);
  sll2.push_back(0x45);
  EXPECT_EQ(unwrap(LinkType::linux_sll2, sll2)->ether_type, kEtherTypeIpv4);
  EXPECT_FALSE(unwrap(LinkType::raw_ip, Octets{}));
  EXPECT_FALSE(unwrap(LinkType::raw_ip, Octets{0x00}));
}

TEST(Frame, RandomOctetsNeverLeaveTheFrame) {
  Xoshiro256 random(1);
  for (int i = 0; i < 200'000; ++i) {
    Octets frame(random.next() % 64);
    for (std::uint8_t& octet : frame) octet = static_cast<std::uint8_t>(random.next());
    if (frame.size() > 14 && i % 2 == 0) store16(&frame[12], i % 4 == 0 ? 0x8100 : 0x0800);
    for (const LinkType type :
         {LinkType::ethernet, LinkType::raw_ip, LinkType::linux_sll, LinkType::linux_sll2, LinkType::null_loopback}) {
      const auto payload = unwrap(type, frame);
      if (!payload) continue;
      ASSERT_LE(payload->octets.size(), frame.size());
      ASSERT_LE(payload->octets.data() + payload->octets.size(), frame.data() + frame.size());
      const auto trimmed = trim_ip(payload->octets);
      if (trimmed) {
        ASSERT_LE(trimmed->size(), payload->octets.size());
      }
    }
  }
}

// RFC 1661 2 and 6.5, RFC 1662 3.2.
TEST(Frame, Ppp) {
  struct Case {
    const char* frame;
    std::uint16_t ether_type;
    const char* octets;
    std::optional<std::uint16_t> protocol;
  };
  const Case cases[] = {{"ff030003 0102", 0, "0102", 3},
                        {"0003 0102", 0, "0102", 3},
                        {"03 0102", 0, "0102", 3},
                        {"ff03 03 01", 0, "01", 3},
                        {"ff030005 01", 0, "01", 5},
                        {"05 01", 0, "01", 5},
                        {"ff030021 45", kEtherTypeIpv4, "45", kPppIpv4},
                        {"57 60", kEtherTypeIpv6, "60", kPppIpv6},
                        {"ff03c021 01", 0, "01", 0xC021}};
  for (const Case& c : cases) {
    const Octets frame = *from_hex(c.frame);
    Octets with_direction = {1};
    with_direction.insert(with_direction.end(), frame.begin(), frame.end());
    for (const auto& payload : {unwrap(LinkType::ppp, frame), unwrap(LinkType::ppp_hdlc, frame),
                                unwrap(LinkType::ppp_with_direction, with_direction)}) {
      ASSERT_TRUE(payload) << c.frame;
      EXPECT_EQ(payload->ether_type, c.ether_type) << c.frame;
      EXPECT_EQ(to_hex(payload->octets), to_hex(*from_hex(c.octets))) << c.frame;
      EXPECT_EQ(payload->ppp_protocol, c.protocol) << c.frame;
      EXPECT_FALSE(payload->source_mac);
    }
  }
  for (const char* cut : {"", "ff03", "00", "ff0300"}) EXPECT_FALSE(unwrap(LinkType::ppp, *from_hex(cut))) << cut;
  EXPECT_FALSE(unwrap(LinkType::ppp_with_direction, {}));
  EXPECT_FALSE(unwrap(LinkType::ppp_with_direction, *from_hex("01")));
  EXPECT_EQ(to_hex(ppp_frame(5, *from_hex("0102"))), "ff0300050102");
}

TEST(Frame, Directions) {
  const Octets sent = *from_hex("01 ff030021 45");
  const Octets received = *from_hex("00 ff030021 45");
  EXPECT_EQ(unwrap(LinkType::ppp_with_direction, sent)->direction, FrameDirection::sent);
  EXPECT_EQ(unwrap(LinkType::ppp_with_direction, received)->direction, FrameDirection::received);
  const Octets pppd = *from_hex("00 03 0021 45");
  EXPECT_EQ(unwrap(LinkType::ppp_pppd, pppd)->direction, FrameDirection::received);
  EXPECT_EQ(unwrap(LinkType::ppp_pppd, pppd)->ppp_protocol, kPppIpv4);
  EXPECT_EQ(unwrap(LinkType::ppp, *from_hex("ff030021 45"))->direction, FrameDirection::unknown);
  Octets sll(17, 0);
  store16(&sll[14], 0x0800);
  EXPECT_EQ(unwrap(LinkType::linux_sll, sll)->direction, FrameDirection::received);
  sll[1] = 4;
  EXPECT_EQ(unwrap(LinkType::linux_sll, sll)->direction, FrameDirection::sent);
  for (const LinkType type : {LinkType::ppp_pppd, LinkType::linux_sll, LinkType::linux_sll2})
    for (std::size_t length = 0; length < 20; ++length) (void)unwrap(type, Octets(length, 3));
}

// A length of 0 is that of segmentation offload; an IPv6 header alone has it, too (RFC 8200, 4.7).
TEST(Frame, LengthsOfSegmentationOffload) {
  Octets four = *from_hex("45000000 00010000 40060000 c0000201 c6336401");
  four.resize(3000);
  EXPECT_TRUE(has_no_length(four));
  EXPECT_EQ(trim_ip(four)->size(), 3000u);
  write_length(four);
  EXPECT_EQ(load16(&four[2]), 3000u);
  EXPECT_EQ(checksum_finish(checksum_add(0, OctetView(four).first(20))), 0u);
  EXPECT_FALSE(has_no_length(four));
  Octets six(40, 0);
  six[0] = 0x60;
  six[6] = 59;
  EXPECT_FALSE(has_no_length(six));
  EXPECT_EQ(trim_ip(six)->size(), 40u);
  six.resize(60);
  EXPECT_EQ(trim_ip(six)->size(), 40u) << "twenty octets of padding behind a header alone";
  six[6] = 6;
  EXPECT_EQ(trim_ip(six)->size(), 60u);
  write_length(six);
  EXPECT_EQ(load16(&six[4]), 20u);
}

TEST(Frame, WhatBeginsAsIp) {
  for (const char* octets : {"", "45", "450000", "45000014 00", "60"}) EXPECT_TRUE(is_ip(*from_hex(octets))) << octets;
  for (const char* octets : {"55", "00", "44000014", "45000013", "f0"})
    EXPECT_FALSE(is_ip(*from_hex(octets))) << octets;
}

TEST(Frame, MacAddresses) {
  EXPECT_EQ(parse_mac("02:00:00:00:00:0A"), kMacA);
  for (const char* bad : {"", "02:00:00:00:00", "02-00-00-00-00-0a", "02:00:00:00:00:0g", "02:00:00:00:00:0a:"})
    EXPECT_FALSE(parse_mac(bad));
}

#ifdef HEADROOM_CAPTURES

constexpr std::array<PppVariant, 2> kPpp = {{{0x0003, "small", "{}"}, {0x0005, "large", "{}"}}};
constexpr LinkFraming kFraming = {"link", 0x22F1, kPpp};

TEST_F(CaptureFiles, PppComesBack) {
  PcapngWriter writer(path("p.pcapng"));
  const std::uint32_t forward = writer.add_interface(LinkType::ppp, "forward");
  const std::uint32_t reverse = writer.add_interface(LinkType::ppp, "reverse");
  writer.write(forward, 0, ppp_frame(kPpp[0].protocol, Octets{1}));
  writer.write(reverse, 1, ppp_frame(kPpp[1].protocol, Octets{2}));
  writer.write(forward, 2, ppp_frame(kPppIpv4, ipv4(21)));
  writer.write(forward, 3, ppp_frame(0xC021, Octets{3}));  // LCP
  writer.close();
  CaptureFilter filter;
  EXPECT_EQ(read_capture(path("p.pcapng"), filter).packets.at(0).octets, ipv4(21));
  filter.link = &kFraming;
  for (const bool large : {false, true}) {
    filter.ppp_variant = large ? 1 : 0;
    const Capture capture = read_capture(path("p.pcapng"), filter);
    ASSERT_EQ(capture.packets.size(), 1u);
    EXPECT_EQ(capture.packets[0].octets, (Octets{static_cast<std::uint8_t>(large ? 2 : 1)}));
    EXPECT_EQ(capture.other_variant, 1u);
    EXPECT_EQ(capture.others, 2u);
  }
  filter.source_mac = kMacA;  // PPP has no addresses
  EXPECT_TRUE(read_capture(path("p.pcapng"), filter).packets.empty());
}

// Link packets without any frame: the link type of the file says what they are.
TEST_F(CaptureFiles, LinkPacketsWithoutFramesComeBack) {
  PcapngWriter writer(path("b.pcapng"));
  const std::uint32_t interface = writer.add_interface(LinkType::mpeg2_ts, "link");
  for (std::uint8_t i = 1; i <= 3; ++i) writer.write(interface, i * 1000u, Octets(188, i));
  writer.close();
  CaptureFilter filter;
  const LinkFraming bare = {.title = "test", .ether_type = 0, .link_type = LinkType::mpeg2_ts};
  filter.link = &bare;
  const Capture capture = read_capture(path("b.pcapng"), filter);
  ASSERT_EQ(capture.packets.size(), 3u);
  EXPECT_EQ(capture.packets[2].octets, Octets(188, 3));
  EXPECT_EQ(capture.packets[2].time_ns, 2000u);
  filter.link = &kFraming;
  EXPECT_EQ(read_capture(path("b.pcapng"), filter).others, 3u);
  EXPECT_EQ(read_capture(path("b.pcapng"), {}).others, 3u) << "they are no IP packets";
}

TEST_F(CaptureFiles, TypesOfLinkPacketsComeBack) {
  PcapngWriter writer(path("t.pcapng"));
  const std::uint32_t link = writer.add_interface(LinkType::ppp_with_direction, "forward");
  for (const PppVariant& variant : kPpp) {
    Octets frame = ppp_frame(variant.protocol, Octets{1});
    frame.insert(frame.begin(), 1);
    writer.write(link, 0, frame);
  }
  writer.close();
  const LinkFraming typed = {"test", 0, kPpp, true};
  CaptureFilter filter;
  filter.link = &typed;
  const Capture capture = read_capture(path("t.pcapng"), filter);
  ASSERT_EQ(capture.packets.size(), std::size(kPpp));
  for (std::size_t i = 0; i < std::size(kPpp); ++i) EXPECT_EQ(capture.packets[i].type, kPpp[i].protocol);
}

// Two directions of a line are two links; the one whose packet comes first is read, unless another is asked for.
TEST_F(CaptureFiles, OneSenderIsRead) {
  PcapngWriter writer(path("t.pcapng"));
  const std::uint32_t link = writer.add_interface(LinkType::ppp_with_direction, "line");
  for (const std::uint8_t sent : std::initializer_list<std::uint8_t>{1, 0, 1}) {
    Octets frame = ppp_frame(kPpp[0].protocol, Octets{sent});
    frame.insert(frame.begin(), sent);
    writer.write(link, 0, frame);
  }
  writer.close();
  CaptureFilter filter;
  filter.link = &kFraming;
  EXPECT_EQ(read_capture(path("t.pcapng"), filter).packets.size(), 3u);
  filter.one_sender = true;
  const Capture first = read_capture(path("t.pcapng"), filter);
  EXPECT_EQ(first.packets.size(), 2u);
  EXPECT_EQ(first.other_sender, 1u);
  filter.direction = FrameDirection::received;
  const Capture received = read_capture(path("t.pcapng"), filter);
  ASSERT_EQ(received.packets.size(), 1u);
  EXPECT_EQ(received.packets[0].octets, Octets{0});
  EXPECT_EQ(received.other_sender, 2u);

  PcapngWriter ethernet(path("e.pcapng"));
  const std::uint32_t segment = ethernet.add_interface(LinkType::ethernet, "segment");
  for (const MacAddress& from : {kMacA, kMacB, kMacA})
    ethernet.write(segment, 0, ethernet_frame(kMacB, from, kFraming.ether_type, Octets{from[5]}));
  ethernet.close();
  filter.direction = FrameDirection::unknown;
  EXPECT_EQ(read_capture(path("e.pcapng"), filter).other_sender, 1u);
}

TEST_F(CaptureFiles, PacketsWithoutALengthAreThoseOfTheirFrames) {
  PcapngWriter writer(path("o.pcapng"));
  const std::uint32_t link = writer.add_interface(LinkType::ethernet, "offload");
  Octets offloaded = ipv4(3000);
  store16(&offloaded[2], 0);
  writer.write(link, 0, ethernet_frame(kMacB, kMacA, 0x0800, offloaded));
  offloaded.resize(70'000);
  writer.write(link, 0, ethernet_frame(kMacB, kMacA, 0x0800, offloaded));
  writer.write(link, 0, ethernet_frame(kMacB, kMacA, 0x0800, ipv4(60)));
  Octets version5 = ipv4(60);
  version5[0] = 0x55;
  writer.write(link, 0, ethernet_frame(kMacB, kMacA, 0x0800, version5));
  writer.close();
  const Capture capture = read_capture(path("o.pcapng"), {});
  ASSERT_EQ(capture.packets.size(), 2u);
  EXPECT_EQ(capture.packets[0].octets.size(), 3000u);
  EXPECT_EQ(load16(&capture.packets[0].octets[2]), 3000u);
  EXPECT_EQ(capture.without_length, 1u);
  EXPECT_EQ(capture.too_long, 1u);
  EXPECT_EQ(capture.truncated, 0u);
  EXPECT_EQ(capture.others, 1u) << "a whole frame whose content has version 5 is not cut short";
}

TEST_F(CaptureFiles, PcapngComesBack) {
  PcapngWriter writer(path("a.pcapng"));
  const std::uint32_t forward = writer.add_interface(LinkType::ethernet, "forward");
  const std::uint32_t reverse = writer.add_interface(LinkType::ethernet, "reverse");
  writer.write(forward, 5'000'000'000, ethernet_frame(kMacB, kMacA, 0x0800, ipv4(21)), "a comment");
  Octets padded = ethernet_frame(kMacB, kMacA, 0x86DD, ipv6(44));
  padded.resize(padded.size() + 17);  // as Ethernet pads
  writer.write(reverse, 5'000'000'123, padded);
  writer.write(forward, 5'000'000'001, ethernet_frame(kMacA, kMacB, kFraming.ether_type, Octets{9, 9}));
  const Json written = writer.close();
  EXPECT_EQ(written["octets"], std::filesystem::file_size(path("a.pcapng")));
  EXPECT_EQ(written["sha256"], sha256_of_file(path("a.pcapng")));

  const Capture ip = read_capture(path("a.pcapng"), {});
  ASSERT_EQ(ip.packets.size(), 2u);
  EXPECT_EQ(ip.packets[0].octets, ipv4(21));
  EXPECT_EQ(ip.packets[1].octets, ipv6(44));
  EXPECT_EQ(ip.packets[1].time_ns, 123u);
  EXPECT_EQ(ip.others, 1u);
  CaptureFilter filter;
  filter.link = &kFraming;
  const Capture link = read_capture(path("a.pcapng"), filter);
  ASSERT_EQ(link.packets.size(), 1u);
  EXPECT_EQ(link.packets[0].octets, (Octets{9, 9}));
  EXPECT_EQ(link.packets[0].time_ns, 123u);  // times never decrease
  filter.source_mac = kMacA;
  EXPECT_TRUE(read_capture(path("a.pcapng"), filter).packets.empty());
}

TEST_F(CaptureFiles, PcapComesBack) {
  PcapWriter writer(path("a.pcap"), LinkType::raw_ip);
  writer.write(0, ipv4(40));
  writer.write(20'001'000, ipv6(60));
  Octets cut = ipv4(40);
  cut.resize(30);
  writer.write(30'000'000, cut);
  writer.close();
  const Capture capture = read_capture(path("a.pcap"), {});
  ASSERT_EQ(capture.packets.size(), 2u);
  EXPECT_EQ(capture.packets[1].time_ns, 20'001'000u);
  EXPECT_EQ(capture.truncated, 1u);
}

std::string read_error(const std::string& path) {
  try {
    (void)read_capture(path, {});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "no error";
}

TEST_F(CaptureFiles, BadFilesAreRefusedWithASentence) {
  EXPECT_NE(read_error(path("absent.pcap")).find("cannot open"), std::string::npos);
  std::ofstream(path("text.pcap")) << "this is no capture at all, but long enough to look at";
  EXPECT_NE(read_error(path("text.pcap")).find("no capture"), std::string::npos);
  std::ofstream(path("empty.pcap")).close();
  EXPECT_NE(read_error(path("empty.pcap")), "no error");
  EXPECT_NE(read_error(folder_), "no error");
  PcapWriter writer(path("cut.pcap"), LinkType::raw_ip);
  writer.write(0, ipv4(400));
  writer.close();
  std::filesystem::resize_file(path("cut.pcap"), 100);
  EXPECT_NE(read_error(path("cut.pcap")).find("to its end"), std::string::npos);
  PcapWriter longer(path("longer.pcap"), LinkType::raw_ip);
  for (int i = 0; i < 3; ++i) longer.write(0, ipv4(400));
  longer.close();
  std::filesystem::resize_file(path("longer.pcap"), 24 + 2 * (16 + 400) + 100);
  const std::string cut = read_error(path("longer.pcap"));
  EXPECT_NE(cut.find("packet 3 is cut short"), std::string::npos) << cut;
  EXPECT_NE(cut.find("2 packets before it are whole: keep them with `editcap "), std::string::npos) << cut;
  std::filesystem::resize_file(path("longer.pcap"), 24 + (16 + 400) + 10);  // in the middle of a record's header
  EXPECT_NE(read_error(path("longer.pcap")).find("packet 2 is cut short"), std::string::npos);
  PcapWriter odd(path("odd.pcap"), static_cast<LinkType>(147));
  odd.close();
  EXPECT_NE(read_error(path("odd.pcap")).find("link type"), std::string::npos);
}

#endif

TEST_F(CaptureFiles, AFullDiskIsAnError) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full here";
  EXPECT_THROW(
      {
        PcapngWriter writer("/dev/full");
        const std::uint32_t interface = writer.add_interface(LinkType::raw_ip, "forward");
        for (int i = 0; i < 1000; ++i) writer.write(interface, 0, ipv4(1000));
        writer.close();
      },
      Error);
  EXPECT_THROW(
      {
        PcapWriter writer("/dev/full", LinkType::raw_ip);
        writer.write(0, ipv4(40));
        writer.close();  // what is left in the buffer is noticed here
      },
      Error);
  EXPECT_THROW(PcapWriter(path("no/such/folder/a.pcap"), LinkType::raw_ip), Error);
}

// Files of at most so many octets, as long as it lives: writing more fails as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t most) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit less = {most, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  void (*signal_)(int);
  rlimit before_{};
};

// The descriptor of an open file of this process; -1: none.
int descriptor_of(const std::string& file) {
  for (int descriptor = 3; descriptor < 100; ++descriptor) {
    std::error_code none;
    if (std::filesystem::equivalent("/proc/self/fd/" + std::to_string(descriptor), file, none)) return descriptor;
  }
  return -1;
}

TEST_F(CaptureFiles, AnotherFilesErrorIsNotThatOfTheDisk) {
  const std::string file = path("taken.pcapng");
  const FullDisk disk(1000);
  const std::pair<const char*, std::function<void(int)>> ways[] = {
      {"another file", [](int to) { dup2(open("/dev/full", O_WRONLY | O_CLOEXEC), to); }},
      {"another place", [](int to) { lseek(to, 1000, SEEK_SET); }},
  };
  for (const auto& [name, change] : ways) {
    try {
      PcapngWriter writer(file);
      writer.write(writer.add_interface(LinkType::raw_ip, "forward"), 0, ipv4(41));
      change(descriptor_of(file));
      writer.close();
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(std::strerror(EBADF)), std::string::npos) << name << error.what();
    }
  }
}

TEST_F(CaptureFiles, AFullDiskLeavesNoCutCapture) {
  const auto fill = [](auto& writer, auto... before) {
    for (int i = 0; i < 100; ++i) writer.write(before..., 0, ipv4(1000));
    writer.close();
  };
  const auto names = [this] {
    std::size_t found = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++found;
    return found;
  };
  {
    const FullDisk disk(20'000);
    PcapWriter writer(path("a.pcap"), LinkType::raw_ip);
    EXPECT_THROW(fill(writer), Error);
    PcapngWriter other(path("a.pcapng"));
    other.add_interface(LinkType::raw_ip, "forward");
    EXPECT_THROW(fill(other, 0u), Error);
  }
  EXPECT_EQ(names(), 0u);
  PcapWriter whole(path("a.pcap"), LinkType::raw_ip);
  fill(whole);
  const auto size = std::filesystem::file_size(path("a.pcap"));
  {
    const FullDisk disk(20'000);
    PcapWriter again(path("a.pcap"), LinkType::raw_ip);
    EXPECT_THROW(fill(again), Error);
  }
  EXPECT_EQ(std::filesystem::file_size(path("a.pcap")), size) << "what stood there stays";
  { PcapWriter left(path("b.pcap"), LinkType::raw_ip); }
  EXPECT_EQ(names(), 1u) << "what is not closed is not whole";
}

}  // namespace
}  // namespace headroom
