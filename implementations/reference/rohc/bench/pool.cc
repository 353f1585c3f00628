// SPDX-License-Identifier: Apache-2.0
//
// Compress + decompress, nanoseconds per packet, of any number of adapters in one interleaved run with the same
// packets.
//
//   rohc_pool_bench [--flows N] [--mix plain|mixed|data|acks|stamped-data|stamped-acks] [--rounds N] [--burst N]
//   LIBRARY...
//
// A pool of 20,000 packets of flows in random order is filled outside the measured time; then each burst (of 32 unless
// --burst says otherwise) is compressed, decompressed and, outside the measured time, compared. Round-robin order and
// freshly freed memory would flatter every implementation. The first line of a comparison should be the null adapter:
// what it takes is the loop's and the copy's. Printed are the medians over all rounds, and in parentheses the minima,
// which other work on the machine disturbs less. Of mixed traffic the minimum says little: it is often that of the
// first round, in which few flows have fallen silent yet.
#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "headroom.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPool = 20'000;
constexpr std::size_t kLargestBurst = 256;
constexpr std::size_t kSlot = 128;     // a plain packet
constexpr std::size_t kOutput = 1024;  // a link packet or a restored one
constexpr std::uint32_t kLargeChannel = 16'384;

void put16(std::uint8_t* p, std::uint32_t v) {
  p[0] = static_cast<std::uint8_t>(v >> 8);
  p[1] = static_cast<std::uint8_t>(v);
}
void put32(std::uint8_t* p, std::uint32_t v) {
  put16(p, v >> 16);
  put16(p + 2, v);
}

// The ones' complement sum of an IPv4 header.
std::uint32_t sum_of(const std::uint8_t* p, std::uint32_t length) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < length; i += 2) sum += static_cast<std::uint32_t>(p[i]) << 8 | p[i + 1];
  sum = (sum & 0xffff) + (sum >> 16);
  return (sum & 0xffff) + (sum >> 16);
}

// The mixes of TCP flows: which profile 0x0006 compresses.
struct TcpMix {
  const char* name;
  bool data;
  bool stamps;
};
constexpr TcpMix kTcpMixes[] = {
    {"data", true, false}, {"acks", false, false}, {"stamped-data", true, true}, {"stamped-acks", false, true}};

// One TCP flow over IPv4: segments of one length, or acknowledgements of such.
class TcpFlow {
 public:
  explicit TcpFlow(std::uint32_t n, std::mt19937_64& random) : number_(n), seq_(draw(random)), ack_(draw(random)) {
    id_ = static_cast<std::uint16_t>(draw(random));
    stamp_ = draw(random);
  }

  std::uint32_t next(const TcpMix& mix, std::mt19937_64& random, std::uint8_t* p) {
    constexpr std::uint32_t kSegment = 50;
    const std::uint32_t options = mix.stamps ? 12 : 0, payload = mix.data ? kSegment : 0;
    const std::uint32_t length = 40 + options + payload;
    (mix.data ? seq_ : ack_) += mix.data ? kSegment : 1448 * (1 + draw(random) % 2);
    stamp_ += draw(random) % 3;
    ++id_;
    std::memset(p, 0, 40);
    p[0] = 0x45;
    put16(p + 2, length);
    put16(p + 4, id_);
    put16(p + 6, 0x4000);
    p[8] = 64;
    p[9] = 6;
    put32(p + 12, 0x0a000000 + number_);
    put32(p + 16, 0x0b000000 + (number_ ^ 0x5555));
    put16(p + 10, ~sum_of(p, 20));
    std::uint8_t* tcp = p + 20;
    put16(tcp, 10000 + number_ % 1000);
    put16(tcp + 2, 80);
    put32(tcp + 4, seq_);
    put32(tcp + 8, ack_);
    tcp[12] = static_cast<std::uint8_t>((20 + options) << 2);
    tcp[13] = 0x10;
    put16(tcp + 14, 0x2000);
    put16(tcp + 16, draw(random));
    if (mix.stamps) {
      put32(tcp + 20, 0x0101080a);
      put32(tcp + 24, stamp_);
      put32(tcp + 28, stamp_ - 77);
    }
    std::memset(tcp + 20 + options, 0x5a, payload);
    return length;
  }

