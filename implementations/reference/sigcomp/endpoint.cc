// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/endpoint.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "mutants.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/udvm/work.h"

namespace headroom::sigcomp {
namespace {

constexpr std::size_t kDecompressorOctets = 490'000;  // README.md
constexpr std::size_t kItemOctets = 380;              // besides its value, likewise

// Sources without a compartment are numbered beyond those that are compartments. The first of them stands for all
// messages of unknown source.
constexpr SourceId kNotTold = SourceId{1} << 32;

SourceId source_of(const headroom_packet& packet) noexcept {
  return packet.channel != HEADROOM_NO_SESSION ? packet.channel : kNotTold + packet.source;
}

void put(Octets octets, std::uint8_t* room, std::size_t most, std::uint8_t& length) noexcept {
  length = static_cast<std::uint8_t>(std::min(octets.size(), most));
  std::copy_n(octets.begin(), length, room);
}

}  // namespace

Endpoint::Endpoint(const EndpointConfig& config)
    : config_(config),
      states_(config.most_compartments, config.guard.state_memory),
      decompressor_(config.decompressor, states_),
      admission_(config.guard.admission),
      factory_(states_),
      sent_(config.most_compartments) {
  if (config.sip_sdp) states_.offer({}, sip_sdp_dictionary().value);
  if (config.presence) states_.offer({}, presence_dictionary().value);
  begin_detail(HEADROOM_MESSAGE_NONE, HEADROOM_NO_SESSION);
}

// ---- Compartments

Endpoint::Compartment* Endpoint::compartment(std::uint32_t id) {
  const auto at = compartments_.find(id);
  return at == compartments_.end() ? nullptr : &at->second;
}

void Endpoint::open(std::uint32_t id, const CompartmentConfig& config) {
  if (compartments_.contains(id)) throw std::invalid_argument("compartment " + std::to_string(id) + " is open already");
  if (compartments_.size() >= config_.most_compartments) {
    throw std::invalid_argument("there are " + std::to_string(config_.most_compartments) +
                                " compartments, as many as \"compartments\" in the configuration allows");
  }
  if (!states_.open(id, config.state_memory_size)) {
    if (config.state_memory_size > config_.guard.state_memory - states_.promised()) {
      throw std::invalid_argument("all compartments together may be promised " +
                                  std::to_string(config_.guard.state_memory) +
                                  " octets of state memory (\"state_memory\" of \"guard\"); close others first");
    }
    throw std::invalid_argument("state_memory_size must be 0 or a power of two from 2048 to 131072 (RFC 3320 3.3.1)");
  }
  try {
    Compartment c;
    if (++openings_ == 0) ++openings_;
    c.opening = openings_;
    c.compressor = factory_.make(config.compressor, id);
    if (config_.transport == Transport::kStream) c.receiver.emplace(decompressor_);
    compartments_.emplace(id, std::move(c));
  } catch (...) {
    states_.close(id);
    throw;
  }
}

bool Endpoint::close(std::uint32_t id) {
  settle_detail();
  compartments_.erase(id);
  admission_.forget(id);
  return states_.close(id);
}

bool Endpoint::restart_stream(std::uint32_t id) {
  Compartment* const c = compartment(id);
  if (c == nullptr || !c->receiver) return false;
  c->receiver.emplace(decompressor_);
  c->rest.clear();
  c->taken = 0;
  return true;
}

bool Endpoint::acknowledge(std::uint32_t id, Octets partial) {
  settle_detail();
  Compartment* const c = compartment(id);
  return c != nullptr && c->compressor->acknowledge(partial);
}

bool Endpoint::forget(std::uint32_t id) {
  settle_detail();
  Compartment* const c = compartment(id);
  if (c != nullptr) c->compressor->forget();
  return c != nullptr;
}

// ---- Compressing

std::int32_t Endpoint::compress(headroom_packet& packet) {
  begin_detail(HEADROOM_MESSAGE_NONE, packet.channel);
  packet.out_length = 0;
  Compartment* const c = compartment(packet.channel);
  if (c == nullptr) return HEADROOM_ERR_CHANNEL;
  if (packet.in_length == 0) return HEADROOM_ERR_MALFORMED;
  const Octets given(packet.in, packet.in_length);
  const Octets message = c->compressor->compress(given, packet.out_capacity);
  if (message.empty()) {
    ++counters_.uncompressed;
    // Either it is the room that does not suffice, or there would never be enough.
    return given.size() <= Compressor::kMost && packet.out_capacity < c->compressor->most() ? HEADROOM_ERR_NO_SPACE
                                                                                            : HEADROOM_ERR_UNSUPPORTED;
  }
  Octets sent = message;
  if (config_.transport == Transport::kStream) {
    record_.clear();
    write_record(message, record_);
    sent = record_;
  }
  if (sent.size() > packet.out_capacity) {
    // Record marking has made it longer. It is not going to be sent, and the compressor takes for granted that it is.
    c->compressor->forget();
    return HEADROOM_ERR_NO_SPACE;
  }
  if (config_.decompressor.version >= kVersionWithNack) sent_.add(sha1_(message), {packet.channel, c->opening});
  begin_detail(HEADROOM_MESSAGE_COMPRESSED, packet.channel);
  note_header(message);
  unnamed_ = c->compressor.get();
  ++counters_.compressed;
  if (detail_.code_length != 0) ++counters_.uploads;
  return pass_on(sent, packet);
}

std::int32_t Endpoint::pass_on(Octets output, headroom_packet& packet) noexcept {
  if (output.size() > packet.out_capacity) return HEADROOM_ERR_NO_SPACE;
  if (!output.empty()) std::memcpy(packet.out, output.data(), output.size());
  packet.out_length = static_cast<std::uint32_t>(output.size());
  return HEADROOM_OK;
}

// ---- Decompressing

std::int32_t Endpoint::decompress(headroom_packet& packet, std::uint64_t now_ns) {
  begin_detail(HEADROOM_MESSAGE_NONE, HEADROOM_NO_SESSION);
  packet.out_length = 0;
  acceptable_ = false;
  unfinished_ = HEADROOM_NO_SESSION;
  const bool stream = config_.transport == Transport::kStream;
  const bool known = packet.channel != HEADROOM_NO_SESSION;
  Compartment* const c = known ? compartment(packet.channel) : nullptr;
  if (c == nullptr && (known || stream)) return HEADROOM_ERR_CHANNEL;
  now_ns_ = now_ns;
  source_ = source_of(packet);
  // Refused before it runs, and without a NACK. On a stream nothing is taken: it may be given again.
  if (!admission_.admit(source_, now_ns)) return HEADROOM_ERR_STATE;
  if (stream) return read_stream(*c, packet).value_or(HEADROOM_NOTHING);
  if (packet.in_length == 0) return HEADROOM_ERR_MALFORMED;
  const Octets message(packet.in, packet.in_length);
  const std::int32_t status = finish(decompressor_.decompress(message, Transport::kMessages), message, packet);
  if (status == HEADROOM_ERR_DECOMPRESSION) {
    const Octets nack = decompressor_.nack(message);
    if (!nack.empty()) ++counters_.nacks_sent;
    nacks_.put(packet.channel, nack);
  }
  return status;
}

bool Endpoint::next(headroom_packet& packet, std::uint64_t now_ns) {
  Compartment* const c = compartment(unfinished_);
  if (c == nullptr) return false;
  packet.channel = unfinished_;
  packet.out_length = 0;
  now_ns_ = now_ns;
  source_ = source_of(packet);
  if (!admission_.admit(source_, now_ns)) {
    begin_detail(HEADROOM_MESSAGE_NONE, HEADROOM_NO_SESSION);
    unfinished_ = HEADROOM_NO_SESSION;
    packet.status = HEADROOM_ERR_STATE;
    return true;
  }
  const std::optional<std::int32_t> status = read_stream(*c, packet);
  packet.status = status.value_or(HEADROOM_NOTHING);
  return status.has_value();
}

std::optional<std::int32_t> Endpoint::read_stream(Compartment& c, headroom_packet& packet) {
  // What earlier calls have left goes first.
  const bool left = !c.rest.empty();
  if (left) c.rest.insert(c.rest.end(), packet.in, packet.in + packet.in_length);
  const Octets given = left ? Octets(c.rest).subspan(c.taken) : Octets(packet.in, packet.in_length);
  Octets stream = given;
  const StreamReceiver::Event event = c.receiver->read(stream);
  std::optional<std::int32_t> status;
  Octets answer;
  switch (event) {
    case StreamReceiver::Event::kMore:
      break;
    case StreamReceiver::Event::kPlain: {
      if (given.empty()) break;
      begin_detail(HEADROOM_MESSAGE_PLAIN, HEADROOM_NO_SESSION);
      ++counters_.received[HEADROOM_MESSAGE_PLAIN];
      // A stream has no gaps: what there is no room for waits for the next call.
      const Octets piece = given.first(std::min<std::size_t>(given.size(), packet.out_capacity));
      status = piece.empty() ? HEADROOM_ERR_NO_SPACE : pass_on(piece, packet);
      stream = given.subspan(piece.size());
      break;
    }
    case StreamReceiver::Event::kMessage:
      status = finish(c.receiver->outcome(), c.receiver->message(), packet);
      answer = c.receiver->answer();
      break;
    case StreamReceiver::Event::kTooLong:
    case StreamReceiver::Event::kBroken: {
      const bool broken = event == StreamReceiver::Event::kBroken;
      Failure failure;
      failure.reason = broken ? Reason::kFramingError : Reason::kBytecodesTooLarge;
      note_failure(failure);
      charge(udvm::kWorkOfMessage, true);
      status = HEADROOM_ERR_DECOMPRESSION;
      // There is no telling the peer which message was too long: its SHA-1 is not known.
      if (!broken) break;
      answer = c.receiver->answer();
      stream = {};
      break;
    }
  }
  if (!answer.empty()) ++counters_.nacks_sent;
  nacks_.put(packet.channel, answer);
  // Without any room for a piece, drain() would never come to an end.
  const bool goes_on = status && !stream.empty() && stream.size() < given.size();
  unfinished_ = goes_on ? packet.channel : HEADROOM_NO_SESSION;
  if (stream.empty()) {
    c.rest.clear();
    c.taken = 0;
  } else if (left) {
    c.taken = c.rest.size() - stream.size();
  } else {
    c.rest.assign(stream.begin(), stream.end());
  }
  return status;
}

// `outcome` is that of `message`, without record marking.
std::int32_t Endpoint::finish(const Outcome& outcome, Octets message, headroom_packet& packet) {
  constexpr std::pair<Outcome::Kind, headroom_message_kind> kKinds[] = {
      {Outcome::Kind::kMessage, HEADROOM_MESSAGE_COMPRESSED},
      {Outcome::Kind::kNoOutput, HEADROOM_MESSAGE_SILENT},
      {Outcome::Kind::kNack, HEADROOM_MESSAGE_NACK},
      {Outcome::Kind::kIgnored, HEADROOM_MESSAGE_IGNORED},
      {Outcome::Kind::kNotSigComp, HEADROOM_MESSAGE_PLAIN}};
  // A message that did not come to be run has taken time as well.
  charge(std::max<std::uint64_t>(outcome.work, udvm::kWorkOfMessage), outcome.kind == Outcome::Kind::kFailure);
  if (outcome.is_endless) ++counters_.endless;
  if (outcome.kind == Outcome::Kind::kFailure) {
    note_failure(outcome.failure);
    detail_.cycles = outcome.cycles;
    counters_.cycles += outcome.cycles;
    note_header(message);
    return HEADROOM_ERR_DECOMPRESSION;
  }
  const auto* const kind =
      std::ranges::find(kKinds, outcome.kind, &std::pair<Outcome::Kind, headroom_message_kind>::first);
  begin_detail(kind->second, HEADROOM_NO_SESSION);
  ++counters_.received[kind->second];
  switch (outcome.kind) {
    case Outcome::Kind::kNotSigComp:
      return pass_on(message, packet);
    case Outcome::Kind::kNack:
      take_nack(outcome.nack, packet.channel);
      return HEADROOM_NOTHING;
    case Outcome::Kind::kIgnored:
      return HEADROOM_NOTHING;
    default:
      break;
  }
  detail_.cycles = outcome.cycles;
  counters_.cycles += outcome.cycles;
  note_header(message);
  completed_ = true;
  const std::int32_t status =
      outcome.kind == Outcome::Kind::kMessage ? pass_on(outcome.output, packet) : HEADROOM_NOTHING;
  acceptable_ = status >= 0;  // what did not reach the application, it cannot have recognised
  if (acceptable_ && packet.channel != HEADROOM_NO_SESSION) (void)accept(packet.channel);
  return status;
}

// What the message at hand has cost falls on its source.
void Endpoint::charge(std::uint64_t work, bool failed) {
  admission_.charge(source_, now_ns_, work, failed);
  counters_.work += work;
}

bool Endpoint::accept(std::uint32_t id) {
  Compartment* const c = compartment(id);
  if (c == nullptr || !acceptable_ || !decompressor_.accept(id)) return false;
  acceptable_ = false;
  // A message of unknown source cannot vouch for all unknown sources.
  if (source_ != kNotTold) admission_.vouch(source_);
  if (completed_) {
    detail_.flags |= HEADROOM_MESSAGE_ACCEPTED;
    detail_.compartment = id;
  }
  ++counters_.accepted;
  settle_detail();
  c->compressor->heard(received_parts(decompressor_.outcome(), decompressor_.udvm().completion()));
  return true;
}

// A NACK about a message that was sent. One over a stream may be about the stream (FRAMING_ERROR) and then names none.
void Endpoint::take_nack(const Nack& nack, std::uint32_t channel) {
  detail_.reason = static_cast<std::uint8_t>(nack.reason);
  detail_.opcode = nack.opcode;
  detail_.pc = nack.pc;
  std::ranges::copy(nack.message, detail_.named);
  put(nack.details, detail_.details, sizeof detail_.details, detail_.details_length);
  const std::optional<SentMessages::Sender> sender = sent_.sender_of(nack.message);
  const bool known = channel != HEADROOM_NO_SESSION;
  std::uint32_t of = HEADROOM_NO_SESSION;
  if (sender) {
    of = sender->compartment;
  } else if (known && config_.transport == Transport::kStream && nack.reason == Reason::kFramingError) {
    of = channel;
  } else if (mutant("sigcomp-nack-about-nothing-followed")) {
    of = known ? channel : compartments_.begin()->first;
  }
  Compartment* const c = !known || of == channel ? compartment(of) : nullptr;
  if (c == nullptr || (sender && sender->opening != c->opening)) {
    ++counters_.nacks_unknown;
    return;
  }
  ++counters_.nacks_followed;
  detail_.compartment = of;
  c->compressor->refused(nack);
}

// ---- Details of a message

void Endpoint::begin_detail(headroom_message_kind kind, std::uint32_t compartment) noexcept {
  detail_ = {};
  detail_.struct_size = sizeof detail_;
  detail_.kind = static_cast<std::uint8_t>(kind);
  detail_.compartment = compartment;
  completed_ = false;
  unnamed_ = nullptr;
}

void Endpoint::note_item(headroom_message_detail& detail) const noexcept {
  const Sha1Digest* const identifier = unnamed_ != nullptr ? unnamed_->leaves() : nullptr;
  if (identifier == nullptr) return;
  detail.creations = 1;
  std::ranges::copy(*identifier, detail.created);
}

void Endpoint::settle_detail() noexcept {
  note_item(detail_);
  unnamed_ = nullptr;
}

void Endpoint::note_header(Octets message) noexcept {
  Header header;
  if (message.empty() || !is_sigcomp(message[0]) || read_header(message, header) != Reason::kNone) return;
  detail_.header_length = static_cast<std::uint32_t>(header.length);
  detail_.code_length = static_cast<std::uint16_t>(header.code.size());
  put(header.partial_identifier, detail_.referred, sizeof detail_.referred, detail_.referred_length);
  put(header.returned_feedback, detail_.returned_feedback, sizeof detail_.returned_feedback, detail_.returned_length);
}

void Endpoint::note_failure(const Failure& failure) noexcept {
  begin_detail(HEADROOM_MESSAGE_FAILED, HEADROOM_NO_SESSION);
  detail_.reason = static_cast<std::uint8_t>(failure.reason);
  detail_.opcode = failure.opcode;
  detail_.pc = failure.pc;
  put(failure.details(), detail_.details, sizeof detail_.details, detail_.details_length);
  ++counters_.received[HEADROOM_MESSAGE_FAILED];
  ++counters_.failures[std::min(static_cast<std::size_t>(failure.reason), counters_.failures.size() - 1)];
}

headroom_message_detail Endpoint::detail() const noexcept {
  headroom_message_detail detail = detail_;
  note_item(detail);
  if (!completed_) return detail;
  const udvm::Completion& completion = decompressor_.udvm().completion();
  for (const udvm::StateRequest& request : completion.requests()) {
    if (request.kind == udvm::StateRequest::Kind::kFree) {
      ++detail.frees;
      continue;
    }
    ++detail.creations;
    std::ranges::copy(identifier_of(sha1_, request.header, request.octets), detail.created);
  }
  const RequestedFeedback& requested = completion.feedback;
  if (requested.present) detail.flags |= HEADROOM_MESSAGE_ASKS_FEEDBACK;
  if (requested.s) detail.flags |= HEADROOM_MESSAGE_WANTS_NO_STATE;
  if (requested.i) detail.flags |= HEADROOM_MESSAGE_WANTS_NO_LOCAL_STATE;
  put(requested.item, detail.requested_feedback, sizeof detail.requested_feedback, detail.requested_length);
  const Octets returned = completion.returned_parameters;
  if (!returned.empty()) detail.parameters = returned[0];
  if (returned.size() > 1) detail.version = returned[1];
  ReturnedParameters(returned).for_each_identifier([&](Octets) { ++detail.announced; });
  return detail;
}

std::size_t Endpoint::memory_bytes() const {
  std::size_t octets = sizeof *this + kDecompressorOctets + sent_.memory_bytes() + states_.items() * kItemOctets +
                       factory_.memory_bytes();
  for (const auto& [id, c] : compartments_) {
    octets += sizeof(Compartment) + c.rest.capacity() + states_.memory_of(id) + c.compressor->memory_bytes();
  }
  return octets;
}

}  // namespace headroom::sigcomp
