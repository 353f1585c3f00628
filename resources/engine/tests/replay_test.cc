// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/hex.h"
#include "capture/reader.h"
#include "replay/compare.h"
#include "replay_jobs.h"
#include "schemes/scheme.h"

namespace headroom::replay {
namespace {

// ---- comparing

TEST(Compare, OnlyPayloadBitsAreExpectedFlipped) {
  const Octets original = *from_hex("aabbccdd 010203");
  // On the link: two octets of header, three of payload. Bit 5 is header, bit 16 the first bit of the payload, bit 39
  // its last.
  EXPECT_EQ(with_flipped_payload(original, 5, 2, {5, 16, 39}), *from_hex("aabbccdd 810202"));
  EXPECT_EQ(first_difference(*from_hex("0102"), *from_hex("0102")), std::nullopt);
  EXPECT_EQ(first_difference(*from_hex("0102"), *from_hex("010203")), 2u);
  EXPECT_EQ(first_difference(*from_hex("0102"), *from_hex("0002")), 0u);
}

// ---- verdicts

TEST(Replay, NullDeliversEverythingIdentical) {
  const Json result = run_job(job_with(kNull, 1000, 7));
  EXPECT_EQ(result["forward"]["verdicts"]["identical"], 1000);
  EXPECT_EQ(result["forward"]["compressor"]["statuses"]["OK"], 1000);
  EXPECT_EQ(result["forward"]["compressor"]["header_length"]["min"], 40);
  EXPECT_EQ(result["forward"]["link"]["octets"], 71'000);
  EXPECT_TRUE(result["promise_broken"].is_null());
  EXPECT_EQ(result["compressor"]["sha256"].get<std::string>().size(), 64u);
}

TEST(Replay, DurationAndBandwidthAreOverTheSource) {
  const Json result = run_job(job_with(kNull, 6000));
  EXPECT_EQ(result["forward"]["source"]["duration_ns"], 120'000'000'000);
  EXPECT_NEAR(result["forward"]["link"]["bandwidth_bps"].get<double>(), 71 * 8 * 50, 0.01);
}

TEST(Replay, BitErrorsInPayloadAreExpectedAndInHeadersCounted) {
  Json job = job_with(kNull, 5000);
  job["link"]["forward"] = {{"ber", 0.001}};
  const Json dropped = run_job(job);
  const double header_ok = std::pow(0.999, 320);
  EXPECT_NEAR(dropped["forward"]["verdicts"]["identical"].get<double>(), 5000 * header_ok, 160);
  EXPECT_EQ(dropped["forward"]["verdicts"]["mismatched"], 0);
  EXPECT_EQ(dropped["forward"]["verdicts"]["lost_on_link"], dropped["forward"]["link"]["lost"]["header_error"]);
  EXPECT_GT(dropped["forward"]["link"]["damaged_delivered"], 0);
  // Delivered in spite of damaged headers: an adapter that copies cannot notice.
  job["link"]["forward"]["header_errors"] = "deliver";
  const Json delivered = run_job(job);
  EXPECT_EQ(delivered["forward"]["verdicts"]["identical"], dropped["forward"]["verdicts"]["identical"]);
  EXPECT_EQ(delivered["forward"]["verdicts"]["mismatched"], dropped["forward"]["verdicts"]["lost_on_link"]);
  EXPECT_EQ(delivered["forward"]["mismatches"], delivered["forward"]["verdicts"]["mismatched"]);
  EXPECT_LT(delivered["forward"]["mismatch_list"][0]["first_difference"], 40);
}

TEST(Replay, EachPacketHasOneVerdict) {
  Json job = job_with(kNull, 2000);
  job["link"]["forward"] = {{"loss", 0.1},
                            {"duplicate", 0.2},
                            {"reorder", {{"probability", 0.2}, {"depth", 3}}},
                            {"ber", 0.0005},
                            {"header_errors", "deliver"},
                            {"delay_ns", 1'000'000},
                            {"jitter_ns", 90'000'000}};
  const Json verdicts = run_job(job)["forward"]["verdicts"];
  std::uint64_t sum = 0;
  for (const auto& [name, count] : verdicts.items()) sum += count.is_number() ? count.get<std::uint64_t>() : 0;
  EXPECT_EQ(sum, 2000u);
  EXPECT_EQ(verdicts["not_run"], 0);
}

TEST(Replay, AMismatchIsShownWithBothPackets) {
  Json job = job_with(faulty("spoils_an_octet"), 20);
  job["records"] = "failures";
  const Json forward = run_job(job)["forward"];
  EXPECT_EQ(forward["verdicts"]["mismatched"], 20);
  const Json& first = forward["mismatch_list"][0];
  EXPECT_EQ(first["packet"], 0);
  EXPECT_EQ(first["first_difference"], 70);
  EXPECT_EQ(first["expected"].get<std::string>().size(), 142u);
  EXPECT_NE(first["expected"], first["got"]);
  EXPECT_EQ(forward["mismatch_list"].size(), 16u);
}

TEST(Replay, WithoutACompressorExpectedIsWhatMustComeOut) {
  const Json packets = {{{"hex", "4501"}}, {{"hex", "4502"}}, {{"hex", "4503"}}, {{"hex", "4504"}}, {{"hex", ""}}};
  Json job = {{"decompressor", adapter(kNull)},
              {"source", {{"packets", packets}}},
              {"expected", {{"packets", {{{"hex", "4501"}}, {{"hex", "45ff"}}, nullptr}}}},
              {"records", "all"}};
  const Json result = run_job(job);
  const Json& verdicts = result["forward"]["verdicts"];
  EXPECT_EQ(verdicts["identical"], 1);
  EXPECT_EQ(verdicts["mismatched"], 1);
  EXPECT_EQ(verdicts["unexpected"], 2);  // one is null, one missing
  EXPECT_EQ(verdicts["withheld"], 1);    // the empty packet
  EXPECT_EQ(result["records"][4]["verdict"], "withheld");
  EXPECT_EQ(result["records"][4]["decompressor"][0]["status"], "ERR_MALFORMED");
  EXPECT_FALSE(result["forward"].contains("compressor"));
  job.erase("expected");
  EXPECT_EQ(run_job(job)["forward"]["verdicts"]["delivered"], 4);
}

TEST(Replay, WithoutADecompressorTheRunEndsAtTheLink) {
  Json job = job_with(kNull, 10);
  job.erase("decompressor");
  job["link"]["forward"] = {{"drop", {3}}};
  const Json forward = run_job(job)["forward"];
  EXPECT_EQ(forward["verdicts"]["sent"], 9);
  EXPECT_EQ(forward["verdicts"]["lost_on_link"], 1);
}

TEST(Replay, InsertedPacketsAreKeptApart) {
  Json job = job_with(kNull, 5);
  job["link"]["forward"] = {{"insert", {{{"before", 2}, {"hex", "abcd"}}, {{"before", 5}, {"hex", "ef"}}}}};
  job["records"] = "all";
  const Json result = run_job(job);
  EXPECT_EQ(result["forward"]["verdicts"]["identical"], 5);
  EXPECT_EQ(result["forward"]["inserted"]["delivered"], 2);
  EXPECT_EQ(result["forward"]["mismatches"], 2);
  EXPECT_TRUE(result["forward"]["mismatch_list"][0]["packet"].is_null());
  EXPECT_EQ(result["records"].size(), 7u);
}

TEST(Replay, ABrokenPromiseEndsTheRunInOrder) {
  for (const auto& [fault, words] :
       {std::pair<const char*, const char*>{"claims_too_many_octets", "octets of output in a buffer"},
        {"claims_success_without_octets", "no octet of output"},
        {"has_a_status_of_its_own", "status 77"},
        {"has_a_detail_without_name", "packet_type 200"},
        {"handles_nothing", "there is at least one"},
        {"drains_for_ever", "never comes to an end"},
        {"changes_the_callers_fields", "caller's to fill"}}) {
    const Json result = run_job(job_with(faulty(fault), 20));
    const Json& broken = result["promise_broken"];
    ASSERT_FALSE(broken.is_null()) << fault;
    EXPECT_NE(broken["message"].get<std::string>().find(words), std::string::npos) << broken;
    EXPECT_EQ(broken["side"], "compressor");
    EXPECT_EQ(broken["packet"], 0);
    EXPECT_EQ(result["forward"]["verdicts"]["not_run"], 20);
  }
  Json job = job_with(faulty("claims_too_much_feedback"), 20);
  job["link"]["feedback"] = {{"path", "own"}};
  const Json result = run_job(job);
  EXPECT_EQ(result["promise_broken"]["function"], "take_reverse");
  EXPECT_EQ(result["forward"]["verdicts"]["identical"], 10);
}
TEST(Replay, AnExceptionOfAnAdapterIsABrokenPromiseAndNoDefectOfTheEngine) {
  Json job = job_with(faulty("throws_on_garbage"), 3);
  job["source"] = {{"packets", {{{"hex", "45"}}, {{"hex", "ff"}}, {{"hex", "45"}}}}};
  const Json result = run_job(job);
  EXPECT_EQ(result["promise_broken"]["message"],
            "it let an exception out, which must not cross the ABI: garbage came in.");
  EXPECT_EQ(result["promise_broken"]["function"], "compress");
  EXPECT_EQ(result["promise_broken"]["packet"], 1);
  EXPECT_EQ(result["forward"]["verdicts"]["not_run"], 2);
}

TEST(Adapter, AnExceptionOfAnyFunctionIsToldAsTheAdapters) {
  for (const auto& thrower :
       {+[]() -> std::size_t { throw std::runtime_error("no text today"); }, +[]() -> std::size_t { throw 7; }}) {
    try {
      (void)fetch_text("describe", [&](char*, std::size_t) { return thrower(); });
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::adapter);
      EXPECT_TRUE(std::string(error.what()).starts_with("the adapter's describe broke a promise: it let an exception"))
          << error.what();
    }
  }
}

// ---- determinism and bursts

TEST(Replay, CallsAreTimedWhenAskedAndNothingElseChanges) {
  Json job = job_with(kNull, 200);
  const Json plain = run_job(job);
  EXPECT_FALSE(plain["forward"]["compressor"].contains("ns_per_packet"));
  job["timing"] = true;
  Json timed = run_job(job);
  for (const char* side : {"compressor", "decompressor"}) {
    ASSERT_TRUE(timed["forward"][side]["ns_per_packet"].is_number()) << timed["forward"][side].dump();
    EXPECT_GE(timed["forward"][side]["ns_per_packet"].get<double>(), 0);
    EXPECT_LT(timed["forward"][side]["ns_per_packet"].get<double>(), 1e6);
    timed["forward"][side].erase("ns_per_packet");
  }
  EXPECT_GT(timed["cpu_ns"].get<double>(), 0);
  EXPECT_LT(timed["other_threads_cpu_ns"].get<double>(), 1e6);
  for (const char* name : {"cpu_ns", "other_threads_cpu_ns"}) timed.erase(name);
  EXPECT_EQ(timed, plain);
  job["source"] = {{"packets", Json::array()}};
  EXPECT_TRUE(run_job(job)["forward"]["compressor"]["ns_per_packet"].is_null());
  job["timing"] = 1;
  EXPECT_NE(job_error(job, ErrorKind::job).find("/timing"), std::string::npos);
}

TEST(Replay, SameSeedSameOctetsOnTheLink) {
  Json job = job_with(kNull, 300, 3);
  job["records"] = "all";
  job["link"]["forward"] = {{"loss", 0.1}, {"ber", 0.001}, {"jitter_ns", 5'000'000}};
  const Json first = run_job(job);
  EXPECT_EQ(first.dump(), run_job(job).dump());
  job["seed"] = 6;
  EXPECT_NE(first["records"].dump(), run_job(job)["records"].dump());
}

TEST(Replay, BurstsChangeNothingForAnAdapterWithoutFeedback) {
  Json job = job_with(kNull, 1000, 5);
  job["link"]["forward"] = {{"loss", 0.1}, {"drop", {5, 6}}};
  const Json one = run_job(job);
  job["burst"] = 32;
  const Json many = run_job(job);
  EXPECT_EQ(one["forward"]["verdicts"], many["forward"]["verdicts"]);
  EXPECT_EQ(one["forward"]["link"]["octets"], many["forward"]["link"]["octets"]);
}

TEST(Replay, FlowsSpreadOverChannels) {
  Json job = job_with(kNull, 100, 50);
  for (const char* side : {"compressor", "decompressor"}) job[side]["config"]["channels"] = 4;
  job["records"] = "all";
  const Json result = run_job(job);
  for (const Json& record : result["records"]) EXPECT_EQ(record["channel"], record["flow"].get<unsigned>() / 16 % 4);
  EXPECT_EQ(result["forward"]["verdicts"]["identical"], 100);
}

// ---- captures

#ifdef HEADROOM_CAPTURES

TEST(Replay, WritesWhatItSawAndReadsItAgain) {
  std::string folder = ::testing::TempDir() + "headroom-replay-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  Json job = job_with(kTalker, 100);
  job["reverse"] = true;
  job["link"] = {{"forward", {{"loss", 0.2}}}, {"feedback", {{"path", "interspersed"}}}};
  job["outputs"] = {
      {"source", folder + "/s.pcapng"}, {"link", folder + "/l.pcapng"}, {"decompressed", folder + "/d.pcapng"}};
  const Json result = run_job(job);
  EXPECT_EQ(read_capture(folder + "/s.pcapng", {}).packets.size(), 200u);
  EXPECT_EQ(read_capture(folder + "/d.pcapng", {}).packets.size(),
            100 + result["forward"]["verdicts"]["identical"].get<std::size_t>());
  CaptureFilter link;
  link.link = find_scheme("rohc")->framing;
  EXPECT_EQ(read_capture(folder + "/l.pcapng", link).packets.size(),
            result["forward"]["link"]["packets"].get<std::size_t>() +
                result["reverse"]["link"]["packets"].get<std::size_t>());
  // What one side sent, given to a decompressor alone.
  const Json again = {{"decompressor", adapter(kTalker)},
                      {"source", {{"capture", folder + "/l.pcapng"}, {"source_mac", "02:00:00:00:00:0a"}}}};
  EXPECT_EQ(run_job(again)["forward"]["verdicts"]["delivered"], 100);
  // And the source as the source.
  Json replayed = job_with(kNull);
  replayed["source"] = {{"capture", folder + "/s.pcapng"}};
  EXPECT_EQ(run_job(replayed)["forward"]["verdicts"]["identical"], 200);
  std::filesystem::remove_all(folder);
}

#endif

TEST(Replay, AFullDiskIsAnError) {
  Json job = job_with(kNull, 1000);
  job["outputs"] = {{"link", "/dev/full"}};
  EXPECT_NE(job_error(job, ErrorKind::output).find("/dev/full"), std::string::npos);
}

TEST(Replay, PppAsTheEncapsulationOfTheLink) {
  std::string pattern = ::testing::TempDir() + "headroom-ppp-XXXXXX";
  const std::string folder = mkdtemp(pattern.data());
  for (const char* cids : {"small", "large"}) {
    Json job = job_with(kReference, 60, 3);
    job["link"]["encapsulation"] = "ppp";
    for (const char* side : {"compressor", "decompressor"}) job[side]["config"]["cids"] = cids;
    job["outputs"] = {{"link", folder + "/l.pcapng"}};
    EXPECT_EQ(run_job(job)["forward"]["verdicts"]["identical"], 60);
    Json again = {{"decompressor", job["decompressor"]}, {"source", {{"capture", folder + "/l.pcapng"}}}};
    EXPECT_EQ(run_job(again)["forward"]["verdicts"]["delivered"], 60) << cids;
    // The frames say which CIDs they have; the configuration must not say otherwise.
    const bool large = std::string(cids) == "large";
    again["decompressor"]["config"]["cids"] = large ? "small" : "large";
    const std::string error = job_error(again, ErrorKind::input);
    EXPECT_NE(error.find(large ? "60 ROHC packets with large CIDs (PPP protocol 0x0005)"
                               : "60 ROHC packets with small CIDs (PPP protocol 0x0003)"),
              std::string::npos)
        << error;
  }
  std::filesystem::remove_all(folder);
}

// ---- jobs that are wrong

TEST(ReplayJob, NamesWhatIsWrong) {
  const auto with = [](const std::function<void(Json&)>& change) {
    Json job = job_with(kNull, 10);
    change(job);
    return job_error(job, ErrorKind::job);
  };
  const auto starts = [](const std::string& text, const char* start) { EXPECT_TRUE(text.starts_with(start)) << text; };
  starts(with([](Json& job) { job.erase("source"); }), ": the key \"source\" is missing");
  starts(with([](Json& job) { job["links"] = 1; }), "/links: the key \"links\" is unknown");
  starts(with([](Json& job) { job["link"]["forward"]["los"] = 1; }), "/link/forward/los: ");
  starts(with([](Json& job) { job["link"]["encapsulation"] = "slip"; }), "/link/encapsulation: ");
  starts(with([](Json& job) { job["source"]["packets"] = 0; }), "/source/packets: an integer from 1");
  starts(with([](Json& job) { job["source"].erase("packets"); }), "/source: say how much");
  starts(with([](Json& job) { job["source"] = Json::object(); }), "/source: a source is");
  starts(with([](Json& job) { job["source"] = {{"packets", {{{"hex", "4"}}}}}; }), "/source/packets/0/hex: octets are");
  starts(with([](Json& job) { job["source"] = {{"packets", {{{"hex", ""}}}}}; }), "/source/packets/0: a packet needs");
  starts(with([](Json& job) {
           job["source"] = {{"packets", {{{"hex", "45"}, {"time_ns", 5}}, {{"hex", "45"}, {"time_ns", 4}}}}};
         }),
         "/source/packets/1: packets are listed in order");
  starts(with([](Json& job) { job["expected"] = {{"packets", Json::array()}}; }), "/expected: with a compressor");
  starts(with([](Json& job) { job["link"]["feedback"]["path"] = "piggybacked"; }),
         "/link/feedback/path: feedback among");
  starts(with([](Json& job) { job["link"]["reverse"]["loss"] = 0.5; }), "/link/reverse: there is no reverse channel");
  starts(with([](Json& job) {
           job["reverse"] = true;
           job["link"]["feedback"] = {{"path", "interspersed"}, {"loss", 0.1}};
         }),
         "/link/feedback: feedback on this path");
  starts(with([](Json& job) {
           job["control"] = {{{"before", 1}, {"side", "reverse-compressor"}, {"message", Json::object()}}};
         }),
         "/control/0/side: there is no reverse");
  starts(with([](Json& job) { job["burst"] = 0; }), "/burst: an integer from 1");
  starts(with([](Json& job) { job["compressor"]["config"] = Json::object(); }),
         "/compressor/config: the key \"scheme\" is missing");
  starts(with([](Json& job) { job["source"]["profile"]["variants"][0]["headers"][1]["checksum"] = 1; }),
         "/source/profile/variants/0/headers/1/checksum: true or false");
}

TEST(ReplayJob, AdaptersThatCannotBeUsed) {
  Json job = job_with(kNull, 10);
  job["compressor"]["library"] = "/no/such/library.so";
  EXPECT_TRUE(job_error(job, ErrorKind::adapter)
                  .starts_with("/compressor/library: the adapter /no/such/library.so does not load"));
  job["compressor"]["library"] = "libc.so.6";  // never searched for
  EXPECT_NE(job_error(job, ErrorKind::adapter).find("does not load"), std::string::npos);
  job["compressor"] = adapter(faulty("next_version"));
  EXPECT_NE(job_error(job, ErrorKind::adapter).find("version 3 of the ABI"), std::string::npos);
  job["compressor"] = adapter(faulty("describes_no_json"));
  EXPECT_NE(job_error(job, ErrorKind::adapter).find("describe returns is wrong"), std::string::npos);
  job["compressor"] = adapter(kNull);
  job["compressor"]["config"]["scheme"] = "sigcomp";
  EXPECT_NE(job_error(job, ErrorKind::adapter).find("offers no compressor for sigcomp"), std::string::npos);
  job["compressor"]["config"]["scheme"] = "crtp";
  EXPECT_NE(job_error(job, ErrorKind::adapter).find("does not do the scheme \"crtp\"; it does: rohc, copy, sigcomp"),
            std::string::npos);
  job["compressor"]["config"] = {{"scheme", "rohc"}, {"max_cid", 16}};
  EXPECT_EQ(job_error(job, ErrorKind::adapter).substr(0, 20), "/compressor/config: ");
  Json refused = job_with(kTalker, 10);
  refused["control"] = {{{"before", 1}, {"side", "decompressor"}, {"message", {{"mode", "X"}}}}};
  EXPECT_NE(job_error(refused, ErrorKind::adapter).find("the mode must be U or O"), std::string::npos);
}

}  // namespace
}  // namespace headroom::replay
