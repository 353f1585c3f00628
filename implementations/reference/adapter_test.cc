// SPDX-License-Identifier: Apache-2.0
//
// The reference through the ABI, as the engine sees it: self-description, configurations and their errors, buffers of
// every size, bursts, details, instances side by side, feedback, control and statistics.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "headroom.h"
#include "rohc/tcp/packet.h"
#include "rohc/tcp/test/traffic.h"
#include "rohc/v1/test/support/eventful_flow.h"
#include "rohc/v1/test/support/steady_flow.h"
#include "rohc/v1/wire/packet_type.h"

namespace headroom::rohc {
namespace {

using nlohmann::json;
using test::EventfulFlow;
using test::Packet;
using test::Random;
using test::SteadyFlow;
using test::to_hex;

const headroom_api& api() { return *headroom_implementation(); }

struct Destroy {
  void operator()(headroom_instance* i) const { api().destroy(i); }
};
using Instance = std::unique_ptr<headroom_instance, Destroy>;

Instance create(headroom_role role, const char* config = R"({"scheme": "rohc"})") {
  char error[200] = "";
  Instance i(api().create(role, config, error, sizeof error));
  EXPECT_TRUE(i) << error;
  return i;
}

std::string creation_error(int role, const char* config) {
  char error[300] = "nothing was written";
  const Instance i(api().create(role, config, error, sizeof error));
  EXPECT_FALSE(i);
  return error;
}

// A packet with its buffer, guard octets behind it.
struct Slot {
  explicit Slot(Packet input, std::uint32_t on_channel = 0) : in(std::move(input)), channel(on_channel) {}

  headroom_packet prepare(std::size_t room) {
    capacity = room;
    out.assign(room + 32, 0xa5);
    headroom_packet p{};
    p.in = in.data();
    p.in_length = static_cast<std::uint32_t>(in.size());
    p.out = out.data();
    p.out_capacity = static_cast<std::uint32_t>(room);
    p.channel = channel;
    return p;
  }
  [[nodiscard]] bool intact() const {
    return std::all_of(out.begin() + static_cast<std::ptrdiff_t>(capacity), out.end(),
                       [](std::uint8_t o) { return o == 0xa5; });
  }

