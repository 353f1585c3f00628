// SPDX-License-Identifier: Apache-2.0
//
// Two endpoints exchange messages through the ABI, with loss, damage, refusals and false feedback. Invariants: a
// message that arrived as sent decompresses to its input or to nothing; no call writes beyond its buffers; the details
// of a message agree with its outcome. Without false feedback, every message that arrives is decompressed.
//
// Input: kConfiguration octets; then steps, each an octet that says what, another that says how, and what some need
// besides.
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "headroom_messages.h"
#include "headroom_sessions.h"
#include "sigcomp/fuzz/input.h"
#include "sigcomp/octets.h"
#include "sigcomp/test/support/random.h"

namespace headroom::sigcomp::fuzz {
namespace {

using nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kConfiguration = 4;  // octets
constexpr int kMostSteps = 32;
constexpr int kLooks = 1;                   // at the statistics: they are text, and take as long as many messages
constexpr std::size_t kStatistics = 8192;   // octets of them at most
constexpr std::uint32_t kCompartments = 3;  // that steps name; the endpoints have room for fewer
constexpr std::uint32_t kRoom = 2;
constexpr std::size_t kLong = 224;           // few texts are much longer than the others
constexpr std::uint64_t kTick = 50'000'000;  // nanoseconds
constexpr std::size_t kMostMemory = 64U << 20;
constexpr std::uint8_t kFence = 0xa5;

const headroom_api& api() { return *headroom_implementation(); }
const headroom_sessions& sessions() {
  static const auto* const functions = static_cast<const headroom_sessions*>(api().extension(HEADROOM_SESSIONS));
  return *functions;
}
const headroom_messages& messages() {
  static const auto* const functions = static_cast<const headroom_messages*>(api().extension(HEADROOM_MESSAGES));
  return *functions;
}

// What is left of the input; zeros behind its end.
class Feed {
 public:
  explicit Feed(Octets octets) : rest_(octets) {}
  [[nodiscard]] bool is_over() const noexcept { return rest_.empty(); }
  std::uint8_t octet() noexcept {
    if (rest_.empty()) return 0;
    const std::uint8_t first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }
  Bytes octets(std::size_t count) {
    const Octets taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return {taken.begin(), taken.end()};
  }

