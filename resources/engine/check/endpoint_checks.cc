// SPDX-License-Identifier: Apache-2.0
//
// What an endpoint promises beyond a compressor and a decompressor: compartments, acceptance, streams, what it tells of
// a message, tools. Its messages are SIP, which the scheme is for.
#include <algorithm>
#include <array>
#include <cstring>

#include "adapter/checked_endpoint.h"
#include "base/hex.h"
#include "base/nth.h"
#include "base/random.h"
#include "check/endpoint.h"

namespace headroom::check {
namespace {

constexpr std::size_t kHostileMessages = 1'500;
constexpr int kMostNacks = 1000;

void require(bool holds, const std::string& sentence) {
  if (!holds) throw Broken(sentence);
}

// An endpoint with compartment 0.
struct Side {
  explicit Side(const Subject& subject, bool stream = false)
      : instance(stream ? with_transport(subject.adapter, "tcp") : subject.adapter, HEADROOM_ENDPOINT),
        endpoint(instance) {
    const auto sentence = endpoint.open(0, Json::object());
    if (sentence) throw Broken("sessions.open refuses an empty object: " + *sentence);
  }
  Instance instance;
  CheckedEndpoint endpoint;
};

void take_all(CheckedEndpoint& endpoint, std::uint64_t now_ns) {
  for (int n = 0; endpoint.take_reverse(now_ns); ++n) {
    if (n == kMostNacks) throw PromiseBroken(endpoint.instance(), "take_reverse", "it never stops returning packets.");
  }
}

void require_compression(const Subject& subject) {
  if (!offers(subject, "features", "compression")) throw NotJudged("the endpoint does not compress.");
}

// What an endpoint makes of some messages for another one, in order.
std::vector<Octets> made_by(Side& side, std::size_t count) {
  std::vector<Octets> made;
  for (std::size_t i = 0; i < count; ++i) {
    MessageOutput output = side.endpoint.compress(sip_message(i), 0, time_of(i));
    if (output.came_out()) made.push_back(std::move(output.octets));
  }
  return made;
}

}  // namespace

AdapterJob with_transport(AdapterJob adapter, const char* transport) {
  adapter.config["transport"] = transport;
  return adapter;
}

Octets sip_message(std::size_t number) {
  const std::string n = std::to_string(number);
  const char* const method = number % 3 == 0 ? "INVITE" : number % 3 == 1 ? "PRACK" : "BYE";
  const std::string text =
      std::string(method) + " sip:user@example.com SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK" + n +
      "\r\nFrom: <sip:alice@example.com>;tag=" + n + "7\r\nTo: <sip:bob@example.net>\r\nCall-ID: " + n +
      "@192.0.2.1\r\nCSeq: " + n + " " + method + "\r\nContent-Length: 0\r\n\r\n";
  return {text.begin(), text.end()};
}

Outcome check_endpoint_functions(const Subject& subject) {
  note("an endpoint was made");
  Instance instance(subject.adapter, HEADROOM_ENDPOINT);
  const CheckedEndpoint endpoint(instance);
  require(!offers(subject, "features", "nack") || instance.api().take_reverse != nullptr,
          "describe lists the feature nack, and take_reverse is NULL.");
  require(!subject.scheme.contains("tools") || subject.scheme["tools"].empty() ||
              Library::open(subject.adapter.library, "/library")->tools() != nullptr,
          "describe lists tools, and there is no extension \"tools\".");
  return {};
}

Outcome check_endpoint_configuration(const Subject& subject) {
  const Json& good = subject.adapter.config;
  Json with_unknown_option = good;
  with_unknown_option["options"] = {{"no_such_option", true}};
  std::vector<Refused> bad = {
      {HEADROOM_ENDPOINT, "{\"scheme\": ", "a configuration that is not JSON"},
      {HEADROOM_ENDPOINT, "[]", "a configuration that is no object"},
      {HEADROOM_ENDPOINT, with_unknown_option.dump(), "an option that it cannot know"},
      {HEADROOM_COMPRESSOR, good.dump(), "the role of a compressor"},
      {HEADROOM_DECOMPRESSOR, good.dump(), "the role of a decompressor"},
  };
  add_known(bad, subject, HEADROOM_ENDPOINT);
  const std::shared_ptr<const Library> library = Library::open(subject.adapter.library, "/library");
  for (const Refused& refused : bad) check_refusal(library->api(), refused);
  AdapterJob newer = subject.adapter;
  newer.config["a_key_that_a_later_version_may_have"] = 1;
  note("an endpoint was made with an unknown key outside options, which is to be ignored");
  const Instance instance(newer, HEADROOM_ENDPOINT);
  return {};
}

Outcome check_compartments(const Subject& subject) {
  Side side(subject);
  CheckedEndpoint& endpoint = side.endpoint;
  note("compartments were opened and closed");
  require(endpoint.open(0, Json::object()).has_value(), "a compartment that is open is opened again.");
  require(endpoint.open(1, {{"no_such_key", 1}}).has_value(),
          "sessions.open accepts a key that is not among state_memory_size, peer and options.");
  require(endpoint.open(1, Json::array()).has_value(), "sessions.open accepts a list.");
  require(!endpoint.close(1), "sessions.close closes what is not open.");
  require(endpoint.compress(sip_message(0), 1, time_of(0)).status == HEADROOM_ERR_CHANNEL,
          "compress for a compartment that is not open must be answered with ERR_CHANNEL.");
  require(endpoint.decompress(sip_message(0), 1, 0, time_of(0)).status == HEADROOM_ERR_CHANNEL,
          "decompress for a compartment that is not open must be answered with ERR_CHANNEL.");
  for (int i = 0; i < 3; ++i) {
    const auto sentence = endpoint.open(HEADROOM_NO_SESSION - 1, Json::object());
    require(!sentence.has_value(), "compartment 4294967294 cannot be opened: " + sentence.value_or(""));
    require(endpoint.close(HEADROOM_NO_SESSION - 1), "sessions.close does not close what is open.");
  }
  require(endpoint.open(HEADROOM_NO_SESSION, Json::object()).has_value(),
          "HEADROOM_NO_SESSION is opened as if it were a number.");
  return {};
}

Outcome check_messages(const Subject& subject) {
  require_compression(subject);
  Side a(subject), b(subject);
  for (std::size_t i = 0; i < 60; ++i) {
    Side& from = i % 2 == 0 ? a : b;
    Side& to = i % 2 == 0 ? b : a;
    const Octets message = sip_message(i);
    note(nth("message", i) + " was compressed and decompressed");
    const MessageOutput made = from.endpoint.compress(message, 0, time_of(i));
    require(made.came_out(), nth("message", i) + " was not compressed: " + name_of_status(made.status) + ".");
    const bool known = i % 4 < 2;
    const MessageOutput back = to.endpoint.decompress(made.octets, known ? 0 : HEADROOM_NO_SESSION, 1, time_of(i));
    require(back.came_out(), nth("message", i) + " was not decompressed: " + name_of_status(back.status) + ", reason " +
                                 std::to_string(back.detail.reason) + ".");
    require(back.octets == message, nth("message", i) + " came back changed.");
    if (!known) (void)to.endpoint.accept(0);
  }
  for (Side* side : {&a, &b}) {
    require(!side->endpoint.take_reverse(time_of(60)),
            "take_reverse returns a NACK although every message was decompressed.");
  }
  return {};
}

Outcome check_acceptance(const Subject& subject) {
  Side side(subject);
  note("accept was called without a message");
  require(!side.endpoint.accept(0), "accept accepts although there has been no message.");
  require_compression(subject);
  Side other(subject);
  const MessageOutput made = other.endpoint.compress(sip_message(0), 0, time_of(0));
  if (!made.came_out() || made.detail.kind == HEADROOM_MESSAGE_PLAIN) throw NotJudged("nothing is compressed.");
  if (!side.endpoint.decompress(made.octets, HEADROOM_NO_SESSION, 0, time_of(0)).came_out()) {
    throw NotJudged("a message was not decompressed; see the check \"messages\".");
  }
  if (side.endpoint.detail().kind == HEADROOM_MESSAGE_PLAIN) throw NotJudged("messages are plain here.");
  require(!side.endpoint.accept(7), "accept accepts for a compartment that is not open.");
  require(side.endpoint.accept(0), "accept refuses a message that was decompressed without a compartment.");
  require(!side.endpoint.accept(0), "accept accepts the same message twice.");
  require(side.endpoint.decompress(other.endpoint.compress(sip_message(1), 0, time_of(1)).octets, 0, 0, time_of(1))
              .came_out(),
          "what was accepted cannot be built upon: the next message is not decompressed.");
  require(!side.endpoint.accept(0), "accept accepts a message that was decompressed for a known compartment.");
  return {};
}

Outcome check_nacks(const Subject& subject) {
  if (!offers(subject, "features", "nack")) throw NotJudged("the endpoint does not declare the feature nack.");
  const Scheme& scheme = known_scheme(subject);
  if (!scheme.message_mark || scheme.trials.failing_message.empty())
    throw NotJudged("what messages of this scheme look like is not known here.");
  Side side(subject);
  take_all(side.endpoint, time_of(0));
  note("a message that must fail was decompressed");
  const std::int32_t status = side.endpoint.decompress(scheme.trials.failing_message, 0, 0, time_of(0)).status;
  require(status == HEADROOM_ERR_DECOMPRESSION, std::string("bytecode that fails is answered with ") +
                                                    name_of_status(status) + " instead of ERR_DECOMPRESSION.");
  const auto nack = side.endpoint.take_reverse(time_of(0));
  require(nack.has_value(), "take_reverse has no NACK after a decompression failure.");
  require(!nack->octets.empty() && scheme.message_mark->is_on(nack->octets),
          "the NACK that take_reverse returns does not begin as a message does.");
  require(nack->type == HEADROOM_REVERSE_FAR, "the NACK that take_reverse returns is not for the far end.");
  require(!side.endpoint.take_reverse(time_of(0)), "take_reverse returns two NACKs for one failure.");
  return {};
}

Outcome check_detail_grows(const Subject& subject) {
  Side side(subject);
  (void)side.endpoint.decompress(sip_message(0), 0, 0, time_of(0));
  const headroom_message_detail whole = side.endpoint.detail();
  for (const std::size_t size : {std::size_t{4}, std::size_t{8}, std::size_t{16}, sizeof whole + 64}) {
    Octets room(sizeof whole + 128, 0x5A);
    headroom_message_detail detail;
    std::memset(&detail, 0x5A, sizeof detail);
    detail.struct_size = static_cast<std::uint32_t>(size);
    std::memcpy(room.data(), &detail, sizeof detail);
    note("messages.detail was called with a struct_size of " + std::to_string(size));
    caller_of(side.instance).detail(*reinterpret_cast<headroom_message_detail*>(room.data()));
    require(std::all_of(room.begin() + static_cast<std::ptrdiff_t>(std::min(size, sizeof whole)), room.end(),
                        [](std::uint8_t octet) { return octet == 0x5A; }),
            "messages.detail writes beyond the caller's struct_size of " + std::to_string(size) + ".");
  }
  return {};
}

Outcome check_streams(const Subject& subject) {
  if (!offers(subject, "transports", "tcp")) throw NotJudged("the endpoint has no streams.");
  require_compression(subject);
  Side a(subject, true), b(subject, true);
  Octets stream;
  constexpr std::size_t kMessages = 6;
  bool plain = false;
  for (std::size_t i = 0; i < kMessages; ++i) {
    const MessageOutput made = a.endpoint.compress(sip_message(i), 0, time_of(i));
    require(made.came_out(), nth("message", i) + " was not compressed.");
    plain = plain || made.detail.kind == HEADROOM_MESSAGE_PLAIN;
    stream.insert(stream.end(), made.octets.begin(), made.octets.end());
  }
  if (plain) throw NotJudged("messages are plain here, and nothing delimits them.");
  require(b.endpoint.decompress({}, 0, 0, time_of(0)).is_none() && !b.endpoint.drain(time_of(0)),
          "no octets of a stream must be answered with NOTHING, and no message.");
  require(b.endpoint.decompress(stream, HEADROOM_NO_SESSION, 0, time_of(0)).status == HEADROOM_ERR_CHANNEL,
          "a stream without a compartment must be answered with ERR_CHANNEL.");
  std::size_t came = 0;
  Xoshiro256 random(1);
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t length = std::min<std::size_t>(stream.size() - at, 1 + random.next() % 500);
    note("octets " + std::to_string(at) + " and following of a stream were given to decompress");
    std::optional<MessageOutput> output =
        b.endpoint.decompress(OctetView(stream).subspan(at, length), 0, 0, time_of(at));
    if (output->is_none()) output = b.endpoint.drain(time_of(at));
    for (; output; output = b.endpoint.drain(time_of(at))) {
      require(output->came_out() && came < kMessages && output->octets == sip_message(came),
              nth("message", came) + " of a stream does not come out as it went in.");
      ++came;
    }
    at += length;
  }
  require(came == kMessages,
          std::to_string(came) + " of " + std::to_string(kMessages) + " messages of a stream came out.");
  return {};
}