  Packet in;
  std::uint32_t channel;
  std::vector<std::uint8_t> out;
  std::size_t capacity = 0;
};

struct Result {
  std::int32_t status = 0;
  Packet octets;
  headroom_detail detail{};
  bool operator==(const Result& r) const { return status == r.status && octets == r.octets; }
};

enum class Details { kOff, kOn };

std::vector<Result> run(headroom_instance* i, headroom_role role, std::vector<Slot>& slots, std::uint64_t now_ns,
                        Details with = Details::kOn, std::size_t room = static_cast<std::size_t>(-1)) {
  std::vector<headroom_packet> packets;
  for (Slot& s : slots)
    packets.push_back(s.prepare(room == static_cast<std::size_t>(-1) ? s.in.size() + HEADROOM_EXPANSION : room));
  std::vector<headroom_detail> details(slots.size());
  const auto call = role == HEADROOM_COMPRESSOR ? api().compress : api().decompress;
  EXPECT_EQ(call(i, packets.data(), packets.size(), now_ns, with == Details::kOn ? details.data() : nullptr),
            packets.size());
  std::vector<Result> results;
  for (std::size_t n = 0; n < slots.size(); ++n) {
    EXPECT_TRUE(slots[n].intact()) << "octets were written past the end";
    EXPECT_LE(packets[n].out_length, packets[n].out_capacity);
    if (packets[n].status != HEADROOM_OK) {
      EXPECT_EQ(packets[n].out_length, 0U);
    }
    results.push_back(
        {packets[n].status,
         {slots[n].out.begin(), slots[n].out.begin() + static_cast<std::ptrdiff_t>(packets[n].out_length)},
         details[n]});
  }
  return results;
}

Result run_one(headroom_instance* i, headroom_role role, Packet packet, std::uint64_t now_ns = 0,
               std::size_t room = static_cast<std::size_t>(-1)) {
  std::vector<Slot> slots;
  slots.emplace_back(std::move(packet));
  return run(i, role, slots, now_ns, Details::kOn, room)[0];
}

struct Reverse {
  std::uint16_t type = 0;
  std::uint32_t channel = 0;
  Packet octets;
};

// The next reverse packet; one of type 0 when there is none.
Reverse take_reverse(headroom_instance* i) {
  Packet room(HEADROOM_REVERSE_MAX);
  headroom_packet p{};
  p.out = room.data();
  p.out_capacity = HEADROOM_REVERSE_MAX;
  p.channel = 77;
  if (api().take_reverse(i, &p, 1, 0) == 0) return {};
  EXPECT_EQ(p.status, HEADROOM_OK);
  room.resize(p.out_length);
  return {p.out_type, p.channel, room};
}

std::int32_t give_reverse(headroom_instance* i, const Packet& octets, unsigned type) {
  headroom_packet p{};
  p.in = octets.data();
  p.in_length = static_cast<std::uint32_t>(octets.size());
  p.in_type = static_cast<std::uint16_t>(type);
  EXPECT_EQ(api().give_reverse(i, &p, 1, 0), 1U);
  return p.status;
}

json text_of(std::size_t length, const auto& write) {
  std::string text(length + 1, '\0');
  EXPECT_EQ(write(text.data(), text.size()), length);
  EXPECT_EQ(text[length], '\0');
  text.resize(length);
  return json::parse(text);
}
json described() {
  return text_of(api().describe(nullptr, 0),
                 [](char* room, std::size_t capacity) { return api().describe(room, capacity); });
}
json statistics_of(const headroom_instance* i) {
  return text_of(api().statistics(i, nullptr, 0),
                 [&](char* room, std::size_t capacity) { return api().statistics(i, room, capacity); });
}

// --- Table and description -------------------------------------------------------------------------------------------

TEST(Adapter, TableIsWhole) {
  EXPECT_EQ(api().abi_version, HEADROOM_ABI_VERSION);
  EXPECT_EQ(api().struct_size, sizeof(headroom_api));
  EXPECT_TRUE(api().describe && api().create && api().destroy && api().compress && api().decompress &&
              api().statistics);
  EXPECT_TRUE(api().drain && api().next_deadline && api().take_reverse && api().give_reverse && api().control &&
              api().extension);
  EXPECT_EQ(api().extension("no such extension"), nullptr);
  EXPECT_EQ(headroom_implementation(), headroom_implementation());
}

TEST(Adapter, Description) {
  const json d = described();
  EXPECT_EQ(d["name"], "reference");
  EXPECT_EQ(d["licence"], "Apache-2.0");
  EXPECT_FALSE(d["version"].get<std::string>().empty());
  EXPECT_FALSE(d["build"].get<std::string>().empty());
  const auto found = std::ranges::find_if(d["schemes"], [](const json& one) { return one["scheme"] == "rohc"; });
  ASSERT_NE(found, d["schemes"].end());
  const json& s = *found;
  EXPECT_EQ(s["profiles"], json({"0x0000", "0x0001", "0x0002", "0x0003", "0x0004", "0x0006", "0x0007", "0x0008"}));
  EXPECT_EQ(s["modes"], json({"U", "O", "R"}));
  EXPECT_EQ(s["max_cid"], 16383);
  EXPECT_EQ(s["names"]["packet_types"].size(), wire::kPacketTypeNames.size() + tcp::kOwnNames.size());
  EXPECT_EQ(s["names"]["packet_types"][0], "IR");
  EXPECT_EQ(s["names"]["compressor_states"], json({"unused", "IR", "FO", "SO"}));
  EXPECT_EQ(s["names"]["decompressor_states"], json({"NC", "SC", "FC"}));
  EXPECT_EQ(s["names"]["events"][0], "none");
}

TEST(Adapter, DescriptionIsWrittenWholeOrNotAtAll) {
  const std::size_t length = api().describe(nullptr, 0);
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}, length - 1, length}) {
    std::vector<char> room(length + 8, '#');
    EXPECT_EQ(api().describe(room.data(), capacity), length);
    EXPECT_TRUE(std::all_of(room.begin(), room.end(), [](char c) { return c == '#'; })) << capacity;
  }
  std::vector<char> room(length + 8, '#');
  EXPECT_EQ(api().describe(room.data(), length + 1), length);
  EXPECT_EQ(room[length], '\0');
  EXPECT_EQ(room[length + 1], '#');
}

