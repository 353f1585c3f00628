// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/calls/recording.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/random.h"
#include "schemes/sigcomp/calls/texts.h"

namespace headroom::sigcomp::calls {
namespace {

constexpr std::uint64_t kMagic = 0x4845'4144'4341'4C4C;  // "HEADCALL"
constexpr std::size_t kChunk = std::size_t{1} << 20;     // octets that a process takes of the file at a time
static_assert(kChunk >= kLongestMessage);

// The beginning of the file.
struct Header {
  std::uint64_t magic;
  std::uint64_t parts;
  std::uint64_t end;  // of what processes have taken
};

// One for each part, behind the header.
struct Entry {
  std::uint64_t offset;  // place of the input in the file
  std::uint64_t output_hash;
  std::uint32_t input_length, output_length;
};

std::size_t index_length(std::size_t parts) noexcept { return sizeof(Header) + parts * sizeof(Entry); }

std::size_t place_of_entry(std::size_t number) noexcept { return index_length(number); }

[[noreturn]] void cannot_write(int error) {
  throw Error(ErrorKind::output, std::string("the recording of the calls cannot be written: ") + std::strerror(error) +
                                     "; ask for fewer calls.");
}

[[noreturn]] void other_messages(const char* what) {
  throw Error(ErrorKind::adapter,
              std::string("the recording of the calls ") + what +
                  ": an adapter changed it when the calls were gone through beforehand, or it is that of another job.",
              "/recording/file");
}

// The places of parts in a file: a process begins each of its chunks at the front, leaves no gap between parts, and
// shares no chunk. What no part needs is zero: it could be an adapter's, for when it is measured.
class Places {
 public:
  Places(const MappedFile& file, std::size_t index)
      : file_(file), first_(index), taken_((file.length() - index + kChunk - 1) / kChunk) {}

