// SPDX-License-Identifier: Apache-2.0
//
// Three million packets over bad links, in each mode, with small and large CIDs, of all profiles, three flows in ten
// with lists: random and burst loss, bit errors in compressed headers, reordering and repetition, alone and together,
// and feedback that gets lost or damaged. Nothing may crash, contexts must always recover, memory must not grow, and
// wrong packets may be delivered only as often as the CRCs allow. HEADROOM_TEST_EFFORT=34 makes it 100 million.
//
// How often is that? A header that was restored wrong, because it was damaged itself or because the context was, fits a
// CRC of w bits with probability 2^-w. So of n headers that were not the original when a CRC was asked, n / 2^w are
// delivered. The test knows n: those that the CRC found out, which the decompressor counts, and those that it did not.
// That takes in what no figure of the link's own could: damage that turns one type into another, spoiled contexts, and
// that repairs (RFC 3095 5.3.2.2.4, 5.3.2.2.5) ask the CRC of one packet twice. The margin: for k of n independent
// trials of probability p, P(at least k) <= exp(-n D(k/n || p)) with D the relative entropy (Chernoff), and that must
// not be less than 10^-9, with 72 such verdicts in a run.
//
// Trials are independent but for one thing. CRCs are linear: a context that differs in the same way from packet to
// packet makes the same difference in each CRC, so that the next header is often wrong undetected, too (5.9.2, note).
// Therefore what counts is the first in a row of wrong packets of a context. Rows end with the next packet that has
// another CRC, changes or refreshes something: here every 20 packets in U-mode, after 16 in O-mode (refresh.h), and in
// R-mode with the next updates. In the mean they must not be longer than 20.
//
// R-0 and R-1* have no CRC: a damaged one is delivered wrong, nearly always, but leaves nothing behind. Packets of
// theirs that nothing happened to are wrong after an update that was: an update passes its CRC with probability 1/128
// or 1/256 though it is damaged, and spoils the reference until the updates that follow have failed k_1 out of n_1
// times, which with the defaults is two bursts of R-0-CRC and what lies between, some 60 packets. So there are fewer
// than 1 for each damaged update, and twice that is the bound.
//
// As for reordering, "the channel between compressor and decompressor is required to maintain packet ordering" (RFC
// 3095 4.1); no CRC covers the SN that a compressor makes, since "there will be no … reordering of the
// compressor-generated SN" (5.11). What is left then is asked all the same: no crash, recovery, and what CRCs cover.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rohc/framework/test/support/effort.h"
#include "rohc/v1/test/support/bad_link.h"
#include "rohc/v1/test/support/eventful_flow.h"
#include "rohc/v1/test/support/restless_flow.h"

