// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/bytecode_compressor.h"

#include <algorithm>
#include <stdexcept>

#include "mutants.h"
#include "sigcomp/compressor/codes.h"

namespace headroom::sigcomp {
namespace {

constexpr StateHeader kSharedState = {0, 0, kLeastIdentifier};  // a message that is kept as state: RFC 3321 5.2
constexpr std::size_t kSharedUnit = 8;  // octets; a message says how many of them (programs/begin.udvm)

// Octets after the dictionary: twice the largest buffer, one shared message, and the message.
constexpr std::size_t kSearchRoom = 2 * 65536 + 2048 + udvm::kMostOutput;

// The part of a configuration that a program is made of.
CompressorConfig of_program(CompressorConfig config) {
  std::fill(config.user_dictionary.begin(), config.user_dictionary.end(), std::uint8_t{0});
  config.checkpoint_every = config.checkpoint_every == 0 ? 0 : 1;
  config.search = Search::kHash;
  config.linear_buffer = config.room_first = false;
  config.shared_state = SharedState::kNewest;
  return config;
}

}  // namespace

FactoryState::PreparedProgram::PreparedProgram(const CompressorConfig& config, Sha1& sha1) : program(config) {
  if (program.saved == Saved::kMemory) names = std::make_unique<ItemNames>(program, sha1);
  if (program.saved != Saved::kCode) return;
  // The octets that END-MESSAGE names; where the bytecode ends with zeros, these are not uploaded but part of it.
  std::vector<std::uint8_t> value = program.code;
  value.resize(program.longest_state());
  code_identifier = identifier_of(sha1, {Program::kCode, Program::kCode, kLeastIdentifier}, value);
}

FactoryState::SearchText::SearchText(Octets dictionary, Search search) : window(dictionary, kSearchRoom, search) {}

const FactoryState::PreparedProgram& FactoryState::prepared(const CompressorConfig& config) {
  CompressorConfig key = of_program(config);
  auto found = std::find_if(tried_.begin(), tried_.end(), [&key](const Tried& one) { return one.config == key; });
  if (found == tried_.end()) {
    Tried tried{std::move(key), nullptr, {}};
    try {
      tried.prepared = std::make_unique<PreparedProgram>(tried.config, sha1);
    } catch (const std::invalid_argument& error) {
      tried.why_not = error.what();
    }
    found = tried_.insert(tried_.end(), std::move(tried));
  }
  if (found->prepared == nullptr) throw std::invalid_argument(found->why_not);
  return *found->prepared;
}

FactoryState::SearchText& FactoryState::search_text(const CompressorConfig& config, const Program& program) {
  if (const std::size_t most = most_compressed_of(config); message.size() < most) message.resize(most);
  auto& search_text = search_texts_[{program.dictionary.data(), program.dictionary.size(), config.search}];
  if (search_text == nullptr) search_text = std::make_unique<SearchText>(program.dictionary, config.search);
  return *search_text;
}

std::size_t FactoryState::memory_bytes() const noexcept {
  std::size_t octets = sizeof *this + message.capacity() + put.capacity() + spares.memory_bytes();
  for (const Tried& one : tried_) {
    octets += sizeof one + one.why_not.capacity();
    if (one.prepared) {
      octets += sizeof *one.prepared + one.prepared->program.code.capacity();
      if (one.prepared->names) octets += one.prepared->names->memory_bytes();
    }
  }
  for (const auto& [key, search_text] : search_texts_)
    octets += sizeof *search_text + search_text->window.memory_bytes();
  return octets;
}

// Puts octets into the message as long as there is room.
class BytecodeCompressor::Writer {
 public:
  explicit Writer(std::span<std::uint8_t> room) noexcept : room_(room) {}
  void put(std::uint8_t octet) noexcept { put(Octets(&octet, 1)); }
  void put(Octets octets) noexcept {
    if (octets.size() > room_.size() - at_) {
      full_ = true;
      return;
    }
    std::copy(octets.begin(), octets.end(), room_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ += octets.size();
  }
  [[nodiscard]] bool full() const noexcept { return full_; }
  [[nodiscard]] std::size_t size() const noexcept { return at_; }
  [[nodiscard]] std::span<std::uint8_t> rest() const noexcept { return room_.subspan(at_); }

 private:
  std::span<std::uint8_t> room_;
  std::size_t at_ = 0;
  bool full_ = false;
};

BytecodeCompressor::BytecodeCompressor(FactoryState& factory, StateHandler& states, const CompressorConfig& config,
                                       CompartmentId id)
    : factory_(factory),
      states_(states),
      config_(config),
      wanted_mechanism_(config.mechanism),
      wanted_memory_(config.peer.decompression_memory_size),
      wanted_most_compressed_(config.most_compressed),
      offered_(config.peer),
      id_(id),
      user_(++factory.users),
      prepared_(&factory.prepared(config)),
      search_text_(&factory.search_text(config, prepared_->program)),
      history_(prepared_->program, prepared_->names.get(), config.peer.state_memory_size, first_text(),
               factory.spares) {}

// What the buffer has besides the dictionary before there is any message.
Octets BytecodeCompressor::first_text() const noexcept {
  return prepared_->program.saved == Saved::kMemory ? Octets(config_.user_dictionary) : Octets{};
}

// ---- What the peer offers

bool BytecodeCompressor::take_up(const CompressorConfig& config) {
  const FactoryState::PreparedProgram* prepared = nullptr;
  try {
    prepared = &factory_.prepared(config);
  } catch (const std::invalid_argument&) {
    return false;
  }
  search_text_ = &factory_.search_text(config, prepared->program);
  prepared_ = prepared;
  config_ = config;
  code_is_known_ = false;
  history_.restart(prepared->program, prepared->names.get(), config.peer.state_memory_size, first_text());
  return true;
}

// More than was counted on is taken up before there is state that would be lost; less at once (RFC 4896 10.2). False
// when nothing can be made for what the peer offers.
bool BytecodeCompressor::adapt() {
  if (offered_ == config_.peer) return true;
  const Parameters& now = config_.peer;
  const bool less = offered_.decompression_memory_size < now.decompression_memory_size ||
                    offered_.cycles_per_bit < now.cycles_per_bit || offered_.state_memory_size < now.state_memory_size;
  if (!less && (history_.base().number != 0 || code_is_known_)) return true;
  CompressorConfig config = config_;
  config.peer = offered_;
  if (take_up_wanted(config, wanted_mechanism_)) return true;
  if (!less && config_.mechanism == wanted_mechanism_) {
    offered_ = config_.peer;
    return true;
  }
  // The mechanism needs more: what needs no state is left, if even that.
  const Mechanism least =
      wanted_mechanism_ < Mechanism::kStatelessStatic ? Mechanism::kStatelessBasic : Mechanism::kStatelessStatic;
  return take_up_wanted(config, least);
}

// Messages take the memory that they are decompressed in: where that has become less, they have half of it.
bool BytecodeCompressor::take_up_wanted(CompressorConfig config, Mechanism mechanism) {
  config.mechanism = mechanism;
  config.most_compressed = wanted_most_compressed_;
  const std::uint32_t memory = config.peer.decompression_memory_size;
  if (memory < wanted_memory_) config.most_compressed = std::min<std::size_t>(config.most_compressed, memory / 2);
  return take_up(config);
}

// ---- Making a message

// Makes the text of `base` what the window has; `needed` octets are going to come after it.
void BytecodeCompressor::prepare(FactoryState::SearchText& search_text, const Item& base, std::size_t needed) {
  const bool usable = search_text.user == user_ && search_text.epoch == history_.epoch() &&
                      search_text.begin >= history_.begin() && search_text.base <= base.end &&
                      base.end - search_text.begin + needed <= search_text.window.room();
  if (!usable) {
    search_text.window.clear();
    search_text.user = user_;
    search_text.epoch = history_.epoch();
    search_text.begin = base.end - std::min(base.end - history_.begin(), prepared_->program.buffer());
    search_text.base = search_text.begin;
    search_text.number = 0;
  }
  // The message that was compressed last may be what the base has come to have.
  const bool has_it = search_text.number != 0 && search_text.number == base.number &&
                      search_text.window.end() == base.end - search_text.begin;
  if (!has_it) {
    search_text.window.cut(search_text.base - search_text.begin);
    search_text.window.add(history_.text(search_text.base));
  }
  search_text.base = base.end;
  search_text.number = 0;
}

// Of the messages that are kept for the peer, those before the newest that it is known to have are needed no more.
// Where the transport is reliable, nothing is known of what the peer has taken up yet, so the oldest goes.
bool BytecodeCompressor::may_share(Octets message) {
  if (!prepared_->program.has_shared || message.size() < kSharedUnit || message.size() > kMostShared) return false;
  const Peer* const peer = states_.peer_of(id_);
  if (peer == nullptr || (peer->wants_no_local_state && !mutant("sigcomp-announced-after-i-bit"))) return false;
  std::size_t known = 0;
  if (config_.acknowledgement == Acknowledgement::kTransport) {
    known = own_shared_.size() - std::min(own_shared_.size(), kOwnShared - 1);
  } else {
    for (std::size_t i = 1; i < own_shared_.size(); ++i) {
      if (own_shared_[i].is_known) known = i;
    }
  }
  free_own_shared(known);
  // It must push out no state of the peer's (RFC 3321 5.2).
  return own_shared_.size() < kOwnShared &&
         (states_.room_of(id_) >= message.size() + kItemCost || mutant("sigcomp-own-state-crowds-out"));
}

void BytecodeCompressor::note_acknowledged() noexcept {
  for (OwnShared& own : own_shared_) own.is_known = own.is_known || own.number == history_.base().number;
}

void BytecodeCompressor::free_own_shared(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) states_.free(id_, own_shared_[i].identifier);
  own_shared_.erase(own_shared_.begin(), own_shared_.begin() + static_cast<std::ptrdiff_t>(count));
}

// What the bytecode puts into the buffer in front of a message. Of the peer's message that are as many whole units as
// it has; or shared_length octets, where what lies after a shorter message stays as it is. And zeros.
Octets BytecodeCompressor::put_in_front(bool shares) {
  const Program& program = prepared_->program;
  if (!program.has_zeros) return Octets(shared_).first(shares ? shared_.size() / kSharedUnit * kSharedUnit : 0);
  std::vector<std::uint8_t>& put = factory_.put;
  put.clear();
  if (shares) {
    put.assign(shared_.begin(), shared_.end());
    while (put.size() < config_.shared_length) {
      const std::size_t at = put.size();
      put.push_back(at < program.buffer() ? history_.ahead(at) : put[at - program.buffer()]);
    }
  }
  put.resize(put.size() + Program::kZerosInFront);
  return put;
}

BytecodeCompressor::Front BytecodeCompressor::front_of(const Item& base, std::size_t message_length) {
  const Program& program = prepared_->program;
  Front front;
  // An item of the lowest priority is the first to go where memory ends, and the peer may have newer ones.
  constexpr std::size_t kOthers = (kOwnShared - 1) * (kMostShared + kItemCost);
  const bool anew = config_.shared_state == SharedState::kFirstTurnOnce && is_turn_begun_ && turns_ > 1;
  if (program.has_shared && shared_number_ > (anew ? 0 : base.shared) && shared_cost_ + kOthers <= history_.room()) {
    front.shares = true;
    front.flags |= kSharedFlag;
    if (program.shared_has_room && shared_.size() == config_.shared_length) front.flags |= kLongSharedFlag;
  }
  if (program.has_checkpoint && history_.since_checkpoint() + 1 >= config_.checkpoint_every) {
    front.flags |= kCheckpointFlag;
  }
  if (program.has_free) {
    const std::size_t next =
        std::min(base.pointer + program.buffer_begin + message_length, std::size_t{program.buffer_end});
    // With room for the peer's messages, which are to stay until they are referred to.
    front.free = history_.to_free(next + kItemCost + (program.has_shared ? kSharedMemory : 0));
    if (front.free) front.flags |= kFreeFlag;
  }
  return front;
}

// The identifiers that a message announces, with their lengths (figure 13).
std::size_t BytecodeCompressor::list(std::span<std::uint8_t> room, const Sha1Digest* own) {
  Writer writer(room);
  const auto put = [&writer](const Sha1Digest& identifier) {
    if (writer.rest().size() < 1 + kLeastIdentifier) return;
    writer.put(static_cast<std::uint8_t>(kLeastIdentifier));
    writer.put(Octets(identifier).first(kLeastIdentifier));
  };
  if (own != nullptr) put(*own);
  if (!config_.announce) return writer.size();
  const auto is_own = [this](const StateItem& item) {
    return std::any_of(own_shared_.begin(), own_shared_.end(),
                       [&item](const OwnShared& one) { return one.identifier == item.identifier; });
  };
  // Where not all have room, the oldest stay out.
  std::size_t count = 0;
  states_.for_each_item(id_, [&](const StateItem& item) { count += is_own(item) ? 0U : 1U; });
  const std::size_t most = writer.rest().size() / (1 + kLeastIdentifier);
  std::size_t left_out = count - std::min(count, most);
  states_.for_each_item(id_, [&](const StateItem& item) {
    if (is_own(item)) return;
    if (left_out == 0) {
      put(item.identifier);
    } else {
      --left_out;
    }
  });
  return writer.size();
}

// RFC 3320, figure 3: with a reference to `item`, or the bytecode.
void BytecodeCompressor::write_header(Writer& writer, const Sha1Digest* item) {
  const Program& program = prepared_->program;
  const Octets feedback = mutant("sigcomp-feedback-kept") ? Octets{} : states_.feedback_to_return(id_);
  writer.put(static_cast<std::uint8_t>(kPrefix | (feedback.empty() ? 0 : kTBit) | (item != nullptr ? 1 : 0)));
  writer.put(feedback);
  if (item != nullptr) {
    std::copy_n(item->begin(), kLeastIdentifier, referred_.begin());
    writer.put(referred_);
    return;
  }
  const auto length = static_cast<std::uint16_t>(program.code.size());
  const std::uint8_t fields[] = {static_cast<std::uint8_t>(length >> 4),
                                 static_cast<std::uint8_t>(length << 4 | (Program::kCode / 64 - 1))};
  writer.put(fields);
  writer.put(program.code);
  if (program.saved == Saved::kMemory) writer.put(config_.user_dictionary);
}

// What stands between the header and the codes.
BytecodeCompressor::Front BytecodeCompressor::write_front(Writer& writer, const Item& base, Octets message) {
  const Program& program = prepared_->program;
  if (program.has_number) writer.put(static_cast<std::uint8_t>((history_.newest_number() + 1) & 0x7f));
  if (!program.has_flags) {
    Front front;
    front.put = put_in_front(false);
    return front;
  }
  const bool shares = may_share(message);
  Front front = front_of(base, message.size());
  if (shares) front.own = identifier_of(factory_.sha1, kSharedState, message);
  std::array<std::uint8_t, (1 + kLeastIdentifier) * kMostListed> room;
  const std::size_t octets =
      list(std::span(room).first((1 + kLeastIdentifier) * program.most_listed()), front.own ? &*front.own : nullptr);
  const Octets listed = Octets(room).first(octets);
  front.flags = static_cast<std::uint8_t>(front.flags | listed.size() / (1 + kLeastIdentifier));
  writer.put(front.flags);
  front.put = put_in_front(front.shares);
  if (front.shares) {
    if (!program.shared_has_room) writer.put(static_cast<std::uint8_t>(front.put.size() / kSharedUnit));
    writer.put(Octets(shared_identifier_).first(kLeastIdentifier));
  }
  if (front.free) writer.put(*front.free);
  writer.put(listed);
  return front;
}

// Of the matches of a message of `message` octets, for which `put` octets have been put after the text of `base`.
MatchLimits BytecodeCompressor::limits_of(const Item& base, std::size_t put, std::size_t message) const noexcept {
  const Program& program = prepared_->program;
  const std::size_t buffer = program.buffer();
  MatchLimits limits{program.longest_match, program.farthest, config_.whole_memory ? buffer : 0};
  // The dictionary and all texts in a row, as if none had ever been overwritten: the window begins at
  // search_text_->begin.
  if (config_.linear_buffer) {
    limits.circle = buffer;
    limits.circle_at = search_text_->begin % buffer;
  }
  if (config_.room_first && program.saved == Saved::kMemory) {
    const std::size_t overwritten = std::max(history_.put_since(), put + message);
    const std::size_t end = program.dictionary.size() + base.end + overwritten;  // of the row
    limits.oldest = end - std::min(end, buffer + search_text_->begin);
  }
  return limits;
}

// The codes of `message` after the text of `base`: how many octets, more than `room` has where it does not suffice.
std::size_t BytecodeCompressor::write_codes(std::span<std::uint8_t> room, const Item& base, Octets put,
                                            Octets message) {
  FactoryState::SearchText& search_text = *search_text_;
  prepare(search_text, base, put.size() + message.size());
  search_text.window.add(put);
  search_text.window.begin(message);
  const MatchLimits limits = limits_of(base, put.size(), message.size());
  return config_.algorithm == Algorithm::kLzss
             ? write_lzss(search_text.window, limits, offset_bits_of(config_), config_.length_bits, room)
             : write_deflate(search_text.window, limits, room);
}

Octets BytecodeCompressor::compress(Octets message, std::size_t room) {
  if (message.size() > kMost || !adapt()) return {};
  const Saved saved = prepared_->program.saved;
  const Item base = saved == Saved::kMemory ? history_.choose() : Item{};
  const Sha1Digest* const item = base.number != 0 ? &history_.base_name()
                                 : code_is_known_ ? &prepared_->code_identifier
                                                  : nullptr;
  Writer writer(std::span(factory_.message).first(std::min(room, most_compressed_of(config_))));
  write_header(writer, item);
  const Front front = write_front(writer, base, message);
  if (writer.full()) return {};
  const std::size_t compressed = write_codes(writer.rest(), base, front.put, message);
  if (compressed > writer.rest().size()) return {};

  sent_ = {};
  sent_.overhead = writer.size();
  sent_.uploads = item == nullptr;
  if (item != nullptr) sent_.refers_to = referred_;
  turns_ += is_turn_begun_ ? 0U : 1U;
  is_turn_begun_ = true;
  shared_in_turn_ = 0;
  if (saved == Saved::kMemory) {
    note_sent(front, message);
  } else if (saved == Saved::kCode) {
    if (config_.acknowledgement == Acknowledgement::kTransport || mutant("sigcomp-arrival-taken-for-granted")) {
      code_is_known_ = true;
    }
  }
  return Octets(factory_.message).first(writer.size() + compressed);
}

// The message leaves an item of state with the peer, and perhaps one here.
void BytecodeCompressor::note_sent(const Front& front, Octets message) {
  Item item = history_.after(front.put.size() + message.size());
  item.checkpoint = (front.flags & kCheckpointFlag) != 0;
  if (front.shares) item.shared = shared_number_;
  search_text_->number = history_.sent(item, front.put, message);
  if (front.free) history_.freed(*front.free, search_text_->number);
  if (config_.acknowledgement == Acknowledgement::kTransport) history_.acknowledge_newest();
  if (front.own) take_own_shared(*front.own, message, history_.newest_number());
}

const Sha1Digest* BytecodeCompressor::leaves() noexcept {
  if (sent_.overhead == 0 || prepared_->program.saved == Saved::kNothing) return nullptr;
  return prepared_->program.saved == Saved::kCode ? &prepared_->code_identifier
                                                  : history_.name_of(history_.newest_number());
}

// ---- What the peer tells

void BytecodeCompressor::take_own_shared(const Sha1Digest& identifier, Octets message, std::uint64_t number) {
  if (!states_.create(id_, kSharedState, kLocalRetentionPriority, message)) return;
  std::erase_if(own_shared_, [&](const OwnShared& own) { return own.identifier == identifier; });
  own_shared_.push_back({identifier, number, false});
}

bool BytecodeCompressor::acknowledge(Octets partial) {
  if (prepared_->program.saved == Saved::kMemory) return history_.acknowledge(partial);
  if (prepared_->program.saved == Saved::kNothing || !is_identifier_length(partial.size()) ||
      !std::equal(partial.begin(), partial.end(), prepared_->code_identifier.begin())) {
    return false;
  }
  code_is_known_ = true;
  return true;
}

// A feedback item: what this compressor has asked for, or anything at all from a peer that does not keep to the rules.
void BytecodeCompressor::acknowledge_item(Octets item) {
  if (item.empty()) return;
  const Program& program = prepared_->program;
  if (program.saved == Saved::kCode) {
    if (item[0] == kCodeItem && program.asks) code_is_known_ = true;
  } else if (program.hashes) {
    if (item[0] >= 0x80) history_.acknowledge(item.subspan(1));
  } else if (program.has_number) {
    if (item[0] < 0x80) history_.acknowledge_number(item[0]);
  }
}

void BytecodeCompressor::heard(const ReceivedParts& received) {
  is_turn_begun_ = false;
  acknowledge_item(received.returned_feedback);
  note_acknowledged();
  if (received.returned_parameters.empty()) return;
  const ReturnedParameters returned(received.returned_parameters);
  if (const auto parameters = returned.parameters()) offered_ = *parameters;
  returned.for_each_identifier([this](Octets partial) {
    if (acknowledge(partial)) note_acknowledged();
  });
  listen_to_shared(received);
}

// RFC 3321 5.2, (4): the message that has come is state at the peer if the peer says so.
void BytecodeCompressor::listen_to_shared(const ReceivedParts& received) {
  if (!prepared_->program.has_shared || received.message.size() < kSharedUnit) return;
  const Sha1Digest identifier = identifier_of(factory_.sha1, kSharedState, received.message);
  bool announced = false;
  ReturnedParameters(received.returned_parameters).for_each_identifier([&](Octets partial) {
    announced = announced || std::equal(partial.begin(), partial.end(), identifier.begin()) ||
                mutant("sigcomp-any-announcement-taken");
  });
  if (!announced) return;
  // The peer keeps no more than kOwnShared: with the next one, the first is gone.
  const bool first = config_.shared_state == SharedState::kFirstTurnOnce && shared_number_ == 1;
  if (first && shared_in_turn_ != 0 && shared_in_turn_ < kOwnShared) {
    ++shared_in_turn_;
    return;
  }
  shared_in_turn_ = 1;
  shared_.assign(
      received.message.begin(),
      received.message.begin() + static_cast<std::ptrdiff_t>(std::min(received.message.size(), config_.shared_length)));
  shared_identifier_ = identifier;
  shared_cost_ = received.message.size() + kItemCost;
  ++shared_number_;
}

void BytecodeCompressor::refused(const Nack& nack) {
  if (mutant("sigcomp-nack-ignored")) return;
  if (nack.reason == Reason::kCyclesExhausted && nack.details.size() == 1 && is_cycles_per_bit(nack.details[0]) &&
      !mutant("sigcomp-nack-cycles-ignored")) {
    offered_.cycles_per_bit = nack.details[0];
  }
  if (nack.reason == Reason::kBytecodesTooLarge && nack.details.size() == 2 &&
      is_memory_size(load16(nack.details.data())) && !mutant("sigcomp-nack-memory-ignored")) {
    offered_.decompression_memory_size = load16(nack.details.data());
  }
  forget();
}

void BytecodeCompressor::forget() {
  code_is_known_ = false;
  shared_number_ = 0;
  history_.forget();
}

std::size_t BytecodeCompressor::memory_bytes() const noexcept {
  return sizeof *this - sizeof history_ + history_.memory_bytes() + config_.user_dictionary.capacity() +
         shared_.capacity() + own_shared_.capacity() * sizeof(OwnShared);
}

}  // namespace headroom::sigcomp
