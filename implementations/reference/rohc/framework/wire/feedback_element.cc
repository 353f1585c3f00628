// SPDX-License-Identifier: Apache-2.0
#include "rohc/framework/wire/feedback_element.h"

#include "rohc/framework/wire/cid.h"
#include "rohc/framework/wire/type_octet.h"

namespace headroom::rohc::wire {
namespace {

std::optional<std::uint32_t> read_cid(Reader& in, bool large_cids) noexcept {
  if (large_cids) return read_large_cid(in);
  if (in.remaining() > 1 && in.peek() >> 6 == 3) {
    const std::uint8_t octet = in.octet();
    if (!is_add_cid(octet)) return std::nullopt;
    return octet & 0x0fU;
  }
  return 0;
}

}  // namespace

std::optional<Octets> read_feedback_element(Reader& in) noexcept {
  const std::uint8_t type = in.octet();
  const std::size_t code = type & 7;
  const std::size_t size = code != 0 ? code : in.octet();
  const std::uint8_t* data = in.take(size);
  if (!in.ok()) return std::nullopt;
  return Octets{data, size};
}

std::optional<FeedbackData> read_feedback_cid(Octets data, bool large_cids) noexcept {
  if (data.size() > kMaxFeedbackData) return std::nullopt;
  Reader in(data);
  const auto cid = read_cid(in, large_cids);
  if (!cid || in.remaining() == 0) return std::nullopt;
  return FeedbackData{*cid, data, in.rest()};
}

void write_feedback_cid(Writer& out, bool large_cids, std::uint32_t cid) noexcept {
  const CidOctets octets = make_cid_octets(large_cids, cid);
  if (octets.before_count != 0) out.octet(octets.before);
  out.octets({octets.after, octets.after_count});
}

void write_feedback_option(Writer& out, FeedbackOption option, std::optional<std::uint8_t> value) noexcept {
  out.octet(static_cast<std::uint8_t>(static_cast<unsigned>(option) << 4 | (value ? 1U : 0U)));
  if (value) out.octet(*value);
}

void write_feedback_element(Writer& out, Octets data) noexcept {
  const bool small = data.size() <= 7;
  out.octet(static_cast<std::uint8_t>(kFeedbackType | (small ? data.size() : 0)));
  if (!small) out.octet(static_cast<std::uint8_t>(data.size()));
  out.octets(data);
}

}  // namespace headroom::rohc::wire
