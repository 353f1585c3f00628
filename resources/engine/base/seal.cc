// SPDX-License-Identifier: Apache-2.0
#include "base/seal.h"

#include "base/lines.h"
#include "base/sha256.h"

namespace headroom {

std::string take_seal(Json& job) {
  if (!job.is_object() || !job.contains("seal")) return {};
  const Json& given = job["seal"];
  if (!given.is_string() || given.text().empty()) throw Error(ErrorKind::job, "the seal must be a text.", "/seal");
  std::string seal = given.text();
  job.erase("seal");
  return seal;
}

void SealedLines::write(Json document) {
  if (!seal_.empty()) {
    const std::string text = seal_ + " " + std::to_string(lines_++);
    Sha256 digest;
    digest.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    document["seal"] = digest.finish();
  }
  write_line(descriptor_, document);
}

}  // namespace headroom
