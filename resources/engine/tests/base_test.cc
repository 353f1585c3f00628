// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/cycles.h"
#include "base/hex.h"
#include "base/histogram.h"
#include "base/json_reader.h"
#include "base/octets.h"
#include "base/process.h"
#include "base/random.h"
#include "base/sha256.h"
#include "base/usual.h"

namespace headroom {
namespace {

// ---- randomness: the values are part of what a seed means

TEST(Random, Mix64IsSplitMix64) {
  // The first outputs of SplitMix64 with the seed 1234567, as published with its reference code.
  EXPECT_EQ(draw_at(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(draw_at(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(draw_at(1234567, 2), 9817491932198370423u);
}

TEST(Random, XoshiroFollowsItsDefinition) {
  // An independent transcription of the reference code, seeded the same way.
  std::uint64_t s[4];
  for (std::uint64_t i = 0; i < 4; ++i) s[i] = draw_at(42, i);
  Xoshiro256 random(42);
  for (int i = 0; i < 1000; ++i) {
    const auto rotl = [](std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
    const std::uint64_t expected = rotl(s[1] * 5, 7) * 9;
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    ASSERT_EQ(random.next(), expected);
  }
}

TEST(Random, ChanceKeepsItsProbability) {
  Xoshiro256 random(1);
  for (const double p : {0.001, 0.1, 0.5, 0.999}) {
    const Chance chance(p);
    int hits = 0;
    constexpr int kDraws = 1'000'000;
    for (int i = 0; i < kDraws; ++i) hits += chance.happens(random.next()) ? 1 : 0;
    EXPECT_NEAR(hits, p * kDraws, 5 * std::sqrt(p * (1 - p) * kDraws)) << p;
  }
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(Chance(0).happens(random.next()));
    EXPECT_TRUE(Chance(1).happens(random.next()));
  }
  EXPECT_TRUE(Chance(1).happens(~std::uint64_t{0}));
}

TEST(Random, UniformStaysInRangeAndReachesItsEnds) {
  Xoshiro256 random(2);
  for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{6}, std::uint64_t{1000}}) {
    std::vector<int> seen(limit + 1);
    for (int i = 0; i < 20'000; ++i) ++seen.at(uniform(limit, [&] { return random.next(); }));
    EXPECT_GT(seen.front(), 0);
    EXPECT_GT(seen.back(), 0);
  }
}

TEST(Random, ExponentialHasItsMeanAndMatchesTheLogarithm) {
  Xoshiro256 random(3);
  double sum = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t draw = random.next();
    const std::uint64_t value = exponential(draw, 1'000'000);
    sum += static_cast<double>(value);
    const double expected = -std::log((static_cast<double>(draw) + 1) / 0x1p64) * 1e6;
    ASSERT_NEAR(static_cast<double>(value), expected, 2 + expected * 1e-6);
  }
  EXPECT_NEAR(sum / kDraws, 1e6, 1e6 * 5 / std::sqrt(kDraws));
}

// ---- octets and checksums

TEST(Octets, ChecksumOfRfc1071Example) {
  const Octets example = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};  // RFC 1071, 3
  EXPECT_EQ(checksum_fold(checksum_add(0, example)), 0xddf2);
}

TEST(Octets, UpdatedChecksumEqualsTheWholeOne) {
  Xoshiro256 random(4);
  for (int i = 0; i < 100'000; ++i) {
    Octets header(20);
    for (std::uint8_t& octet : header) octet = static_cast<std::uint8_t>(random.next());
    header[0] = 0x45;  // never all zero, as no IP header is
    const std::uint16_t before = checksum_finish(checksum_add(0, header));
    const std::size_t at = 2 * (1 + random.next() % 9);
    const std::uint16_t old = load16(&header[at]);
    const auto now = static_cast<std::uint16_t>(i % 3 == 0 ? 0xFFFF : i % 3 == 1 ? 0 : random.next());
    store16(&header[at], now);
    ASSERT_EQ(checksum_update(before, word_delta(old, now)), checksum_finish(checksum_add(0, header)));
  }
}

TEST(Octets, LoadsAndStoresAreInverse) {
  std::uint8_t octets[8];
  store64(octets, 0x0102030405060708u);
  EXPECT_EQ(octets[0], 1);
  EXPECT_EQ(load64(octets), 0x0102030405060708u);
  EXPECT_EQ(load32(octets + 2), 0x03040506u);
  EXPECT_EQ(load16(octets + 6), 0x0708);
}

TEST(Hex, GoesBothWays) {
  EXPECT_EQ(to_hex(Octets{0x00, 0xab, 0xff}), "00abff");
  EXPECT_EQ(from_hex("00AB ff\n"), (Octets{0x00, 0xab, 0xff}));
  EXPECT_EQ(from_hex("0"), std::nullopt);
  EXPECT_EQ(from_hex("0g"), std::nullopt);
  EXPECT_EQ(from_hex(""), Octets{});
}

TEST(Sha256, VectorsOfFips180) {
  const auto digest = [](const std::string& text) {
    Sha256 hash;
    hash.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    return hash.finish();
  };
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// ---- histogram

TEST(Histogram, EdgesAreWithinOnePercent) {
  Xoshiro256 random(5);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t value = random.next() >> (17 + i % 47);
    const std::uint64_t edge = Histogram::upper_edge(Histogram::index_of(value));
    ASSERT_GE(edge, value);
    ASSERT_LE(static_cast<double>(edge - value), static_cast<double>(value) * 0.01) << value;
    ASSERT_EQ(Histogram::index_of(edge), Histogram::index_of(value));
    ASSERT_EQ(Histogram::index_of(edge + 1), Histogram::index_of(value) + 1);
  }
}

TEST(Histogram, QuantilesOfKnownValues) {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 100; ++value) histogram.record(value);
  histogram.record(100'000, 0);
  EXPECT_EQ(histogram.total(), 100u);
  EXPECT_EQ(histogram.quantile(0.5), 50u);
  EXPECT_EQ(histogram.quantile(0.99), 99u);
  EXPECT_EQ(histogram.quantile(1), 100u);
  histogram.record(~std::uint64_t{0});  // beyond the range: counted in the last bucket
  EXPECT_EQ(histogram.total(), 101u);
  EXPECT_EQ(histogram.largest(), ~std::uint64_t{0});
}

TEST(Histogram, WeightsCount) {
  Histogram histogram;
  histogram.record(10, 99);
  histogram.record(1000, 1);
  EXPECT_EQ(histogram.quantile(0.99), 10u);
  EXPECT_EQ(histogram.quantile(0.999), 1000u);
}

// ---- JSON

TEST(Json, AListOfPairsThatBeginWithATextIsAnObject) {
  const std::vector<double> loads = {0.5, 1};
  const std::map<std::string, int> counts = {{"lost", 2}};
  const Json json = {{"flows", 2u},      {"delay", -1},  {"octets", {1, 2}}, {"loads", loads},
                     {"counts", counts}, {"idle", true}, {"core", nullptr}};
  EXPECT_EQ(json.dump(), R"({"flows":2,"delay":-1,"octets":[1,2],"loads":[0.5,1.0],"counts":{"lost":2},)"
                         R"("idle":true,"core":null})");
  EXPECT_EQ(Json({{"a", 1}, {"b", 2}, 3}).dump(), R"([["a",1],["b",2],3])");
  EXPECT_EQ(Json({9}).dump(), "[9]");
  EXPECT_EQ(Json::array({{"a", 1}}).dump(), R"([["a",1]])");
  EXPECT_EQ(Json::object().dump() + Json::array().dump() + Json().dump(), "{}[]null");
  EXPECT_EQ(Json({{"a", {1}}, {"b", Json::array()}}).dump(1), "{\n \"a\": [\n  1\n ],\n \"b\": []\n}");
}

TEST(Json, WritesWhatItReads) {
  for (const std::string text :
       {R"([0,-1,18446744073709551615,-9223372036854775808,0.1,1e+300,"\"\\\n\u0001é",true,false,null,{},[]])",
        R"({"z":1,"a":{"":[[]]}})", R"("top")"})
    EXPECT_EQ(parse_json(text).dump(), text);
  EXPECT_EQ(Json("\xff!").dump(), "\"\xef\xbf\xbd!\"") << "what is not UTF-8 becomes U+FFFD";
}

TEST(Json, MembersKeepTheirOrderAndCanGo) {
  Json json = parse_json(R"({"b": 1, "a": [1, 2, 3]})");
  json["c"] = "new";
  json["a"].erase(1);
  json.erase("b");
  json.erase("absent");
  json.update({{"a", 5}, {"d", 6}});
  EXPECT_EQ(json.dump(), R"({"a":5,"c":"new","d":6})");
  std::string keys;
  for (const auto& [key, value] : json.items()) keys += key + (value.is_number() ? "#" : "");
  EXPECT_EQ(keys, "a#cd#");
  EXPECT_EQ(json.value("d", 0u), 6u);
  EXPECT_EQ(json.value("e", "otherwise"), "otherwise");
  const Json& fixed = json;
  EXPECT_THROW((void)fixed["e"], std::out_of_range);
  EXPECT_THROW((void)json["c"]["e"], std::invalid_argument);
  EXPECT_THROW((void)json["c"].get<int>(), std::invalid_argument);
}

TEST(Json, FollowsPointersOfRfc6901) {
  Json json = parse_json(R"({"a/b": [10, {"m~n": 8}], "": 0})");
  EXPECT_EQ(*json.find_pointer("/a~1b/1/m~0n"), 8);
  EXPECT_EQ(*json.find_pointer("/"), 0);
  EXPECT_EQ(json.find_pointer(""), &json);
  for (const char* absent : {"/a~1b/2", "/a~1b/x", "/a~1b/99999999999999999999", "/a", "//x"})
    EXPECT_EQ(json.find_pointer(absent), nullptr) << absent;
  json.at_pointer("/new/x") = 1;
  EXPECT_EQ(json["new"], Json({{"x", 1}}));
}

TEST(Json, NumbersAreComparedByTheirValues) {
  EXPECT_EQ(Json(2u), 2.0);
  EXPECT_EQ(Json(-1), -1.0);
  EXPECT_NE(Json(-1), Json(~std::uint64_t{0}));
  EXPECT_LT(Json(-1), Json(~std::uint64_t{0}));
  EXPECT_GT(Json(1.5), 1);
  EXPECT_LT(Json("a"), "b");
  EXPECT_NE(Json(true), 1);
  EXPECT_NE(Json({{"a", 1}, {"b", 2}}), Json({{"b", 2}, {"a", 1}})) << "their order counts";
}

std::string error_of(const std::string& text, void (*read)(const Value&)) {
  try {
    const Json json = parse_json(text);
    read(Value(json, ""));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::job);
    return error.where() + ": " + error.what();
  }
  return "no error";
}