// --- Creation --------------------------------------------------------------------------------------------------------

TEST(Adapter, ErrorsOfCreationAreSentences) {
  EXPECT_EQ(creation_error(3, R"({"scheme": "rohc"})"),
            "the scheme rohc has compressors and decompressors (roles 1 and 2)");
  EXPECT_EQ(creation_error(4, R"({"scheme": "rohc"})"), "the scheme rohc has no user planes (role 4)");
  EXPECT_EQ(creation_error(5, R"({"scheme": "rohc"})"),
            "the role must be 1 (compressor), 2 (decompressor), 3 (endpoint) or 4 (user plane)");
  EXPECT_EQ(creation_error(HEADROOM_COMPRESSOR, "{}").rfind("\"scheme\" is missing; it must be one of \"", 0), 0U);
  EXPECT_EQ(creation_error(HEADROOM_COMPRESSOR, "[]"), "the configuration must be an object, not array");
  EXPECT_EQ(creation_error(HEADROOM_DECOMPRESSOR, R"({"scheme": "rohc", "max_cid": 99})"),
            "\"max_cid\" in the configuration is 99, but must be a whole number from 0 to 15");
  for (const char* broken : {"", "{", "nonsense", "{\"scheme\": \"rohc\"", "\xff"}) {
    EXPECT_EQ(creation_error(HEADROOM_COMPRESSOR, broken).rfind("the configuration is not valid JSON: ", 0), 0U)
        << broken;
  }
  EXPECT_EQ(creation_error(HEADROOM_COMPRESSOR, nullptr).rfind("the configuration is not valid JSON: ", 0), 0U);
}

TEST(Adapter, ErrorsFitTheRoomTheyAreGiven) {
  for (std::size_t capacity = 0; capacity < 60; ++capacity) {
    std::vector<char> room(80, '#');
    EXPECT_EQ(api().create(HEADROOM_COMPRESSOR, "{}", room.data(), capacity), nullptr);
    if (capacity > 0) {
      EXPECT_LT(std::string(room.data()).size(), capacity);
    }
    for (std::size_t i = capacity; i < room.size(); ++i) EXPECT_EQ(room[i], '#');
  }
  EXPECT_EQ(api().create(HEADROOM_COMPRESSOR, "{}", nullptr, 100), nullptr);
}

TEST(Adapter, DestroysNothing) { api().destroy(nullptr); }

TEST(Adapter, LargestConfiguration) {
  const char* config = R"({"scheme": "rohc", "channels": 1024, "cids": "large", "max_cid": 16383})";
  const Instance c = create(HEADROOM_COMPRESSOR, config);
  const Instance d = create(HEADROOM_DECOMPRESSOR, config);
  SteadyFlow flow(test::rtp_packet(4));
  const Result compressed = run_one(c.get(), HEADROOM_COMPRESSOR, build(flow.next()));
  EXPECT_EQ(compressed.status, HEADROOM_OK);
  EXPECT_EQ(run_one(d.get(), HEADROOM_DECOMPRESSOR, compressed.octets).octets, build(flow.spec));
}

TEST(Adapter, TheOtherRoleIsRefused) {
  const Instance c = create(HEADROOM_COMPRESSOR);
  const Instance d = create(HEADROOM_DECOMPRESSOR);
  EXPECT_EQ(run_one(c.get(), HEADROOM_DECOMPRESSOR, {1, 2, 3}).status, HEADROOM_ERR_UNSUPPORTED);
  EXPECT_EQ(run_one(d.get(), HEADROOM_COMPRESSOR, {1, 2, 3}).status, HEADROOM_ERR_UNSUPPORTED);
  for (const unsigned type : {HEADROOM_REVERSE_NEAR, HEADROOM_REVERSE_FAR})
    EXPECT_EQ(give_reverse(d.get(), {0xf1, 5}, type), HEADROOM_ERR_UNSUPPORTED);
  EXPECT_EQ(take_reverse(c.get()).type, 0);
}