 private:
  static std::uint32_t draw(std::mt19937_64& random) { return static_cast<std::uint32_t>(random()); }

  std::uint32_t number_, seq_, ack_, stamp_;
  std::uint16_t id_;
};

// One RTP flow and what its next packet will have.
struct Flow {
  std::uint32_t ts;
  std::uint16_t sn;
  std::uint16_t id;
  bool ipv6;
  bool checksum;
  bool random_id;
  std::uint16_t spurt;  // packets left in the talk spurt; 0: silence comes next
};

class Traffic {
 public:
  // `tcp`: nullptr for RTP.
  Traffic(std::uint32_t flows, bool mixed, const TcpMix* tcp, std::uint64_t seed)
      : random_(seed), mixed_(mixed), tcp_(tcp) {
    for (std::uint32_t n = 0; tcp != nullptr && n < flows; ++n) tcp_flows_.emplace_back(n, random_);
    flows_.resize(flows);
    for (Flow& f : flows_) {
      f = {random32(),
           static_cast<std::uint16_t>(random32()),
           static_cast<std::uint16_t>(random32()),
           false,
           false,
           false,
           0xffff};
      if (mixed) {
        f.ipv6 = (random32() & 1) != 0;
        f.checksum = f.ipv6 || (random32() & 1) != 0;
        f.random_id = (random32() & 1) != 0;
        f.spurt = static_cast<std::uint16_t>(1 + random32() % 100);
      }
    }
  }

  [[nodiscard]] std::uint32_t pick() { return random32() % static_cast<std::uint32_t>(flows_.size()); }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(flows_.size()); }

  // Writes the next packet of flow `n` and returns its length.
  std::uint32_t next(std::uint32_t n, std::uint8_t* p) {
    if (tcp_ != nullptr) return tcp_flows_[n].next(*tcp_, random_, p);
    Flow& f = flows_[n];
    bool marker = false;
    if (mixed_ && --f.spurt == 0) {  // talk spurts of about a second, silences of 0.4 to 1.6 s
      f.ts += 160 * (20 + random32() % 60);
      f.spurt = static_cast<std::uint16_t>(25 + random32() % 50);
      marker = true;
    }
    f.ts += 160;
    ++f.sn;
    f.id = f.random_id ? static_cast<std::uint16_t>(random32()) : static_cast<std::uint16_t>(f.id + 1);
    constexpr std::uint32_t kPayload = 31;
    const std::uint32_t ip = f.ipv6 ? 40 : 20;
    const std::uint32_t length = ip + 20 + kPayload;
    std::memset(p, 0, ip + 20);
    if (f.ipv6) {
      p[0] = 0x60;
      put16(p + 4, length - 40);
      p[6] = 17;
      p[7] = 64;
      p[8] = 0x20, p[9] = 0x01, p[24] = 0x20, p[25] = 0x01;
      put32(p + 20, n);
      put32(p + 36, n ^ 0x5555);
    } else {
      p[0] = 0x45;
      put16(p + 2, length);
      put16(p + 4, f.id);
      p[8] = 64;
      p[9] = 17;
      put32(p + 12, 0x0a000000 + n);
      put32(p + 16, 0x0b000000 + (n ^ 0x5555));
      put16(p + 10, ~sum_of(p, 20));
    }
    std::uint8_t* udp = p + ip;
    put16(udp, 10000 + n % 1000 * 2);
    put16(udp + 2, 20000 + n % 777 * 2);
    put16(udp + 4, 20 + kPayload);
    if (f.checksum) put16(udp + 6, 1 + random32() % 0xfffe);
    std::uint8_t* rtp = udp + 8;
    rtp[0] = 0x80;
    rtp[1] = static_cast<std::uint8_t>(marker ? 0xe0 : 0x60);
    put16(rtp + 2, f.sn);
    put32(rtp + 4, f.ts);
    put32(rtp + 8, 0xabc00000 + n);
    std::memset(rtp + 12, 0x5a, kPayload);
    return length;
  }

 private:
  std::uint32_t random32() { return static_cast<std::uint32_t>(random_()); }

  std::mt19937_64 random_;
  std::vector<Flow> flows_;
  bool mixed_;
  const TcpMix* tcp_;
  std::vector<TcpFlow> tcp_flows_;
};