TEST(JsonReader, NamesThePlaceOfAMistake) {
  const auto read = [](const Value& value) {
    Object object(value);
    for (const Value& item : object.required("list").items()) {
      Object entry(item);
      (void)entry.required("p").probability();
      (void)entry.integer("n", 1, 10, 1);
      entry.finish();
    }
    object.finish();
  };
  EXPECT_EQ(error_of(R"({"list": [{"p": 0.5}, {"p": 0.1, "n": 3}]})", read), "no error");
  EXPECT_EQ(error_of(R"({"list": [{"p": 0.5}, {"p": 1.5}]})", read),
            "/list/1/p: a number from 0 to 1 is expected here, not 1.5.");
  EXPECT_EQ(error_of(R"({"list": [{"p": 0.5, "n": 11}]})", read),
            "/list/0/n: an integer from 1 to 10 is expected here, not 11.");
  EXPECT_EQ(error_of(R"({"list": [{"p": 0.5, "n": -1}]})", read),
            "/list/0/n: an integer from 1 to 10 is expected here, not -1.");
  EXPECT_EQ(error_of(R"({"list": [{"p": 0.5, "n": 2.0}]})", read),
            "/list/0/n: an integer from 1 to 10 is expected here, not 2.0.");
  EXPECT_EQ(error_of(R"({"list": [{"p": "x"}]})", read),
            "/list/0/p: a number from 0 to 1 is expected here, not \"x\".");
  EXPECT_EQ(error_of(R"({"list": [{"p": 0, "q": 1}]})", read),
            "/list/0/q: the key \"q\" is unknown here; known are: n, p.");
  EXPECT_EQ(error_of(R"({"list": [{}]})", read), "/list/0: the key \"p\" is missing here.");
  EXPECT_EQ(error_of(R"({"list": {}})", read), "/list: a list is expected here, not an object.");
  EXPECT_EQ(error_of("[]", read), ": an object is expected here, not a list.");
  EXPECT_EQ(error_of(R"({"list": [], "a/b~c": 1})", read),
            "/a~1b~0c: the key \"a/b~c\" is unknown here; known are: list.");
}

