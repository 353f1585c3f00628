// SPDX-License-Identifier: Apache-2.0
#include "replay/direction.h"

#include <algorithm>
#include <utility>

#include "base/hex.h"
#include "link/report.h"
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

bool has_type(const PacketOutput& output) noexcept { return output.came_out() && output.type != HEADROOM_TYPE_DEFAULT; }

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

Direction::Direction(const Job& job, bool reverse)
    : job_(job),
      source_(reverse ? job.reverse_source : job.source),
      reverse_(reverse),
      verdicts_(source_.size(), Verdict::not_run),
      last_status_(source_.size(), 0),
      sent_header_(source_.size(), 0) {
  if (job.records != Records::none) records_.resize(source_.size());
  if (job.compressor) {
    compressor_instance = std::make_unique<Instance>(*job.compressor, HEADROOM_COMPRESSOR);
    compressor = std::make_unique<Checked>(*compressor_instance);
    compressor_statistics_ = std::make_unique<SideStatistics>(compressor_instance->names(), HEADROOM_COMPRESSOR,
                                                              compressor_instance->packs());
    if (compressor_instance->packs()) packed_.emplace(source_);
    if (packed_ && job.carrier) {
      throw Error(ErrorKind::job, "link packets that carry several packets, or parts of them, cannot be carried again.",
                  "/carrier");
    }
  }
  if (job.decompressor) {
    decompressor_instance = std::make_unique<Instance>(*job.decompressor, HEADROOM_DECOMPRESSOR);
    decompressor = std::make_unique<Checked>(*decompressor_instance);
    decompressor_statistics_ = std::make_unique<SideStatistics>(decompressor_instance->names(), HEADROOM_DECOMPRESSOR,
                                                                decompressor_instance->packs());
  }
}

const SourcePacket* Direction::expected(std::size_t index) const noexcept {
  if (job_.compressor) return &source_[index];
  if (index < job_.expected.size() && !job_.expected[index].absent) return &job_.expected[index];
  return nullptr;
}

LinkPacket Direction::link_packet(std::size_t index, const PacketOutput& output) const {
  LinkPacket packet;
  packet.channel = source_[index].channel;
  packet.tag = index;
  packet.type = output.type;
  packet.octets = output.octets;
  return packet;
}

// Link packets of a job without a compressor.
LinkPacket Direction::note_given(std::size_t index) {
  const SourcePacket& packet = source_[index];
  LinkPacket link;
  link.channel = packet.channel;
  link.tag = index;
  link.type = packet.type;
  link.octets = packet.octets;
  const SourcePacket* original = expected(index);
  link.header_length = original != nullptr ? header_on_link(link.octets, *original, nullptr)
                                           : static_cast<std::uint32_t>(link.octets.size());
  sent_header_[index] = link.header_length;
  return link;
}

std::vector<LinkPacket> Direction::note_compressed(std::size_t index, const PacketOutput* output) {
  const Verdict until_it_arrives = decompressor ? Verdict::lost_on_link : Verdict::sent;
  if (output == nullptr) {
    verdicts_[index] = until_it_arrives;
    return {note_given(index)};
  }
  if (!records_.empty()) records_[index].compressed = *output;
  const bool is_taken = output->came_out() || (packed_ && output->status == HEADROOM_NOTHING);
  std::vector<LinkPacket> packets;
  Octets octets;
  const auto add = [&](const PacketOutput& one) {
    if (!is_taken || !one.came_out()) return;
    packets.push_back(link_packet(index, one));
    octets.insert(octets.end(), one.octets.begin(), one.octets.end());
  };
  add(*output);
  // Behind a packet an adapter also puts out what is due by then on other channels, of which that packet is no part.
  std::vector<PacketOutput> due;
  for (const PacketOutput& more : output->more) {
    if (more.channel == source_[index].channel) {
      add(more);
    } else {
      due.push_back(more);
    }
  }
  spread_header(index, octets, *output, packets);
  compressor_statistics_->add(index, source_[index].channel, output->status, output->detail, octets.size(),
                              sent_header_[index]);
  last_status_[index] = static_cast<std::int8_t>(output->status);
  verdicts_[index] = is_taken ? until_it_arrives : Verdict::not_compressed;
  if (packed_ && is_taken) {
    packed_->take(index);
    last_status_[index] = HEADROOM_NOTHING;  // until a link packet that may carry it is refused
  }
  if (is_taken && !output->more.empty()) segmented_[index] = false;
  for (LinkPacket& packet : note_due(due)) packets.push_back(std::move(packet));
  return packets;
}

