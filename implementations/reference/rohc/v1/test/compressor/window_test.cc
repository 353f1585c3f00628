// SPDX-License-Identifier: Apache-2.0
//
// The W-LSB window (RFC 3095 4.5.2) against a plain list of references that does the same in the most obvious way.
#include "rohc/v1/compressor/window.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "rohc/framework/test/support/random.h"

namespace headroom::rohc {
namespace {

using test::Random;

struct Model {
  std::deque<Reference> references;  // newest first
  unsigned width;

  void add(Reference r) {
    references.push_front(r);
    if (references.size() > width) references.pop_back();
  }
  void acknowledge(std::uint16_t sn) {
    for (std::size_t age = 0; age < references.size(); ++age) {
      if (references[age].sn == sn) {
        references.resize(age + 1);
        return;
      }
    }
  }
};

void expect_equal(const Model& model, const FlowHistory& h) {
  ASSERT_EQ(h.reference_count, model.references.size());
  for (unsigned age = 0; age < h.reference_count; ++age) {
    ASSERT_EQ(reference(h, age).sn, model.references[age].sn) << age;
    ASSERT_EQ(reference(h, age).ts, model.references[age].ts) << age;
    ASSERT_EQ(reference(h, age).id_offset, model.references[age].id_offset) << age;
  }
}

TEST(Window, AgreesWithAPlainList) {
  Random random(1);
  for (unsigned width = 1; width <= kMaxReferences; ++width) {
    FlowHistory h{};
    CompressorContext c{};
    c.ts_stride = 160;
    Model model{{}, width};
    for (int step = 0; step < 5000; ++step) {
      switch (random.below(6)) {
        case 0:
          acknowledge_reference(h, c.sn);
          model.acknowledge(c.sn);
          break;
        case 1: {
          const auto sn = static_cast<std::uint16_t>(c.sn - random.below(10));
          acknowledge_reference(h, sn);
          model.acknowledge(sn);
          break;
        }
        case 2: {  // a run on the fast path
          const unsigned run = random.below(20);
          for (unsigned i = 0; i < run; ++i) {
            ++c.sn;
            c.ts += c.ts_stride;
            c.fast_run = static_cast<std::uint8_t>(c.fast_run + 1);
            model.add({c.ts, c.sn, c.id_base});
          }
          catch_up(c, h, width);
          EXPECT_EQ(c.fast_run, 0);
          break;
        }
        case 3:
          if (random.chance(0.1)) {
            forget_references(h);
            model.references.clear();
          }
          break;
        default:
          c.sn = static_cast<std::uint16_t>(c.sn + random.below(5));
          c.ts = random.word32();
          c.id_base = random.word();
          add_reference(h, {c.ts, c.sn, c.id_base}, width);
          model.add({c.ts, c.sn, c.id_base});
          break;
      }
      expect_equal(model, h);
      if (HasFatalFailure()) return;
    }
  }
}

// A run longer than its counter can count still fills the window with the newest packets.
TEST(Window, LongRuns) {
  FlowHistory h{};
  CompressorContext c{};
  c.sn = 1000;
  c.ts = 160'000;
  c.ts_stride = 160;
  c.id_base = 7;
  c.fast_run = 255;
  add_reference(h, {0, 0, 0}, 4);
  catch_up(c, h, 4);
  EXPECT_EQ(h.reference_count, 4);
  for (unsigned age = 0; age < 4; ++age) {
    EXPECT_EQ(reference(h, age).sn, 1000 - age);
    EXPECT_EQ(reference(h, age).ts, 160'000 - 160 * age);
    EXPECT_EQ(reference(h, age).id_offset, 7);
  }
}

// Step 2 of 4.5.2: so many bits suffice when the value can be told from every reference, tried by decoding.
TEST(Span, CoveredExactlyWhenEveryReferenceDecodes) {
  Random random(2);
  for (int round = 0; round < 20'000; ++round) {
    const std::uint32_t value = random.word();
    std::vector<std::uint32_t> references(1 + random.below(8));
    Span span;
    for (std::size_t i = 0; i < references.size(); ++i) {
      const auto distance = static_cast<std::int32_t>(random.below(60)) - 30;
      references[i] = value - static_cast<std::uint32_t>(distance);
      span.add(distance, i == 0);
    }
    const unsigned bits = random.below(8);
    const std::int64_t p = static_cast<std::int64_t>(random.below(10)) - 1;
    bool all = true;
    for (const std::uint32_t r : references) all &= lsb_decode(value & ((1U << bits) - 1), bits, r, p) == value;
    ASSERT_EQ(span.covered_by(bits, p), all) << "bits " << bits << ", p " << p;
  }
}

}  // namespace
}  // namespace headroom::rohc
