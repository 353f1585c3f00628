// SPDX-License-Identifier: Apache-2.0
//
// Writes the seed corpora of the fuzz targets: rohc_fuzz_corpus FOLDER makes FOLDER/decompressor, feedback, round_trip,
// chain and segment. The files in fuzz/corpus/ come from it, and from what fuzzing found worth keeping.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/fuzz/input.h"
#include "rohc/v1/test/support/crafted.h"

namespace headroom::rohc::fuzz {
namespace {

using test::Packet;
using test::Random;

void put(const std::filesystem::path& file, const Packet& octets) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(octets.data()), static_cast<std::streamsize>(octets.size()));
}

void append(Packet& to, std::initializer_list<unsigned> octets) {
  for (const unsigned octet : octets) to.push_back(static_cast<std::uint8_t>(octet));
}

// Link packets of all types, raw, for contexts that the decompressor does not have yet or has from the canned flows.
void decompressor(const std::filesystem::path& folder) {
  for (unsigned setup = 0; setup < 16; ++setup) {
    Random random(setup);
    Packet input;
    append(input, {setup * 37, 3 + setup, 0x11U << setup % 4 | 1U << setup % 8});
    auto flows = canned_flows();
    CompressorConfig config;
    config.channel.large_cids = (setup * 37 & 1) != 0;
    Compressor compressor(config);
    for (unsigned i = 0; i < 24; ++i) {
      test::SteadyFlow& flow = flows[(setup + i / 6) % kCannedFlows];
      flow.next();
      if (i % 6 == 4) flow.spec.ip.ttl ^= 3;
      const Packet p = test::compress(compressor, build(flow.spec)).octets;
      if (p.size() > 0x7f) continue;
      append(input, {static_cast<unsigned>(p.size())});
      input = test::joined(std::move(input), p);
      append(input, {0});
      append(input, {0x80U + random.below(64), random.octet(), random.octet(), random.octet(), random.octet()});
      if (i % 8 == 7) append(input, {0xc0U + random.below(64), random.octet()});
    }
    put(folder / ("series_" + std::to_string(setup)), input);
  }
  put(folder / "framing",
      test::hex("00 03 ff 06 e0 f1 05 e1 25 01 00 04 fe 01 02 03 00 03 e1 f1 00 00 02 f2 20 00 05 f2 20 11 25 00 00"));
}

void feedback(const std::filesystem::path& folder) {
  for (unsigned setup = 0; setup < 8; ++setup) {
    Random random(100 + setup);
    Packet input;
    append(input, {setup * 41, 0x21U << setup % 3 | 1U << setup});
    for (unsigned i = 0; i < 40; ++i) {
      append(input, {0x80U + random.below(64), random.octet(), random.octet()});
      append(input, {0xc0U + random.below(32), 0, random.octet(), random.octet(), random.octet()});
      if (i % 10 == 9) append(input, {0xe0U + random.below(32), random.octet()});
      if (i % 5 == 4) {
        const Packet e = test::feedback_element(
            test::feedback_2(static_cast<wire::AckType>(i % 3), wire::Mode::kOptimistic, random.word(), i % 9));
        append(input, {static_cast<unsigned>(e.size())});
        input = test::joined(std::move(input), e);
      }
    }
    put(folder / ("series_" + std::to_string(setup)), input);
  }
}

void round_trip(const std::filesystem::path& folder) {
  for (unsigned setup = 0; setup < 16; ++setup) {
    Random random(200 + setup);
    Packet input;
    append(input, {setup * 43, setup / 2});
    auto flows = canned_flows();
    for (unsigned i = 0; i < 40; ++i) {
      append(input, {0x40U + random.below(16), random.octet(), random.octet(), random.octet(), random.octet(),
                     random.octet()});
      append(input, {static_cast<unsigned>(0x40U + (setup + i / 10) % kCannedFlows), 0});
      if (i % 10 == 0) {
        const Packet p = build(flows[(setup + i) % kCannedFlows].next());
        append(input, {0, static_cast<unsigned>(p.size())});
        input = test::joined(std::move(input), p);
      }
      if (i % 10 == 9) append(input, {0xc0U + random.below(64), random.octet()});
    }
    put(folder / ("series_" + std::to_string(setup)), input);
  }
}

