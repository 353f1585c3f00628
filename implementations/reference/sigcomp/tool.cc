// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/tool.h"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "cxx/settings.h"
#include "sigcomp/assembler/assembler.h"
#include "sigcomp/assembler/disassembler.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/options.h"

namespace headroom::sigcomp {
namespace {

using nlohmann::json;

constexpr std::size_t kMostLines = 100'000;
constexpr std::size_t kMostMessages = 1000;
constexpr CompartmentId kCompartment = 0;

json assemble(const Settings& s) {
  s.only({"scheme", "tool", "source"});
  const json* const source = s.find("source");
  require(source != nullptr && source->is_string(), s.where("source") + " must be a text");
  const auto assembled = assembler::assemble(source->get_ref<const std::string&>());
  if (const auto* error = std::get_if<assembler::SourceError>(&assembled)) {
    return {{"error", error->sentence}, {"line", error->at.line}, {"column", error->at.column}};
  }
  const auto& program = std::get<assembler::Program>(assembled);
  const bool says_something = std::ranges::find(program.is_padding, false) != program.is_padding.end();
  if (!says_something) return {{"error", "there is neither an instruction nor data in the source"}};
  const auto message = assembler::upload(program);
  const auto* const why = std::get_if<std::string>(&message);
  json names = json::object();
  for (const auto& [name, value] : program.names) names[name] = value;
  return {{"code", hex_of(assembler::code_of(program))},
          {"start", program.start},
          {"message", why != nullptr ? json(nullptr) : json(hex_of(std::get<std::vector<std::uint8_t>>(message)))},
          {"why_no_message", why != nullptr ? json(*why) : json(nullptr)},
          {"names", std::move(names)}};
}

json disassemble(const Settings& s) {
  s.only({"scheme", "tool", "code", "start", "message"});
  std::vector<std::uint8_t> code;
  std::uint16_t start = 128;
  if (const json* const given = s.find("message")) {
    require(s.find("code") == nullptr, "\"code\" and \"message\" are two ways to say the same; one is enough");
    const std::vector<std::uint8_t> message = octets_from_hex(*given, s.where("message"));
    Header header;
    require(!message.empty() && is_sigcomp(message[0]),
            "this is no SigComp message: its first five bits are not all 1");
    const Reason wrong = read_header(message, header);
    require(wrong == Reason::kNone, "the header of this SigComp message is wrong: " + std::string(name_of(wrong)));
    require(header.partial_identifier.empty(), "this SigComp message brings no bytecode: it names a state that has it");
    code.assign(header.code.begin(), header.code.end());
    start = header.destination;
  } else {
    require(s.find("code") != nullptr, "there must be \"code\" or a \"message\"");
    code = octets_from_hex(*s.find("code"), s.where("code"));
    s.number("start", 0, 65535, start);
  }
  require(!code.empty() && start + code.size() <= udvm::kMostMemory,
          "the bytecode must have an octet at least, and end below address 65536");
  return {{"source", assembler::disassemble(code, start, start)}};
}

const char* kind_of(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::kMessage:
      return "compressed";
    case Outcome::Kind::kNoOutput:
      return "silent";
    case Outcome::Kind::kNack:
      return "nack";
    case Outcome::Kind::kIgnored:
      return "ignored";
    case Outcome::Kind::kNotSigComp:
      return "plain";
    case Outcome::Kind::kFailure:
      break;
  }
  return "failed";
}

std::vector<std::vector<std::uint8_t>> messages_of(const Settings& s) {
  std::vector<std::vector<std::uint8_t>> messages;
  if (const json* const one = s.find("message")) messages.push_back(octets_from_hex(*one, s.where("message")));
  if (const json* const several = s.find("messages")) {
    require(several->is_array() && several->size() <= kMostMessages,
            s.where("messages") + " must be a list of at most " + std::to_string(kMostMessages));
    for (const json& one : *several) messages.push_back(octets_from_hex(one, "each of the " + s.where("messages")));
  }
  require(!messages.empty(), "there must be a \"message\" or \"messages\"");
  return messages;
}

json trace(const Settings& s) {
  s.only({"scheme", "tool", "message", "messages", "config", "limit"});
  const std::vector<std::vector<std::uint8_t>> messages = messages_of(s);
  const json* const given = s.find("config");
  const json settings = given == nullptr ? json{{"scheme", "sigcomp"}} : *given;
  EndpointConfig config = endpoint_config(settings);
  // A verifier leaves out rounds of loops that it has seen through, which the lines would not show.
  const json* const options = Settings(settings, "the configuration").find("options");
  if (options == nullptr || !options->contains("guard")) config.decompressor.verify = false;
  std::size_t limit = 10'000;
  s.number("limit", 0, kMostLines, limit);

  StateHandler states(1);
  if (config.sip_sdp) states.offer({}, sip_sdp_dictionary().value);
  if (config.presence) states.offer({}, presence_dictionary().value);
  states.open(kCompartment, config.compartment.state_memory_size);
  Decompressor decompressor(config.decompressor, states);
  for (std::size_t i = 0; i + 1 < messages.size(); ++i) {
    (void)decompressor.decompress(messages[i], config.transport);
    (void)decompressor.accept(kCompartment);
  }
  std::vector<std::string> lines;
  bool truncated = false;
  assembler::TracePrinter printer([&](const std::string& line) {
    if (lines.size() < limit) {
      lines.push_back(line);
    } else {
      truncated = true;
    }
  });
  const Outcome& outcome = decompressor.decompress(messages.back(), config.transport, &printer);
  const bool came_out = outcome.kind == Outcome::Kind::kMessage;
  return {{"lines", std::move(lines)},
          {"truncated", truncated},
          {"kind", kind_of(outcome.kind)},
          {"output", came_out ? json(hex_of(outcome.output)) : json(nullptr)},
          {"cycles", outcome.cycles},
          {"reason", static_cast<unsigned>(outcome.failure.reason)},
          {"reason_name", name_of(outcome.failure.reason)},
          {"pc", outcome.failure.pc},
          {"opcode", outcome.failure.opcode}};
}

}  // namespace

json tool_answer(const json& request) {
  const Settings s(request, "the request");
  (void)s.choice("scheme", {"sigcomp"}, 0);
  require(s.find("tool") != nullptr, "\"tool\" is missing; it must be one of \"assemble\", \"disassemble\", \"trace\"");
  switch (s.choice("tool", {"assemble", "disassemble", "trace"}, 0)) {
    case 0:
      return assemble(s);
    case 1:
      return disassemble(s);
    default:
      return trace(s);
  }
}

}  // namespace headroom::sigcomp
