// SPDX-License-Identifier: Apache-2.0
//
// Header chains: RFC 6846, 6.2, and *_static, *_dynamic, *_irregular and *_replicate of 8.2, by hand.
#include "rohc/tcp/wire/chain.h"

#include <gtest/gtest.h>

#include "rohc/tcp/test/packets.h"

namespace headroom::rohc::tcp {
namespace {

using namespace testing;
using test::hex;
using test::to_hex;

Layout layout_of(const Packet& packet) {
  Layout layout;
  EXPECT_EQ(find_headers(packet, layout), Unfit::kNone);
  return layout;
}

Packet static_chain(const Packet& packet) {
  const Layout layout = layout_of(packet);
  return written([&](Writer& out) { write_static_chain(out, layout, packet.data()); });
}
Packet dynamic_chain(const Packet& packet, const Layout& layout, const Control& control, const OptionList& list = {}) {
  return written([&](Writer& out) {
    write_dynamic_chain(out, layout, packet.data(), control, control.ack_stride != 0, list, kNoItems);
  });
}

// Rebuilds headers from static and dynamic chain.
Packet rebuilt(const Packet& chains, std::size_t packet_length, Layout& layout, Control& control) {
  Packet octets(kMostOctets);
  Reader in{Octets(chains)};
  EXPECT_EQ(read_static_chain(in, layout, octets.data()), ChainStatus::kOk);
  ReceivedList received;
  OptionList list;
  EXPECT_EQ(read_dynamic_chain(in, layout, octets.data(), control, received, list), ChainStatus::kOk);
  EXPECT_EQ(in.remaining(), 0U);
  infer_fields(layout, octets.data(), packet_length);
  octets.resize(layout.octets);
  return octets;
}

Packet headers_of(const Packet& packet) { return {packet.begin(), packet.begin() + layout_of(packet).octets}; }

// ipv4_static, ipv4_innermost_dynamic, tcp_static and tcp_dynamic.
TEST(TcpChain, Ipv4AndTcp) {
  Tcp t;
  t.flags = 0x18;
  t.window = 0x1234;
  t.payload = hex("01 02");
  Ip ip;
  ip.tos = 0xb9;
  ip.id = 0x5678;
  const Packet packet = tcp4(t, ip);
  EXPECT_EQ(to_hex(static_chain(packet)), to_hex(hex("00 06 c0000201 c6336401 | 0401 0050")));
  Layout layout = layout_of(packet);
  layout.inner().ip_id = IpIdBehaviour::kSequential;
  const Control control{0xbeef, 1460, true};
  const std::uint16_t sum = load16(&packet[36]);
  Packet expected = hex("04 b9 40 5678 | d0 18 beef 000003e8 00001388 1234");
  put16(expected, sum);
  expected = expected + hex("05b4 00");
  EXPECT_EQ(to_hex(dynamic_chain(packet, layout, control)), to_hex(expected));

  Layout read;
  Control read_control;
  EXPECT_EQ(rebuilt(static_chain(packet) + expected, packet.size(), read, read_control), headers_of(packet));
  EXPECT_EQ(read.inner().ip_id, IpIdBehaviour::kSequential);
  EXPECT_EQ(read_control.msn, 0xbeef);
  EXPECT_EQ(read_control.ack_stride, 1460);
  EXPECT_TRUE(read_control.ecn_used);
}

// ip_id_zero; ack_zero and urp_zero; ipv6_static with fl_enc, both ways; ipv6_dynamic.
TEST(TcpChain, ZerosTakeNoOctets) {
  Tcp t;
  t.ack = 0;
  t.flags = 0x02;
  const Packet packet = tcp4(t);
  Layout layout = layout_of(packet);
  layout.inner().ip_id = IpIdBehaviour::kZero;
  Packet expected = hex("07 00 40 | 30 02 0001 000003e8 1000");
  put16(expected, load16(&packet[36]));
  expected.push_back(0);
  EXPECT_EQ(to_hex(dynamic_chain(packet, layout, {1, 0, false})), to_hex(expected));

  Ip ip;
  ip.tos = 0xab;
  const Packet addresses(packet.begin(), packet.begin());
  Packet six = tcp6(t, ip);
  EXPECT_EQ(to_hex(static_chain(six)).substr(0, 11), to_hex(hex("91 2345 06")).substr(0, 11));
  six[1] &= 0xf0;
  six[2] = six[3] = 0;
  EXPECT_EQ(static_chain(six).size(), 2U + 32 + 4);
  EXPECT_EQ(static_chain(six)[0], 0x80);
  EXPECT_EQ(dynamic_chain(six, layout_of(six), {})[0], 0xab);
}

// hop_opt, rout_opt, dest_opt, ah, gre and mine, static and dynamic; each header comes back.
TEST(TcpChain, EveryHeaderSurvives) {
  Tcp t;
  t.urgent = 7;
  t.flags = 0x30;
  const Packet segment = tcp(t);
  const Packet packets[] = {
      ip6(0, extension(43, extension(60, extension(6, segment, 0x50), 0x40, 1), 0x30, 2)),
      ip4(51, ah(6, 0x01020304, segment)),
      ip6(51, ah(4, 1, ip4(6, segment))),
      ip4(47, gre(0xb0, 9, ip4(6, segment))),
      ip4(47, gre(0x10, 9, ip6(6, segment))),
      ip4(47, gre(0, 9, ip6(6, segment))),
      ip4(55, minimal_encapsulation(6, false, segment)),
      ip6(4, ip4(55, minimal_encapsulation(6, true, segment))),
  };
  for (const Packet& packet : packets) {
    const Layout layout = layout_of(packet);
    Layout read;
    Control control;
    EXPECT_EQ(to_hex(rebuilt(static_chain(packet) + dynamic_chain(packet, layout, {}), packet.size(), read, control)),
              to_hex(headers_of(packet)));
    for (std::size_t cut = 0; cut < static_chain(packet).size(); ++cut) {
      Packet octets(kMostOctets);
      const Packet part = static_chain(packet);
      Reader in(Octets(part).first(cut));
      EXPECT_NE(read_static_chain(in, read, octets.data()), ChainStatus::kOk) << cut;
    }
  }
  EXPECT_EQ(to_hex(static_chain(packets[3])),
            to_hex(hex("00 2f c0000201 c6336401 | 70 0a0b0c0d | 00 06 c0000201 c6336401 | "
                       "0401 0050")));
  EXPECT_EQ(to_hex(static_chain(packets[1])).size(),
            to_hex(hex("00 33 c0000201 c6336401 | 06 04 01020304 | 0401 0050")).size());
  EXPECT_EQ(static_chain(packets[6]), hex("00 37 c0000201 c6336401 | 06 00 c6336407 | 0401 0050"));
}

// ipv4_outer_with_ttl_irregular, ah_irregular, ipv4_innermost_irregular, tcp_irregular; lsb(7, 8) and lsb(31, 256).
TEST(TcpChain, TheIrregularChainIsInTheOrderOfTheHeaders) {
  Tcp t;
  t.reserved = 0x0a;
  t.flags = 0xd0;
  t.checksum = 0x4321;
  Ip outer, inner;
  outer.tos = 0x17;
  outer.ttl = 9;
  outer.id = 0x1111;
  inner.tos = 0x02;
  inner.id = 0x2222;
  const Packet packet = ip4(51, ah(4, 0x185, ip4(6, tcp(t), inner)), outer);
  Layout layout = layout_of(packet);
  const auto irregular = [&](const IrregularHeaders& choice) {
    return written([&](Writer& out) { write_irregular_chain(out, layout, packet.data(), choice); });
  };
  const Packet icv = hex("70 71 72 73 74 75 76 77 78 79 7a 7b");
  EXPECT_EQ(to_hex(irregular({true, true, 0})), to_hex(hex("1111 17 09 | 05") + icv + hex("2222 | ab 4321")));
  EXPECT_EQ(to_hex(irregular({false, false, 2})), to_hex(hex("1111 | 80000185") + icv + hex("2222 | 4321")));
  layout.headers[0].ip_id = IpIdBehaviour::kZero;
  layout.inner().ip_id = IpIdBehaviour::kSwapped;
  EXPECT_EQ(to_hex(irregular({false, false, 0})), to_hex(hex("05") + icv + hex("4321")));

  layout = layout_of(packet);
  Packet old = packet;
  old[1] = old[8] = 0;
  old[28 + 3] = 0x0e;  // 0x010e: 0x0185 is 119 above, the last one that lsb(7, 8) reaches
  old[28 + 2] = 0x01;
  for (const std::uint16_t wide : {std::uint16_t{0}, std::uint16_t{2}}) {
    Packet octets = old;
    const Packet chain = irregular({true, true, wide});
    Reader in{Octets(chain)};
    ASSERT_TRUE(read_irregular_chain(in, layout, octets.data(), {true, true, 0}));
    EXPECT_EQ(in.remaining(), 0U);
    octets[2] = packet[2];
    EXPECT_EQ(to_hex(octets), to_hex(packet));
  }
}

// *_0_replicate and *_1_replicate; tcp_replicate with port_replicate, ecn_padding and a list.
TEST(TcpChain, ReplicatedHeadersAreThoseOfTheBaseAndWhatTheChainHas) {
  Tcp base_tcp, t;
  base_tcp.options = hex("020405b4");
  t = base_tcp;
  t.source = 1030;
  t.destination = 0xffff;
  t.seq = 0x01020304;
  t.flags = 0xc2;
  t.reserved = 5;
  t.checksum = 0x4321;
  Ip ip;
  ip.id = 0x0102;
  ip.ttl = 3;
  const Packet base = ip4(6, tcp(base_tcp)), packet = ip4(6, tcp(t), ip);
  const Layout base_layout = layout_of(base), layout = layout_of(packet);
  OptionList list;
  ASSERT_TRUE(list.append(kMss, 4));
  const Control control{0x1234, 0, true};
  ASSERT_TRUE(can_replicate(base_layout, base.data(), layout, packet.data(), control));
  const Packet chain = written([&](Writer& out) {
    write_replicate_chain(out, base_layout, base.data(), layout, packet.data(), control, true, list, 0, kNoItems);
  });
  EXPECT_EQ(to_hex(chain), to_hex(hex("0b 00 0102 03 | 6c 85 1234 01020304 06 ffff 1000 00001388 17 4321 | 01 20")));

  Layout read;
  Packet octets(kMostOctets);
  Control read_control;
  ReceivedList received;
  OptionList read_list;
  bool has_list = false;
  Reader in{Octets(chain)};
  ASSERT_EQ(read_replicate_chain(in, base_layout, base.data(), {kNoItems, list, &base[40]}, read, octets.data(),
                                 read_control, has_list, received, read_list),
            ChainStatus::kOk);
  EXPECT_EQ(in.remaining(), 0U);
  infer_fields(read, octets.data(), packet.size());
  octets.resize(read.octets);
  EXPECT_EQ(to_hex(octets), to_hex(packet));
}

// Every replicate item, both ways.
TEST(TcpChain, EveryHeaderCanBeReplicated) {
  Tcp t;
  const Packet segment = tcp(t);
  const Packet pairs[][2] = {
      {ip6(0, extension(6, segment, 0x50)), ip6(0, extension(6, segment, 0x60, 2))},
      {ip6(43, extension(60, extension(6, segment))), ip6(43, extension(60, extension(6, segment, 1, 1), 7))},
      {ip4(51, ah(6, 5, segment)), ip4(51, ah(6, 77, segment, 0x80))},
      {ip4(47, gre(0xb0, 9, ip4(6, segment))), ip4(47, gre(0x10, 9, ip4(6, segment)))},
      {ip4(47, gre(0x10, 9, ip6(6, segment))), ip4(47, gre(0xb0, 11, ip6(6, segment)))},
      {ip4(55, minimal_encapsulation(6, false, segment)), ip4(55, minimal_encapsulation(6, true, segment))},
  };
  for (const auto& pair : pairs) {
    for (const Packet* base : {&pair[0], &pair[1]}) {
      for (const Packet* packet : {&pair[0], &pair[1]}) {
        const Layout base_layout = layout_of(*base), layout = layout_of(*packet);
        const OptionList list;
        ASSERT_TRUE(can_replicate(base_layout, base->data(), layout, packet->data(), {}));
        const Packet chain = written([&](Writer& out) {
          write_replicate_chain(out, base_layout, base->data(), layout, packet->data(), {}, false, list, 0, kNoItems);
        });
        Layout read;
        Packet octets(kMostOctets);
        Control control;
        ReceivedList received;
        OptionList read_list;
        bool has_list = true;
        Reader in{Octets(chain)};
        ASSERT_EQ(read_replicate_chain(in, base_layout, base->data(), {kNoItems, list, nullptr}, read, octets.data(),
                                       control, has_list, received, read_list),
                  ChainStatus::kOk);
        EXPECT_FALSE(has_list);
        infer_fields(read, octets.data(), packet->size());
        octets.resize(read.octets);
        EXPECT_EQ(to_hex(octets), to_hex(headers_of(*packet)));
      }
    }
  }
}

// Reserved bits and paddings; sequential behaviour of an outer header (6.1.2).
TEST(TcpChain, ReservedBitsMustBeZero) {
  const auto reads_static = [](const Packet& chain) {
    Layout layout;
    Packet octets(kMostOctets);
    Reader in{Octets(chain)};
    return read_static_chain(in, layout, octets.data()) == ChainStatus::kOk;
  };
  const Packet addresses = hex("c0000201 c6336401");
  EXPECT_TRUE(reads_static(hex("00 06") + addresses + hex("0401 0050")));
  EXPECT_FALSE(reads_static(hex("01 06") + addresses + hex("0401 0050")));
  EXPECT_FALSE(reads_static(hex("00 11") + addresses + hex("0401 0050"))) << "UDP";
  EXPECT_FALSE(reads_static(hex("00 04 ") + addresses + hex("80 06") + addresses)) << "version of the next header";
  EXPECT_FALSE(reads_static(hex("00 2f") + addresses + hex("01 00 06") + addresses + hex("0401 0050")));
  EXPECT_FALSE(reads_static(hex("82 06") + Packet(36)));

  Tcp t;
  const Packet packet = ip4(4, ip4(6, tcp(t)));
  Layout layout = layout_of(packet);
  layout.headers[0].ip_id = IpIdBehaviour::kSequential;
  Packet octets = packet;
  octets.resize(kMostOctets);
  const Packet chain = dynamic_chain(packet, layout, {});
  Reader in{Octets(chain)};
  Control control;
  ReceivedList received;
  OptionList list;
  EXPECT_EQ(read_dynamic_chain(in, layout, octets.data(), control, received, list), ChainStatus::kMalformed);
}

// What this profile leaves to others.
TEST(TcpChain, PacketsThatCannotBeCompressedAreToldApart) {
  const auto unfit = [](const Packet& p) {
    Layout layout;
    return find_headers(p, layout);
  };
  Tcp t;
  t.payload = hex("01");
  const Packet good = tcp4(t);
  EXPECT_EQ(unfit(good), Unfit::kNone);
  const auto changed = [&](std::size_t at, unsigned v) {
    Packet p = good;
    p[at] = static_cast<std::uint8_t>(v);
    set16(p, 10, 0);
    set16(p, 10, checksum({p.begin(), p.begin() + 20}));
    return p;
  };
  EXPECT_EQ(unfit(changed(9, 17)), Unfit::kNotTcp);
  EXPECT_EQ(unfit(changed(0, 0x44)), Unfit::kNotDefault) << "IHL below 5";
  EXPECT_EQ(unfit(changed(0, 0x46)), Unfit::kNotDefault) << "options";
  EXPECT_EQ(unfit(changed(6, 0x20)), Unfit::kNotDefault) << "more fragments";
  EXPECT_EQ(unfit(changed(6, 0x80)), Unfit::kNotDefault) << "reserved flag";
  EXPECT_EQ(unfit(changed(3, 99)), Unfit::kMalformed) << "total length";
  EXPECT_EQ(unfit(changed(32, 0x40)), Unfit::kMalformed) << "data offset below 5";
  EXPECT_EQ(unfit(changed(32, 0x60)), Unfit::kMalformed) << "data offset beyond the packet";
  Packet wrong = good;
  wrong[10] ^= 1;
  EXPECT_EQ(unfit(wrong), Unfit::kNotDefault) << "header checksum";
  EXPECT_EQ(unfit({}), Unfit::kMalformed);
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_NE(unfit({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(cut)}), Unfit::kNone) << cut;
  Packet deep = tcp(t);
  for (int i = 0; i < 12; ++i) deep = ip4(i == 0 ? 6 : 4, deep);
  EXPECT_EQ(unfit(deep), Unfit::kTooLong);
  EXPECT_EQ(unfit(ip6(0, extension(6, tcp(t), 0, 40))), Unfit::kTooLong);
  EXPECT_EQ(unfit(ip4(47, gre(0x40, 0, ip4(6, tcp(t))))), Unfit::kNotDefault);
}

}  // namespace
}  // namespace headroom::rohc::tcp