TEST(JsonReader, RefusesWhatIsNotStrictJson) {
  const auto read = [](const Value&) {};
  EXPECT_NE(error_of("{\n  \"a\": 1,\n  \"a\": 2}", read).find("\"a\" is given twice"), std::string::npos);
  EXPECT_NE(error_of("{\n  \"a\": }", read).find("line 2"), std::string::npos);
  EXPECT_NE(error_of("", read).find("not JSON"), std::string::npos);
  EXPECT_NE(error_of("\"\xff\"", read).find("not JSON"), std::string::npos);
  EXPECT_NE(error_of("1e999", read).find("not JSON"), std::string::npos);
  EXPECT_NE(error_of(std::string(100'000, '['), read).find("levels deep"), std::string::npos);
  EXPECT_EQ(error_of(R"({"a": {"b": 1}, "b": 1})", read), "no error");
}

// ---- the machine

TEST(Process, ReadsTheLineOfACore) {
  const std::string stat =
      "cpu  10 20 30 40 50 60 70 80 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu1 11 12 13 14 15 16 17 18 0 0\ncpu10 1\nintr "
      "5\n";
  const auto core = parse_core_jiffies(stat, 1);
  ASSERT_TRUE(core);
  EXPECT_EQ(core->user, 11u);
  EXPECT_EQ(core->idle, 14u);
  EXPECT_EQ(core->steal, 18u);
  EXPECT_FALSE(parse_core_jiffies(stat, 2));
  EXPECT_FALSE(parse_core_jiffies(stat, 10));  // too short
  EXPECT_TRUE(read_core_jiffies(current_core()));
}

TEST(Process, RefusesACoreThatIsNotOurs) {
  try {
    pin_to_core(1000, "/core");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "/core");
  }
  EXPECT_THROW(pin_to_core(100'000'000, "/core"), Error);
}

TEST(Cycles, RunAtAPlausibleRate) {
  const Cycles cycles;
  const double hz = cycles.measured_hz(20'000'000);
  EXPECT_GT(hz, 1e8);
  EXPECT_LT(hz, 1e11);
  EXPECT_LT(cycles.cost_of_reading(), 10'000);
  const Cycles clock(false);
  EXPECT_EQ(clock.measured_hz(), 1e9);
  const std::uint64_t before = clock.now();
  EXPECT_GE(clock.now(), before);
}

TEST(Usual, WorkOfManyThatIsDoneInFewCounts) {
  EXPECT_EQ(usual_ns({}, 10), 0);
  EXPECT_EQ(usual_ns({200, 205, 9000, 195, 210}, 0), 205) << "the processor time is not known";
  EXPECT_EQ(usual_ns({200, 205, 9000, 195, 210}, 220), 205) << "another program interrupted one";
  EXPECT_EQ(usual_ns({15, 15, 1000, 15, 15}, 212), 212);
}

}  // namespace
}  // namespace headroom