// --- Buffers ---------------------------------------------------------------------------------------------------------

// Packets that bring forth every kind of header, and where in the series.
std::vector<Packet> telling_series() {
  std::vector<Packet> series;
  SteadyFlow flow(test::rtp_packet(4));
  for (unsigned i = 0; i < 24; ++i) {
    flow.next();
    if (i == 12) flow.spec.ip.ttl = 9;
    if (i == 18) flow.spec.udp->checksum = false;
    series.push_back(build(flow.spec));
  }
  Packet fragment = build(flow.next());
  fragment[6] = 0x20;
  test::mend_ipv4_checksum(fragment);
  series.push_back(fragment);
  return series;
}

TEST(Adapter, CompressorInBuffersOfEverySize) {
  const std::vector<Packet> series = telling_series();
  for (std::size_t at = 0; at < series.size(); ++at) {
    std::size_t needed = 0;
    for (std::size_t room = 0; room <= series[at].size() + 80; ++room) {
      const Instance c = create(HEADROOM_COMPRESSOR);
      for (std::size_t i = 0; i < at; ++i) (void)run_one(c.get(), HEADROOM_COMPRESSOR, series[i]);
      const Result r = run_one(c.get(), HEADROOM_COMPRESSOR, series[at], 0, room);
      if (r.status == HEADROOM_OK) {
        if (needed == 0) needed = room;
        EXPECT_EQ(r.octets.size(), needed) << "it fits exactly where it is said to fit first";
        if (room > needed + 10) break;
      } else {
        EXPECT_EQ(r.status, HEADROOM_ERR_NO_SPACE) << "packet " << at << " in " << room;
        EXPECT_EQ(needed, 0U);
        const Result again = run_one(c.get(), HEADROOM_COMPRESSOR, series[at]);
        EXPECT_EQ(again.status, HEADROOM_OK) << "as if nothing had been";
      }
    }
    EXPECT_NE(needed, 0U) << "packet " << at;
  }
}

TEST(Adapter, DecompressorInBuffersOfEverySize) {
  const std::vector<Packet> series = telling_series();
  const Instance c = create(HEADROOM_COMPRESSOR);
  std::vector<Packet> link;
  for (const Packet& p : series) link.push_back(run_one(c.get(), HEADROOM_COMPRESSOR, p).octets);
  for (std::size_t at = 0; at < series.size(); ++at) {
    for (std::size_t room = 0; room <= series[at].size() + 40; ++room) {
      const Instance d = create(HEADROOM_DECOMPRESSOR);
      for (std::size_t i = 0; i < at; ++i) (void)run_one(d.get(), HEADROOM_DECOMPRESSOR, link[i]);
      const Result r = run_one(d.get(), HEADROOM_DECOMPRESSOR, link[at], 0, room);
      EXPECT_EQ(r.status, room < series[at].size() ? HEADROOM_ERR_NO_SPACE : HEADROOM_OK)
          << "packet " << at << " in " << room;
      if (r.status == HEADROOM_OK) {
        EXPECT_EQ(to_hex(r.octets), to_hex(series[at]));
      }
    }
  }
}

TEST(Adapter, LostForWantOfRoomIsOnlyLost) {
  const Instance c = create(HEADROOM_COMPRESSOR);
  const Instance d = create(HEADROOM_DECOMPRESSOR);
  Random random(1);
  test::FlowCharacter character = test::drawn_character(random, 1);
  character.events = 0.1;
  EventfulFlow flow(character, 1);
  for (int i = 0; i < 3000; ++i) {
    const Packet p = flow.next();
    const Result r = run_one(c.get(), HEADROOM_COMPRESSOR, p, 0,
                             random.chance(0.2) ? random.below(60) : p.size() + HEADROOM_EXPANSION);
    if (r.status != HEADROOM_OK) continue;
    ASSERT_EQ(to_hex(run_one(d.get(), HEADROOM_DECOMPRESSOR, r.octets).octets), to_hex(p)) << i;
  }
}