 private:
  Octets rest_;
};

json configuration(Octets octets) {
  constexpr const char* kMechanisms[] = {"stateless-basic", "stateful-basic", "stateless-static",
                                         "stateful-static", "dynamic",        "shared"};
  constexpr const char* kAcknowledgements[] = {"number", "identifier", "transport", "others"};
  json options = {{"algorithm", (octets[0] & 1) != 0 ? "deflate" : "lzss"},
                  {"mechanism", kMechanisms[octets[0] / 4 % 6]},
                  {"acknowledgement", kAcknowledgements[octets[1] % 4]},
                  {"announce", (octets[1] & 4) != 0},
                  {"checkpoint_every", octets[1] / 8 % 4}};
  if ((octets[2] & 1) != 0) {
    options["guard"] = {{"work", {{"per_second", 100'000}, {"burst", 50'000}}},
                        {"failures", {{"per_minute", 60}, {"burst", 3}}},
                        {"strangers", {{"per_second", 100'000}, {"burst", 50'000}}},
                        {"sources", 1 + octets[2] / 64},
                        {"verify", (octets[2] & 2) == 0},
                        {"state_memory", 1U << (12 + octets[2] / 4 % 8)}};
  }
  const std::uint32_t memory = 4096U << octets[3] % 3;
  const std::uint32_t state = 2048U << octets[3] / 4 % 5;
  const json offer = {{"decompression_memory_size", memory},
                      {"state_memory_size", state},
                      {"cycles_per_bit", 16U << octets[3] / 32 % 2},
                      {"version", (octets[3] & 128) != 0 ? 1 : 2}};
  json config = {{"scheme", "sigcomp"},
                 {"transport", (octets[0] & 2) != 0 ? "tcp" : "udp"},
                 {"compartments", kRoom},
                 {"peer", offer},
                 {"options", options}};
  config.update(offer);
  return config;
}

struct Result {
  std::int32_t status = HEADROOM_ERR_INTERNAL;
  Bytes octets;
  headroom_message_detail detail{};
};

class Side {
 public:
  explicit Side(const std::string& config) {
    char error[400] = "";
    self_ = api().create(HEADROOM_ENDPOINT, config.c_str(), error, sizeof error);
    require(self_ != nullptr || error[0] != '\0', "refused without a sentence");
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  ~Side() {
    if (self_ != nullptr) api().destroy(self_);
  }
  [[nodiscard]] bool is_made() const noexcept { return self_ != nullptr; }

  Result compress(const Bytes& text, std::uint32_t compartment, std::size_t room, std::uint64_t now) {
    return process(true, text, compartment, 0, room, now);
  }
  Result decompress(const Bytes& octets, std::uint32_t compartment, std::uint32_t source, std::uint64_t now) {
    return process(false, octets, compartment, source, std::max<std::size_t>(HEADROOM_MESSAGE_MAX, octets.size()), now);
  }
  // The next outcome of what was decompressed last; nothing when there is none.
  std::optional<Result> drain() {
    headroom_packet p{};
    return in_room(p, HEADROOM_MESSAGE_MAX, [&] { return api().drain(self_, &p, 1, now_, nullptr) != 0; });
  }
  bool accept(std::uint32_t compartment) { return is_truth(messages().accept(self_, compartment)); }
  bool open(std::uint32_t compartment, const char* settings) {
    char error[400] = "";
    const bool opened = is_truth(sessions().open(self_, compartment, settings, error, sizeof error));
    require(opened || error[0] != '\0', "refused without a sentence");
    return opened;
  }
  bool close(std::uint32_t compartment) { return is_truth(sessions().close(self_, compartment)); }
  void control(const std::string& message) {
    char error[400] = "";
    const bool understood = is_truth(api().control(self_, message.c_str(), error, sizeof error));
    require(understood || error[0] != '\0', "refused without a sentence");
  }
  // Messages that the endpoint wants sent.
  std::vector<Bytes> feedback() {
    std::vector<Bytes> all;
    Bytes room(HEADROOM_REVERSE_MAX + 1, kFence);
    for (;;) {
      headroom_packet one{};
      one.out = room.data();
      one.out_capacity = HEADROOM_REVERSE_MAX;
      if (api().take_reverse(self_, &one, 1, now_) != 1) break;
      require(one.out_length > 0 && one.out_length <= HEADROOM_REVERSE_MAX && room.back() == kFence,
              "feedback of no length");
      all.emplace_back(room.begin(), room.begin() + one.out_length);
      require(all.size() < 1000, "feedback without end");
    }
    return all;
  }
  void look_at_statistics() {
    std::string text(kStatistics, '\0');
    const std::size_t length = api().statistics(self_, text.data(), text.size());
    require(length < text.size(), "statistics without end");
    text.resize(length);
    require(number_in(text, "memory_bytes") < kMostMemory, "too much memory");
    require(number_in(text, "contexts") <= kRoom, "too many compartments");
  }

 private:
  // Of the JSON, without reading all of it.
  static std::uint64_t number_in(const std::string& text, const std::string& name) {
    const std::size_t at = text.find('"' + name + "\":");
    require(at != std::string::npos, "a statistic is missing");
    return std::strtoull(text.c_str() + at + name.size() + 3, nullptr, 10);
  }

  static bool is_truth(std::int32_t answer) {
    require(answer == 0 || answer == 1, "neither yes nor no");
    return answer == 1;
  }

  Result process(bool compressing, const Bytes& in, std::uint32_t compartment, std::uint32_t source, std::size_t room,
                 std::uint64_t now) {
    headroom_packet p{};
    p.in = in.data();
    p.in_length = static_cast<std::uint32_t>(in.size());
    p.channel = compartment;
    p.source = source;
    now_ = std::max(now_, now);
    return *in_room(p, room, [&] {
      require((compressing ? api().compress : api().decompress)(self_, &p, 1, now_, nullptr) == 1, "not handled");
      return true;
    });
  }

  // What `call` has made of a record with so much room; nothing when it returns false.
  template <typename Call>
  std::optional<Result> in_room(headroom_packet& p, std::size_t room, Call&& call) {
    // There all the time: most of it is never written.
    static Bytes out;
    if (out.size() <= room) out.resize(room + 1);
    out[room] = kFence;
    p.out = out.data();
    p.out_capacity = static_cast<std::uint32_t>(room);
    if (!call()) return std::nullopt;
    require(out[room] == kFence && p.out_length <= room, "written beyond the room");
    require(p.status == HEADROOM_OK || p.out_length == 0, "octets without success");
    require(p.status != HEADROOM_ERR_INTERNAL, "a defect that it noticed itself");
    require(p.status >= HEADROOM_ERR_DECOMPRESSION, "no status");
    Result result{p.status, Bytes(out.begin(), out.begin() + p.out_length), {}};
    result.detail.struct_size = sizeof result.detail;
    messages().detail(self_, &result.detail);
    const std::uint8_t kind = result.detail.kind;
    require((p.status == HEADROOM_ERR_DECOMPRESSION) == (kind == HEADROOM_MESSAGE_FAILED), "a failure of another kind");
    require(p.status != HEADROOM_OK || kind == HEADROOM_MESSAGE_COMPRESSED || kind == HEADROOM_MESSAGE_PLAIN,
            "success of another kind");
    require((kind == HEADROOM_MESSAGE_FAILED) == (result.detail.reason != 0) || kind == HEADROOM_MESSAGE_NACK,
            "a failure without a reason");
    return result;
  }

  std::uint64_t now_ = 0;
  headroom_instance* self_ = nullptr;
};

// What is on its way to one side, of one compartment, over a stream.
struct Stream {
  std::deque<Bytes> texts;  // that are to come out, in order
  Bytes unread;
  std::size_t rounds = 0, most_rounds = 0;  // answers, and octets and pieces that they were to
  bool spoilt = false;  // octets have come in between, or a compartment has been closed: anything may come out
};

class Target {
 public:
  explicit Target(const json& config)
      : a_(config.dump()),
        b_(config.dump()),
        stream_(config["transport"] == "tcp"),
        counts_on_arrival_(config["options"]["acknowledgement"] == "transport"),
        honest_(!config["options"].contains("guard")) {}
  [[nodiscard]] bool is_made() const noexcept { return a_.is_made() && b_.is_made(); }
  // So that there is something to talk in.
  void open_one() {
    a_.open(0, nullptr);
    b_.open(0, nullptr);
  }

