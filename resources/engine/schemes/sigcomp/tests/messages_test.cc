// SPDX-License-Identifier: Apache-2.0
//
// `messages`: conversations of two endpoints over links that lose, double and cut, literal messages with what is
// expected of them, and jobs that are wrong. `udvm`: an adapter's tools.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/hex.h"
#include "capture/reader.h"
#include "schemes/sigcomp/messages/run.h"
#include "schemes/sigcomp/messages/tool.h"

namespace headroom::sigcomp::messages {
namespace {

constexpr const char* kReference = HEADROOM_LIBRARIES "/reference.so";
constexpr const char* kNull = HEADROOM_LIBRARIES "/null.so";

Json endpoint(const char* library = kReference, const Json& more = Json::object()) {
  Json config = {{"scheme", "sigcomp"}};
  config.update(more);
  return {{"library", library}, {"config", config}};
}

// The peer is taken to have what was sent to it: so that losses do harm.
Json hopeful(const char* transport = "udp") {
  return endpoint(kReference, {{"transport", transport},
                               {"options", {{"mechanism", "stateful-basic"}, {"acknowledgement", "transport"}}}});
}

const std::string kText = "REGISTER sip:example.com SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.1\r\n\r\n";

Json message(const char* from, unsigned compartment = 1, const std::string& text = kText) {
  return {{"from", from}, {"compartment", compartment}, {"text", text}};
}

Json talk(const Json& side, const Json& messages) {
  return {{"endpoints", {{"a", side}, {"b", side}}}, {"messages", messages}};
}

// As text, as the engine gets it.
Json result_of(const Json& job) {
  const Json parsed = parse_json(job.dump());
  return run(read_job(parsed));
}

std::string error_of(const Json& job) {
  try {
    (void)result_of(job);
  } catch (const Error& error) {
    return std::string(error.what()) + " at " + error.where();
  }
  return "no error";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// ---- conversations

TEST(Messages, ComeBackBothWays) {
  const Json result = result_of(talk(hopeful(), {message("a"), message("b"), message("a", 2), message("a")}));
  EXPECT_EQ(result["promise_broken"], nullptr);
  EXPECT_EQ(result["a_to_b"]["verdicts"], Json({{"identical", 3}}));
  EXPECT_EQ(result["b_to_a"]["verdicts"], Json({{"identical", 1}}));
  EXPECT_EQ(result["a_to_b"]["uploads"], 2) << "one for each compartment";
  EXPECT_EQ(result["endpoints"]["a"]["name"], "reference");
  EXPECT_EQ(result["statistics"]["b"]["contexts"], 2);
  const Json& last = result["records"][3];
  EXPECT_EQ(last["verdict"], "identical");
  EXPECT_EQ(last["compressed"]["referred"], last["arrivals"][0]["referred"]);
  EXPECT_EQ(last["arrivals"][0]["accepted"], true);
  EXPECT_GT(last["arrivals"][0]["cycles"].get<int>(), 0);
  EXPECT_FALSE(last["arrivals"][0].contains("output")) << "it is what was sent";
  EXPECT_EQ(last["compressed"]["octets"].get<std::string>().size(),
            2 * last["compressed"]["length"].get<std::size_t>());
}

TEST(Messages, WhatIsNotAskedIsNotTold) {
  const std::vector<Json> messages = {message("a"), message("b"), message("a"), message("a")};
  Json job = talk(hopeful(), messages);
  const Json asked = result_of(job);
  job["details"] = "arrivals";
  const Json result = result_of(job);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Json& compressed = result["records"][i]["compressed"];
    EXPECT_FALSE(compressed.contains("header_length"));
    EXPECT_EQ(compressed["octets"], asked["records"][i]["compressed"]["octets"]) << "asking changes nothing";
    EXPECT_EQ(result["records"][i]["arrivals"], asked["records"][i]["arrivals"]);
  }
}

TEST(Messages, NullIsTheControl) {
  const Json result = result_of(talk(endpoint(kNull), {message("a"), message("b")}));
  EXPECT_EQ(result["a_to_b"]["verdicts"], Json({{"identical", 1}}));
  EXPECT_EQ(result["a_to_b"]["ratio"], 1.0);
  EXPECT_EQ(result["records"][0]["arrivals"][0]["kind"], "plain");
}

TEST(Messages, TheExamplesBytecodeIsUnderstoodByAnotherUdvm) {
  Json job = talk(endpoint(HEADROOM_LIBRARIES "/example-endpoint.so"), {message("a"), message("a")});
  job["endpoints"]["b"] = endpoint();
  const Json result = result_of(job);
  EXPECT_EQ(result["a_to_b"]["verdicts"], Json({{"identical", 2}}));
  EXPECT_EQ(result["records"][1]["arrivals"][0]["kind"], "compressed");
}

TEST(Messages, ALostUploadIsMendedByANack) {
  Json job = talk(hopeful(), {message("a"), message("a"), message("a")});
  job["link"] = {{"a_to_b", {{"drop", {0}}}}};
  const Json result = result_of(job);
  const Json& records = result["records"];
  EXPECT_EQ(records[0]["verdict"], "lost_on_link");
  EXPECT_EQ(records[0]["link"]["fate"], "scripted_drop");
  EXPECT_EQ(records[1]["verdict"], "not_delivered");
  const Json& failed = records[1]["arrivals"][0];
  EXPECT_EQ(failed["reason_name"], "STATE_NOT_FOUND");
  EXPECT_EQ(failed["nacks"][0]["arrived"]["kind"], "nack");
  EXPECT_EQ(failed["nacks"][0]["arrived"]["compartment"], 1);
  EXPECT_EQ(records[2]["verdict"], "identical") << "the bytecode was sent again";
  EXPECT_EQ(result["a_to_b"]["nacks"], Json({{"messages", 1}, {"octets", 33}, {"arrived", 1}, {"answered", 0}}));
  EXPECT_EQ(result["a_to_b"]["reasons"], Json({{"STATE_NOT_FOUND", 1}}));
}

TEST(Messages, WithoutNacksTheCompressorNeverLearns) {
  Json job = talk(hopeful(), {message("a"), message("a"), message("a")});
  job["link"] = {{"a_to_b", {{"drop", {0}}}}, {"nacks", "drop"}};
  const Json result = result_of(job);
  EXPECT_EQ(result["a_to_b"]["verdicts"], Json({{"lost_on_link", 1}, {"not_delivered", 2}}));
  EXPECT_FALSE(result["records"][1]["arrivals"][0]["nacks"][0].contains("arrived"));
}

TEST(Messages, ALostNackIsAsGoodAsNone) {
  Json job = talk(hopeful(), {message("a"), message("a"), message("a")});
  job["link"] = {{"a_to_b", {{"drop", {0}}}}, {"b_to_a", {{"drop", {0}}}}};
  const Json result = result_of(job);
  EXPECT_EQ(result["a_to_b"]["verdicts"], Json({{"lost_on_link", 1}, {"not_delivered", 2}}));
  EXPECT_EQ(result["a_to_b"]["nacks"]["messages"], 2);
  EXPECT_EQ(result["a_to_b"]["nacks"]["arrived"], 1);
}

TEST(Messages, DuplicatesAndDamageAreTold) {
  Json job = talk(endpoint(kNull), {message("a"), message("a")});
  job["link"] = {{"a_to_b", {{"duplicate", 1.0}, {"flip", Json::array({{{"packet", 1}, {"bit", 9}}})}}}};
  const Json result = result_of(job);
  ASSERT_EQ(result["records"][0]["arrivals"].size(), 2u);
  EXPECT_EQ(result["records"][0]["arrivals"][1]["duplicate"], true);
  EXPECT_EQ(result["records"][1]["verdict"], "mismatched");
  EXPECT_EQ(result["records"][1]["link"]["flipped"], Json({9}));
  EXPECT_TRUE(result["records"][1]["arrivals"][0].contains("output"));
}

// An endpoint knows no report of a damaged datagram: with "report" it gets as little as with "drop".
TEST(Messages, NoReportOfDamageReachesAnEndpoint) {
  Json job = talk(endpoint(kNull), {message("a"), message("a")});
  job["link"] = {{"a_to_b",
                  {{"flip", Json::array({{{"packet", 1}, {"bit", 9}}})},
                   {"insert", {{{"before", 0}, {"error", true}}}},
                   {"payload_errors", "report"}}}};
  const Json result = result_of(job);
  EXPECT_EQ(result["a_to_b"]["verdicts"], Json({{"identical", 1}, {"lost_on_link", 1}}));
  EXPECT_EQ(result["inserted"], Json::object());
  EXPECT_TRUE(result["records"][1]["arrivals"].empty());
}

TEST(Messages, TimeIsThatOfTheLinkOrOfTheJob) {
  Json job = talk(endpoint(), {message("a"), message("b"), message("a")});
  job["link"] = {{"a_to_b", {{"delay_ns", 1000}}}, {"b_to_a", {{"delay_ns", 500}}}};
  Json result = result_of(job);
  EXPECT_EQ(result["records"][1]["time_ns"], 1000) << "an answer waits for what it answers";
  EXPECT_EQ(result["records"][2]["time_ns"], 1500);
  EXPECT_EQ(result["duration_ns"], 2500);
  for (unsigned i = 0; i < 3; ++i) job["messages"][i]["time_ns"] = 10 * i;
  result = result_of(job);
  EXPECT_EQ(result["records"][2]["time_ns"], 20);
  EXPECT_EQ(result["records"][2]["arrivals"][0]["time_ns"], 1020);
}

TEST(Messages, AcceptedAfterwardsOrNever) {
  Json job = talk(hopeful(), {message("a"), message("a")});
  for (Json& one : job["messages"]) one["accept"] = "after";
  EXPECT_EQ(result_of(job)["a_to_b"]["verdicts"], Json({{"identical", 2}}));
  for (Json& one : job["messages"]) one["accept"] = "never";
  const Json result = result_of(job);
  EXPECT_EQ(result["records"][0]["arrivals"][0]["accepted"], false);
  EXPECT_EQ(result["records"][1]["verdict"], "not_delivered") << "nothing was kept";
}

TEST(Messages, StreamsInPieces) {
  for (const unsigned piece : {0u, 1u, 7u}) {
    Json job = talk(hopeful("tcp"), {message("a"), message("b"), message("a"), message("a", 2)});
    job["link"] = {{"piece_octets", piece}};
    const Json result = result_of(job);
    EXPECT_EQ(result["a_to_b"]["verdicts"], Json({{"identical", 3}})) << piece;
    EXPECT_EQ(result["b_to_a"]["verdicts"], Json({{"identical", 1}})) << piece;
  }
}

// What is refused for what its source has cost is taken when it is given again.
TEST(Messages, AStreamGoesOnWhereItWasRefused) {
  const Json options = {{"guard", {{"work", {{"per_second", 1000}, {"burst", 1}}}}}};
  Json job = talk(endpoint(kReference, {{"transport", "tcp"}}), {message("a"), message("a"), message("a")});
  job["endpoints"]["b"] = endpoint(kReference, {{"transport", "tcp"}, {"options", options}});
  for (unsigned i = 0; i < 3; ++i) job["messages"][i]["time_ns"] = i;
  Json result = result_of(job);
  EXPECT_EQ(result["a_to_b"]["verdicts"], Json({{"identical", 1}, {"not_delivered", 2}}));
  EXPECT_EQ(result["records"][1]["arrivals"][0]["status"], "ERR_STATE");
  EXPECT_EQ(result["a_to_b"]["unread_octets"], result["records"][1]["compressed"]["length"].get<int>() +
                                                   result["records"][2]["compressed"]["length"].get<int>());
  job["messages"][2]["time_ns"] = 1'000'000'000'000;
  job["messages"].push_back(message("a"));
  job["messages"][3]["time_ns"] = 2'000'000'000'000;
  result = result_of(job);
  EXPECT_EQ(result["records"][1]["verdict"], "identical") << result["records"][1];
  EXPECT_EQ(result["records"][1]["arrivals"].size(), 2u) << "refused, then taken";
  EXPECT_EQ(result["records"][2]["arrivals"][0]["status"], "ERR_STATE") << "the one before it has cost too much";
  EXPECT_EQ(result["records"][2]["verdict"], "identical");
  EXPECT_EQ(result["records"][3]["verdict"], "not_delivered") << "it arrived, and time is over";
  EXPECT_EQ(result["a_to_b"]["unread_octets"], 0) << "the endpoint has them all";
}

// The NACK that answers a damaged NACK belongs to that, and not to the message that comes next.
TEST(Messages, AnAnswerToADamagedNackIsTheNacks) {
  Json job = talk(hopeful(), {message("a"), message("a"), message("b")});
  job["link"] = {{"a_to_b", {{"drop", {0}}}}, {"b_to_a", {{"flip", Json::array({{{"packet", 0}, {"bit", 9}}})}}}};
  const Json result = result_of(job);
  const Json& nack = result["records"][1]["arrivals"][0]["nacks"][0];
  EXPECT_EQ(nack["arrived"]["kind"], "failed") << nack;
  EXPECT_EQ(nack["answers"].size(), 1u) << nack;
  EXPECT_EQ(result["a_to_b"]["nacks"]["answered"], 1);
  EXPECT_EQ(result["records"][2]["verdict"], "identical");
  EXPECT_FALSE(result["records"][2]["arrivals"][0].contains("nacks")) << result["records"][2];
}

TEST(Messages, AnAdapterThatNeverWantsMoreBreaksItsPromise) {
  const Json config = {{"transport", "tcp"}};
  const Json faulty = endpoint(HEADROOM_LIBRARIES "/faulty/faulty_endpoint_never_wants_more.so", config);
  const Json piece = {{"to", "a"}, {"compartment", 0}, {"text", "F8"}};
  const Json alone = {{"endpoints", {{"a", faulty}}}, {"messages", Json::array({piece})}};
  for (const Json& job : {alone, talk(faulty, Json::array({message("a")}))}) {
    const Json broken = result_of(job)["promise_broken"];
    ASSERT_TRUE(broken.is_object());
    EXPECT_EQ(broken["side"], job["endpoints"].contains("b") ? "b" : "a");
    EXPECT_EQ(broken["function"], "drain");
    EXPECT_TRUE(has(broken["sentence"].text(), "does not come to an end")) << broken;
  }
}

TEST(Messages, AMessageOfAStreamComesOutOnce) {
  for (const bool faulty : {false, true}) {
    const char* const library = faulty ? HEADROOM_LIBRARIES "/faulty/faulty_endpoint_gives_each_message_twice.so"
                                       : HEADROOM_LIBRARIES "/faulty/faulty_endpoint_none.so";
    const Json end = endpoint(library, {{"transport", "tcp"}});
    const Json records = result_of(talk(end, Json::array({message("a"), message("b")})))["records"];
    EXPECT_EQ(records[0]["verdict"], faulty ? "mismatched" : "identical");
    ASSERT_EQ(records[0]["arrivals"].size(), faulty ? 2u : 1u);
    EXPECT_EQ(records[0]["arrivals"].back().contains("again"), faulty) << records[0];
  }
}

TEST(Messages, StepsOpenCloseAndControl) {
  const Json steps = {{{"side", "a"}, {"open", 1}},
                      {{"side", "b"}, {"open", 1}, {"settings", {{"state_memory_size", 4096}}}},
                      message("a"),
                      message("a"),
                      {{"side", "a"}, {"control", {{"forget", 1}}}},
                      message("a"),
                      {{"side", "a"}, {"close", 1}},
                      message("a")};
  const Json result = result_of(talk(hopeful(), steps));
  const Json& records = result["records"];
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[1]["compressed"]["code_length"], 0);
  EXPECT_NE(records[2]["compressed"]["code_length"], 0);
  EXPECT_EQ(records[3]["verdict"], "not_compressed");
  EXPECT_EQ(records[3]["compressed"]["status"], "ERR_CHANNEL");
}

TEST(Messages, RepeatsMeasureTime) {
  Json job = talk(endpoint(), {message("a"), message("b")});
  job["repeats"] = 3;
  const Json result = result_of(job);
  EXPECT_GT(result["records"][0]["compress_ns"].get<double>(), 0);
  EXPECT_GT(result["records"][1]["decompress_ns"].get<double>(), 0);
  EXPECT_FALSE(result["records"][0].contains("compress_trials_ns"));
  job["trials"] = true;
  EXPECT_EQ(result_of(job)["records"][0]["compress_trials_ns"].size(), 4u) << "the first run is one of them";
  EXPECT_EQ(result_of(job)["records"][1]["decompress_trials_ns"].size(), 4u);
  job.erase("repeats");
  EXPECT_FALSE(result_of(job)["records"][0].contains("compress_ns"));
}

TEST(Messages, WhatCallsCostIsCounted) {
  const auto growth = [](const std::string& library) {
    const std::string path = HEADROOM_LIBRARIES "/faulty/" + library + ".so";
    Json messages = Json::array();
    for (int i = 0; i < 30; ++i) messages.push_back(message("a"));
    Json job = talk(endpoint(path.c_str()), messages);
    job["costs"] = true;
    const Json result = result_of(job);
    EXPECT_EQ(result["promise_broken"], nullptr);
    const Json& heap = result["costs"]["a"]["heap_octets"];
    EXPECT_EQ(heap.size(), 30u);
    EXPECT_EQ(result["costs"]["a"]["resident_octets"].size(), 30u);
    const auto spent = result["costs"]["a"]["processor_ns"].get<std::vector<std::int64_t>>();
    EXPECT_EQ(spent.size(), 30u);
    EXPECT_GT(spent.front(), 0);
    EXPECT_TRUE(std::is_sorted(spent.begin(), spent.end()));
    return heap[29].get<std::int64_t>() - heap[14].get<std::int64_t>();
  };
  EXPECT_GT(growth("faulty_endpoint_keeps_every_message"), 15 * 16);
  EXPECT_LT(growth("faulty_endpoint_none"), 15 * 16);
  EXPECT_FALSE(result_of(talk(hopeful(), {message("a"), message("a")})).contains("costs")) << "nobody has asked";
}

TEST(Messages, SameJobSameResult) {
  Json job = talk(hopeful(), {});
  for (int i = 0; i < 40; ++i) job["messages"].push_back(message(i % 3 == 0 ? "b" : "a"));
  job["link"] = {{"a_to_b", {{"loss", 0.3}, {"ber", 0.001}, {"reorder", {{"probability", 0.2}}}}}};
  job["seed"] = 7;
  EXPECT_EQ(result_of(job), result_of(job));
}

// ---- literal messages

// OUTPUT of the two octets behind END-MESSAGE: assembled by the reference.
Json assembled(const std::string& source) {
  return run_tool({{"library", kReference}, {"request", {{"tool", "assemble"}, {"source", source}}}});
}

Json literal(const std::string& hex, const Json& expect) {
  Json job = {{"endpoints", {{"a", endpoint()}}},
              {"messages", {{{"to", "a"}, {"compartment", 0}, {"hex", hex}, {"expect", expect}}}}};
  return result_of(job);
}

TEST(Literal, WhatIsExpectedIsMet) {
  const Json program = assembled("at (128) OUTPUT (text, 2) END-MESSAGE (0, 0, 0, 0, 0, 0, 0) :text byte (0x4f, 0x4b)");
  const Json result = literal(program["message"].text(), {{"output", "4f4b"}, {"cycles", 4}, {"kind", "compressed"}});
  EXPECT_EQ(result["records"][0]["verdict"], "met") << result["records"][0];
  EXPECT_EQ(result["literal"]["verdicts"], Json({{"met", 1}}));
}

TEST(Literal, WhatIsNotIsSaid) {
  const Json program = assembled("at (192) DECOMPRESSION-FAILURE");
  const Json met = {{"output", nullptr}, {"reason", "USER_REQUESTED"}, {"opcode", 0}, {"pc", 192}, {"nack", true}};
  EXPECT_EQ(literal(program["message"].text(), met)["records"][0]["differences"], Json::array());
  const Json unmet = {{"output", ""},  {"reason", 2},      {"opcode", 1}, {"pc", 0},
                      {"nack", false}, {"kind", "silent"}, {"cycles", 9}, {"details", "00"}};
  const Json result = literal(program["message"].text(), unmet);
  EXPECT_EQ(result["records"][0]["verdict"], "unmet");
  EXPECT_EQ(result["records"][0]["differences"].size(), 8u) << result["records"][0]["differences"];
  EXPECT_EQ(result["records"][0]["differences"][3],
            "the reason is USER_REQUESTED, where CYCLES_EXHAUSTED was expected");
}

TEST(Literal, WithoutACompartmentNothingIsAccepted) {
  const Json program = assembled("at (128) END-MESSAGE (0, 0, 10, 64, 128, 6, 0)");
  Json job = {{"endpoints", {{"b", endpoint()}}},
              {"messages",
               {{{"to", "b"}, {"hex", program["message"]}},
                {{"to", "b"}, {"hex", program["message"]}, {"compartment", 3}, {"accept", "after"}}}}};
  const Json result = result_of(job);
  EXPECT_EQ(result["records"][0]["verdict"], "unchecked");
  EXPECT_EQ(result["records"][0]["arrivals"][0]["kind"], "silent");
  EXPECT_EQ(result["records"][0]["arrivals"][0]["accepted"], false);
  EXPECT_EQ(result["records"][1]["arrivals"][0]["accepted"], true);
  EXPECT_EQ(result["records"][1]["arrivals"][0]["creations"], 1);
}

TEST(Literal, AStreamIsSeveralMessages) {
  const std::string one = assembled("at (128) OUTPUT (0, 2) END-MESSAGE (0, 0, 0, 0, 0, 0, 0)")["message"].text();
  Json job = {{"endpoints", {{"a", endpoint(kReference, {{"transport", "tcp"}})}}},
              {"messages",
               {{{"to", "a"},
                 {"compartment", 0},
                 {"hex", one + "ffff" + one + "fffff8ff80"},
                 {"expect", {{{"output", "1000"}}, {{"output", "1000"}}, {{"reason", "FRAMING_ERROR"}}}}}}}};
  const Json result = result_of(job);
  EXPECT_EQ(result["records"][0]["differences"], Json::array());
  job["messages"][0]["expect"].erase(2);
  EXPECT_EQ(result_of(job)["records"][0]["differences"].size(), 1u);
}

TEST(Literal, WhatIsRefusedOfAStreamIsCounted) {
  const std::string one = assembled("at (128) OUTPUT (0, 2) END-MESSAGE (0, 0, 0, 0, 0, 0, 0)")["message"].text();
  const Json piece = {{"to", "a"}, {"compartment", 0}, {"hex", one + "ffff"}};
  const Json options = {{"guard", {{"work", {{"per_second", 1000}, {"burst", 1}}}}}};
  const Json result =
      result_of({{"endpoints", {{"a", endpoint(kReference, {{"transport", "tcp"}, {"options", options}})}}},
                 {"messages", {piece, piece}}});
  EXPECT_EQ(result["records"][0]["arrivals"][0]["status"], "OK");
  EXPECT_EQ(result["records"][1]["arrivals"][0]["status"], "ERR_STATE");
  EXPECT_EQ(result["literal"]["unread_octets"], one.size() / 2 + 2);
}

// ---- the capture

TEST(MessagesCapture, HasEachMessageInUdpOrTcp) {
  for (const char* transport : {"udp", "tcp"}) {
    const std::string path = testing::TempDir() + "messages_" + transport + ".pcapng";
    Json job = talk(hopeful(transport), {message("a"), message("b")});
    job["outputs"] = {{"link", path}};
    const Json result = result_of(job);
    const headroom::Capture capture = read_capture(path, {});
    ASSERT_EQ(capture.packets.size(), 2u);
    const bool tcp = transport == std::string("tcp");
    for (std::size_t i = 0; i < 2; ++i) {
      const OctetView ip = capture.packets[i].octets;
      EXPECT_EQ(checksum_fold(checksum_add(0, ip.first(20))), 0xFFFF);
      EXPECT_EQ(ip[9], tcp ? 6 : 17);
      const OctetView segment = ip.subspan(20);
      std::uint32_t sum = checksum_add(0, ip.subspan(12, 8)) + ip[9] + static_cast<std::uint32_t>(segment.size());
      EXPECT_EQ(checksum_fold(checksum_add(sum, segment)), 0xFFFF);
      EXPECT_EQ(load16(&segment[0]), 5060);
      EXPECT_EQ(to_hex(segment.subspan(tcp ? 20 : 8)), result["records"][i]["compressed"]["octets"].get<std::string>());
    }
    std::remove(path.c_str());
  }
}

TEST(MessagesCapture, SetsPacketsApartBetweenWhichNoTimePasses) {
  const std::string path = testing::TempDir() + "messages_times.pcapng";
  Json job = talk(endpoint(), {message("a"), message("b"), message("a"), message("a")});
  job["outputs"] = {{"link", path}};
  job["messages"][3]["time_ns"] = 5'000'000;
  (void)result_of(job);
  std::vector<std::uint64_t> times;
  for (const auto& packet : read_capture(path, {}).packets) times.push_back(packet.time_ns);
  EXPECT_EQ(times, (std::vector<std::uint64_t>{0, 1'000'000, 2'000'000, 7'000'000}));
  std::remove(path.c_str());
}

// ---- jobs that are wrong

TEST(MessagesJob, MistakesNameTheirPlace) {
  const Json good = talk(endpoint(), Json::array({message("a")}));
  const auto with = [&](const char* pointer, const Json& value) {
    Json job = good;
    job.at_pointer(pointer) = value;
    return error_of(job);
  };
  EXPECT_TRUE(has(with("/endpoints", Json::object()), "name an endpoint")) << with("/endpoints", Json::object());
  EXPECT_TRUE(has(with("/messages/0/from", "c"), "/messages/0/from"));
  EXPECT_TRUE(has(with("/messages/0/hex", "00"), "as \"text\" or as \"hex\""));
  EXPECT_TRUE(has(with("/messages/0/text", ""), "at least one octet"));
  EXPECT_TRUE(has(with("/messages/0/compartment", nullptr), "for a \"compartment\""));
  EXPECT_TRUE(has(with("/messages/0/expect", Json::object()), "expect"));
  EXPECT_TRUE(has(with("/messages/0", {{"side", "a"}}), "\"control\""));
  EXPECT_TRUE(has(with("/messages/0", {{"side", "a"}, {"close", 9}}), "no such compartment"));
  EXPECT_TRUE(has(with("/messages/0", {{"to", "a"}, {"hex", "00"}, {"expect", {{"reason", "BAD"}}}}), "RFC 4077"));
  EXPECT_TRUE(has(with("/link", {{"piece_octets", 5}}), "tcp"));
  EXPECT_TRUE(has(with("/endpoints/b/config/transport", "tcp"), "same \"transport\""));
  EXPECT_TRUE(has(with("/endpoints/a/config/cycles_per_bit", 5), "power of two"));
  EXPECT_TRUE(has(with("/endpoints/a/config/scheme", "rohc"), "offers no endpoint"));
  EXPECT_TRUE(has(with("/compartments", {{{"number", 1}}, {{"number", 1}}}), "already"));
  EXPECT_TRUE(has(with("/compartments", {{{"number", 1}, {"b", {{"x", 1}}}}}), "unknown key"));
  Json stream = talk(hopeful("tcp"), Json::array({message("a")}));
  stream["link"] = {{"a_to_b", {{"loss", 0.1}}}};
  EXPECT_TRUE(has(error_of(stream), "neither loses"));
  Json late = talk(endpoint(), {message("a"), message("a")});
  late["messages"][0]["time_ns"] = 5;
  late["messages"][1]["time_ns"] = 4;
  EXPECT_TRUE(has(error_of(late), "order of their times"));
  Json alone = good;
  alone["endpoints"].erase("b");
  EXPECT_TRUE(has(error_of(alone), "both endpoints"));
}

// ---- tools

TEST(Udvm, AnswersAreTheAdapters) {
  EXPECT_EQ(assembled("at (128) END-MESSAGE (0, 0, 0, 0, 0, 0, 0)")["code"], "23");
  EXPECT_TRUE(assembled("nonsense").contains("error"));
  const Json job = {{"library", kNull}, {"request", Json::object()}};
  EXPECT_THROW((void)run_tool(job), Error);
}

}  // namespace
}  // namespace headroom::sigcomp::messages