// --- Bursts, details, instances --------------------------------------------------------------------------------------

constexpr const char* kConfig = R"({"scheme": "rohc", "channels": 2, "max_cid": 7, "mode": "O", "seed": 5,
                                    "options": {"ir_refresh": {"packets": 60}, "fo_refresh": {"packets": 25}}})";
constexpr const char* kDecompressorConfig = R"({"scheme": "rohc", "channels": 2, "max_cid": 7})";

// The same traffic for everybody who asks with the same seed: bursts of packets with times.
struct Traffic {
  struct Group {
    std::vector<Slot> slots;
    std::uint64_t now_ns;
  };

  explicit Traffic(std::uint64_t seed) {
    Random random(seed);
    std::vector<EventfulFlow> flows;
    for (std::uint16_t n = 0; n < 20; ++n) flows.emplace_back(test::drawn_character(random, n), random.next());
    std::uint64_t now_ns = 0;
    for (int i = 0; i < 150; ++i) {
      Group g{{}, now_ns += test::kFrame};
      for (std::uint32_t size = random.between(1, 100); size > 0; --size) {
        const std::uint32_t f = random.below(20);
        g.slots.emplace_back(flows[f].next(), f % 2);
      }
      groups.push_back(std::move(g));
    }
  }

  std::vector<Group> groups;
};

// Calls with bursts of at most `burst`; the results of all packets, in order.
std::vector<Result> run_all(headroom_instance* i, headroom_role role, std::vector<Traffic::Group>& groups,
                            std::size_t burst, Details details) {
  std::vector<Result> all;
  for (Traffic::Group& g : groups) {
    for (std::size_t from = 0; from < g.slots.size(); from += burst) {
      const std::size_t to = std::min(g.slots.size(), from + burst);
      std::vector<Slot> part(g.slots.begin() + static_cast<std::ptrdiff_t>(from),
                             g.slots.begin() + static_cast<std::ptrdiff_t>(to));
      for (Result& r : run(i, role, part, g.now_ns, details)) all.push_back(std::move(r));
    }
  }
  return all;
}

// What the compressor made, as input for the decompressor, in the same groups.
std::vector<Traffic::Group> link_of(const Traffic& traffic, const std::vector<Result>& results) {
  std::vector<Traffic::Group> groups;
  std::size_t at = 0;
  for (const Traffic::Group& g : traffic.groups) {
    Traffic::Group out{{}, g.now_ns};
    for (const Slot& s : g.slots) {
      if (results[at].status == HEADROOM_OK && at % 17 != 0) out.slots.emplace_back(results[at].octets, s.channel);
      ++at;
    }
    groups.push_back(std::move(out));
  }
  return groups;
}

TEST(Adapter, BurstsAndDetailsDoNotMatter) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Traffic traffic(seed);
    const Instance reference_compressor = create(HEADROOM_COMPRESSOR, kConfig);
    const auto expected = run_all(reference_compressor.get(), HEADROOM_COMPRESSOR, traffic.groups, 1, Details::kOn);
    auto link = link_of(traffic, expected);
    const Instance reference_decompressor = create(HEADROOM_DECOMPRESSOR, kDecompressorConfig);
    const auto restored = run_all(reference_decompressor.get(), HEADROOM_DECOMPRESSOR, link, 1, Details::kOn);
    for (const std::size_t burst :
         {std::size_t{1}, std::size_t{7}, std::size_t{32}, std::size_t{33}, std::size_t{1000}}) {
      for (const Details details : {Details::kOff, Details::kOn}) {
        const Instance c = create(HEADROOM_COMPRESSOR, kConfig);
        EXPECT_TRUE(run_all(c.get(), HEADROOM_COMPRESSOR, traffic.groups, burst, details) == expected)
            << "compressor, bursts of " << burst;
        const Instance d = create(HEADROOM_DECOMPRESSOR, kDecompressorConfig);
        EXPECT_TRUE(run_all(d.get(), HEADROOM_DECOMPRESSOR, link, burst, details) == restored)
            << "decompressor, bursts of " << burst;
      }
    }
  }
}