  void step(Feed& feed) {
    const std::uint8_t what = feed.octet();
    const std::uint8_t how = feed.octet();
    const bool forward = (what & 8) == 0;
    const std::uint32_t compartment = how % kCompartments;
    now_ += (what >> 4) * kTick;
    switch (what & 7) {
      case 0:
      case 1:
      case 2:
        return talk(forward, compartment, how, feed);
      case 3:
        return lie(forward, compartment, how, feed.octets(std::size_t{feed.octet()} * 4));
      case 4:
        return reopen(forward, compartment, how);
      case 5:
        return control(forward, compartment, how, feed);
      case 6:
        now_ -= std::min<std::uint64_t>(now_, how * kTick);
        return;
      default:
        if (looks_left_ == 0) return;
        --looks_left_;
        a_.look_at_statistics();
        b_.look_at_statistics();
    }
  }

 private:
  Side& side(bool forward) noexcept { return forward ? a_ : b_; }
  Stream& stream(bool forward, std::uint32_t compartment) { return streams_[{forward, compartment}]; }

  void talk(bool forward, std::uint32_t compartment, std::uint8_t how, Feed& feed) {
    test::Random random(feed.octet());
    const std::size_t most = feed.octet();
    Bytes text = test::random_message(random, 1 + (most < kLong ? 3 : 12) * most);
    text.push_back('.');
    const std::size_t room =
        (how & 4) != 0 ? 40 * std::size_t{feed.octet()} : 2 * text.size() + HEADROOM_MESSAGE_EXPANSION;
    const Result made = side(forward).compress(text, compartment, room, now_);
    if (made.status != HEADROOM_OK) return;
    require(made.octets[0] >= 0xf8, "no message of SigComp's");
    if (stream_) {
      Stream& way = stream(forward, compartment);
      way.texts.push_back(text);
      return arrive(forward, compartment, made.octets);
    }
    if (how >= 224) {  // lost
      honest_ = honest_ && !counts_on_arrival_;
      return;
    }
    Bytes octets = made.octets;
    if (how >= 192) {
      octets[feed.octet() % octets.size()] ^= static_cast<std::uint8_t>(1U << feed.octet() % 8);
      honest_ = false;
    }
    const bool known = (how & 8) != 0;
    Side& receiver = side(!forward);
    const Result came = receiver.decompress(octets, known ? compartment : HEADROOM_NO_SESSION, how / 16 % 4, now_);
    if (octets == made.octets && came.status == HEADROOM_OK) require(came.octets == text, "not what was sent");
    const bool accepted = known || ((how & 16) != 0 && accept(receiver, compartment, came));
    if (came.status == HEADROOM_ERR_CHANNEL || (counts_on_arrival_ && !accepted)) honest_ = false;
    require(!honest_ || came.status == HEADROOM_OK, "what was sent in peace does not come out");
    answer(forward, compartment, receiver, came);
  }