Outcome check_message_bounds(const Subject& subject) {
  require_compression(subject);
  Side a(subject), b(subject);
  const Octets message = sip_message(0);
  const MessageOutput made = a.endpoint.compress(message, 0, time_of(0));
  if (!made.came_out()) throw NotJudged("a message was not compressed; see the check \"messages\".");
  const auto try_with = [&](Side& side, bool compressing, const Octets& in, std::size_t room) {
    Octets out(room + 64, 0xA5);
    Octets exact = in;
    headroom_packet packet = record_of({exact}, out.data(), room);
    (void)caller_of(side.instance).process(compressing, &packet, 1, time_of(room));
    (void)side.endpoint.drain(time_of(room));
    require(std::all_of(out.begin() + static_cast<std::ptrdiff_t>(room), out.end(),
                        [](std::uint8_t octet) { return octet == 0xA5; }),
            std::string(compressing ? "compress" : "decompress") + " writes beyond a buffer of " +
                std::to_string(room) + " octets.");
    require(packet.status != HEADROOM_OK || packet.out_length <= room,
            "success is claimed with more octets than there is room for.");
  };
  for (std::size_t room = 0; room < 300; room += room < 20 ? 1 : 17) {
    note("a message was handled with room for " + std::to_string(room) + " octets");
    try_with(a, true, message, room);
    try_with(b, false, made.octets, room);
  }
  return {};
}