// Lists that change, in U-mode, O-mode and R-mode. After a rest the reference is what is there, so that one insertion
// goes as type 1, one removal as type 2, a removal and an insertion in a row as type 3; R-mode has type 0 only.
void lists(const std::filesystem::path& folder) {
  constexpr unsigned kCsrcIn = 0xe0, kCsrcOut = 0xe8, kHeaderIn = 0x01, kHeaderOut = 0x08, kOuterIn = 0x51;
  constexpr unsigned kPlain = 0x40, kAlterLists = 0x80;  // action: no octet altered; event
  Random random(300);
  const auto change = [&](Packet& input, unsigned flow, unsigned what) {
    append(input, {kPlain + flow, kAlterLists, what});
    if ((what & 8) == 0 && what < 0x80) append(input, {random.octet(), random.octet()});
    if ((what & 8) == 0 && what < 0x80 && (what & 16) != 0) append(input, {random.octet()});
    if (what == kCsrcIn) append(input, {random.octet()});
  };
  for (const unsigned flow : {0U, 3U, 5U, 6U, 7U}) {
    for (const unsigned mode : {0U, 1U, 2U}) {
      Packet input;
      append(input, {mode == 1 ? 0x8cU : 0x0cU, mode == 2 ? 1U : 0U});
      const auto rest = [&] {
        for (unsigned i = 0; i < 8; ++i) append(input, {kPlain + flow, 0});
      };
      const unsigned in = flow == 0 ? kCsrcIn : flow == 5 ? kOuterIn : kHeaderIn;
      const unsigned out = flow == 0 ? kCsrcOut : flow == 5 ? 0x48U : kHeaderOut;
      for (const auto& steps : {std::vector<unsigned>{in}, {in}, {out}, {out, in}, {in, in, out}, {out, out}}) {
        rest();
        for (const unsigned step : steps) change(input, flow, step);
      }
      rest();
      put(folder / ("lists_" + std::to_string(flow) + "_mode_" + std::to_string(mode)), input);
    }
  }
}

void chain(const std::filesystem::path& folder) {
  unsigned number = 0;
  for (const test::SteadyFlow& flow : canned_flows()) {
    const test::PacketSpec& s = flow.spec;
    Packet packet = {0x3c, 0x07};
    put(folder / ("packet_" + std::to_string(number)), test::joined(packet, build(s)));
    const bool lite = s.udp && s.udp->lite;
    const unsigned profile = s.esp ? 3 : s.rtp ? (lite ? 7 : 1) : s.udp ? (lite ? 8 : 2) : 4;
    const unsigned place = s.esp ? 3 : s.rtp ? 0 : s.udp ? 1 : 2;  // in the table of chain_fuzz.cc
    test::ChainOptions options;
    options.extras.present = true;
    options.extras.ts_stride = 160;
    Packet ir = {static_cast<std::uint8_t>(place), static_cast<std::uint8_t>(s.esp || lite ? 1 : 0)};
    ir = test::joined(test::joined(ir, test::static_chain(s, profile)), test::dynamic_chain(s, profile, options));
    ir = test::joined(std::move(ir), test::dynamic_chain(s, profile, options));
    put(folder / ("ir_" + std::to_string(number)), ir);
    ir[0] = static_cast<std::uint8_t>(ir[0] | 0x20);  // to profile IP, of which every chain has a prefix
    put(folder / ("switch_" + std::to_string(number++)), ir);
  }
}

// Links of several widths: segments that arrive, get lost, are damaged, and some out of nowhere.
void segment(const std::filesystem::path& folder) {
  test::Random random(4);
  for (unsigned number = 0; number < 8; ++number) {
    Packet input = {static_cast<std::uint8_t>(16 + 20 * number), static_cast<std::uint8_t>(number % 4 == 3 ? 0 : 2),
                    static_cast<std::uint8_t>(random.octet()), static_cast<std::uint8_t>(number & 1)};
    for (unsigned i = 0; i < 24; ++i) {
      const auto action = static_cast<std::uint8_t>(i % 5 == 4 ? random.below(0x60) : 0x80 + random.below(0x70));
      input.push_back(action);
      for (unsigned k = action < 0x60 ? action : 6U; k > 0; --k)
        input.push_back(static_cast<std::uint8_t>(random.flip() ? random.octet() : 0));
    }
    put(folder / ("series_" + std::to_string(number)), input);
  }
}

}  // namespace
}  // namespace headroom::rohc::fuzz

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  for (const char* target : {"decompressor", "feedback", "round_trip", "chain", "segment"})
    std::filesystem::create_directories(folder / target);
  headroom::rohc::fuzz::decompressor(folder / "decompressor");
  headroom::rohc::fuzz::feedback(folder / "feedback");
  headroom::rohc::fuzz::round_trip(folder / "round_trip");
  headroom::rohc::fuzz::lists(folder / "round_trip");
  headroom::rohc::fuzz::chain(folder / "chain");
  headroom::rohc::fuzz::segment(folder / "segment");
  return 0;
}