struct Adapter {
  std::string path;
  const headroom_api* api = nullptr;
  headroom_instance* compressor = nullptr;
  headroom_instance* decompressor = nullptr;
  std::vector<double> compress_ns, decompress_ns;
  std::uint64_t wrong = 0, link_octets = 0, packets = 0;
};

void open(Adapter& a, const std::string& config) {
  void* handle = dlopen(a.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  a.api = reinterpret_cast<const headroom_api* (*)()>(dlsym(handle, "headroom_implementation"))();
  char error[256] = "";
  a.compressor = a.api->create(HEADROOM_COMPRESSOR, config.c_str(), error, sizeof error);
  a.decompressor = a.api->create(HEADROOM_DECOMPRESSOR, config.c_str(), error, sizeof error);
  if (a.compressor == nullptr || a.decompressor == nullptr) {
    std::fprintf(stderr, "%s: %s\n", a.path.c_str(), error);
    std::exit(1);
  }
}

// The pool of packets, and room for one burst on the link and restored.
struct Pool {
  std::vector<std::uint8_t> plain = std::vector<std::uint8_t>(kPool * kSlot);
  std::vector<std::uint8_t> link = std::vector<std::uint8_t>(kLargestBurst * kOutput);
  std::vector<std::uint8_t> restored = std::vector<std::uint8_t>(kLargestBurst * kOutput);
  std::vector<std::uint32_t> lengths = std::vector<std::uint32_t>(kPool);
  std::vector<std::uint32_t> channels = std::vector<std::uint32_t>(kPool);
  std::size_t count = 0;
};

// One burst, in which each packet has one output.
void process(decltype(headroom_api::compress) call, headroom_instance* self, headroom_packet* packets,
             std::size_t count, std::uint64_t now_ns) {
  if (call(self, packets, count, now_ns, nullptr) == count && packets[count - 1].more == 0) return;
  std::fprintf(stderr, "a packet has more than one output\n");
  std::exit(1);
}

// The pool once through one adapter, burst by burst.
void round(Adapter& a, Pool& pool, std::size_t burst, std::uint64_t now_ns, bool measured) {
  std::chrono::nanoseconds compressing{0}, decompressing{0};
  headroom_packet out[kLargestBurst], back[kLargestBurst];
  for (std::size_t from = 0; from < pool.count; from += burst) {
    const std::size_t n = std::min(burst, pool.count - from);
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = {&pool.plain[(from + i) * kSlot],
                &pool.link[i * kOutput],
                pool.lengths[from + i],
                kOutput,
                pool.channels[from + i],
                0,
                0,
                0,
                HEADROOM_TYPE_DEFAULT,
                HEADROOM_TYPE_DEFAULT,
                0};
    }
    const auto begin = Clock::now();
    process(a.api->compress, a.compressor, out, n, now_ns);
    const auto middle = Clock::now();
    for (std::size_t i = 0; i < n; ++i) {
      back[i] = {&pool.link[i * kOutput],
                 &pool.restored[i * kOutput],
                 out[i].out_length,
                 kOutput,
                 out[i].channel,
                 0,
                 0,
                 0,
                 HEADROOM_TYPE_DEFAULT,
                 HEADROOM_TYPE_DEFAULT,
                 0};
    }
    const auto again = Clock::now();
    process(a.api->decompress, a.decompressor, back, n, now_ns);
    const auto end = Clock::now();
    compressing += middle - begin;
    decompressing += end - again;
    for (std::size_t i = 0; i < n; ++i) {
      const bool same = out[i].status == HEADROOM_OK && back[i].status == HEADROOM_OK &&
                        back[i].out_length == out[i].in_length &&
                        std::memcmp(out[i].in, back[i].out, out[i].in_length) == 0;
      a.wrong += same ? 0 : 1;
      a.link_octets += out[i].out_length;
    }
  }
  a.packets += pool.count;
  if (measured) {
    a.compress_ns.push_back(static_cast<double>(compressing.count()) / static_cast<double>(pool.count));
    a.decompress_ns.push_back(static_cast<double>(decompressing.count()) / static_cast<double>(pool.count));
  }
}

