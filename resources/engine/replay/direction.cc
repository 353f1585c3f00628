// SPDX-License-Identifier: Apache-2.0
#include "replay/direction.h"

#include <algorithm>
#include <utility>

#include "base/hex.h"
#include "base/random.h"
#include "replay/compare.h"

namespace headroom::replay {
namespace {

// Which of two verdicts about copies of one packet stands: a wrong packet weighs more than a right one, and that more
// than none.
int weight(Verdict verdict) {
  switch (verdict) {
    case Verdict::mismatched:
    case Verdict::unexpected:
      return 3;
    case Verdict::identical:
    case Verdict::delivered:
      return 2;
    default:
      return 1;
  }
}

// A delivery that no packet of the source caused.
Delivery no_delivery(std::uint32_t channel) {
  Delivery delivery;
  delivery.packet.tag = kInserted;
  delivery.packet.channel = channel;
  return delivery;
}

}  // namespace

const char* name_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::not_run:
      return "not_run";
    case Verdict::identical:
      return "identical";
    case Verdict::mismatched:
      return "mismatched";
    case Verdict::not_delivered:
      return "not_delivered";
    case Verdict::lost_on_link:
      return "lost_on_link";
    case Verdict::not_compressed:
      return "not_compressed";
    case Verdict::withheld:
      return "withheld";
    case Verdict::unexpected:
      return "unexpected";
    case Verdict::delivered:
      return "delivered";
    case Verdict::sent:
      return "sent";
  }
  return "";
}

bool is_failure(Verdict verdict) noexcept {
  return verdict != Verdict::identical && verdict != Verdict::withheld && verdict != Verdict::delivered &&
         verdict != Verdict::sent;
}

Direction::Direction(const Job& job, bool reverse, RunContext& run)
    : job_(job),
      run_(run),
      source_(reverse ? job.reverse_source : job.source),
      reverse_(reverse),
      verdicts_(source_.size(), Verdict::not_run),
      last_status_(source_.size(), 0),
      sent_header_(source_.size(), 0) {
  if (job.records != Records::none) records_.resize(source_.size());
  sim::HopConfig hop;
  hop.burst = job.burst;
  hop.line = {reverse ? job.backward : job.forward, derive(job.seed, reverse ? 0x72657665 : 0x666F7277), tap(reverse)};
  hop.path = job.path;
  hop.feedback = {job.feedback, derive(job.seed, reverse ? 0x66627265 : 0x6662666F), tap(!reverse)};
  hop.observer = this;
  if (job.carrier) {
    carrier_.emplace(*job.carrier, run, std::exchange(hop.line, {}), job.burst,
                     [this](std::span<Delivery> inner) { hop_->receive(inner); });
    hop.carry = [this](LinkPacket packet) { carrier_->carry(std::move(packet)); };
  }
  if (job.compressor) {
    compressor_ = std::make_unique<Side>(*job.compressor, HEADROOM_COMPRESSOR);
    hop.compressor = &compressor_->checked;
    if (compressor_->instance.packs()) packed_.emplace(source_);
    if (packed_ && job.carrier) {
      throw Error(ErrorKind::job, "link packets that carry several packets, or parts of them, cannot be carried again.",
                  "/carrier");
    }
  }
  if (job.decompressor) {
    decompressor_ = std::make_unique<Side>(*job.decompressor, HEADROOM_DECOMPRESSOR);
    hop.decompressor = &decompressor_->checked;
  }
  if (job.timing) {
    for (Checked* const side : {hop.compressor, hop.decompressor}) {
      if (side != nullptr) side->time_calls(run.cycles);
    }
  }
  hop_.emplace(run.simulation, std::move(hop));
  run.simulation.add(*this);
  run.simulation.add(*hop_);
  if (carrier_) run.simulation.add(carrier_->hop());
  if (is_exhausted()) close();
}

sim::Line::Tap Direction::tap(bool reverse) {
  if (!run_.captures.has_link()) return {};
  return [this, reverse](const LinkPacket& packet, const std::string& comment) {
    run_.captures.link(reverse, run_.simulation.now_ns(), packet, comment);
  };
}

std::optional<Direction::Failure> Direction::failure() const {
  const bool in_carrier = carrier_ && carrier_->hop().has_failed();
  if (!in_carrier && !hop_->has_failed()) return std::nullopt;
  return Failure{in_carrier, hop_->position()};
}

// ---------------------------------------------------------------------------------------------------- the source

// A burst is complete when its last packet is there.
std::uint64_t Direction::next_ns() const { return is_exhausted() ? sim::kNever : source_[burst_end() - 1].time_ns; }