void check_details(const char* config, const std::vector<Packet>& series) {
  const Instance c = create(HEADROOM_COMPRESSOR, config), d = create(HEADROOM_DECOMPRESSOR, config);
  const json schemes = described()["schemes"];
  const auto rohc = std::ranges::find_if(schemes, [](const json& entry) { return entry["scheme"] == "rohc"; });
  const json names = rohc->at("names");
  for (const Packet& p : series) {
    const Result compressed = run_one(c.get(), HEADROOM_COMPRESSOR, p);
    const Result restored = run_one(d.get(), HEADROOM_DECOMPRESSOR, compressed.octets);
    EXPECT_EQ(compressed.detail.packet_type, restored.detail.packet_type);
    EXPECT_EQ(compressed.detail.cid, restored.detail.cid);
    EXPECT_EQ(compressed.detail.profile, restored.detail.profile);
    EXPECT_EQ(compressed.detail.plain_header, restored.detail.plain_header);
    EXPECT_EQ(compressed.detail.compressed_header, restored.detail.compressed_header);
    EXPECT_EQ(compressed.octets.size() - compressed.detail.compressed_header, p.size() - compressed.detail.plain_header)
        << "what is left is payload";
    EXPECT_LT(compressed.detail.packet_type, names["packet_types"].size());
    EXPECT_LT(compressed.detail.state, names["compressor_states"].size());
    EXPECT_LT(restored.detail.state, names["decompressor_states"].size());
    EXPECT_LT(compressed.detail.mode, names["modes"].size());
    EXPECT_LT(restored.detail.event, names["events"].size());
    EXPECT_EQ(compressed.detail.reserved, 0);
  }
  EXPECT_EQ(statistics_of(c.get())["packets"], statistics_of(d.get())["packets"]);
  const Result unknown = run_one(d.get(), HEADROOM_DECOMPRESSOR, {0xe1});
  EXPECT_EQ(unknown.detail.cid, 0xffffffffU);
  EXPECT_EQ(unknown.detail.profile, 0xffff);
}

TEST(Adapter, DetailsSayWhatHappened) {
  check_details(R"({"scheme": "rohc"})", telling_series());
  std::vector<Packet> series;
  for (tcp::testing::Traffic flow(3, 0, 64); series.size() != 100;) series.push_back(flow.next());
  check_details(R"({"scheme": "rohc", "profiles": ["0x0006"], "mode": "O"})", series);
}

TEST(Adapter, InstancesShareNothing) {
  Traffic first(1);
  Traffic second(2);
  const Instance a = create(HEADROOM_COMPRESSOR, kConfig);
  const Instance b = create(HEADROOM_COMPRESSOR, kConfig);
  const auto expected_first = run_all(a.get(), HEADROOM_COMPRESSOR, first.groups, 32, Details::kOff);
  const auto expected_second = run_all(b.get(), HEADROOM_COMPRESSOR, second.groups, 32, Details::kOff);
  const Instance c = create(HEADROOM_COMPRESSOR, kConfig);
  const Instance d = create(HEADROOM_COMPRESSOR, kConfig);
  std::vector<Result> interleaved_first;
  std::vector<Result> interleaved_second;
  for (std::size_t i = 0; i < first.groups.size(); ++i) {
    for (Result& r : run(c.get(), HEADROOM_COMPRESSOR, first.groups[i].slots, first.groups[i].now_ns))
      interleaved_first.push_back(std::move(r));
    for (Result& r : run(d.get(), HEADROOM_COMPRESSOR, second.groups[i].slots, second.groups[i].now_ns))
      interleaved_second.push_back(std::move(r));
  }
  EXPECT_TRUE(interleaved_first == expected_first);
  EXPECT_TRUE(interleaved_second == expected_second);
}

