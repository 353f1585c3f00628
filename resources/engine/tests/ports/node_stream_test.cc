// SPDX-License-Identifier: Apache-2.0
//
// A node whose link side is datagrams of TS packets.
#include <gtest/gtest.h>

#include <numeric>

#include "node_frames.h"

namespace headroom::node {
namespace {

constexpr std::uint32_t kTsOctets = 188, kHeaders = 42;
constexpr std::uint64_t kRate = 8'000'000;  // 7 TS packets last 1,316,000 ns

Json side(const Json& config = Json::object()) {
  Json settings = {{"scheme", "ule"}, {"mrru", 2000}};
  settings.update(config);
  return {{"library", HEADROOM_LIBRARIES "/reference.so"}, {"config", settings}};
}

Json send_to(const char* group, std::uint64_t rate_bps = 0) {
  Json send = {{"address", group}, {"port", 5000}, {"source", "10.9.0.1"}};
  if (rate_bps != 0) send["rate_bps"] = rate_bps;
  return send;
}

// A node that sends and one that receives.
Json sender(std::uint64_t rate_bps = 0, const Json& config = Json::object(), const Json& more = Json::object()) {
  Json job = job_of("");
  job["compressor"] = side(config);
  job["stream"] = {{"send", send_to("239.1.1.1", rate_bps)}};
  job["stream"].update(more);
  return job;
}

Json receiver(const Json& more = Json::object()) {
  Json job = job_of("");
  job["decompressor"] = side();
  job["stream"] = {{"receive", {{"address", "239.1.1.1"}, {"port", 5000}}}};
  job["stream"].update(more);
  return job;
}

std::vector<Octets> frames_of(const std::vector<std::size_t>& lengths) {
  std::vector<Octets> frames;
  for (const std::size_t length : lengths)
    frames.push_back(ipv4_frame(udp_packet(length, static_cast<std::uint16_t>(frames.size()))));
  return frames;
}

std::size_t packets_in(const Octets& datagram) { return (datagram.size() - kHeaders) / kTsOctets; }

std::size_t idle_in(const Octets& datagram) {
  std::size_t idle = 0;
  for (std::size_t at = kHeaders; at < datagram.size(); at += kTsOctets)
    idle += (load16(&datagram[at + 1]) & 0x1FFF) == 0x1FFF ? 1u : 0u;
  return idle;
}

TEST(NodeStream, FramesComeOutAsTheyWentIn) {
  End near(sender(0, {{"packing", "padding"}})), far(receiver());
  std::vector<Octets> sent = frames_of({60, 100, 1500, 28, 700, 1500, 1500});
  sent.push_back(frame_of(0x0806, Octets(28, 7)));  // ARP
  const std::vector<Octets> datagrams = near.to_link(sent);
  std::size_t packets = 0;
  for (const Octets& datagram : datagrams) {
    EXPECT_EQ((datagram.size() - kHeaders) % kTsOctets, 0u);
    EXPECT_LE(packets_in(datagram), 7u);
    packets += packets_in(datagram);
  }
  EXPECT_EQ(datagrams.size(), (packets + 6) / 7) << "full ones, and the last";
  EXPECT_EQ(far.to_plain(datagrams), sent);
  EXPECT_EQ(far.statistics.stream.packets_received.value(), packets);
  EXPECT_EQ(near.statistics.stream.packets_sent.value(), packets);
  EXPECT_EQ(near.statistics.stream.idle_sent.value(), 0u);
  EXPECT_EQ(near.store.out() + far.store.out(), 0u) << "no frame is forgotten";
}

TEST(NodeStream, HeadersAreThoseOfTheGroup) {
  End near(sender(0, {{"packing", "padding"}}));
  const Octets frame = near.to_link(frames_of({100})).at(0);
  EXPECT_EQ(Octets(frame.begin(), frame.begin() + 6), (Octets{0x01, 0x00, 0x5E, 1, 1, 1}));  // RFC 1112, 6.4
  EXPECT_TRUE(std::equal(kLinkMac.begin(), kLinkMac.end(), frame.begin() + 6));
  const OctetView packet = OctetView(frame).subspan(14);
  EXPECT_EQ(checksum_fold(checksum_add(0, packet.first(20))), 0xFFFF);
  EXPECT_EQ(load32(&packet[16]), 0xEF010101u);
  EXPECT_EQ(load16(&packet[22]), 5000);
  const std::uint32_t length = load16(&packet[24]);
  EXPECT_EQ(length, 8 + kTsOctets);
  const std::uint32_t pseudo = checksum_add(0, packet.subspan(12, 8)) + 17 + length;
  EXPECT_EQ(checksum_fold(checksum_add(pseudo, packet.subspan(20))), 0xFFFF);
}

TEST(NodeStream, WhatWaitsLeavesAtThePackingThreshold) {
  End near(sender(0, {{"threshold_us", 1000}})), far(receiver());
  const std::vector<Octets> sent = frames_of({60});
  EXPECT_TRUE(near.to_link(sent).empty());
  near.now_ns += 999'999;
  near.act();
  EXPECT_TRUE(near.link.frames().empty());
  near.now_ns += 1;
  near.act();
  EXPECT_EQ(far.to_plain(near.link.frames()), sent);
}

TEST(NodeStream, AConstantBitRateHasADatagramATime) {
  End near(sender(kRate, {{"packing", "padding"}})), far(receiver());
  near.act();
  EXPECT_EQ(near.link.frames().size(), 1u) << "the first at once";
  const std::vector<Octets> sent = frames_of({1500, 100});  // 9 and 1 TS packets
  EXPECT_TRUE(near.to_link(sent).empty()) << "they wait for their time";
  std::vector<Octets> datagrams;
  std::vector<std::size_t> idle;
  for (int i = 0; i < 3; ++i) {
    near.now_ns += 1'315'999;
    near.act();
    EXPECT_TRUE(near.link.frames().empty());
    near.now_ns += 1;
    near.act();
    for (const Octets& datagram : near.link.frames()) {
      EXPECT_EQ(datagram.size(), kHeaders + 7 * kTsOctets);
      idle.push_back(idle_in(datagram));
      datagrams.push_back(datagram);
    }
  }
  EXPECT_EQ(idle, (std::vector<std::size_t>{0, 4, 7}));
  EXPECT_EQ(far.to_plain(datagrams), sent);
  near.now_ns += 50'000'000;
  near.act();
  EXPECT_EQ(near.link.frames().size(), 37u) << "all that are due: 50,000,000 / 1,316,000";
  near.now_ns += 200'000'000;
  near.act();
  EXPECT_EQ(near.link.frames().size(), 1u) << "it does not make up for so much";
  EXPECT_EQ(near.statistics.stream.late.value(), 1u);
  EXPECT_EQ(near.statistics.stream.idle_sent.value(), 7u + 4 + 7 + 38 * 7);
}

TEST(NodeStream, AFullQueueLosesPackets) {
  Json job = sender(kRate, {{"packing", "padding"}});
  job["stream"]["send"]["queue_packets"] = 10;
  End near(job), far(receiver());
  (void)near.to_link(frames_of({1500, 1500, 1500}));
  EXPECT_EQ(near.statistics.stream.queue_full.value(), 17u);
  near.act();
  near.now_ns += 2 * 1'316'000;
  near.act();
  EXPECT_EQ(far.to_plain(near.link.frames()).size(), 1u);
}

TEST(NodeStream, IpPacketsAloneHaveNewFrames) {
  const Json ip = {{"carry", "ip"}};
  End near(sender(0, {{"packing", "padding"}}, ip)),
      far(receiver({{"carry", "ip"}, {"plain_destination", "02:00:00:00:00:77"}}));
  const Octets packet = udp_packet(100);
  const std::vector<Octets> sent = {ipv4_frame(packet, {vlan(7)}), frame_of(0x0806, Octets(28, 7))};
  const std::vector<Octets> arrived = far.to_plain(near.to_link(sent));
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(near.statistics.stream.uncarried.value(), 1u) << "ARP";
  Octets expected = {2, 0, 0, 0, 0, 0x77};
  expected.insert(expected.end(), kPlainMac.begin(), kPlainMac.end());
  expected.insert(expected.end(), {8, 0});
  expected.insert(expected.end(), packet.begin(), packet.end());
  EXPECT_EQ(arrived[0], expected);
}

TEST(NodeStream, WhatIsNoDatagramOfTheStreamIsDroppedByItsReason) {
  End near(sender(0, {{"packing", "padding"}})), far(receiver());
  const Octets good = near.to_link(frames_of({300})).at(0);  // two TS packets
  const auto changed = [&](std::size_t at, std::uint8_t octet) {
    Octets frame = good;
    frame.at(at) = octet;
    return frame;
  };
  Octets longer = good;  // another octet, in all lengths
  longer.push_back(0x47);
  store16(&longer[16], load16(&good[16]) + 1u);
  store16(&longer[38], load16(&good[38]) + 1u);
  const auto& stream = far.statistics.stream;
  EXPECT_TRUE(far.to_plain({longer}).empty());
  EXPECT_EQ(stream.wrong_length.value(), 1u);
  EXPECT_TRUE(far.to_plain({changed(38, 0xFF)}).empty()) << "UDP says more than there is";
  EXPECT_TRUE(far.to_plain({changed(39, 8)}).empty());
  EXPECT_EQ(stream.wrong_length.value(), 3u);
  EXPECT_TRUE(far.to_plain({changed(kHeaders + kTsOctets, 0x48)}).empty());
  EXPECT_EQ(stream.lost_sync.value(), 1u);
  const Octets arp = frame_of(0x0806, Octets(28, 7));
  for (const Octets& other : {changed(33, 2), changed(36, 0), changed(23, 6), changed(20, 0x20), changed(14, 0x65), arp,
                              Octets(10, 1), ipv4_frame(udp_packet(28))}) {
    EXPECT_TRUE(far.to_plain({other}).empty());
  }
  EXPECT_EQ(stream.other_frames.value(), 8u);
  EXPECT_EQ(stream.datagrams_received.value(), 0u);
  EXPECT_EQ(far.to_plain({good}).size(), 1u);
  EXPECT_EQ(stream.datagrams_received.value(), 1u);
  EXPECT_EQ(far.store.out(), 0u);
}

TEST(NodeStream, DatagramsLongerThanTheLinkAreNone) {
  Json job = receiver();
  job["mtu"] = {{"plain", 1500}, {"link", 600}};
  End far(job);
  Octets payload(5 * kTsOctets, 0x47);
  Octets packet = udp_packet(28 + payload.size());
  std::copy(payload.begin(), payload.end(), packet.begin() + 28);
  const Octets group = {239, 1, 1, 1};
  std::copy(group.begin(), group.end(), packet.begin() + 16);
  store16(&packet[22], 5000);
  EXPECT_TRUE(far.to_plain({ipv4_frame(packet)}).empty());
  EXPECT_EQ(far.statistics.too_long.value(), 1u);
}

std::string stream_refusal(const Json& job) {
  try {
    (void)read(job);
  } catch (const Error& error) {
    return error.where() + ": " + error.what();
  }
  return "accepted";
}

TEST(NodeStream, JobsThatAreWrongAreRefused) {
  EXPECT_EQ(stream_refusal(sender()), "accepted");
  EXPECT_EQ(stream_refusal(receiver()), "accepted");
  const auto changed = [](const char* key, const Json& value) {
    Json job = sender();
    job["stream"]["send"][key] = value;
    return stream_refusal(job);
  };
  EXPECT_TRUE(changed("address", "239.1.1").starts_with("/stream/send/address: an IPv4 address"));
  EXPECT_NE(changed("address", "10.9.0.2").find("give the \"mac\" of the next hop"), std::string::npos);
  EXPECT_TRUE(changed("port", 0).starts_with("/stream/send/port"));
  EXPECT_NE(changed("packets", 8).find("8 packets does not fit the link's MTU of 1500"), std::string::npos);
  EXPECT_TRUE(changed("rate_bps", 5'000'000'000).starts_with("/stream/send/rate_bps"));
  EXPECT_TRUE(changed("speed", 1).starts_with("/stream/send/speed"));
  EXPECT_TRUE(changed("mac", "02:00").starts_with("/stream/send/mac"));
  Json job = sender();
  job.erase("stream");
  EXPECT_NE(stream_refusal(job).find("give a \"stream\" of datagrams"), std::string::npos);
  job = sender();
  job["stream"] = Json::object();
  EXPECT_NE(stream_refusal(job).find("\"compressor\" and \"send\" go together"), std::string::npos);
  job = receiver();
  job["decompressor"] = nullptr;
  EXPECT_NE(stream_refusal(job).find("\"decompressor\" and \"receive\" go together"), std::string::npos);
  job = sender();
  job["workers"] = {0, 1};
  EXPECT_NE(stream_refusal(job).find("a stream has one worker"), std::string::npos);
  job = job_of("null");
  job["stream"] = {{"send", send_to("239.1.1.1")}, {"receive", {{"address", "239.1.1.1"}, {"port", 5000}}}};
  EXPECT_NE(stream_refusal(job).find("no fixed length"), std::string::npos);
}

}  // namespace
}  // namespace headroom::node
