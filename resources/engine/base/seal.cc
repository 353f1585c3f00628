// SPDX-License-Identifier: Apache-2.0
#include "base/seal.h"

#include "base/lines.h"
#include "base/sha256.h"

namespace headroom {
namespace {

std::string of_answers;

std::string digest_of(const std::string& text) {
  Sha256 digest;
  digest.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  return digest.finish();
}

}  // namespace

std::string take_seal(Json& job) {
  if (!job.is_object() || !job.contains("seal")) return {};
  const Json& given = job["seal"];
  if (!given.is_string() || given.text().empty()) throw Error(ErrorKind::job, "the seal must be a text.", "/seal");
  std::string seal = given.text();
  job.erase("seal");
  of_answers = digest_of(seal + " control");
  return seal;
}

void seal_answer(Json& answer) {
  if (!of_answers.empty()) answer["seal"] = of_answers;
}

void SealedLines::write(Json document) {
  if (!seal_.empty()) document["seal"] = digest_of(seal_ + " " + std::to_string(lines_++));
  write_line(descriptor_, document);
}

}  // namespace headroom