namespace headroom::rohc {
namespace {

using test::Account;
using test::BadLink;
using test::Damage;

struct Case {
  wire::Mode mode;
  bool large_cids;
  Damage damage;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.damage.name; }

constexpr Damage kDamages[] = {
    {.name = "Losses", .loss = 0.01, .burst = 0.002},
    {.name = "BitErrors", .bit_errors = 0.01},
    {.name = "Reordering", .reordering = 0.004, .duplication = 0.002},
    {.name = "Everything", .loss = 0.01, .burst = 0.002, .bit_errors = 0.01, .reordering = 0.002, .duplication = 0.002},
};

constexpr std::uint32_t kFlows = 10;
constexpr std::uint32_t kListedFlows = 3;  // of them
constexpr double kLongestRow = 20;
constexpr double kUnbelievable = 1e-9;

CompressorConfig compressor_config(const Case& c) {
  CompressorConfig config;
  config.highest_mode = wire::Mode::kReliable;
  config.channel.large_cids = c.large_cids;
  config.channel.channels = c.large_cids ? 3 : 1;
  config.channel.max_cid = c.large_cids ? 200 : 15;
  config.ir_refresh = {64, 5000};
  config.fo_refresh = {20, 1000};
  return config;
}

DecompressorConfig decompressor_config(const Case& c) {
  DecompressorConfig config;
  config.channel = compressor_config(c).channel;
  config.mode = c.mode;
  return config;
}

void add_flow(BadLink& link, std::uint16_t number) {
  test::Random& random = link.random();
  if (number <= kListedFlows) {
    test::PacketSpec first = test::listed_packet(random.next());
    first.ip.source = number;
    const auto flow = std::make_shared<test::RestlessFlow>(first, random.next(), 0.02);
    link.add([flow] { return flow->next(); });
    return;
  }
  test::FlowCharacter character = test::drawn_character(random, number);
  character.events = 0.03;
  const auto flow = std::make_shared<test::EventfulFlow>(character, random.next());
  link.add([flow, &link] {
    test::Packet packet = flow->next();
    link.pause(flow->pause_ms() * test::kMillisecond);
    return packet;
  });
}

std::unique_ptr<BadLink> busy_link(const Case& c, std::uint64_t seed) {
  auto link = std::make_unique<BadLink>(c.damage, compressor_config(c), decompressor_config(c), seed);
  for (std::uint16_t number = 1; number <= kFlows; ++number) add_flow(*link, number);
  return link;
}

// After trouble, a perfect link: soon nothing may fail any more. Damage can lie dormant for a while, though: an SN that
// the compressor makes stands in no header, so no CRC sees that the decompressor's is another until an IP-ID depends on
// it. Then a few packets fail and the context recovers from that, too.
void recover(BadLink& link) {
  link.run(100 * kFlows, false);
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::uint64_t failures = link.failures();
    link.run(50 * kFlows, false);
    if (link.failures() == failures) return;
  }
  ADD_FAILURE() << "contexts do not recover";
}

// --- What theory says ------------------------------------------------------------------------------------------------

// Bound of the probability that `hits` or more of `trials` come about, each of which does with probability `p`.
double chernoff(double hits, double trials, double p) {
  if (hits <= trials * p) return 1;
  const double x = hits / trials;
  const double rest = x < 1 ? (1 - x) * std::log((1 - x) / (1 - p)) : 0;
  return std::exp(-trials * (x * std::log(x / p) + rest));
}

double trials(const Account& a, std::size_t i) { return static_cast<double>(a.mismatched[i] + a.first_wrong[i]); }
double theory(const Account& a, std::size_t i) {
  return std::ldexp(trials(a, i), -static_cast<int>(test::kCrcBits[i]));
}

// Updates that may have left something wrong behind.
std::uint64_t doubtful_updates(const Account& a) { return a.damaged[2] + a.damaged[3] + a.reordered_updates; }

void print(const std::string& name, const Account& a) {
  std::printf("%s: %zu packets, %zu lost, with %zu bursts, %zu out of place; %zu delivered, %zu wrong\n", name.c_str(),
              a.packets, a.lost, a.bursts, a.reordered, a.delivered, a.all_wrong());
  std::printf("    without CRC: %zu damaged, %zu wrong, %zu of them intact on the link (at most %zu)\n", a.damaged[0],
              a.wrong[0], a.intact_and_wrong, 2 * doubtful_updates(a));
  for (std::size_t i = 1; i < a.wrong.size(); ++i) {
    std::printf("    CRC-%u: %zu damaged, %.0f restored wrong, %zu delivered (theory %.1f), with what followed %zu\n",
                test::kCrcBits[i], a.damaged[i], trials(a, i), a.first_wrong[i], theory(a, i), a.wrong[i]);
  }
}

void judge(const Account& a) {
  double rows = 0;
  double wrong = 0;
  for (std::size_t i = 1; i < a.wrong.size(); ++i) {
    rows += static_cast<double>(a.first_wrong[i]);
    wrong += static_cast<double>(a.wrong[i]);
    EXPECT_GE(chernoff(static_cast<double>(a.first_wrong[i]), trials(a, i),
                       std::ldexp(1, -static_cast<int>(test::kCrcBits[i]))),
              kUnbelievable)
        << "CRC-" << test::kCrcBits[i] << " let " << a.first_wrong[i] << " of " << trials(a, i) << " pass";
  }
  EXPECT_LE(wrong, kLongestRow * rows);
  EXPECT_LE(a.intact_and_wrong, 2 * doubtful_updates(a));
}

// --- Memory ----------------------------------------------------------------------------------------------------------

// GCC says by a macro that there is a sanitizer, clang by a feature.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// Octets of this process that are in memory. 0 where a sanitizer's own memory would be all that one saw.
std::size_t resident_octets() {
  if (kSanitized) return 0;
  std::size_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*u %zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

constexpr std::size_t kMemoryNoise = std::size_t{2} << 20;  // of the allocator, and buffers of the test's own

class Soak : public testing::TestWithParam<Case> {
 protected:
  static void TearDownTestSuite() {
    std::printf("Together:\n");
    for (const auto& [name, account] : by_damage()) print(name, account);
  }
  static std::map<std::string, Account>& by_damage() {
    static std::map<std::string, Account> accounts;
    return accounts;
  }
};

std::string name_of(const testing::TestParamInfo<Case>& tested) {
  const Case& c = tested.param;
  constexpr const char* kModes[] = {"", "Unidirectional", "Optimistic", "Reliable"};
  return std::string(kModes[static_cast<std::size_t>(c.mode)]) + (c.large_cids ? "LargeCids" : "SmallCids") +
         c.damage.name;
}

TEST_P(Soak, WrongPacketsAreThoseThatCrcsAllow) {
  Account total;
  const auto [first, last] = test::seed_range(4);
  std::size_t resident = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto link = busy_link(GetParam(), seed);
    for (int round = 0; round < 4; ++round) {
      link->run(6'000, true);
      recover(*link);
      if (HasFailure()) return;
    }
    total.add(link->account());
    if (seed == first) resident = resident_octets();
  }
  print(name_of({GetParam(), 0}), total);
  if (first == last) return;  // one seed alone says nothing about how often, and has not all profiles
  judge(total);
  EXPECT_EQ(total.profiles, 0b1'1001'1111U) << "0x0000 to 0x0004, 0x0007 and 0x0008";
  EXPECT_GE(total.delivered, (total.packets - total.lost) / 100 * 97) << "nor is it safe by delivering nothing";
  EXPECT_LE(resident_octets(), resident + kMemoryNoise);
  by_damage()[GetParam().damage.name].add(total);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const wire::Mode mode : {wire::Mode::kUnidirectional, wire::Mode::kOptimistic, wire::Mode::kReliable}) {
    for (const bool large : {false, true}) {
      for (const Damage& damage : kDamages) all.push_back({mode, large, damage});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Soak, testing::ValuesIn(cases()), name_of);

// One compressor and one decompressor for all the time: what they hold after a tenth of it is what they hold for good.
TEST(LongSoak, MemoryStaysWhatItIs) {
  const Case c{wire::Mode::kOptimistic, false, kDamages[3]};
  const auto link = busy_link(c, 1);
  const std::size_t packets = 100'000 * test::seeds(1);
  const auto held = [&] { return link->compressor().memory_bytes() + link->decompressor().memory_bytes(); };
  link->run(packets / 10, true);
  ASSERT_EQ(link->compressor().contexts_in_use(), 16U) << "all contexts are in use by now";
  const std::size_t at_first = held();
  const std::size_t resident = resident_octets();
  link->run(packets - packets / 10, true);
  EXPECT_LE(held(), at_first + 16 * (sizeof(CompressorLists) + sizeof(DecompressorLists)));
  EXPECT_LE(resident_octets(), resident + kMemoryNoise);
  std::printf("%zu packets: %zu octets held after a tenth of them, %zu at the end; resident %zu, then %zu\n", packets,
              at_first, held(), resident, resident_octets());
}

}  // namespace
}  // namespace headroom::rohc