  static bool accept(Side& receiver, std::uint32_t compartment, const Result& came) {
    const bool accepted = receiver.accept(compartment);
    const bool may_be =
        came.status == HEADROOM_OK || came.status == HEADROOM_NOTHING || came.status == HEADROOM_ERR_NO_SPACE;
    require(!accepted || may_be, "what did not come out has been accepted");
    require(!receiver.accept(compartment), "accepted twice");
    return accepted;
  }

  // NACKs go back at once, or are lost.
  void answer(bool forward, std::uint32_t compartment, Side& receiver, const Result& came) {
    const std::vector<Bytes> nacks = receiver.feedback();
    require(nacks.size() <= 1 && (nacks.empty() || came.status == HEADROOM_ERR_DECOMPRESSION), "a NACK about nothing");
    for (const Bytes& nack : nacks) {
      if (stream_) {
        arrive(!forward, compartment, nack, true);
      } else if (now_ / kTick % 4 != 0) {
        const Result told = side(forward).decompress(nack, HEADROOM_NO_SESSION, 9, now_);
        require(told.status == HEADROOM_NOTHING || told.status == HEADROOM_ERR_STATE, "its own NACK is none");
        require(side(forward).feedback().empty(), "a NACK is answered");
      }
    }
  }

  void arrive(bool forward, std::uint32_t compartment, const Bytes& octets, bool is_nack = false) {
    Stream& way = stream(forward, compartment);
    Side& receiver = side(!forward);
    Bytes given = std::exchange(way.unread, {});
    given.insert(given.end(), octets.begin(), octets.end());
    way.most_rounds += octets.size() + 1;
    std::optional<Result> next = receiver.decompress(given, compartment, 0, now_);
    if (next->status == HEADROOM_NOTHING && next->detail.kind == HEADROOM_MESSAGE_NONE) next = receiver.drain();
    for (; next; next = receiver.drain(), given.clear()) {
      const Result came = *next;
      require(++way.rounds <= way.most_rounds, "a stream without end");
      if (came.status == HEADROOM_ERR_CHANNEL) {
        way.spoilt = true;
        continue;
      }
      if (came.status == HEADROOM_ERR_STATE) {
        way.unread = given;
        continue;
      }
      const bool counts =
          came.detail.kind == HEADROOM_MESSAGE_COMPRESSED || came.detail.kind == HEADROOM_MESSAGE_FAILED;
      if (!way.spoilt && counts) {
        require(!way.texts.empty(), "more comes out than went in");
        require(came.status != HEADROOM_OK || came.octets == way.texts.front(), "not what was sent");
        require(!honest_ || came.status == HEADROOM_OK, "what was sent in peace does not come out");
        way.texts.pop_front();
      }
      // An answer to an answer would go on for ever where both streams are spoilt.
      if (is_nack) {
        (void)receiver.feedback();
      } else {
        answer(forward, compartment, receiver, came);
      }
    }
  }

