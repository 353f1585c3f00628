// SPDX-License-Identifier: Apache-2.0
//
// TS packets of 188 octets at 8 Mbit/s: a slot lasts 188,000 ns, and a buffer of 6 slots 1,128,000 ns.
#include <gtest/gtest.h>

#include "link/link.h"
#include "link/report.h"
#include "link/slots.h"
#include "sim/simulation.h"

namespace headroom {
namespace {

constexpr std::uint64_t kRate = 8'000'000;
constexpr std::uint64_t kSlotNs = 188'000, kBufferNs = 6 * kSlotNs;
constexpr std::size_t kOctets = 188;

Slots card() {
  Slots slots;
  slots.packet_octets = kOctets;
  return slots;
}

constexpr std::array<std::uint8_t, kOctets> kIdle = {0x47, 0x1F, 0xFF, 0x10};
constexpr LinkFraming kFraming = {.title = "cell", .idle = kIdle, .error_mark = ErrorMark{.octet = 1, .mask = 0x80}};

Impairment read_impairments(const std::string& text, const LinkFraming* framing = &kFraming) {
  const Json json = parse_json(text);
  Object object(Value(json, "/link"));
  Impairment impairment = read_impairment(object, framing);
  object.finish();
  return impairment;
}

std::string error_of(const std::string& text, const LinkFraming* framing = &kFraming) {
  try {
    (void)read_impairments(text, framing);
  } catch (const Error& error) {
    return error.where() + ": " + error.what();
  }
  return "no error";
}

LinkPacket cell_of(std::uint64_t tag, std::size_t octets = kOctets) {
  LinkPacket packet;
  packet.octets.assign(octets, 0x11);
  packet.header_length = static_cast<std::uint32_t>(octets);
  packet.tag = tag;
  return packet;
}

TEST(SlotSchedule, APacketWaitsForTheNextBuffer) {
  SlotSchedule schedule(card(), kRate);
  EXPECT_EQ(schedule.hand_over(kOctets, 100, 0), kBufferNs + kSlotNs);
  EXPECT_EQ(schedule.hand_over(kOctets, 200, 0), kBufferNs + 2 * kSlotNs);
  EXPECT_EQ(schedule.hand_over(kOctets, kBufferNs, 0), kBufferNs + 3 * kSlotNs) << "at the moment of its closing";
  EXPECT_EQ(schedule.hand_over(kOctets, kBufferNs + 1, 0), 2 * kBufferNs + kSlotNs);
}

TEST(SlotSchedule, ABacklogIsSentInConsecutiveSlots) {
  SlotSchedule schedule(card(), kRate);
  for (std::uint64_t i = 0; i < 20; ++i)
    EXPECT_EQ(schedule.hand_over(kOctets, 1, 0), kBufferNs + (i + 1) * kSlotNs) << i;
  EXPECT_EQ(schedule.hand_over(kOctets, 2 * kBufferNs, 0), kBufferNs + 21 * kSlotNs);
  EXPECT_EQ(schedule.counts().most_waiting, 20u);
}

TEST(SlotSchedule, EachFurtherBufferDelaysByItsLength) {
  for (const std::uint32_t buffers : {2u, 3u, 5u}) {
    Slots slots = card();
    slots.buffers = buffers;
    SlotSchedule schedule(slots, kRate);
    EXPECT_EQ(schedule.hand_over(kOctets, 100, 0), (buffers - 1) * kBufferNs + kSlotNs) << buffers;
    EXPECT_EQ(schedule.hand_over(kOctets, kBufferNs + 1, 0), buffers * kBufferNs + kSlotNs) << buffers;
  }
}

TEST(SlotSchedule, TheReceivingDriverHandsOnWholeGroupsOfSlots) {
  Slots slots = card();
  slots.receiver_buffer_packets = 8;
  SlotSchedule schedule(slots, kRate);
  EXPECT_EQ(schedule.hand_over(kOctets, 100, 0), 8 * kSlotNs) << "slot 6 of 0 to 7";
  EXPECT_EQ(schedule.hand_over(kOctets, 100, 0), 8 * kSlotNs);
  EXPECT_EQ(schedule.hand_over(kOctets, 100, 0), 16 * kSlotNs);
}

// 1,504 bits at 7 Mbit/s: 214,857 and one seventh ns. Errors do not add up.
TEST(SlotSchedule, TimesAreRoundedUpOnceEach) {
  SlotSchedule schedule(card(), 7'000'000);
  EXPECT_EQ(schedule.hand_over(kOctets, 1, 0), 1'504'000u);
  EXPECT_EQ(schedule.hand_over(kOctets, 1, 0), 1'718'858u);
  std::uint64_t last = 0;
  for (int i = 8; i < 7'000'000; ++i) last = *schedule.hand_over(kOctets, 1, 0);
  EXPECT_EQ(last, 1'504'000'000'000u) << "7,000,000 slots";
}

TEST(SlotSchedule, TimesOfCapturesFit) {
  constexpr std::uint64_t kNow = 1'700'000'000'000'000'123;
  SlotSchedule schedule(card(), kLargestSlotRateBps);  // a slot lasts 376 ns
  const std::uint64_t arrival = *schedule.hand_over(kOctets, kNow, 0);
  EXPECT_GT(arrival, kNow + 376);
  EXPECT_LE(arrival, kNow + 7 * 376);
  EXPECT_EQ(arrival % (6 * 376), 376u);
}

TEST(SlotSchedule, CountsFromTheFirstBufferToTheLast) {
  SlotSchedule schedule(card(), kRate);
  EXPECT_EQ(schedule.counts().sent, 0u);
  (void)schedule.hand_over(kOctets, 100, 0);        // in buffer 1
  (void)schedule.hand_over(kOctets, 5'000'000, 0);  // in buffer 5
  const SlotCounts counts = schedule.counts();
  EXPECT_EQ(counts.sent, 30u);
  EXPECT_EQ(counts.carried, 2u);
  EXPECT_EQ(counts.octets, 5640u);
  EXPECT_EQ(counts.most_waiting, 1u);
  EXPECT_EQ(json_of(counts)["idle"], 28);
  EXPECT_DOUBLE_EQ(json_of(counts)["utilisation"].get<double>(), 2.0 / 30);
}

TEST(SlotSchedule, ALongPacketTakesSlotsInARowAndAShortOneAWholeSlot) {
  SlotSchedule schedule(card(), kRate);
  EXPECT_EQ(schedule.hand_over(kOctets + 1, 1, 0), kBufferNs + 2 * kSlotNs);
  EXPECT_EQ(schedule.hand_over(1, 1, 0), kBufferNs + 3 * kSlotNs);
  EXPECT_EQ(schedule.counts().carried, 3u);
}

TEST(SlottedLink, AFullQueueTakesNoSlot) {
  Link link(read_impairments(R"({"rate_bps": 8000000, "queue_octets": 376, "slots": {"packet_octets": 188}})"), 1);
  std::vector<Delivery> deliveries;
  EXPECT_EQ(link.send(cell_of(0), 1, deliveries).fate, Fate::delivered);
  EXPECT_EQ(link.send(cell_of(1), 1, deliveries).fate, Fate::delivered);
  EXPECT_EQ(link.send(cell_of(2), 1, deliveries).fate, Fate::queue_full);
  EXPECT_EQ(link.send(cell_of(3), kBufferNs + kSlotNs, deliveries).fate, Fate::delivered) << "one has left";
  ASSERT_EQ(deliveries.size(), 3u);
  EXPECT_EQ(deliveries[2].time_ns, 2 * kBufferNs + kSlotNs);
  EXPECT_EQ(link.counts().queue_most_octets, 376u);
  EXPECT_EQ(link.counts().slots->carried, 3u);
}

TEST(SlottedLink, ALostPacketHasItsSlot) {
  Link link(read_impairments(R"({"rate_bps": 8000000, "slots": {"packet_octets": 188}, "drop": [0], "delay_ns": 5})"),
            1);
  std::vector<Delivery> deliveries;
  (void)link.send(cell_of(0), 1, deliveries);
  (void)link.send(cell_of(1), 1, deliveries);
  ASSERT_EQ(deliveries.size(), 1u);
  EXPECT_EQ(deliveries[0].time_ns, kBufferNs + 2 * kSlotNs + 5);
}

TEST(SlottedLink, DamagedPacketsAreMarked) {
  Link link(read_impairments(R"({"header_errors": "mark", "flip": [{"packet": 1, "bit": 1503}]})"), 1);
  std::vector<Delivery> deliveries;
  for (std::uint64_t tag = 0; tag < 2; ++tag) (void)link.send(cell_of(tag), 0, deliveries);
  ASSERT_EQ(deliveries.size(), 2u);
  EXPECT_EQ(deliveries[0].packet.octets, cell_of(0).octets);
  Octets damaged = cell_of(1).octets;
  damaged[1] |= 0x80;
  damaged.back() ^= 1;
  EXPECT_EQ(deliveries[1].packet.octets, damaged);
  EXPECT_EQ(link.counts().marked, 1u);
  EXPECT_EQ(link.counts().damaged_delivered, 1u);
}

// "at 1316000: 0" and "at 1504000: idle".
std::vector<std::string> arrivals(const std::string& impairment, const std::vector<std::uint64_t>& times) {
  class Timetable final : public sim::Host {
   public:
    explicit Timetable(const std::vector<std::uint64_t>& times) : times_(times) {}
    [[nodiscard]] std::uint64_t next_ns() const override { return next_ < times_.size() ? times_[next_] : sim::kNever; }
    void act() override { line->send(cell_of(next_++)); }
    sim::Line* line = nullptr;

   private:
    const std::vector<std::uint64_t>& times_;
    std::size_t next_ = 0;
  };
  sim::Simulation simulation;
  std::vector<std::string> lines;
  Timetable sender(times);
  sender.line = &simulation.connect(read_impairments(impairment), 1, 1, {}, [&](std::span<const Delivery> burst) {
    const Delivery& delivery = burst.front();
    if (delivery.idle) {
      EXPECT_EQ(delivery.packet.octets, Octets(kIdle.begin(), kIdle.end()));
    }
    lines.push_back("at " + std::to_string(simulation.now_ns()) + ": " +
                    (delivery.idle ? "idle" : std::to_string(delivery.packet.tag)));
  });
  simulation.add(sender);
  simulation.run();
  return lines;
}

using Lines = std::vector<std::string>;

TEST(SlottedLink, IdlePacketsArriveInTheirSlotsOnlyWhereAsked) {
  const std::vector<std::uint64_t> times = {100, 3'384'000};  // buffers 1 and 3
  EXPECT_EQ(arrivals(R"({"rate_bps": 8000000, "slots": {"packet_octets": 188}})", times),
            (Lines{"at 1316000: 0", "at 3572000: 1"}));
  EXPECT_EQ(arrivals(R"({"rate_bps": 8000000, "slots": {"packet_octets": 188, "deliver_idle": true}})", times),
            (Lines{"at 1316000: 0", "at 1504000: idle", "at 1692000: idle", "at 1880000: idle", "at 2068000: idle",
                   "at 2256000: idle", "at 2444000: idle", "at 2632000: idle", "at 2820000: idle", "at 3008000: idle",
                   "at 3196000: idle", "at 3384000: idle", "at 3572000: 1", "at 3760000: idle", "at 3948000: idle",
                   "at 4136000: idle", "at 4324000: idle", "at 4512000: idle"}));
}

TEST(SlottedLink, IdlePacketsKeepTheirPlaceBehindTheDriversBuffer) {
  EXPECT_EQ(arrivals(R"({"rate_bps": 8000000, "delay_ns": 7, "slots": {"packet_octets": 188, "buffer_packets": 2,
                         "buffers": 3, "receiver_buffer_packets": 4, "deliver_idle": true}})",
                     {1, 2, 3}),
            (Lines{"at 1504007: 0", "at 1504007: 1", "at 1504007: 2", "at 1504007: idle", "at 2256007: idle",
                   "at 2256007: idle", "at 2256007: idle", "at 2256007: idle"}))
      << "the buffers behind are closed before the packets arrive";
}

