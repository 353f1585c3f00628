// SPDX-License-Identifier: Apache-2.0
//
// Generic Stream Encapsulation (TS 102 606-1, 4.2) in BBFRAMEs of DVB-S2 (EN 302 307-1, 5.1.4 and 5.1.6).
#include "ule/wire/gse.h"

#include <algorithm>
#include <random>

#include "line.h"
#include "ule/gse_encapsulator.h"
#include "ule/gse_receiver.h"

namespace headroom::ule::test {
namespace {

constexpr std::size_t kFrame = 64;

Config gse(bool packing = true, std::uint32_t frame_octets = kFrame) {
  Config config;
  config.encapsulation = Encapsulation::gse;
  config.packing = packing;
  config.frame_octets = frame_octets;
  return config;
}

class GseSender {
 public:
  explicit GseSender(const Config& config) : encapsulator(config), room_(config.frame_octets) {}

  // All BBFRAMEs that a PDU completes.
  std::vector<Octets> send(const Octets& pdu, std::uint64_t now_ns = 0, std::uint32_t channel = 0,
                           std::uint16_t type = 0) {
    headroom_packet p = record(pdu, room_, channel, type);
    std::vector<Octets> frames;
    last_status = encapsulator.encapsulate(p, now_ns, nullptr);
    if (last_status == HEADROOM_OK) frames.push_back(octets_of(p));
    if (p.more != 0) append(frames, due(now_ns));
    return frames;
  }
  std::vector<Octets> due(std::uint64_t now_ns) {
    std::vector<Octets> frames;
    for (headroom_packet p = record(kNothing, room_); encapsulator.drain(p, now_ns); p = record(kNothing, room_))
      frames.push_back(octets_of(p));
    return frames;
  }

  GseEncapsulator encapsulator;
  std::int32_t last_status = 0;

 private:
  Octets room_;
};

class GseListener {
 public:
  explicit GseListener(const Config& config) : receiver(config) {}

  // All that comes of some BBFRAMEs, whose octets are gone when the receiver is drained.
  std::vector<Arrival> take(const std::vector<Octets>& frames, std::uint32_t channel = 0) {
    std::vector<Arrival> arrivals;
    for (Octets frame : frames) {
      headroom_packet p = record(frame, room_, channel);
      const std::int32_t status = receiver.receive(p, nullptr);
      if (status != HEADROOM_NOTHING) arrivals.push_back({status, octets_of(p), p.out_type});
      if (p.more == 0) continue;
      std::fill(frame.begin(), frame.end(), std::uint8_t{0xEE});
      for (p = record(kNothing, room_); receiver.drain(p, nullptr); p = record(kNothing, room_))
        arrivals.push_back({p.status, octets_of(p), p.out_type});
    }
    return arrivals;
  }
  std::vector<Octets> pdus(const std::vector<Octets>& frames, std::uint32_t channel = 0) {
    std::vector<Octets> pdus;
    for (const Arrival& arrival : take(frames, channel)) {
      if (arrival.status == HEADROOM_OK) pdus.push_back(arrival.octets);
    }
    return pdus;
  }

  GseReceiver receiver;

