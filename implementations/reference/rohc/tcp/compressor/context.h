// SPDX-License-Identifier: Apache-2.0
//
// The context of profile 0x0006 at the compressor: RFC 6846, 5.2; RFC 4164, 3.3.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "rohc/framework/prefetch.h"
#include "rohc/framework/wire/cid.h"
#include "rohc/tcp/packet.h"
#include "rohc/tcp/wire/chain.h"
#include "rohc/tcp/wire/feedback.h"

namespace headroom::rohc::tcp {

inline constexpr unsigned kMostRepeats = 8;

// Parameters that RFC 6846 leaves to the compressor.
struct CompressorConfig {
  // The number of packets that carry a change before the compressor relies on the change (5.2.1.1). Also the width of
  // the W-LSB windows: the decompressor may have any of the last `repeats` packets as its reference. REQUIRES: 1 to
  // kMostRepeats.
  unsigned repeats = 4;
  // The number of packets after which IR and IR-DYN packets are repeated (5.2.1.2) until there is feedback; 0: never.
  // The first IR period of a flow is `ir_refresh_start` packets and doubles until it is `ir_refresh`;
  // `ir_refresh_start` 0: the period is constant.
  std::uint32_t ir_refresh = 2048, ir_refresh_start = 128, ir_dyn_refresh = 512;
  // The number of packets with the same stride after which the acknowledgement number is scaled (6.4.8.2); 0: never
  // scaled.
  std::uint32_t stride_after = 8;
  // replicate: sends IR-CR packets if there is a base context. static_options: signals options of generic items as
  // static until they change.
  bool replicate = true, static_options = true;
  // False sends every packet along the general path, which makes the same octets.
  bool fast_path = true;
  // The largest step of the IP-ID from packet to packet at which the IP-ID counts as sequential.
  std::uint16_t ip_id_largest_step = 64;
};

struct Compressed {
  Unfit unfit = Unfit::kNone;  // other than kNone: another profile must carry the packet; nothing has changed
  bool no_space = false;       // `out` is too small; nothing has been sent
  PacketType type = PacketType::kUnknown;
  std::uint16_t compressed_header = 0, plain_header = 0;  // octets
  std::uint32_t length = 0;                               // octets of the packet on the link
};

class CompressorContext {
 public:
  // `cid` is written around the first octet of each packet. `msn`: "SHOULD be initialized to a random value" (6.1.1).
  CompressorContext(const CompressorConfig& config, const wire::CidOctets& cid, bool large_cids,
                    std::uint32_t cid_number, std::uint16_t msn) noexcept;

  // Compresses a packet into `out`. A packet of another flow assigns the context to that flow, with IR packets, or with
  // IR-CR packets if `base` is suitable; the MSN continues (6.1.1).
  [[nodiscard]] Compressed compress(Octets packet, std::span<std::uint8_t> out,
                                    const CompressorContext* base = nullptr) noexcept;
  // Compresses a packet whose headers have been found, on the general path.
  [[nodiscard]] Compressed compress(Octets packet, const Layout& layout, std::span<std::uint8_t> out,
                                    const CompressorContext* base) noexcept;
  // Compresses a packet on the fast path. Returns false, without any change, if the packet needs the general path.
  // prefetch() prefetches the memory that the fast path needs.
  void prefetch() const noexcept { prefetch_octets(this, octets_.data() + kIpv6Length + kTcpLength); }
  [[nodiscard]] bool compress_predicted(Octets packet, std::span<std::uint8_t> out, Compressed& result) noexcept {
    return fast_length_ != 0 && compress_fast(packet, out, result);
  }

  // Applies feedback on this context (5.2.2), except REJECT and CONTEXT_MEMORY.
  void feedback(const Feedback& f) noexcept;
  [[nodiscard]] bool has_feedback() const noexcept { return has_feedback_; }

  // Makes the next packet an IR (`whole`) or IR-DYN packet (5.2.1.2).
  void refresh(bool whole) noexcept {
    (whole ? ir_due_ : ir_dyn_due_) = true;
    fast_length_ = 0;
  }
  // Restarts the flow with IR packets, as if there had been no feedback.
  void reinitialize() noexcept;
  // Records that the CID went to another flow: the next packet, even of this flow, is an IR packet.
  void forget() noexcept;