// The header of a packet stands at its front: it is spread over the link packets as they come. What the link may do to
// a header it may do to their type octets, and to feedback and padding, too.
void Direction::spread_header(std::size_t index, OctetView octets, const PacketOutput& output,
                              std::vector<LinkPacket>& packets) {
  if (packets.empty()) return;
  const auto all = static_cast<std::uint32_t>(octets.size());
  std::uint32_t left = packed_ ? all : header_on_link(octets, source_[index], &output.detail);
  sent_header_[index] = left;
  for (LinkPacket& link : packets) {
    link.header_length = std::min(left, static_cast<std::uint32_t>(link.octets.size()));
    left -= link.header_length;
  }
}

std::vector<LinkPacket> Direction::note_due(const std::vector<PacketOutput>& outputs) {
  std::vector<LinkPacket> packets;
  for (const PacketOutput& output : outputs) {
    if (!output.came_out()) continue;
    const std::optional<std::size_t> last = packed_ ? packed_->last_taken(output.channel) : std::nullopt;
    LinkPacket packet;
    packet.channel = output.channel;
    packet.tag = last ? *last : kInserted;
    packet.type = output.type;
    packet.octets = output.octets;
    packet.header_length = static_cast<std::uint32_t>(packet.octets.size());
    packets.push_back(std::move(packet));
  }
  return packets;
}

void Direction::note_sent(const LinkPacket& sent, const LinkOutcome& outcome, bool at_deadline) {
  if (sent.tag == kInserted) return;
  const auto index = static_cast<std::size_t>(sent.tag);
  const bool is_lost = outcome.fate != Fate::delivered;
  const auto segmented = segmented_.find(index);
  if (packed_) {
    packed_->note_sent(sent.channel, at_deadline ? Packed::kDeadline : index, !is_lost);
  } else {
    if (is_lost) verdicts_[index] = Verdict::lost_on_link;
    if (segmented != segmented_.end()) segmented->second = segmented->second || is_lost;
  }
  if (packed_ || segmented != segmented_.end()) {
    if (!records_.empty()) records_[index].segments.push_back({sent.octets, sent.header_length, outcome});
    return;  // "no way … to make any use of a segment that has residual bit errors" (RFC 3095, 5.2.5.2)
  }
  if (!outcome.flipped.empty() && !is_lost) {
    if (const SourcePacket* original = expected(index); original != nullptr) {
      altered_[index] = with_flipped_payload(original->octets, sent.octets.size(), sent.header_length, outcome.flipped);
    }
  }
  if (records_.empty()) return;
  records_[index].outcome = outcome;
  records_[index].header = sent.header_length;
  if (!records_[index].compressed) records_[index].link = sent.octets;
}

Verdict Direction::judge(std::size_t index, const Delivery& delivery, const PacketOutput& output,
                         std::uint64_t now_ns) {
  const bool came_out = output.status == HEADROOM_OK;
  const SourcePacket* original = expected(index);
  if (original == nullptr) {
    if (!job_.has_expected) return came_out ? Verdict::delivered : Verdict::not_delivered;
    if (!came_out) return Verdict::withheld;
    add_mismatch(index, now_ns, {}, output.octets);
    return Verdict::unexpected;
  }
  if (!came_out) return Verdict::not_delivered;
  if (delivery.duplicate) ++duplicates_delivered_;
  const auto altered = altered_.find(index);
  const OctetView wanted = altered != altered_.end() ? OctetView(altered->second) : OctetView(original->octets);
  if (!first_difference(wanted, output.octets)) return Verdict::identical;
  add_mismatch(index, now_ns, wanted, output.octets);
  return Verdict::mismatched;
}

void Direction::note_arrival(const Delivery& delivery, std::uint64_t now_ns, const PacketOutput& output) {
  if (delivery.error) return;  // nothing arrived; that nothing came out either has been checked
  if (delivery.idle && !output.came_out() && output.more.empty()) return;
  note_output(delivery, now_ns, output, delivery.packet.octets.size());
  for (const PacketOutput& more : output.more) note_output(delivery, now_ns, more, 0);
}

void Direction::note_due_arrivals(std::uint64_t now_ns, const std::vector<PacketOutput>& outputs) {
  for (const PacketOutput& output : outputs) {
    Delivery nothing_new{now_ns, {}};
    nothing_new.packet.tag = kInserted;
    nothing_new.packet.channel = output.channel;
    note_output(nothing_new, now_ns, output, 0);
  }
}

void Direction::note_output(const Delivery& delivery, std::uint64_t now_ns, const PacketOutput& output,
                            std::uint64_t link_octets) {
  std::optional<std::size_t> index;  // of the source
  if (delivery.packet.tag < source_.size()) index = static_cast<std::size_t>(delivery.packet.tag);
  if (index) {
    decompressor_statistics_->add(*index, delivery.packet.channel, output.status, output.detail, link_octets,
                                  sent_header_[*index]);
  }
  if (packed_) {
    if (output.status < 0 && index) last_status_[*index] = static_cast<std::int8_t>(output.status);
    if (output.came_out()) index = judge_packed(delivery, output, now_ns);
  } else if (index) {
    judge_tagged(*index, delivery, output, now_ns);
  }
  if (!index) return note_other(delivery, now_ns, output);
  if (!records_.empty()) records_[*index].arrivals.push_back({now_ns, delivery.duplicate, output});
}