// A message that an endpoint has no room for. A compressor may also say that it cannot make one of it here.
Outcome check_message_status(const Subject& subject) {
  require_compression(subject);
  Side a(subject), b(subject), control(subject);
  const Octets message = sip_message(0);
  const MessageOutput made = a.endpoint.compress(message, 0, time_of(0));
  if (!made.came_out()) throw NotJudged("a message was not compressed; see the check \"messages\".");
  if (!control.endpoint.decompress(made.octets, 0, 0, time_of(0)).came_out())
    throw NotJudged("a message was not decompressed; see the check \"messages\".");
  const auto try_with = [&](Side& side, bool compressing, Octets in, std::size_t room) {
    const std::string given = "a message with room for " + std::to_string(room) + " octets was given to " +
                              (compressing ? "compress" : "decompress");
    note(given);
    Octets out(room + 64);
    headroom_packet packet = record_of({in}, out.data(), room);
    (void)caller_of(side.instance).process(compressing, &packet, 1, time_of(room));
    (void)side.endpoint.drain(time_of(room));
    const bool right = packet.status >= 0 || packet.status == HEADROOM_ERR_NO_SPACE ||
                       (compressing && packet.status == HEADROOM_ERR_UNSUPPORTED);
    require(right, given + " and answered with " + name_of_status(packet.status) + "; ERR_NO_SPACE is right.");
  };
  for (const std::size_t room : {std::size_t{0}, std::size_t{1}, made.octets.size() / 2, made.octets.size() - 1})
    try_with(a, true, message, room);
  for (const std::size_t room : {std::size_t{0}, std::size_t{1}, message.size() / 2, message.size() - 1})
    try_with(b, false, made.octets, room);
  return {};
}