  // True if the packet whose headers are `layout` belongs to this context's flow.
  [[nodiscard]] bool is_same_flow(const Layout& layout, const std::uint8_t* octets) const noexcept;
  // True if other contexts may be replicated from this context: its flow was acknowledged with a CRC after the last
  // change of a field that IR-CR packets omit (RFC 4164, 3.3.3.1).
  [[nodiscard]] bool is_base() const noexcept;
  // True if the flow began with IR-CR packets that have not been acknowledged.
  [[nodiscard]] bool is_replica() const noexcept { return is_replica_; }
  // Excludes this context as a base until its next acknowledgement, because the decompressor refused a replica of it
  // (RFC 4164, 3.3.3.4).
  void distrust() noexcept { crc_acked_ = 0; }
  [[nodiscard]] std::uint32_t cid() const noexcept { return cid_number_; }
  [[nodiscard]] std::uint16_t last_msn() const noexcept { return msn_of(next_ - 1); }

 private:
  // True if an IR packet is due because of the number of packets since the last IR packet.
  [[nodiscard]] bool is_ir_due() const noexcept { return ir_period_ != 0 && next_ - last_ir_ >= ir_period_; }

  // Marks all information as unknown to the decompressor, so that it is sent again.
  void restart() noexcept;

  // The fields that must be sent until the decompressor has them; indexes of changed_, which holds the number of the
  // packet that changed the field.
  enum Change : unsigned {
    kStatic,   // only IR
    kDynamic,  // only IR-DYN
    kDscp,
    kDf,
    kBehaviour,
    kUrgent,
    kFlags,  // ACK and URG
    kStride,
    kEcnUsed,
    kOuterTtl,
    kList,
    kSeqScaling,
    kAckScaling,
    kChanges
  };
  using Index = std::uint64_t;  // number of a packet in this context
  // The value in place of an Index if the item left the list before the decompressor surely had the item; the item
  // counts as new when it returns.
  static constexpr Index kGone = ~Index{0};

  // Values that the decompressor may have as its reference, in addition to the fields of base headers.
  struct Sent {
    Index index = 0;
    std::uint32_t ts_value = 0, ts_echo = 0;
    std::uint32_t numbers[2] = {0, 0};  // sequence numbers of AH and GRE
  };

  // The packet that is being compressed.
  struct Now {
    Octets packet;
    Layout layout;
    OptionList list;
    std::size_t payload = 0;
    const std::uint8_t* tcp = nullptr;
    Values values{};
    IrregularHeaders irregular;
    IrregularChoice choice;
    std::uint16_t present = 0;  // X bits of the options, by place
    std::uint8_t number_count = 0;
    bool numbers_reach = true;
    bool needs_list = false;
  };

  [[nodiscard]] std::uint16_t msn_of(Index i) const noexcept { return static_cast<std::uint16_t>(first_msn_ + i); }
  [[nodiscard]] bool is_settled(Index change) const noexcept { return change <= oldest_; }
  [[nodiscard]] bool is_settled(Change c) const noexcept { return is_settled(changed_[c]); }
  void mark(Change c) noexcept { changed_[c] = next_; }
  [[nodiscard]] const std::uint8_t* tcp() const noexcept { return octets_.data() + layout_.tcp().at; }
  [[nodiscard]] OptionContext options() const noexcept {
    return {table_, list_, layout_.count == 0 ? nullptr : tcp() + kTcpLength};
  }
  template <typename Predicate>
  [[nodiscard]] bool all_sent(Predicate p) const noexcept {
    return std::all_of(sent_.begin(), sent_.begin() + config_.repeats, p);
  }
  template <typename Predicate>
  [[nodiscard]] bool all_references(Predicate p) const noexcept {
    return std::all_of(references_.begin(), references_.begin() + config_.repeats, p);
  }