// An output that is no packet of the source's.
void Direction::note_other(const Delivery& delivery, std::uint64_t now_ns, const PacketOutput& output) {
  ++inserted_statuses_[name_of_status(output.status)];
  if (output.came_out()) {
    ++inserted_delivered_;
    add_mismatch(std::nullopt, now_ns, {}, output.octets);
  }
  if (job_.records != Records::all && !(job_.records == Records::failures && output.came_out())) return;
  Json entry = {{"direction", reverse_ ? "reverse" : "forward"},
                {delivery.packet.tag == kFeedbackTag ? "feedback_packet" : "inserted", true},
                {"time_ns", now_ns},
                {"link", octets_or_length(delivery.packet.octets)},
                {"status", name_of_status(output.status)}};
  if (output.came_out()) entry["got"] = to_hex(output.octets);
  if (has_type(output)) entry["out_type"] = output.type;
  other_records_.push_back(std::move(entry));
}

void Direction::judge_tagged(std::size_t index, const Delivery& delivery, const PacketOutput& output,
                             std::uint64_t now_ns) {
  Verdict verdict = judge(index, delivery, output, now_ns);
  // A segment alone delivers nothing; where another one was lost, that is what the packet's fate is due to.
  const auto segmented = segmented_.find(index);
  if (verdict == Verdict::not_delivered && segmented != segmented_.end() && segmented->second)
    verdict = Verdict::lost_on_link;
  if (verdict == Verdict::not_delivered) last_status_[index] = static_cast<std::int8_t>(output.status);
  if (weight(verdict) > weight(verdicts_[index]) || weight(verdicts_[index]) == 1) verdicts_[index] = verdict;
}

// Returns the packet of the source that `output` is, or in the place of which it came; nothing where there is none.
std::optional<std::size_t> Direction::judge_packed(const Delivery& delivery, const PacketOutput& output,
                                                   std::uint64_t now_ns) {
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
  add_mismatch(missing, now_ns, source_[*missing].octets, output.octets);
  return missing;
}