Outcome check_endpoint_deterministic(const Subject& subject) {
  require_compression(subject);
  const auto transcript = [&](std::size_t others) {
    Side a(subject), b(subject);
    std::vector<std::unique_ptr<Side>> more;
    for (std::size_t i = 0; i < others; ++i) more.push_back(std::make_unique<Side>(subject));
    std::string text;
    for (std::size_t i = 0; i < 40; ++i) {
      for (const auto& side : more) (void)side->endpoint.compress(sip_message(i + 100), 0, time_of(i));
      Side& from = i % 3 == 0 ? b : a;
      Side& to = i % 3 == 0 ? a : b;
      const MessageOutput made = from.endpoint.compress(sip_message(i), 0, time_of(i));
      const MessageOutput back = to.endpoint.decompress(made.octets, 0, 0, time_of(i));
      text += to_hex(made.octets) + " " + name_of_status(back.status) + " " + std::to_string(back.detail.cycles) + " " +
              to_hex(back.octets) + "\n";
    }
    return text;
  };
  note("the same messages were sent twice, the second time with other instances beside");
  require(transcript(0) == transcript(2),
          "the same calls do not give the same octets, or instances are not independent of each other.");
  // One receiver misses every second message; another one beside it, which gets them all, must be no help.
  const auto with_gaps = [&](bool another) {
    Side sender(subject), gets_all(subject), receiver(subject);
    std::string text;
    for (std::size_t i = 0; i < 12; ++i) {
      const MessageOutput made = sender.endpoint.compress(sip_message(i), 0, time_of(i));
      if (another) (void)gets_all.endpoint.decompress(made.octets, 0, 0, time_of(i));
      if (i % 2 == 0) continue;
      const MessageOutput back = receiver.endpoint.decompress(made.octets, 0, 0, time_of(i));
      text += std::string(name_of_status(back.status)) + " " + to_hex(back.octets) + "\n";
    }
    return text;
  };
  note("messages were lost on the way to one instance, the second time with another one that got them all");
  require(with_gaps(false) == with_gaps(true),
          "a message comes out otherwise when another instance has had the messages before it: instances share what "
          "they remember.");
  return {};
}