  // observe.cc: finds the changes in a packet.
  [[nodiscard]] bool find_options(Now& now) noexcept;
  [[nodiscard]] std::uint8_t generic_index(const Now& now, const std::uint8_t* option,
                                           std::size_t length) const noexcept;
  void start_flow(Now& now) noexcept;
  void observe(Now& now) noexcept;
  void observe_headers(const Now& now) noexcept;
  void observe_ip_id(Now& now) noexcept;
  void observe_tcp(Now& now) noexcept;
  void observe_options(Now& now) noexcept;
  void choose_irregular(Now& now) noexcept;

  [[nodiscard]] static bool is_multiple(std::uint32_t step, std::uint32_t stride) noexcept {
    return step == stride || (stride != 0 && step % stride == 0);
  }
  void observe_numbers(Values& v, std::uint32_t step, std::uint32_t payload) noexcept;

  // fast_path.cc: compresses packets of a flow in which only numbers and time stamps have changed for a while.
  void prepare_fast_path() noexcept;
  [[nodiscard]] bool compress_fast(Octets packet, std::span<std::uint8_t> out, Compressed& result) noexcept;
  [[nodiscard]] bool fast_ip_id(const std::uint8_t* packet, Values& v) const noexcept;

  // context.cc: writes packets.
  [[nodiscard]] Format choose(Now& now) const noexcept;
  [[nodiscard]] Format smallest(const Values& v, std::uint32_t needed, bool has_payload) const noexcept;
  void fill_common(Now& now) const noexcept;
  [[nodiscard]] std::size_t common_length(const Now& now) const noexcept;
  void write_ir(Writer& out, Now& now, bool dynamic) noexcept;
  void write_ir_cr(Writer& out, Now& now, const CompressorContext& base) noexcept;
  void write_co(Writer& out, Now& now, Format format) noexcept;
  void commit(const Now& now, PacketType type) noexcept;
  [[nodiscard]] bool can_replicate_from(const Now& now, const CompressorContext* base) const noexcept;

  CompressorConfig config_;
  wire::CidOctets cid_;
  std::uint32_t cid_number_;
  std::uint16_t first_msn_;
  bool large_cids_;
  bool has_feedback_ = false, may_replicate_ = true, replicates_ = false;
  bool is_replica_ = false;
  bool is_forgotten_ = false;
  bool ir_due_ = false, ir_dyn_due_ = false;
  bool is_reused_ = false;  // the CID had another flow, and no ACK confirms that the decompressor has this flow
  Control control_;

  Index next_ = kMostRepeats;  // the current packet
  Index oldest_ = 0;           // the oldest packet that the decompressor may have as its reference
  Index acked_ = 0;
  Index crc_acked_ = 0;  // last packet of this flow acknowledged with a CRC; 0: none
  Index last_ir_ = 0, last_ir_dyn_ = 0;
  std::uint32_t ir_period_ = 0;
  std::array<Index, kChanges> changed_{};
  std::array<References, kMostRepeats> references_{};
  std::array<Sent, kMostRepeats> sent_{};

  // Scaling, and the history of acknowledgements and IP-IDs.
  std::uint32_t seq_payload_ = 0;
  Scaled seq_scaled_, ack_scaled_;
  std::uint32_t stride_candidate_ = 0, stride_seen_ = 0;
  std::uint8_t id_jumps_ = 0, id_steps_ = 0, id_zeros_ = 0;

  // The fast path: octets of the headers, or 0 if the general path is required; offset of the time stamps, or 0; and
  // the mask of the header bits that must equal those of the last packet.
  std::uint8_t fast_length_ = 0, fast_stamps_ = 0;
  std::array<std::uint8_t, kIpv6Length + kTcpLength + kMostOptions> fast_mask_{};

  Layout layout_;
  OptionList list_;
  std::array<std::uint8_t, kMostOctets> octets_{};    // headers of the last packet
  std::array<Index, kTableItems> item_changed_{};     // last change of an item's *_list_item
  std::array<Index, kTableItems> content_changed_{};  // last change of an item's content in the irregular chain
  ItemTable table_;
};

}  // namespace headroom::rohc::tcp