  // Octets that no endpoint has made, most of them.
  void lie(bool forward, std::uint32_t compartment, std::uint8_t how, Bytes octets) {
    if (octets.empty()) return;
    honest_ = false;
    if ((how & 128) != 0) octets[0] |= 0xf8;
    Side& receiver = side(!forward);
    if (stream_) {
      stream(forward, compartment).spoilt = true;
      return arrive(forward, compartment, octets);
    }
    const bool known = (how & 8) != 0;
    const Result came = receiver.decompress(octets, known ? compartment : HEADROOM_NO_SESSION, how / 16 % 4, now_);
    if (!known && (how & 64) != 0) accept(receiver, compartment, came);
    for (const Bytes& nack : receiver.feedback()) require(nack[0] >= 0xf8, "no NACK");
  }

  void reopen(bool forward, std::uint32_t compartment, std::uint8_t how) {
    constexpr const char* kSettings[] = {
        nullptr,
        "{}",
        R"({"state_memory_size": 0})",
        R"({"peer": {"state_memory_size": 0}})",
        R"({"peer": {"decompression_memory_size": 2048}})",
        R"({"peer": {"decompression_memory_size": 65536, "cycles_per_bit": 128}, "options": {"mechanism": "dynamic"}})",
        R"({"options": {"most_compressed": 300, "tell_parameters": true}})",
        "{",
    };
    const std::size_t which = how / 4 % std::size(kSettings);
    const bool closed = (how & 64) != 0 && side(forward).close(compartment);
    const bool opened = side(forward).open(compartment, kSettings[which]);
    // Where it is new, and as both sides know it, nothing is lost.
    if (closed || (opened && which > 1)) honest_ = false;
    for (const bool way : {true, false}) stream(way, compartment).spoilt |= closed;
  }

  void control(bool forward, std::uint32_t compartment, std::uint8_t how, Feed& feed) {
    honest_ = false;
    if (how >= 128) {
      const Bytes octets = feed.octets(how % 64);
      return side(forward).control(std::string(octets.begin(), octets.end()));
    }
    const std::string number = std::to_string(compartment);
    if (how % 2 == 0) return side(forward).control(R"({"forget": )" + number + "}");
    side(forward).control(R"({"new_stream": )" + number + "}");
    stream(!forward, compartment).spoilt = true;
  }

  Side a_;
  Side b_;
  bool stream_;
  bool counts_on_arrival_;
  bool honest_;
  std::uint64_t now_ = 1000 * kTick;
  int looks_left_ = kLooks;
  std::map<std::pair<bool, std::uint32_t>, Stream> streams_;
};

}  // namespace
}  // namespace headroom::sigcomp::fuzz

// libFuzzer's accounts of how rare each feature is take longer than the messages do.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  static char option[] = "-entropic=0";
  static std::vector<char*> arguments(*argv, *argv + *argc);
  arguments.insert(arguments.begin() + 1, option);  // in front: who says otherwise is right
  arguments.push_back(nullptr);
  *argc += 1;
  *argv = arguments.data();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom::sigcomp;
  if (size < fuzz::kConfiguration) return 0;
  const Octets input(data, size);
  fuzz::Target target(fuzz::configuration(input.first(fuzz::kConfiguration)));
  if (!target.is_made()) return 0;
  target.open_one();
  fuzz::Feed feed(input.subspan(fuzz::kConfiguration));
  for (int i = 0; i < fuzz::kMostSteps && !feed.is_over(); ++i) target.step(feed);
  return 0;
}