namespace {

void try_hostile_stream(const Subject& subject, Xoshiro256& random) {
  Side stream(subject, true);
  for (std::size_t i = 0; i < kHostileMessages; ++i) {
    Octets piece(static_cast<std::size_t>(random.next() % 300));
    for (std::uint8_t& octet : piece) octet = static_cast<std::uint8_t>(random.next() % 3 == 0 ? 0xFF : random.next());
    note(nth("piece", i) + " of a hostile stream was given to decompress");
    const std::uint64_t now_ns = (i + 1) * 3'600'000'000'000;
    std::size_t outputs = 0;
    (void)stream.endpoint.decompress(piece, 0, 0, now_ns);
    do {
      take_all(stream.endpoint, now_ns);
      require(outputs++ < piece.size() + 2, "a piece of a stream gives more messages than it has octets.");
    } while (stream.endpoint.drain(now_ns));
    if (i % 8 == 0) {
      (void)stream.endpoint.close(0);
      (void)stream.endpoint.open(0, Json::object());
    }
  }
}

}  // namespace

Outcome check_hostile_messages(const Subject& subject) {
  std::vector<Octets> honest;
  if (offers(subject, "features", "compression")) {
    Side sender(subject);
    honest = made_by(sender, 12);
  }
  const Scheme& scheme = known_scheme(subject);
  const OctetView beginning = scheme.trials.beginning_of_message;
  honest.emplace_back(beginning.begin(), beginning.end());
  // Random octets that could be a message's.
  const auto mark = [&](Octets& message) {
    if (!message.empty() && scheme.message_mark) scheme.message_mark->put_on(message);
  };
  Xoshiro256 random(3);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random.next() % limit); };
  Side side(subject);
  for (std::size_t i = 0; i < kHostileMessages; ++i) {
    Octets message = honest[below(honest.size())];
    switch (i % 4) {
      case 0:
        message.resize(below(200));
        for (std::uint8_t& octet : message) octet = static_cast<std::uint8_t>(random.next());
        mark(message);
        break;
      case 1:
        message.resize(below(message.size() + 1));
        break;
      case 2:
        for (std::size_t n = below(6) + 1; n > 0; --n) {
          if (!message.empty())
            message[below(std::min<std::size_t>(message.size(), 200))] ^= static_cast<std::uint8_t>(1u << below(8));
        }
        break;
      default:
        break;
    }
    note(nth("message", i) + " of hostile ones, " + std::to_string(message.size()) +
         " octets, was given to decompress");
    const bool known = i % 2 == 0;
    // An hour apart: what an endpoint allows a source per second is not what is asked here.
    const std::uint64_t now_ns = (i + 1) * 3'600'000'000'000;
    (void)side.endpoint.decompress(message, known ? 0 : HEADROOM_NO_SESSION, 0, now_ns);
    if (!known) (void)side.endpoint.accept(0);
    take_all(side.endpoint, now_ns);
    if (i % 16 == 0) (void)side.endpoint.compress(sip_message(i), 0, now_ns);
  }
  if (offers(subject, "transports", "tcp")) try_hostile_stream(subject, random);
  return {};
}

