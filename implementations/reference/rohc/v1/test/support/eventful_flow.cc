// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/test/support/eventful_flow.h"

#include <utility>

namespace headroom::rohc::test {

FlowCharacter drawn_character(Random& random, std::uint16_t number) {
  FlowCharacter c;
  PacketSpec& s = c.first;
  s.ip.version = random.flip() ? 4 : 6;
  s.ip.source = number;
  s.ip.destination = static_cast<std::uint16_t>(number ^ 0x5555);
  s.ip.ttl = random.octet();
  s.ip.tos = random.octet();
  s.ip.flow_label = random.word32() & 0xfffff;
  s.ip.dont_fragment = random.flip();
  const unsigned kind = random.below(8);
  const unsigned variety = random.below(8);  // ESP and UDP-Lite among the rest
  if (variety == 0) {
    s.esp = EspFields{random.word32(), random.chance(0.3) ? 0U - random.below(200) : random.word32()};
  } else if (kind >= 1) {
    s.udp = UdpFields{};
    s.udp->checksum = random.flip();
    s.udp->source_port = static_cast<std::uint16_t>(1024 + random.below(60'000));
    s.udp->lite = variety <= 3;
    if (random.flip()) s.udp->coverage = static_cast<std::uint16_t>(random.chance(0.2) ? 0 : 8 + random.below(40));
  }
  if (s.udp && kind >= 3) {
    s.rtp = RtpFields{};
    s.rtp->sn = random.word();
    s.rtp->ts = random.word32();
    s.rtp->ssrc = random.word32();
    s.rtp->payload_type = random.octet() & 63;
  }
  if (random.chance(0.25)) {
    s.outer = IpFields{};
    s.outer->version = random.flip() ? 4 : 6;
    s.outer->source = number;
    s.outer->ttl = random.octet();
  }
  c.id = static_cast<IdPattern>(random.below(4));
  c.outer_id = static_cast<IdPattern>(random.below(4));
  constexpr std::uint32_t kStrides[] = {160, 160, 160, 320, 240, 90, 1, 256, 3000, 1 << 15};
  c.ts_stride = kStrides[random.below(10)];
  constexpr double kRates[] = {0.0, 0.005, 0.02, 0.1, 0.4};
  c.events = kRates[random.below(5)];
  return c;
}

EventfulFlow::EventfulFlow(const FlowCharacter& character, std::uint64_t seed)
    : character_(character), spec_(character.first), random_(seed) {
  counter_ = random_.word();
  outer_counter_ = random_.word();
  spec_.ip.id = next_id(character_.id, counter_, random_.word());
  if (spec_.outer) spec_.outer->id = next_id(character_.outer_id, outer_counter_, random_.word());
}

std::uint16_t EventfulFlow::next_id(IdPattern pattern, std::uint16_t& counter, std::uint16_t current) {
  counter = static_cast<std::uint16_t>(counter + id_step_);
  switch (pattern) {
    case IdPattern::kSequential:
      return counter;
    case IdPattern::kSwapped:
      return static_cast<std::uint16_t>(counter << 8 | counter >> 8);
    case IdPattern::kRandom:
      return random_.word();
    default:
      return current;
  }
}

void EventfulFlow::advance() {
  spec_.ip.id = next_id(character_.id, counter_, spec_.ip.id);
  if (spec_.outer) spec_.outer->id = next_id(character_.outer_id, outer_counter_, spec_.outer->id);
  if (spec_.esp) ++spec_.esp->sn;
  if (coverage_changes_ && spec_.udp) spec_.udp->coverage = random_.word();
  if (spec_.rtp) {
    spec_.rtp->marker = false;
    ++spec_.rtp->sn;
    if (hold_ts_ != 0) {
      --hold_ts_;
    } else {
      spec_.rtp->ts += character_.ts_stride;
    }
  }
  if (empty_ != 0) --empty_;
  const std::size_t length = empty_ != 0 ? 0 : random_.chance(0.9) ? 33 : 1 + random_.below(120);
  spec_.payload.resize(length);
  for (auto& octet : spec_.payload) octet = random_.octet();
}

bool EventfulFlow::rtp_event(unsigned kind) {
  if (!spec_.rtp) return false;
  RtpFields& r = *spec_.rtp;
  switch (kind) {
    case 0:  // a talk spurt begins
      r.marker = true;
      r.ts += character_.ts_stride * random_.between(1, 500);
      return true;
    case 1:
      r.payload_type =
          static_cast<std::uint8_t>(random_.below(64));  // with the marker, 64 and above can look like RTCP
      return true;
    case 2:
      r.padding = !r.padding;
      return true;
    case 3:
      r.extension = !r.extension;
      return true;
    case 4:
      r.ts += random_.flip() ? random_.word32() : random_.below(200);
      return true;
    case 5: {
      constexpr std::uint32_t kStrides[] = {160, 320, 240, 90, 1, 3000, 80, 1 << 16, 0x20000001};
      character_.ts_stride = kStrides[random_.below(9)];
      return true;
    }
    case 6:
      hold_ts_ = random_.between(1, 6);
      return true;
    case 7:
      r.ts -= character_.ts_stride * random_.between(1, 40);
      return true;
    case 8:
      r.sn = static_cast<std::uint16_t>(r.sn + random_.between(1, 30));
      return true;
    case 9:
      r.sn = static_cast<std::uint16_t>(r.sn + random_.between(30, 3000));
      return true;
    case 10:
      r.sn = random_.word();
      return true;
    case 11:  // both are about to wrap around
      r.sn = static_cast<std::uint16_t>(0 - random_.between(1, 20));
      r.ts = 0U - character_.ts_stride * random_.between(1, 20) - random_.below(100);
      return true;
    case 12:  // a gap in which the sender went on counting
    {
      const std::uint32_t gap = random_.between(1, 40);
      r.sn = static_cast<std::uint16_t>(r.sn + gap);
      r.ts += gap * character_.ts_stride;
      return true;
    }
    default:
      if (!character_.may_be_strange) return false;
      r.ssrc = random_.word32();
      r.sn = random_.word();
      r.ts = random_.word32();
      return true;
  }
}

bool EventfulFlow::ip_event(unsigned kind) {
  IpFields& ip = kind >= 3 && kind <= 5 && spec_.outer ? *spec_.outer : spec_.ip;
  switch (kind) {
    case 0:
    case 3:
      ip.tos = random_.octet();
      return true;
    case 1:
    case 4:
      ip.ttl = random_.octet();
      return true;
    case 2:
    case 5:
      ip.dont_fragment = !ip.dont_fragment;
      return true;
    case 6:
      if (character_.may_change_ids) character_.id = static_cast<IdPattern>(random_.below(4));
      return character_.may_change_ids;
    case 7:
      if (character_.may_change_ids) character_.outer_id = static_cast<IdPattern>(random_.below(4));
      return character_.may_change_ids;
    case 8:  // packets of other flows from the same host
      counter_ = static_cast<std::uint16_t>(counter_ + (random_.flip() ? random_.below(40) : random_.word()));
      return true;
    case 9:
      outer_counter_ = static_cast<std::uint16_t>(outer_counter_ + random_.below(300));
      return true;
    case 10:
      id_step_ = static_cast<std::uint16_t>(random_.flip() ? 1 : random_.between(1, 90));
      return true;
    case 11:
      if (!spec_.udp) return false;
      spec_.udp->checksum = !spec_.udp->checksum;
      return true;
    case 12:
    case 13:
      return coverage_event();
    default:
      if (!spec_.esp) return false;
      spec_.esp->sn += random_.chance(0.7) ? random_.between(1, 100) : random_.word32();
      return true;
  }
}

bool EventfulFlow::coverage_event() {
  if (!spec_.udp || !spec_.udp->lite) return false;
  coverage_changes_ = random_.chance(0.2);
  switch (random_.below(4)) {
    case 0:
      spec_.udp->coverage.reset();
      return true;
    case 1:  // that of the usual packets, by its value
      spec_.udp->coverage = static_cast<std::uint16_t>(8 + (spec_.rtp ? 12 : 0) + 33);
      return true;
    default:
      spec_.udp->coverage = static_cast<std::uint16_t>(random_.below(60));
      return true;
  }
}

bool EventfulFlow::link_event(unsigned kind) {
  switch (kind) {
    case 0:
      duplicate_ = true;
      return true;
    case 1: {  // this packet is overtaken by the next ones
      Packet late = packet_now();
      const unsigned places = random_.between(1, 3);
      for (unsigned i = 0; i < places; ++i) {
        advance();
        ready_.push_back(packet_now());
      }
      ready_.push_back(std::move(late));
      advance();
      return true;
    }
    case 2:
      empty_ = random_.between(2, 5);
      spec_.payload.clear();
      return true;
    case 3:
      pause_ms_ = random_.flip() ? random_.below(2000) : random_.below(60'000);
      return true;
    default:
      if (!character_.may_be_strange) return false;
      strange_ = random_.between(1, 4);
      return true;
  }
}

void EventfulFlow::event() {
  for (;;) {  // until one applies to this flow
    const unsigned kind = random_.below(34);
    if (kind < 14 ? rtp_event(kind) : kind < 29 ? ip_event(kind - 14) : link_event(kind - 29)) return;
  }
}

Packet EventfulFlow::packet_now() { return build(spec_); }

// Something of the same addresses that has to be treated otherwise.
Packet EventfulFlow::strange_packet() {
  Packet p = packet_now();
  switch (random_.below(6)) {
    case 0:  // RTCP on the same ports
      if (spec_.rtp) {
        PacketSpec other = spec_;
        other.rtp.reset();
        other.payload = {0x80, 200, 0, 6, 1, 2, 3, 4};
        return build(other);
      }
      return p;
    case 1:  // a fragment
      if (spec_.ip.version == 4 && !spec_.outer) {
        p[6] = 0x20;
        mend_ipv4_checksum(p);
      }
      return p;
    case 2:  // a wrong checksum
      if (spec_.ip.version == 4) p[10] = static_cast<std::uint8_t>(p[10] + 1);
      return p;
    case 3:
      p.push_back(0);  // the lengths disagree
      return p;
    case 4:  // a UDP length that is not that of the packet
      if (spec_.udp && spec_.ip.version == 4 && !spec_.outer) ++p[25];
      return p;
    default:
      p[0] = random_.octet();
      return p;
  }
}

Packet EventfulFlow::next() {
  pause_ms_ = 0;
  if (ready_.empty()) {
    advance();
    if (random_.chance(character_.events)) event();
    if (strange_ != 0) {
      --strange_;
      ready_.push_back(strange_packet());
    } else {
      ready_.push_back(packet_now());
    }
    if (std::exchange(duplicate_, false)) ready_.push_back(ready_.back());
  }
  Packet p = std::move(ready_.front());
  ready_.pop_front();
  return p;
}

}  // namespace headroom::rohc::test
