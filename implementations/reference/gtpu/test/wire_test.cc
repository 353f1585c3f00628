// SPDX-License-Identifier: Apache-2.0
//
// GTP-U and IP on the wire.
#include "gtpu/wire/gtpu.h"
#include "user_plane.h"

namespace headroom::gtpu::test {
namespace {

using Fault = Message::Fault;

TEST(GtpuMessage, OptionalFieldsForEachCombinationOfFlags) {
  for (unsigned flags = 0; flags < 16; ++flags) {  // with the spare bit
    const bool has_fields = (flags & 7) != 0;
    const Bytes octets = message(static_cast<std::uint8_t>(0x30 | flags), kGPdu, 7,
                                 has_fields ? hex("12345600") : Bytes{}, hex("abcdef"));
    const Message m = read_message(octets);
    EXPECT_EQ(m.fault, Fault::none) << flags;
    EXPECT_EQ(Bytes(m.payload.begin(), m.payload.end()), hex("abcdef")) << flags;
    EXPECT_EQ(m.has_sequence, (flags & 2) != 0) << flags;
    EXPECT_EQ(m.sequence, (flags & 2) != 0 ? 0x1234 : 0) << flags;
    EXPECT_EQ(m.teid, 7U);
  }
}

TEST(GtpuMessage, NextExtensionHeaderIsNotEvaluatedWithoutItsFlag) {
  const Message m = read_message(message(0x32, kGPdu, 7, hex("000000c0"), hex("ab")));
  EXPECT_EQ(m.fault, Fault::none);
  EXPECT_EQ(m.payload.size(), 1U);
}

TEST(GtpuMessage, LengthCutsAndMustNotGoBeyondTheEnd) {
  Bytes octets = message(0x30, kGPdu, 7, {}, hex("ab"));
  octets.push_back(0xEE);
  EXPECT_EQ(read_message(octets).payload.size(), 1U);
  octets[3] = 3;
  EXPECT_EQ(read_message(octets).fault, Fault::too_short);
  for (std::size_t length = 0; length < 8; ++length) {
    EXPECT_EQ(read_message(std::span(octets).first(length)).fault, Fault::too_short) << length;
  }
  // Fields that the flags announce and the Length has no room for.
  EXPECT_EQ(read_message(hex("32ff0003 00000007 000000")).fault, Fault::too_short);
}

TEST(GtpuMessage, OtherVersionsAndGtpPrime) {
  for (const int flags : {0x10, 0x50, 0x70, 0x20, 0xF0}) {
    EXPECT_EQ(read_message(message(static_cast<std::uint8_t>(flags), kGPdu, 7, {}, {})).fault, Fault::version) << flags;
  }
}

TEST(GtpuMessage, ExtensionHeaders) {
  const auto with = [](const char* headers) {
    return read_message(message(0x34, kGPdu, 7, hex(std::string("000000") + headers), hex("ab")));
  };
  // Both classes without comprehension: passed over (5.2.1).
  EXPECT_EQ(with("20 01000000").fault, Fault::none);
  EXPECT_EQ(with("41 01000000").fault, Fault::none);
  // Both classes with comprehension.
  EXPECT_EQ(with("81 01000000").fault, Fault::not_understood);
  EXPECT_EQ(with("c0 01000000").fault, Fault::not_understood);
  // A chain, one of the headers long.
  const Message chain = with("20 0200000000000040 01086885 01000900");
  EXPECT_EQ(chain.fault, Fault::none);
  EXPECT_EQ(chain.qfi, 9);
  EXPECT_EQ(chain.payload.size(), 1U);
  EXPECT_EQ(with("85 00000000").fault, Fault::extension);  // length 0
  EXPECT_EQ(with("85 02000900").fault, Fault::extension);  // beyond the end
  EXPECT_EQ(with("85 01000985").fault, Fault::extension);  // one more, of which nothing is there
}

TEST(GtpuMessage, ErrorIndication) {
  const auto cause = read_error_indication(hex("1000000064 850004ac110001"));
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->teid, 100U);
  EXPECT_EQ(cause->peer, address("172.17.0.1"));
  EXPECT_TRUE(read_error_indication(hex("0e05 ff0002abcd 1000000064 850004ac110001")));  // Recovery, Private Extension
  EXPECT_FALSE(read_error_indication(hex("1000000064")));
  EXPECT_FALSE(read_error_indication(hex("850004ac110001")));
  EXPECT_FALSE(read_error_indication(hex("1000000064 850005ac11000100")));
  EXPECT_FALSE(read_error_indication(hex("1000000064 850004ac1100")));
  EXPECT_FALSE(read_error_indication(hex("1000")));
}

TEST(Ip, ChecksumOfRfc1071) {
  EXPECT_EQ(checksum(sum_words(hex("0001f203f4f5f6f7"))), static_cast<std::uint16_t>(~0xddf2));  // its section 3
  EXPECT_EQ(checksum(sum_words(hex("000102"))), static_cast<std::uint16_t>(~0x0201));
}

TEST(Ip, Transport) {
  Bytes packet = datagram("172.16.0.1", "172.17.0.1", 2152, 2152, hex("abcd"));
  EXPECT_EQ(read_transport(packet).kind, Transport::Kind::datagram);
  EXPECT_EQ(read_transport(packet).payload_length, 2U);
  Bytes longer = packet + hex("0000");  // padding of the link
  EXPECT_EQ(read_transport(longer).payload_length, 2U);
  for (std::size_t length = 0; length < packet.size(); ++length) {
    EXPECT_EQ(read_transport(std::span(packet).first(length)).kind, Transport::Kind::malformed) << length;
  }
  Bytes damaged = packet;
  damaged[8] ^= 1;  // the header checksum does not fit any more
  EXPECT_EQ(read_transport(damaged).kind, Transport::Kind::malformed);
  damaged = packet;
  damaged[25] = 7;  // the length of UDP is below its header
  EXPECT_EQ(read_transport(damaged).kind, Transport::Kind::malformed);
  // Options of IPv4.
  const Bytes options = hex("4600 0020 0000 4000 4011 0000 ac100001 ac110001 01010100 08680868 00080000");
  Bytes with_options = options;
  write16(&with_options[10], checksum(sum_words(std::span(with_options).first(24))));
  EXPECT_EQ(read_transport(with_options).kind, Transport::Kind::datagram);
}

TEST(Ip, TransportOverIpv6) {
  Bytes packet = datagram("2001:db8::1", "2001:db8::2", 2152, 2152, hex("abcd"));
  EXPECT_EQ(read_transport(packet).kind, Transport::Kind::datagram);
  packet.back() ^= 1;
  EXPECT_EQ(read_transport(packet).kind, Transport::Kind::malformed);
  packet[46] = packet[47] = 0;  // no checksum: RFC 6935
  EXPECT_EQ(read_transport(packet).kind, Transport::Kind::datagram);
}

TEST(Ip, UserPacket) {
  const auto fields_of = [](const Bytes& packet) {
    PacketFields fields;
    return std::pair(read_user_packet(packet, fields), fields);
  };
  const Bytes packet = datagram("10.0.0.1", "10.0.0.2", 1, 2, hex("ab"));
  EXPECT_TRUE(fields_of(packet).first);
  EXPECT_EQ(fields_of(packet).second.destination_port, 2);
  EXPECT_EQ(fields_of(packet).second.payload_at, 28);
  EXPECT_FALSE(fields_of({}).first);
  EXPECT_FALSE(fields_of(hex("50")).first);
  EXPECT_FALSE(fields_of(Bytes(packet.begin(), packet.end() - 1)).first);
  Bytes fragment = packet;
  fragment[7] = 8;  // an offset
  EXPECT_TRUE(fields_of(fragment).first);
  EXPECT_FALSE(fields_of(fragment).second.has_ports);
  // IPv6 with a hop-by-hop header and a first fragment.
  const Bytes v6 =
      hex("60012345 00180040 20010db8000000000000000000000001 20010db8000000000000000000000002"
          "2c00000000000000 1100000000000001 0001000200080000");
  EXPECT_TRUE(fields_of(v6).first);
  EXPECT_EQ(fields_of(v6).second.protocol, 17);
  EXPECT_EQ(fields_of(v6).second.destination_port, 2);
  EXPECT_EQ(fields_of(v6).second.flow_label, 0x12345U);
}

}  // namespace
}  // namespace headroom::gtpu::test