TEST(SlottedLink, AJobThatIsWrongIsRefused) {
  EXPECT_EQ(error_of(R"({"slots": {"packet_octets": 188}})"),
            "/link/slots: slots need a \"rate_bps\" from 1 to 4000000000, which says how long they last.");
  EXPECT_NE(error_of(R"({"rate_bps": 5000000000, "slots": {"packet_octets": 188}})"), "no error");
  for (const char* slots :
       {R"({})", R"({"packet_octets": 0})", R"({"packet_octets": 188, "buffers": 1})",
        R"({"packet_octets": 188, "buffer_packets": 0})", R"({"packet_octets": 188, "cards": 1})"}) {
    EXPECT_NE(error_of(R"({"rate_bps": 8000000, "slots": )" + std::string(slots) + "}"), "no error") << slots;
  }
  EXPECT_NE(error_of(R"({"rate_bps": 1503, "slots": {"packet_octets": 188}})").find("longer than a second"),
            std::string::npos);
  EXPECT_EQ(error_of(R"({"rate_bps": 1504, "slots": {"packet_octets": 188, "buffers": 600}})"), "no error");
  for (const char* more : {R"("buffers": 601)", R"("receiver_buffer_packets": 3601)"}) {
    const std::string slots = R"({"rate_bps": 1504, "slots": {"packet_octets": 188, )" + std::string(more) + "}}";
    EXPECT_NE(error_of(slots).find("more than an hour"), std::string::npos) << slots;
  }
  const std::string idle = R"({"rate_bps": 8000000, "slots": {"packet_octets": 188, "deliver_idle": true}})";
  EXPECT_EQ(error_of(idle), "no error");
  EXPECT_NE(error_of(idle, nullptr).find("have no form for them"), std::string::npos);
  EXPECT_NE(error_of(idle, &kUnknownFraming).find("have no form for them"), std::string::npos);
  const std::string mark = R"({"header_errors": "mark"})";
  EXPECT_EQ(error_of(mark), "no error");
  EXPECT_NE(error_of(mark, nullptr).find("have no mark of errors"), std::string::npos);
  EXPECT_NE(error_of(mark, &kUnknownFraming).find("have no mark of errors"), std::string::npos);
}

}  // namespace
}  // namespace headroom