void Direction::act() {
  apply_control(next_);
  const std::size_t end = burst_end();
  std::vector<sim::HopPacket> burst;
  while (next_ < end) burst.push_back(hop_packet(next_++));
  if (is_exhausted()) close();
  hop_->send(burst);
}

void Direction::close() {
  hop_->close();
  if (carrier_) carrier_->hop().close();
}

// Packets of the source that go together: up to `burst`, never across a control message.
std::size_t Direction::burst_end() const {
  std::size_t end = std::min(source_.size(), next_ + job_.burst);
  for (const ControlStep& step : job_.control) {
    if (step.reverse == reverse_ && step.before > next_ && step.before < end)
      end = static_cast<std::size_t>(step.before);
  }
  return end;
}

sim::HopPacket Direction::hop_packet(std::size_t index) const {
  const SourcePacket& packet = source_[index];
  std::uint32_t header = packet.header_length;
  if (!compressor_) {
    const SourcePacket* const original = expected(index);
    header = original == nullptr
                 ? kUnknownLength
                 : sim::header_on_link(packet.octets, original->octets, original->header_length, nullptr);
  }
  return {packet.octets, packet.channel, packet.type, header, index};
}

void Direction::apply_control(std::uint64_t index) {
  for (const ControlStep& step : job_.control) {
    if (step.reverse != reverse_ || step.before != index) continue;
    if (step.message.empty()) {
      hop_->give_feedback(step.feedback);
      continue;
    }
    if (const std::optional<std::string> sentence = hop_->control(step.role, step.message, index)) {
      throw Error(ErrorKind::adapter,
                  "the adapter's " + std::string(headroom::name_of(step.role)) + " refuses the control message " +
                      step.message + ": " + *sentence,
                  step.where);
    }
  }
}

std::size_t Direction::missed_control() const {
  return static_cast<std::size_t>(std::count_if(job_.control.begin(), job_.control.end(), [this](const auto& step) {
    return step.reverse == reverse_ && step.before >= source_.size();
  }));
}

// ------------------------------------------------------------------------------------------------------ the book

const SourcePacket* Direction::expected(std::size_t index) const noexcept {
  if (job_.compressor) return &source_[index];
  if (index < job_.expected.size() && !job_.expected[index].absent) return &job_.expected[index];
  return nullptr;
}

void Direction::on_compressed(const sim::HopPacket& packet, const PacketOutput* output, const sim::Compressed& made) {
  const auto index = static_cast<std::size_t>(packet.tag);
  run_.captures.source(reverse_, source_[index].time_ns, packet.type, packet.octets);
  sent_header_[index] = made.header_length;
  verdicts_[index] = !made.is_taken ? Verdict::not_compressed : decompressor_ ? Verdict::lost_on_link : Verdict::sent;
  if (output == nullptr) return;
  if (!records_.empty()) records_[index].compressed = *output;
  compressor_->statistics.add(index, packet.channel, output->status, output->detail, made.link_octets,
                              made.header_length);
  last_status_[index] = static_cast<std::int8_t>(output->status);
  if (!made.is_taken) return;
  if (packed_) {
    packed_->take(index);
    last_status_[index] = HEADROOM_NOTHING;  // until a link packet that may carry it is refused
  }
  if (!output->more.empty()) segmented_[index] = false;
}

std::uint64_t Direction::tag_of_due(std::uint32_t channel) {
  const std::optional<std::size_t> last = packed_ ? packed_->last_taken(channel) : std::nullopt;
  return last ? *last : kInserted;
}

void Direction::on_leaving(const LinkPacket& packet, bool on_feedback_line) {
  const int way = (on_feedback_line ? 2 : 0) + (reverse_ ? 1 : 0);
  // What a carrier makes of its link packets is what is on the link.
  if (!carrier_ || on_feedback_line)
    run_.digest.add(static_cast<std::uint8_t>(way), packet.channel, packet.octets, packet.type);
  if (packet.tag == kInserted && !packed_) note_besides(packet);
  if (packet.tag < source_.size()) left_ = std::max(left_, static_cast<std::size_t>(packet.tag) + 1);
  if (packet.tag >= records_.size() || !has_segments(packet.tag)) return;
  records_[static_cast<std::size_t>(packet.tag)].segments.push_back({packet.octets, packet.header_length, {}});
}

// A link packet that the compressor sends, and that no packet of the source became.
void Direction::note_besides(const LinkPacket& packet) {
  if (job_.records != Records::all) return;
  other_records_.push_back({{"direction", reverse_ ? "reverse" : "forward"},
                            {"besides", true},
                            {"before", left_},
                            {"channel", packet.channel},
                            {"time_ns", run_.simulation.now_ns()},
                            {"link", octets_or_length(packet.octets)}});
}