double minimum(const std::vector<double>& v) { return v.empty() ? 0 : *std::min_element(v.begin(), v.end()); }

double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t flows = 1;
  unsigned rounds = 40;
  std::size_t burst = 32;
  bool mixed = false;
  const TcpMix* tcp = nullptr;
  std::vector<std::unique_ptr<Adapter>> adapters;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto value = [&] { return std::string(++i < argc ? argv[i] : ""); };
    if (arg == "--flows") {
      flows = static_cast<std::uint32_t>(std::strtoul(value().c_str(), nullptr, 10));
    } else if (arg == "--rounds") {
      rounds = static_cast<unsigned>(std::strtoul(value().c_str(), nullptr, 10));
    } else if (arg == "--burst") {
      burst = std::strtoul(value().c_str(), nullptr, 10);
    } else if (arg == "--mix") {
      const std::string mix = value();
      mixed = mix == "mixed";
      for (const TcpMix& one : kTcpMixes)
        if (mix == one.name) tcp = &one;
    } else {
      adapters.push_back(std::make_unique<Adapter>());
      adapters.back()->path = arg;
    }
  }
  if (adapters.empty() || flows == 0 || burst == 0 || burst > kLargestBurst) {
    std::fprintf(stderr,
                 "usage: %s [--flows N] [--mix plain|mixed|data|acks|stamped-data|stamped-acks] [--rounds N] "
                 "[--burst 1..256] LIBRARY...\n",
                 argv[0]);
    return 2;
  }
  const std::uint32_t channels = (flows + kLargeChannel - 1) / kLargeChannel;
  const std::string config =
      R"({"scheme":"rohc","channels":)" + std::to_string(channels) + R"(,"cids":")" + (flows > 16 ? "large" : "small") +
      R"(","max_cid":)" + std::to_string(flows > 16 ? std::min(flows, kLargeChannel) - 1 : 15) +
      R"(,"profiles":["0x0000",")" + (tcp != nullptr ? "0x0006" : "0x0001") + R"("],"mode":"U"})";
  for (auto& a : adapters) open(*a, config);

  Traffic traffic(flows, mixed, tcp, 1);
  Pool pool;
  std::uint64_t now_ns = 0;
  const auto fill = [&](auto&& pick) {
    for (std::size_t i = 0; i < pool.count; ++i) {
      const std::uint32_t n = pick(i);
      pool.lengths[i] = traffic.next(n, &pool.plain[i * kSlot]);
      pool.channels[i] = n / kLargeChannel;
    }
    now_ns += 20'000'000;
  };
  // Every flow gets its first packets in order, so that contexts are established before anything is measured.
  for (unsigned turn = 0; turn < 8; ++turn) {
    for (std::uint32_t from = 0; from < flows; from += kPool) {
      pool.count = std::min<std::size_t>(kPool, flows - from);
      fill([&](std::size_t i) { return from + static_cast<std::uint32_t>(i); });
      for (auto& a : adapters) round(*a, pool, burst, now_ns, false);
    }
  }
  pool.count = kPool;
  for (unsigned r = 0; r < rounds; ++r) {
    fill([&](std::size_t) { return traffic.pick(); });
    for (auto& a : adapters) round(*a, pool, burst, now_ns, true);
  }
  for (const auto& a : adapters) {
    const double c = median(a->compress_ns);
    const double d = median(a->decompress_ns);
    const double least_c = minimum(a->compress_ns);
    const double least_d = minimum(a->decompress_ns);
    std::printf(
        "%-48s flows %7u  compress %7.1f (%6.1f)  decompress %7.1f (%6.1f)  sum %7.1f (%6.1f) ns  link %6.2f octets"
        "  wrong %llu\n",
        a->path.c_str(), flows, c, least_c, d, least_d, c + d, least_c + least_d,
        static_cast<double>(a->link_octets) / static_cast<double>(a->packets),
        static_cast<unsigned long long>(a->wrong));
    a->api->destroy(a->compressor);
    a->api->destroy(a->decompressor);
  }
  return 0;
}