 private:
  Octets room_ = Octets(70'000);
};

// A BBFRAME with a data field.
Octets frame_of(const Octets& data, std::size_t octets = kFrame, std::optional<std::uint8_t> stream = std::nullopt) {
  Octets frame(wire::kBbHeader);
  wire::write_bb_header(frame.data(), data.size(), stream);
  frame = frame + data;
  frame.resize(std::max(octets, frame.size()));
  return frame;
}

Octets pdu_of(std::size_t length) {
  Octets pdu(length);
  for (std::size_t i = 0; i < length; ++i) pdu[i] = static_cast<std::uint8_t>(i);
  pdu[0] = 0x45;
  return pdu;
}

const Octets kLabel = {0x02, 0, 0, 0, 0, 0x01};

// MATYPE-1 0111 0000: a generic continuous stream, a single one, constant coding, no ISSY, no null-packet deletion,
// roll-off 0.35. DFL counts bits. The CRC-8 is that of the nine octets in front of it.
TEST(BbHeader, OfASingleStream) {
  Octets header(wire::kBbHeader);
  wire::write_bb_header(header.data(), 31, std::nullopt);
  EXPECT_EQ(header, (Octets{0x70, 0, 0, 0, 0x00, 0xF8, 0, 0, 0, 0x95}));
}

// SIS/MIS 0: MATYPE-2 is the input stream identifier then.
TEST(BbHeader, OfOneOfSeveralStreams) {
  Octets header(wire::kBbHeader);
  wire::write_bb_header(header.data(), 31, std::uint8_t{5});
  EXPECT_EQ(header, (Octets{0x50, 5, 0, 0, 0x00, 0xF8, 0, 0, 0, 0x6E}));
}

// Start, End and a six-octet label: 11 00. GSE Length counts what follows it: Protocol Type, label, PDU.
TEST(GseEncapsulator, WritesAWholePdu) {
  GseSender sender(gse(false));
  Octets data = Octets{0xC0, 28, 0x08, 0x00} + kLabel + pdu_of(20);
  ASSERT_EQ(data.size(), 30U);
  EXPECT_EQ(sender.send(pdu_of(20)), (std::vector<Octets>{frame_of(data)}));
}

// Label Type 10: there is none, and all receivers take the PDU.
TEST(GseEncapsulator, WritesNoLabel) {
  Config config = gse(false);
  config.address = false;
  GseSender sender(config);
  const Octets data = Octets{0xE0, 22, 0x22, 0xF1} + pdu_of(20);
  EXPECT_EQ(sender.send(pdu_of(20), 0, 0, 0x22F1), (std::vector<Octets>{frame_of(data)}));
}

// The first fragment has Fragment ID and Total Length in front of Protocol Type, the last one a CRC-32 behind the PDU;
// its label is that of the first one, Label Type 11. Total Length: 2 + 6 + 60.
TEST(GseEncapsulator, WritesFragments) {
  GseSender sender(gse(false));
  const Octets pdu = pdu_of(60);
  const Octets first = Octets{0x70, 0, 0, 0, 0x01, 0xB0, 0, 0, 0, 0xB3, 0x80, 0x34, 0, 0x00, 0x44, 0x08, 0x00} +
                       kLabel + part(pdu, 0, 41);
  Octets last = Octets{0x70, 0, 0, 0, 0x00, 0xD0, 0, 0, 0, 0x4B, 0x70, 0x18, 0} + part(pdu, 41, 60) +
                Octets{0x95, 0xD4, 0xFD, 0xA7};
  last.resize(kFrame);
  EXPECT_EQ(sender.send(pdu), (std::vector<Octets>{first, last}));
}

TEST(GseEncapsulator, SharesABbFrame) {
  GseSender sender(gse());
  EXPECT_TRUE(sender.send(pdu_of(10), 1000).empty());
  EXPECT_EQ(sender.encapsulator.next_deadline(), 1'001'000U);
  EXPECT_TRUE(sender.send(pdu_of(11), 2000).empty());
  EXPECT_EQ(sender.encapsulator.next_deadline(), 1'001'000U);
  EXPECT_TRUE(sender.due(1'000'999).empty());
  const Octets data =
      Octets{0xC0, 18, 0x08, 0x00} + kLabel + pdu_of(10) + Octets{0xC0, 19, 0x08, 0x00} + kLabel + pdu_of(11);
  EXPECT_EQ(sender.due(1'001'000), (std::vector<Octets>{frame_of(data)}));
  EXPECT_EQ(sender.encapsulator.next_deadline(), HEADROOM_NO_DEADLINE);
}

TEST(GseEncapsulator, RefusesWhatItCannotCarry) {
  GseSender sender(gse());
  sender.send(pdu_of(65'528));
  EXPECT_EQ(sender.last_status, HEADROOM_ERR_UNSUPPORTED);
  sender.send(pdu_of(65'527));
  EXPECT_EQ(sender.last_status, HEADROOM_OK);
  sender.send(Octets(188, 0x47), 0, 0, kTypeTsPacket);
  EXPECT_EQ(sender.last_status, HEADROOM_ERR_UNSUPPORTED);
}

TEST(Gse, RoundTripOfEveryLength) {
  for (const bool address : {true, false}) {
    Config config = gse();
    config.address = address;
    GseSender sender(config);
    GseListener listener(config);
    std::vector<Octets> sent, frames;
    for (std::size_t length = 1; length < 400; ++length) {
      sent.push_back(pdu_of(length));
      append(frames, sender.send(sent.back()));
    }
    append(frames, sender.due(1'000'000));
    EXPECT_EQ(listener.pdus(frames), sent);
    EXPECT_GT(sender.encapsulator.counters().fragmented, 300U);
    EXPECT_EQ(listener.receiver.counters().delivered, 399U);
  }
}

TEST(Gse, StreamsApart) {
  Config config = gse();
  config.channels = 3;
  GseSender sender(config);
  GseListener listener(config);
  sender.send(pdu_of(20), 0, 2);
  const std::vector<Octets> frames = sender.due(1'000'000);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0][1], 2);
  EXPECT_TRUE(listener.take(frames, 1).empty());
  EXPECT_EQ(listener.receiver.counters().other_streams, 1U);
  EXPECT_EQ(listener.pdus(frames, 2), (std::vector<Octets>{pdu_of(20)}));
}

TEST(GseReceiver, TakesTheInputStreamsThatItIsTold) {
  const Octets whole = Octets{0xC0, 12, 0x08, 0x00} + kLabel + pdu_of(4);
  const Octets first = Octets{0x80, 15, 1, 0, 16, 0x08, 0x00} + kLabel + pdu_of(4);
  Config config = gse();
  const auto taken = [&](const std::vector<Octets>& frames) { return GseListener(config).pdus(frames).size(); };
  const std::vector<Octets> frames = {frame_of(whole), frame_of(whole, kFrame, 0), frame_of(whole, kFrame, 7)};
  EXPECT_EQ(taken(frames), 2U);
  config.streams = Streams::one;
  config.stream = 7;
  EXPECT_EQ(taken(frames), 1U);
  config.streams = Streams::all;
  EXPECT_EQ(taken(frames), 3U);
  // The Fragment ID 1 of two streams is of two PDUs.
  GseListener listener(config);
  EXPECT_TRUE(listener.take({frame_of(first, kFrame, 7), frame_of(first, kFrame, 8)}).empty());
  EXPECT_EQ(listener.receiver.counters().discarded, 0U);
  EXPECT_EQ(listener.receiver.channels_in_use(), 2U);
}

// A label that is used again is the last one of the BBFRAME.
TEST(GseReceiver, ReadsALabelThatIsUsedAgain) {
  const Octets whole = Octets{0xC0, 12, 0x08, 0x00} + kLabel + pdu_of(4);
  const Octets again = Octets{0xF0, 7, 0x08, 0x00} + pdu_of(5);
  GseListener listener(gse());
  EXPECT_EQ(listener.pdus({frame_of(whole + again)}), (std::vector<Octets>{pdu_of(4), pdu_of(5)}));
  EXPECT_EQ(listener.take({frame_of(again)}), (std::vector<Arrival>{{HEADROOM_ERR_UNSUPPORTED}}));
  EXPECT_EQ(listener.receiver.counters().label_errors, 1U);
}

// Two PDUs in fragments at once, by their Fragment IDs.
TEST(GseReceiver, PutsSeveralPdusTogether) {
  std::vector<Octets> first, second;
  Config config = gse(false);
  GseSender one(config), two(config);
  two.send(pdu_of(100));  // its next Fragment ID is another one
  first = one.send(pdu_of(80));
  second = two.send(pdu_of(85));
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(second.size(), 2U);
  GseListener listener(config);
  const std::vector<Octets> expected = {pdu_of(80), pdu_of(85)};
  EXPECT_EQ(listener.pdus({first[0], second[0], first[1], second[1]}), expected);
}

TEST(GseReceiver, NoticesALostFragment) {
  GseSender sender(gse(false));
  std::vector<Octets> frames = sender.send(pdu_of(150));
  frames.erase(frames.begin() + 1);
  GseListener listener(gse());
  EXPECT_EQ(listener.take(frames), (std::vector<Arrival>{{HEADROOM_ERR_MALFORMED}}));
  EXPECT_EQ(listener.receiver.counters().length_errors, 1U);
  EXPECT_TRUE(listener.take({frames.back()}).empty());
  EXPECT_EQ(listener.receiver.counters().orphans, 1U);
}

TEST(GseReceiver, ChecksBothCrcs) {
  GseSender sender(gse(false));
  std::vector<Octets> frames = sender.send(pdu_of(60));
  frames[1][20] ^= 1U;
  GseListener listener(gse());
  EXPECT_EQ(listener.take(frames), (std::vector<Arrival>{{HEADROOM_ERR_CRC}}));
  EXPECT_EQ(listener.receiver.counters().crc_errors, 1U);
  frames[0][5] ^= 1U;
  EXPECT_EQ(listener.take({frames[0]}), (std::vector<Arrival>{{HEADROOM_ERR_CRC}}));
  EXPECT_EQ(listener.receiver.counters().header_crc_errors, 1U);
}

TEST(GseReceiver, ForgetsAPduThatDoesNotEnd) {
  GseSender sender(gse(false));
  const std::vector<Octets> frames = sender.send(pdu_of(60));
  GseListener listener(gse());
  EXPECT_TRUE(listener.take({frames[0]}).empty());
  for (std::uint64_t n = 0; n < GseReceiver::kLongestReassembly - 1; ++n) listener.take({frame_of({})});
  EXPECT_TRUE(listener.take({frames[1]}).empty());
  EXPECT_EQ(listener.receiver.counters().discarded, 1U);
}

// First fragments without end: as many are kept as there is room for, and no more.
TEST(GseReceiver, KeepsFewParts) {
  GseListener listener(gse());
  for (unsigned id = 0; id < 256; ++id) {
    const Octets first = Octets{0xA0, 15, static_cast<std::uint8_t>(id), 0xFF, 0xFF, 0x08, 0x00} + Octets(10, 1);
    EXPECT_TRUE(listener.take({frame_of(first)}).empty());
  }
  EXPECT_EQ(listener.receiver.counters().discarded, 256U - GseReceiver::kMostParts);
  EXPECT_LE(listener.receiver.memory_bytes(), 20'000U);
}

// A first fragment of ten octets of a PDU of 20, whose last one is `last_of_20`.
Octets first_of_20(std::uint8_t id, const Octets& label) {
  const auto length = static_cast<std::uint8_t>(label.size() + 15);
  const auto total = static_cast<std::uint8_t>(label.size() + 22);
  return Octets{static_cast<std::uint8_t>(label.empty() ? 0xA0 : 0x80), length, id, 0, total, 0x08, 0x00} + label +
         part(pdu_of(20), 0, 10);
}
Octets last_of_20(std::uint8_t id, const Octets& label) {
  const Octets covered = Octets{0, static_cast<std::uint8_t>(label.size() + 22), 0x08, 0x00} + label + pdu_of(20);
  Octets crc(wire::kCrcOctets);
  wire::write32(crc.data(), wire::crc32(wire::CrcKernel::table, covered));
  return Octets{0x70, 15, id} + part(pdu_of(20), 10, 20) + crc;
}

// A first fragment that is refused ends what was put together with its Fragment ID, too.
TEST(GseReceiver, DiscardsTheOldPartWhateverBeginsWithItsFragmentId) {
  const Octets other = {0x02, 0, 0, 0, 0, 0x09};
  const std::vector<std::pair<Octets, std::int32_t>> starts = {
      {{0xB0, 6, 7, 0, 20, 0x08, 0x00, 0x45}, HEADROOM_ERR_UNSUPPORTED},           // no label to be used again
      {{0x90, 9, 7, 0, 20, 0x08, 0x00, 1, 2, 3, 0x45}, HEADROOM_ERR_UNSUPPORTED},  // of three octets
      {{0xA0, 8, 7, 0, 3, 0x08, 0x00, 0x45, 0x46, 0x47}, HEADROOM_ERR_MALFORMED},  // Total Length is too small
      {first_of_20(7, other), HEADROOM_NOTHING}};
  for (const auto& [start, status] : starts) {
    GseListener listener(gse());
    EXPECT_TRUE(listener.take({frame_of(first_of_20(7, {}))}).empty());
    std::vector<Arrival> expected;
    if (status != HEADROOM_NOTHING) expected.push_back({status});
    EXPECT_EQ(listener.take({frame_of(start)}), expected) << status;
    EXPECT_EQ(listener.receiver.counters().discarded, 1U) << status;
    EXPECT_TRUE(listener.take({frame_of(last_of_20(7, {}))}).empty()) << status;
  }
}

// PDUs for others come in fragments, too, and many more at once than are put together: those for us stay.
TEST(GseReceiver, KeepsItsPartsWhateverIsForOthers) {
  const Octets other = {0x02, 0, 0, 0, 0, 0x09};
  GseListener listener(gse());
  EXPECT_TRUE(listener.take({frame_of(first_of_20(0, kLabel))}).empty());
  for (unsigned id = 1; id <= 100; ++id)
    EXPECT_TRUE(listener.take({frame_of(first_of_20(static_cast<std::uint8_t>(id), other))}).empty());
  EXPECT_EQ(listener.receiver.counters().discarded, 0U);
  EXPECT_EQ(listener.receiver.counters().unmatched_addresses, 100U);
  EXPECT_EQ(listener.pdus({frame_of(last_of_20(0, kLabel))}), (std::vector<Octets>{pdu_of(20)}));
  EXPECT_TRUE(listener.take({frame_of(last_of_20(1, other))}).empty());
  EXPECT_EQ(listener.receiver.counters().orphans, 0U);
  // The Fragment ID is free again, for us as well.
  EXPECT_TRUE(listener.take({frame_of(first_of_20(2, kLabel))}).empty());
  EXPECT_EQ(listener.pdus({frame_of(last_of_20(2, kLabel))}), (std::vector<Octets>{pdu_of(20)}));
  EXPECT_TRUE(listener.take({frame_of(last_of_20(1, other))}).empty());
  EXPECT_EQ(listener.receiver.counters().orphans, 1U);
}

// Two PDUs in a BBFRAME, and no room for either.
TEST(GseReceiver, CountsWhatThereIsRoomFor) {
  const Octets two = Octets{0xE0, 6, 0x08, 0x00} + pdu_of(4) + Octets{0xE0, 6, 0x08, 0x00} + pdu_of(4);
  for (const std::size_t octets : {3U, 4U}) {
    GseReceiver receiver(gse());
    Octets room(octets);
    const Octets frame = frame_of(two);
    const std::int32_t expected = octets < 4 ? HEADROOM_ERR_NO_SPACE : HEADROOM_OK;
    headroom_packet p = record(frame, room);
    EXPECT_EQ(receiver.receive(p, nullptr), expected);
    ASSERT_EQ(p.more, 1);
    p = record(kNothing, room);
    ASSERT_TRUE(receiver.drain(p, nullptr));
    EXPECT_EQ(p.status, expected);
    EXPECT_EQ(receiver.counters().delivered, octets < 4 ? 0U : 2U);
  }
}

TEST(GseReceiver, SkipsPadding) {
  const Octets whole = Octets{0xE0, 6, 0x08, 0x00} + pdu_of(4);
  for (std::size_t zeros = 0; zeros < 5; ++zeros) {
    GseListener listener(gse());
    EXPECT_EQ(listener.take({frame_of(whole + Octets(zeros, 0))}),
              (std::vector<Arrival>{{HEADROOM_OK, pdu_of(4), wire::kTypeIpv4}}));
  }
}

struct WrongPacket {
  const char* what;
  Octets data;
  std::int32_t status;
  std::uint64_t GseReceiverCounters::*counter;
};

TEST(GseReceiver, RefusesWhatItDoesNotRead) {
  const std::vector<WrongPacket> all = {
      {"a packet beyond the data field",
       {0xE0, 7, 8, 0, 0x45, 0},
       HEADROOM_ERR_MALFORMED,
       &GseReceiverCounters::length_errors},
      {"a packet shorter than its header",
       {0xC0, 7, 8, 0, 2, 0, 0, 0, 0},
       HEADROOM_ERR_MALFORMED,
       &GseReceiverCounters::length_errors},
      {"an octet that is no padding", {0xC0}, HEADROOM_ERR_MALFORMED, &GseReceiverCounters::length_errors},
      {"no PDU", {0xE0, 2, 8, 0}, HEADROOM_ERR_MALFORMED, &GseReceiverCounters::length_errors},
      {"an extension header that is not known",
       {0xE0, 4, 0, 0x77, 1, 2},
       HEADROOM_ERR_UNSUPPORTED,
       &GseReceiverCounters::type_errors},
      {"a label of three octets",
       {0xD0, 6, 8, 0, 1, 2, 3, 0x45},
       HEADROOM_ERR_UNSUPPORTED,
       &GseReceiverCounters::label_errors},
      {"another label",
       {0xC0, 9, 8, 0, 2, 0, 0, 0, 0, 9, 0x45},
       HEADROOM_NOTHING,
       &GseReceiverCounters::unmatched_addresses}};
  for (const WrongPacket& wrong : all) {
    GseListener listener(gse());
    std::vector<Arrival> expected;
    if (wrong.status != HEADROOM_NOTHING) expected.push_back({wrong.status});
    EXPECT_EQ(listener.take({frame_of(wrong.data)}), expected) << wrong.what;
    EXPECT_EQ(listener.receiver.counters().*wrong.counter, 1U) << wrong.what;
  }
}

// A transport stream, a packetized one, ISSY, null-packet deletion, a data field longer than the BBFRAME or of a part
// of an octet.
TEST(GseReceiver, RefusesOtherBbFrames) {
  for (const auto& [at, value] : {std::pair{0, 0xF0}, {0, 0x30}, {0, 0x78}, {0, 0x74}, {4, 0x10}, {5, 0x09}}) {
    Octets frame = frame_of({});
    frame[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(value);
    frame[9] = wire::crc8(std::span(frame).first(9));
    GseListener listener(gse());
    EXPECT_EQ(listener.take({frame}), (std::vector<Arrival>{{HEADROOM_ERR_UNSUPPORTED}})) << at << ' ' << value;
    EXPECT_EQ(listener.receiver.counters().unsupported_frames, 1U);
  }
}

}  // namespace
}  // namespace headroom::ule::test