TEST(Adapter, EmptyBursts) {
  const Instance c = create(HEADROOM_COMPRESSOR);
  api().compress(c.get(), nullptr, 0, 0, nullptr);
  const Instance d = create(HEADROOM_DECOMPRESSOR);
  api().decompress(d.get(), nullptr, 0, 0, nullptr);
}

TEST(Adapter, SeveralOutputsOfAPacket) {
  const Instance c = create(HEADROOM_COMPRESSOR, R"({"scheme": "rohc", "mrru": 1000, "largest_packet": 20})");
  const Instance d = create(HEADROOM_DECOMPRESSOR, R"({"scheme": "rohc", "mrru": 1000})");
  SteadyFlow flow(test::rtp_packet(4));
  const Packet packet = build(flow.next());
  std::vector<Packet> link = {run_one(c.get(), HEADROOM_COMPRESSOR, packet).octets};
  Packet rooms(3 * 100);
  for (std::size_t drained = 3; drained == 3;) {
    headroom_packet more[3] = {};
    headroom_detail details[3] = {};
    for (std::size_t i = 0; i < 3; ++i) more[i].out = &rooms[i * 100], more[i].out_capacity = 100, more[i].channel = 9;
    drained = api().drain(c.get(), more, 3, 0, details);
    for (std::size_t i = 0; i < drained; ++i) {
      EXPECT_EQ(more[i].status, HEADROOM_OK);
      EXPECT_EQ(more[i].channel, 0U);
      EXPECT_EQ(details[i].packet_type, 255);
      link.emplace_back(more[i].out, more[i].out + more[i].out_length);
    }
  }
  ASSERT_GT(link.size(), 2U);
  for (std::size_t i = 0; i + 1 < link.size(); ++i) {
    EXPECT_EQ(run_one(d.get(), HEADROOM_DECOMPRESSOR, link[i]).status, HEADROOM_NOTHING);
    EXPECT_EQ(api().drain(d.get(), nullptr, 0, 0, nullptr), 0U);
  }
  EXPECT_EQ(run_one(d.get(), HEADROOM_DECOMPRESSOR, link.back(), 0, 2000).octets, packet);
}

TEST(Adapter, ALostFrameIsNoPacket) {
  const Instance d = create(HEADROOM_DECOMPRESSOR);
  const std::uint8_t none = 0;
  headroom_packet report{};
  report.in = &none;
  report.in_type = HEADROOM_TYPE_LOST;
  report.status = 77;
  EXPECT_EQ(api().decompress(d.get(), &report, 1, 0, nullptr), 1U);
  EXPECT_EQ(report.status, HEADROOM_NOTHING);
  EXPECT_EQ(statistics_of(d.get())["malformed"], 0);
}

// --- Feedback, control, statistics -----------------------------------------------------------------------------------

TEST(Adapter, FeedbackTakesItsWay) {
  const Instance c = create(HEADROOM_COMPRESSOR, R"({"scheme": "rohc", "mode": "O"})");
  const Instance d = create(HEADROOM_DECOMPRESSOR, R"({"scheme": "rohc", "mode": "O"})");
  SteadyFlow flow(test::rtp_packet(4));
  const Result ir = run_one(c.get(), HEADROOM_COMPRESSOR, build(flow.next()));
  (void)run_one(d.get(), HEADROOM_DECOMPRESSOR, ir.octets);
  const Reverse said = take_reverse(d.get());
  EXPECT_EQ(said.type, HEADROOM_REVERSE_FAR);
  EXPECT_FALSE(said.octets.empty());
  EXPECT_EQ(said.channel, 0U);
  EXPECT_EQ(take_reverse(d.get()).type, 0);

  // In front of a packet of the other direction, and out of it again.
  const Instance back = create(HEADROOM_COMPRESSOR);
  const Instance far = create(HEADROOM_DECOMPRESSOR);
  ASSERT_EQ(give_reverse(back.get(), said.octets, said.type), HEADROOM_OK);
  const Result carried = run_one(back.get(), HEADROOM_COMPRESSOR, build(flow.spec));
  EXPECT_EQ(run_one(far.get(), HEADROOM_DECOMPRESSOR, carried.octets).octets, build(flow.spec));
  const Reverse arrived = take_reverse(far.get());
  EXPECT_EQ(arrived.type, HEADROOM_REVERSE_NEAR);
  EXPECT_EQ(to_hex(arrived.octets), to_hex(said.octets));
  EXPECT_EQ(give_reverse(c.get(), arrived.octets, 7), HEADROOM_ERR_UNSUPPORTED);
  EXPECT_EQ(give_reverse(c.get(), arrived.octets, arrived.type), HEADROOM_OK);
  EXPECT_EQ(statistics_of(c.get())["acks"], 1);
}