void Direction::add_mismatch(std::optional<std::uint64_t> packet, std::uint64_t now_ns, OctetView wanted,
                             OctetView got) {
  ++mismatch_count_;
  if (mismatches_.size() >= kMostMismatches) return;
  mismatches_.push_back({packet, now_ns, first_difference(wanted, got).value_or(0),
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

void Direction::note_feedback(std::uint64_t tag, const ReversePacket& element) {
  ++feedback.messages;
  feedback.octets += element.octets.size();
  if (!records_.empty() && tag < records_.size()) records_[static_cast<std::size_t>(tag)].feedback.push_back(element);
}

void Direction::note_passed_on(std::uint64_t tag, const ReversePacket& element) {
  if (!records_.empty() && tag < records_.size()) records_[static_cast<std::size_t>(tag)].passed_on.push_back(element);
}

void Direction::settle() {
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

// The time that the source takes: its packets are as far apart as they are on average, the last one included.
std::uint64_t Direction::duration_ns() const {
  if (source_.size() < 2) return 0;
  const std::uint64_t span = source_.back().time_ns - source_.front().time_ns;
  return span + span / (source_.size() - 1);
}

Json Direction::verdicts() const {
  std::map<Verdict, std::uint64_t> counts;
  std::map<std::int8_t, std::uint64_t> not_delivered, not_compressed;
  for (std::size_t i = 0; i < verdicts_.size(); ++i) {
    ++counts[verdicts_[i]];
    if (verdicts_[i] == Verdict::not_delivered) ++not_delivered[last_status_[i]];
    if (verdicts_[i] == Verdict::not_compressed) ++not_compressed[last_status_[i]];
  }
  const auto by_status = [](const std::map<std::int8_t, std::uint64_t>& statuses) {
    Json json = Json::object();
    for (const auto& [status, packets] : statuses) json[name_of_status(status)] = packets;
    return json;
  };
  Json json = Json::object();
  for (const Verdict verdict :
       {Verdict::identical, Verdict::mismatched, Verdict::not_delivered, Verdict::lost_on_link, Verdict::not_compressed,
        Verdict::withheld, Verdict::unexpected, Verdict::delivered, Verdict::sent, Verdict::not_run}) {
    json[name_of(verdict)] = counts[verdict];
  }
  json["not_delivered_by_status"] = by_status(not_delivered);
  json["not_compressed_by_status"] = by_status(not_compressed);
  return json;
}

Json Direction::result(const LinkCounts& link, bool ask_adapters) const {
  std::uint64_t octets = 0;
  std::size_t largest = 0;
  for (const SourcePacket& packet : source_) {
    octets += packet.octets.size();
    largest = std::max(largest, packet.octets.size());
  }
  Json result = {
      {"source",
       {{"packets", source_.size()}, {"octets", octets}, {"largest", largest}, {"duration_ns", duration_ns()}}}};
  if (compressor) {
    result["compressor"] = compressor_statistics_->json();
    if (ask_adapters) result["compressor"]["statistics"] = compressor_instance->statistics();
  }
  result["link"] = json_of(link, duration_ns());
  if (decompressor) {
    result["decompressor"] = decompressor_statistics_->json();
    if (ask_adapters) result["decompressor"]["statistics"] = decompressor_instance->statistics();
  }
  result["verdicts"] = verdicts();
  result["duplicates_delivered"] = duplicates_delivered_;
  Json inserted = Json::object();
  for (const auto& [status, packets] : inserted_statuses_) inserted[status] = packets;
  result["inserted"] = {{"statuses", std::move(inserted)}, {"delivered", inserted_delivered_}};
  Json mismatches = Json::array();
  for (const Mismatch& mismatch : mismatches_) {
    mismatches.push_back({{"packet", mismatch.packet ? Json(*mismatch.packet) : Json(nullptr)},
                          {"time_ns", mismatch.time_ns},
                          {"first_difference", mismatch.first_difference},
                          {"expected", to_hex(mismatch.expected)},
                          {"got", to_hex(mismatch.got)}});
  }
  result["mismatches"] = mismatch_count_;
  result["mismatch_list"] = std::move(mismatches);
  return result;
}

Json Direction::octets_or_length(OctetView octets) const {
  return job_.record_octets ? Json(to_hex(octets)) : Json(octets.size());
}

Json Direction::record(std::size_t index) const {
  const SourcePacket& packet = source_[index];
  const Record& record = records_[index];
  Json json = {{"packet", index},           {"direction", reverse_ ? "reverse" : "forward"},
               {"time_ns", packet.time_ns}, {"channel", packet.channel},
               {"flow", packet.flow},       {"length", packet.octets.size()}};
  if (record.compressed) {
    json["compressor"] = json_of(record.compressed->detail, compressor_instance->names(), HEADROOM_COMPRESSOR);
    json["compressor"]["status"] = name_of_status(record.compressed->status);
  }
  if (record.outcome) {
    json["link"] = octets_or_length(record.compressed ? OctetView(record.compressed->octets) : OctetView(record.link));
    json["link_header"] = record.header;
    if (const std::uint16_t type = record.compressed ? record.compressed->type : packet.type; type != 0)
      json["link_type"] = type;
    json["fate"] = name_of(record.outcome->fate);
    if (!record.outcome->flipped.empty()) json["flipped"] = record.outcome->flipped;
    if (record.outcome->held) json["held"] = true;
    if (record.outcome->duplicated) json["duplicated"] = true;
  }
  for (const Record::Segment& segment : record.segments) {
    Json entry = {{"link", octets_or_length(segment.link)},
                  {"link_header", segment.header},
                  {"fate", name_of(segment.outcome.fate)}};
    if (!segment.outcome.flipped.empty()) entry["flipped"] = segment.outcome.flipped;
    if (segment.outcome.held) entry["held"] = true;
    if (segment.outcome.duplicated) entry["duplicated"] = true;
    json["segments"].push_back(std::move(entry));
  }
  Json arrivals = Json::array();
  for (const Record::Arrival& arrival : record.arrivals) {
    Json entry = json_of(arrival.output.detail, decompressor_instance->names(), HEADROOM_DECOMPRESSOR);
    entry["status"] = name_of_status(arrival.output.status);
    entry["time_ns"] = arrival.time_ns;
    if (has_type(arrival.output)) entry["out_type"] = arrival.output.type;
    if (arrival.duplicate) entry["duplicate"] = true;
    arrivals.push_back(std::move(entry));
  }
  if (decompressor) json["decompressor"] = std::move(arrivals);
  const auto add_elements = [&json](const char* key, const std::vector<ReversePacket>& elements) {
    Json list = Json::array();
    for (const ReversePacket& element : elements) list.push_back(to_hex(element.octets));
    if (!list.empty()) json[key] = std::move(list);
  };
  add_elements("feedback", record.feedback);
  add_elements("passed_on", record.passed_on);
  json["verdict"] = name_of(verdicts_[index]);
  return json;
}

void Direction::append_records(Json& records) const {
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (job_.records == Records::all || is_failure(verdicts_[i])) records.push_back(record(i));
  }
  for (const Json& other : other_records_) records.push_back(other);
}

}  // namespace headroom::replay