  // REQUIRES: the part lies in the file.
  void add(const Entry& entry) {
    if (entry.offset < first_) other_messages("has messages in other places");
    const std::size_t chunk = (entry.offset - first_) / kChunk;
    if (chunk != chunk_) {
      end_process();
      if ((entry.offset - first_) % kChunk != 0 || chunk >= taken_.size() || taken_[chunk])
        other_messages("has messages in other places");
      taken_[chunk] = true;
      chunk_ = chunk;
    } else if (entry.offset != end_) {
      other_messages("has messages in other places");
    }
    end_ = entry.offset + entry.input_length;
  }
  void end_process() {
    if (chunk_ == kNone) return;
    const std::size_t until = std::min(first_ + (chunk_ + 1) * kChunk, file_.length());
    if (end_ < until && std::any_of(file_.at(end_), file_.at(until), [](std::uint8_t octet) { return octet != 0; }))
      other_messages("has more than its messages");
    chunk_ = kNone;
  }
  void end() const {
    if (std::ranges::find(taken_, false) != taken_.end()) other_messages("has more than its messages");
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  const MappedFile& file_;
  const std::size_t first_;
  std::size_t chunk_ = kNone, end_ = 0;
  std::vector<bool> taken_;
};

std::size_t length_of(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) other_messages("is no file");
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

std::uint64_t hash_of(OctetView octets) noexcept {
  std::uint64_t hash = mix64(octets.size() + kGolden);
  std::size_t i = 0;
  for (; i + 8 <= octets.size(); i += 8) hash = mix64(hash ^ load64(&octets[i]));
  std::uint64_t rest = 0;
  for (; i < octets.size(); ++i) rest = rest << 8 | octets[i];
  return mix64(hash ^ rest);
}

CallsOfUsers::CallsOfUsers(const Job& job, const Plan& plan)
    : keeps_compartments_(job.keeps_compartments()), of_(keeps_compartments_ ? plan.users : 0) {
  for (std::uint32_t call = 0; call < plan.calls.size() && keeps_compartments_; ++call)
    of_[plan.calls[call].user].push_back(call);
}

void PartsDigest::add(std::size_t number, const Part& part) {
  const std::array<std::uint64_t, 4> fields{number, part.input.size(), part.output_length, part.output_hash};
  sha256_.update({reinterpret_cast<const std::uint8_t*>(fields.data()), sizeof fields});
  sha256_.update(part.input);
}

MappedFile::MappedFile(int descriptor, std::size_t length, bool writable)
    : start_(mmap(nullptr, length, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor, 0)),
      length_(length) {
  if (start_ != MAP_FAILED) return;
  throw Error(ErrorKind::internal, std::string("the recording of the calls cannot be mapped into memory: ") +
                                       std::strerror(errno) + "; ask for fewer calls.");
}

MappedFile::~MappedFile() { munmap(start_, length_); }

OpenFile::OpenFile(const std::string& path, int flags, ErrorKind kind)
    : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
  if (descriptor_ >= 0) return;
  throw Error(kind, "the recording of the calls cannot be opened: " + std::string(std::strerror(errno)) + ".",
              kind == ErrorKind::input ? "/recording/file" : "/output");
}

OpenFile::~OpenFile() { ::close(descriptor_); }

NewRecording::NewRecording(const std::string& path, const PartNumbers& numbers)
    : file_(path, O_RDWR | O_CREAT | O_TRUNC, ErrorKind::output),
      index_(with_index(file_.descriptor(), index_length(numbers.count)), index_length(numbers.count), true) {
  const Header header{kMagic, numbers.count, index_.length()};
  std::memcpy(index_.at(0), &header, sizeof header);
}

int NewRecording::with_index(int descriptor, std::size_t length) {
  // A disk that is full is an error here; in memory that is mapped it would be a signal.
  if (const int error = posix_fallocate(descriptor, 0, static_cast<off_t>(length)); error != 0) cannot_write(error);
  return descriptor;
}

std::uint64_t NewRecording::size() const { return length_of(file_.descriptor()); }

void NewRecording::Writer::keep(std::size_t number, const Part& part) {
  digest_.add(number, part);
  if (waiting_.empty() || waiting_.size() + part.input.size() > kChunk) {
    flush();
    auto* const header = reinterpret_cast<Header*>(recording_.index_.at(0));
    offset_ = std::atomic_ref(header->end).fetch_add(kChunk);
  }
  const Entry entry{offset_ + waiting_.size(), part.output_hash, static_cast<std::uint32_t>(part.input.size()),
                    part.output_length};
  std::memcpy(recording_.index_.at(place_of_entry(number)), &entry, sizeof entry);
  waiting_.insert(waiting_.end(), part.input.begin(), part.input.end());
}

std::string NewRecording::Writer::finish() {
  flush();
  return digest_.finish();
}

void NewRecording::Writer::flush() {
  std::size_t written = 0;
  while (written < waiting_.size()) {
    const ssize_t n = pwrite(recording_.file_.descriptor(), waiting_.data() + written, waiting_.size() - written,
                             static_cast<off_t>(offset_ + written));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) cannot_write(n < 0 ? errno : ENOSPC);
    written += static_cast<std::size_t>(n);
  }
  waiting_.clear();
}

Recording::Recording(const Job& job, const Plan& plan)
    : numbers_(job, plan),
      file_(job.recording, O_RDONLY | O_NONBLOCK, ErrorKind::input),
      mapped_(file_.descriptor(), std::max(sizeof(Header), length_of(file_.descriptor())), false) {
  if (length_of(file_.descriptor()) < index_length(numbers_.count)) other_messages("is too short");
  Header header;
  std::memcpy(&header, mapped_.at(0), sizeof header);
  if (header.magic != kMagic || header.parts != numbers_.count) other_messages("is not that of these calls");
  require_messages_of(job, plan);
  require_parts_of(job, plan);
}

Part Recording::part(std::size_t number) const noexcept {
  Entry entry;
  std::memcpy(&entry, mapped_.at(place_of_entry(number)), sizeof entry);
  return {{mapped_.at(entry.offset), entry.input_length}, entry.output_length, entry.output_hash};
}

void Recording::require_messages_of(const Job& job, const Plan& plan) const {
  Texts texts(job);
  for (std::uint32_t user = 0; user < plan.users && !job.registration.empty(); ++user) {
    texts.use(user, user);
    for (std::size_t step = 0; step < job.registration.size(); ++step)
      require(numbers_.registration(user, step), job.registration[step], texts.registration(step));
  }
  for (std::uint32_t call = 0; call < plan.calls.size(); ++call) {
    texts.use(plan.calls[call].user, call);
    for (std::size_t step = 0; step < job.call.size(); ++step)
      require(numbers_.call(call, step), job.call[step], texts.call(step));
  }
}

void Recording::require_parts_of(const Job& job, const Plan& plan) const {
  const CallsOfUsers calls(job, plan);
  Places places(mapped_, index_length(numbers_.count));
  const std::size_t processes = job.digests.size();
  for (std::size_t process = 0; process < processes; ++process) {
    PartsDigest digest;
    const auto add = [&](std::size_t number) {
      Entry entry;
      std::memcpy(&entry, mapped_.at(place_of_entry(number)), sizeof entry);
      places.add(entry);
      digest.add(number, part(number));
    };
    for (std::size_t user = process; user < plan.users; user += processes) {
      const auto name = static_cast<std::uint32_t>(user);
      for (std::size_t step = 0; step < job.registration.size(); ++step) add(numbers_.registration(name, step));
      calls.each(name, [&](std::uint32_t call) {
        for (std::size_t step = 0; step < job.call.size(); ++step) add(numbers_.call(call, step));
      });
    }
    places.end_process();
    if (digest.finish() != job.digests[process]) other_messages("has other messages than were kept");
  }
  places.end();
}

// What goes in uncompressed, or comes out so, is known. What an adapter has compressed is not.
void Recording::require(std::size_t number, const Message& message, OctetView text) const {
  Entry entry;
  std::memcpy(&entry, mapped_.at(place_of_entry(number)), sizeof entry);
  if (entry.offset > mapped_.length() || entry.input_length > mapped_.length() - entry.offset)
    other_messages("names octets that it does not have");
  if (entry.input_length > kLongestMessage || entry.output_length > kLongestMessage)
    other_messages("has a message that is too long");
  const Part found = part(number);
  const bool restores = message.from_user && message.carried != Carried::plain;
  const bool same = restores ? found.output_length == text.size() && found.output_hash == hash_of(text)
                             : std::ranges::equal(found.input, text);
  if (!same) other_messages("has other messages");
}

}  // namespace headroom::sigcomp::calls