void Direction::on_sent(const sim::SentPacket& sent, const LinkOutcome& outcome) {
  if (sent.tag == kInserted) return;
  const auto index = static_cast<std::size_t>(sent.tag);
  const bool is_lost = outcome.fate != Fate::delivered;
  const auto segmented = segmented_.find(index);
  if (packed_) {
    packed_->note_sent(sent.channel, sent.at_deadline ? Packed::kDeadline : index, !is_lost);
  } else {
    if (is_lost) verdicts_[index] = Verdict::lost_on_link;
    if (segmented != segmented_.end()) segmented->second = segmented->second || is_lost;
  }
  if (has_segments(index)) {
    if (!records_.empty()) records_[index].segments.back().outcome = outcome;
    return;  // "no way … to make any use of a segment that has residual bit errors" (RFC 3095, 5.2.5.2)
  }
  if (!outcome.flipped.empty() && !is_lost) {
    if (const SourcePacket* original = expected(index); original != nullptr)
      altered_[index] = with_flipped_payload(original->octets, sent.length, sent.header_length, outcome.flipped);
  }
  if (records_.empty()) return;
  records_[index].outcome = outcome;
  records_[index].header = sent.header_length;
}

Verdict Direction::judge(std::size_t index, const Delivery& delivery, const PacketOutput& output) {
  const bool came_out = output.status == HEADROOM_OK;
  const SourcePacket* original = expected(index);
  if (original == nullptr) {
    if (!job_.has_expected) return came_out ? Verdict::delivered : Verdict::not_delivered;
    if (!came_out) return Verdict::withheld;
    add_mismatch(index, {}, output.octets);
    return Verdict::unexpected;
  }
  if (!came_out) return Verdict::not_delivered;
  if (delivery.duplicate) ++duplicates_delivered_;
  const auto altered = altered_.find(index);
  const OctetView wanted = altered != altered_.end() ? OctetView(altered->second) : OctetView(original->octets);
  if (!first_difference(wanted, output.octets)) return Verdict::identical;
  add_mismatch(index, wanted, output.octets);
  return Verdict::mismatched;
}

void Direction::on_arrival(const Delivery& delivery, const PacketOutput& output) {
  capture(output);
  if (delivery.error) {  // Nothing arrived. That the report itself has no output has been checked.
    for (const PacketOutput& more : output.more) note_output(no_delivery(more.channel), more, 0);
    return;
  }
  if (delivery.idle && !output.came_out() && output.more.empty()) return;
  note_output(delivery, output, delivery.packet.octets.size());
  // One packet of the source comes out of a link packet. What else comes out is none of the source's, even if it has
  // the same octets.
  const bool is_one = !packed_ && delivery.packet.tag < source_.size() && expected(delivery.packet.tag) != nullptr;
  bool came_out = output.came_out();
  for (const PacketOutput& more : output.more) {
    if (is_one && came_out && more.came_out()) {
      note_output(no_delivery(delivery.packet.channel), more, 0);
    } else {
      note_output(delivery, more, 0);
    }
    came_out = came_out || more.came_out();
  }
}

void Direction::on_due_arrival(const PacketOutput& output) {
  capture(output);
  note_output(no_delivery(output.channel), output, 0);
}

void Direction::capture(const PacketOutput& output) {
  if (output.came_out()) run_.captures.decompressed(reverse_, run_.simulation.now_ns(), output.type, output.octets);
  for (const PacketOutput& more : output.more) capture(more);
}

void Direction::note_output(const Delivery& delivery, const PacketOutput& output, std::uint64_t link_octets) {
  std::optional<std::size_t> index;  // of the source
  if (delivery.packet.tag < source_.size()) index = static_cast<std::size_t>(delivery.packet.tag);
  if (index) {
    decompressor_->statistics.add(*index, delivery.packet.channel, output.status, output.detail, link_octets,
                                  sent_header_[*index]);
  }
  if (packed_) {
    if (output.status < 0 && index) last_status_[*index] = static_cast<std::int8_t>(output.status);
    if (output.came_out()) index = judge_packed(delivery, output);
  } else if (index) {
    judge_tagged(*index, delivery, output);
  }
  if (!index) return note_other(delivery, output);
  if (!records_.empty()) records_[*index].arrivals.push_back({run_.simulation.now_ns(), delivery.duplicate, output});
}