TEST(Adapter, Control) {
  const Instance c = create(HEADROOM_COMPRESSOR);
  const Instance d = create(HEADROOM_DECOMPRESSOR);
  char error[200] = "";
  EXPECT_EQ(api().control(c.get(), R"({"signal": "reinitialize"})", error, sizeof error), 1);
  EXPECT_EQ(api().control(d.get(), R"({"mode": "O"})", error, sizeof error), 1);
  EXPECT_EQ(api().control(d.get(), R"({"mode": "U"})", error, sizeof error), 1);
  for (const auto& [i, message] : {std::pair{c.get(), R"({"mode": "O"})"},
                                   {c.get(), R"({"signal": "halt"})"},
                                   {d.get(), R"({"signal": "reinitialize"})"},
                                   {d.get(), R"({"mode": "O", "and": 1})"},
                                   {c.get(), "[]"},
                                   {d.get(), "7"}}) {
    EXPECT_EQ(api().control(i, message, error, sizeof error), 0) << message;
    EXPECT_EQ(std::string(error),
              "understood are {\"signal\": \"reinitialize\"} by a compressor and {\"mode\": \"U\"|\"O\"|\"R\"} by a "
              "decompressor");
  }
  EXPECT_EQ(api().control(d.get(), R"({"mode": "R"})", error, sizeof error), 1);
  EXPECT_EQ(api().control(d.get(), R"({"mode": "L"})", error, sizeof error), 0);
  EXPECT_EQ(std::string(error), "mode \"L\" is not implemented; implemented are \"U\", \"O\" and \"R\"");
  for (const char* broken : {"", "{", "\xfe"}) {
    error[0] = '\0';
    EXPECT_EQ(api().control(c.get(), broken, error, sizeof error), 0) << broken;
    EXPECT_NE(std::string(error), "");
  }
  EXPECT_EQ(api().control(c.get(), nullptr, nullptr, 0), 0);
}

TEST(Adapter, StatisticsCount) {
  const Instance c = create(HEADROOM_COMPRESSOR);
  const Instance d = create(HEADROOM_DECOMPRESSOR);
  const std::vector<Packet> series = telling_series();
  for (const Packet& p : series)
    (void)run_one(d.get(), HEADROOM_DECOMPRESSOR, run_one(c.get(), HEADROOM_COMPRESSOR, p).octets);
  const json s = statistics_of(c.get());
  EXPECT_EQ(s["contexts"], 2);
  EXPECT_GT(s["memory_bytes"], 0);
  EXPECT_EQ(s["new_flows"], 1);
  EXPECT_EQ(s["uncompressed"], 1);
  std::size_t packets = 0;
  for (const auto& [type, count] : s["packets"].items()) packets += count.get<std::size_t>();
  EXPECT_EQ(packets, series.size());
  const json t = statistics_of(d.get());
  EXPECT_EQ(t["delivered"], series.size());
  EXPECT_EQ(t["packets"], s["packets"]);
  EXPECT_EQ(t["events"], json({{"context established", 2}}));
  EXPECT_GT(t["fast_path"], 0);
}

}  // namespace
}  // namespace headroom::rohc