Outcome check_tool(const Subject& subject) {
  const std::shared_ptr<const Library> library = Library::open(subject.adapter.library, "/library");
  const headroom_tools* const tools = library->tools();
  if (tools == nullptr) throw NotJudged("the adapter has no tools.");
  for (const char* question :
       {"", "{", "[]", "{}", "{\"tool\": 7}", "{\"tool\": \"no-such-tool\"}", "{\"tool\": \"assemble\"}",
        "{\"tool\": \"assemble\", \"source\": \"?\"}", "{\"tool\": \"disassemble\", \"code\": \"0\"}"}) {
    note(std::string("tool was asked ") + question);
    const std::string text =
        fetch_text("tools.ask", [&](char* json, std::size_t capacity) { return tools->ask(question, json, capacity); });
    const Json answer = parse_json(text);
    require(answer.is_object() && answer.contains("error") && answer["error"].is_string() && answer["error"] != "",
            std::string("tool does not answer the question ") + question + " with an error.");
    const std::string again =
        fetch_text("tools.ask", [&](char* json, std::size_t capacity) { return tools->ask(question, json, capacity); });
    require(again == text, std::string("tool answers the question ") + question + " in two ways.");
    Octets room(text.size() + 64, 0x5A);
    (void)tools->ask(question, reinterpret_cast<char*>(room.data()), text.size());
    require(std::all_of(room.begin(), room.end(), [](std::uint8_t octet) { return octet == 0x5A; }),
            "tool writes into a buffer that is too small for its answer.");
  }
  return {};
}

const std::vector<Check>& endpoint_checks() {
  static const std::vector<Check> checks = {
      {"endpoint_functions", "no function of an endpoint is missing", check_endpoint_functions},
      {"create",
       "create makes an endpoint, ignores keys that it does not know, and refuses a bad configuration with a "
       "sentence",
       check_endpoint_configuration},
      {"statistics", "statistics returns the document that it should", check_statistics},
      {"control", "control refuses what it does not understand with a sentence", check_control},
      {"compartments", "compartments are opened once and closed, and messages for others are refused",
       check_compartments},
      {"messages", "what is compressed comes back octet by octet, in both directions", check_messages},
      {"acceptance", "a message is accepted once, for a compartment that is open", check_acceptance},
      {"nacks", "a message that fails is answered with one NACK", check_nacks},
      {"message_detail", "detail writes as much of what is known about a message as the caller has room for",
       check_detail_grows},
      {"streams", "messages come out of a stream one by one, whatever the pieces", check_streams},
      {"output_bounds", "nothing is written outside the output buffer", check_message_bounds},
      {"status", "the status of a message that is lost is that of its reason", check_message_status},
      {"buffer_lifetime", "no buffer is touched once the call that it was given to has returned",
       check_buffer_lifetime},
      {"deterministic", "the same calls give the same octets, and instances share nothing",
       check_endpoint_deterministic},
      {"no_clock", "no clock is read and no random number drawn", check_no_clock},
      {"quiet", "nothing is printed", check_quiet},
      {"threads", "no thread is started", check_threads},
      {"files", "no file is left open", check_files},
      {"memory_flat", "memory does not grow with messages", check_memory_flat},
      {"destroy_frees", "destroy gives everything back", check_destroy_frees},
      {"hostile_messages", "random, damaged and truncated messages and streams do no harm", check_hostile_messages},
      {"tool", "a wrong question is answered with a sentence, the same every time", check_tool},
  };
  return checks;
}

}  // namespace headroom::check