// An output that is no packet of the source's.
void Direction::note_other(const Delivery& delivery, const PacketOutput& output) {
  ++inserted_statuses_[name_of_status(output.status)];
  if (output.came_out()) {
    ++inserted_delivered_;
    add_mismatch(std::nullopt, {}, output.octets);
  }
  if (job_.records != Records::all && !(job_.records == Records::failures && output.came_out())) return;
  Json entry = {{"direction", reverse_ ? "reverse" : "forward"},
                {delivery.packet.tag == sim::kFeedbackTag ? "feedback_packet" : "inserted", true},
                {"time_ns", run_.simulation.now_ns()},
                {"channel", output.channel},
                {"link", octets_or_length(delivery.packet.octets)},
                {"status", name_of_status(output.status)}};
  if (!packed_ && delivery.packet.tag < source_.size()) entry["of"] = delivery.packet.tag;
  if (output.came_out()) entry["got"] = to_hex(output.octets);
  if (has_type(output)) entry["out_type"] = output.type;
  other_records_.push_back(std::move(entry));
}

void Direction::judge_tagged(std::size_t index, const Delivery& delivery, const PacketOutput& output) {
  const auto segmented = segmented_.find(index);
  // Of several link packets of one packet of the source it comes out of one.
  if (segmented != segmented_.end() && output.came_out() && !delivery.duplicate &&
      verdicts_[index] == Verdict::identical)
    return note_other(delivery, output);
  Verdict verdict = judge(index, delivery, output);
  // A segment alone delivers nothing; where another one was lost, that is what the packet's fate is due to.
  if (verdict == Verdict::not_delivered && segmented != segmented_.end() && segmented->second)
    verdict = Verdict::lost_on_link;
  if (verdict == Verdict::not_delivered) last_status_[index] = static_cast<std::int8_t>(output.status);
  if (weight(verdict) > weight(verdicts_[index]) || weight(verdicts_[index]) == 1) verdicts_[index] = verdict;
}

// Returns the packet of the source that `output` is, or in the place of which it came; nothing if there is none.
std::optional<std::size_t> Direction::judge_packed(const Delivery& delivery, const PacketOutput& output) {
  const std::uint32_t channel = delivery.packet.channel;
  if (const auto match = packed_->deliver(channel, output.octets)) {
    if (match->again) {
      ++duplicates_delivered_;
    } else if (verdicts_[match->index] != Verdict::mismatched) {
      verdicts_[match->index] = Verdict::identical;
    }
    return match->index;
  }
  const std::optional<std::size_t> missing = packed_->deliver_another(channel);
  if (!missing) return std::nullopt;
  verdicts_[*missing] = Verdict::mismatched;
  add_mismatch(missing, source_[*missing].octets, output.octets);
  return missing;
}

void Direction::add_mismatch(std::optional<std::uint64_t> packet, OctetView wanted, OctetView got) {
  ++mismatch_count_;
  if (mismatches_.size() >= kMostMismatches) return;
  mismatches_.push_back({packet, run_.simulation.now_ns(), first_difference(wanted, got).value_or(0),
                         Octets(wanted.begin(), wanted.end()), Octets(got.begin(), got.end())});
}

void Direction::note_not_carried(std::uint64_t tag, std::size_t part) {
  if (tag >= source_.size()) return;
  const auto index = static_cast<std::size_t>(tag);
  // Of segments the others may have arrived, and that alone delivers nothing.
  if (verdicts_[index] == Verdict::not_delivered || verdicts_[index] == Verdict::sent)
    verdicts_[index] = Verdict::lost_on_link;
  if (records_.empty()) return;
  Record& record = records_[index];
  if (record.outcome) record.outcome->fate = Fate::carrier;
  if (part < record.segments.size()) record.segments[part].outcome.fate = Fate::carrier;
}

void Direction::on_feedback(std::uint64_t tag, const ReversePacket& element) {
  if (tag >= records_.size()) return;
  Record& record = records_[static_cast<std::size_t>(tag)];
  (element.type == HEADROOM_REVERSE_FAR ? record.feedback : record.passed_on).push_back(element);
}

void Direction::settle() {
  feedback_waiting_ = hop_->waiting();
  if (carrier_) {
    for (const Carrier::Missing& one : carrier_->missing()) note_not_carried(one.tag, one.part);
  }
  for (std::size_t i = 0; packed_ && i < verdicts_.size(); ++i) {
    const bool may_be_lost = packed_->may_be_lost(i);
    if (verdicts_[i] == Verdict::lost_on_link && !may_be_lost) verdicts_[i] = Verdict::not_delivered;
    if (verdicts_[i] == Verdict::sent && may_be_lost) verdicts_[i] = Verdict::lost_on_link;
    if (verdicts_[i] == Verdict::sent && packed_->is_unsent(i)) verdicts_[i] = Verdict::not_compressed;
  }
  if (!job_.has_expected) return;
  // A link packet that was lost on the way and from which nothing was to come out has done what it should.
  for (std::size_t i = 0; i < verdicts_.size(); ++i) {
    if (verdicts_[i] == Verdict::lost_on_link && expected(i) == nullptr) verdicts_[i] = Verdict::withheld;
  }
}

}  // namespace headroom::replay
