// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for Open SigComp that exports what the adapter calls and does what its input says, so that the adapter's
// own logic is tested where the library is not. FAKE_TOO_OLD leaves a function out.
//
//   compress      in front of the text: 0xF9; how many messages of this compartment have been accepted; 1 if the
//                 transport is reliable; 1 with the SIP dictionary; cycles per bit; the version; kB of the peer's
//                 decompression memory. Nothing is made of the text "refuse"
//   decompress    takes these seven octets away; "!…": fails, with a NACK in version 2; "-…": no output. A NACK:
//   nothing
#include <cstdint>
#include <cstring>
#include <map>
#include <string>

#pragma GCC visibility push(default)

namespace osc {

class StateHandler {
 public:
  StateHandler(std::size_t sms, std::size_t cpb, std::size_t dms, std::uint16_t version, unsigned nacks,
               unsigned peer_sms, unsigned peer_cpb, unsigned peer_dms, std::uint16_t peer_version);
  ~StateHandler();
  void useSipDictionary();

  struct Known {
    std::uint8_t dictionary, cycles_per_bit, version, peer_kilobytes;
    std::map<std::uint64_t, std::uint8_t> accepted;
  };
  Known* known;  // in an object of unknown size, so on the heap
};
StateHandler::StateHandler(std::size_t, std::size_t cpb, std::size_t, std::uint16_t version, unsigned, unsigned,
                           unsigned, unsigned peer_dms, std::uint16_t)
    : known(new Known{0,
                      static_cast<std::uint8_t>(cpb),
                      static_cast<std::uint8_t>(version),
                      static_cast<std::uint8_t>(peer_dms / 1024),
                      {}}) {}
StateHandler::~StateHandler() { delete known; }
void StateHandler::useSipDictionary() { known->dictionary = 1; }

class Compressor {
 public:
  virtual ~Compressor() = default;
};
class DeflateCompressor : public Compressor {
 public:
  explicit DeflateCompressor(StateHandler& handler);
};
DeflateCompressor::DeflateCompressor(StateHandler&) {}

class StateChanges {};

class SigcompMessage {
 public:
  ~SigcompMessage();
  std::uint8_t* getDatagramMessage();
  std::size_t getDatagramLength() const;
  std::uint8_t* getStreamMessage();
  std::size_t getStreamLength();

  std::string octets, record;
};
SigcompMessage::~SigcompMessage() {}
std::uint8_t* SigcompMessage::getDatagramMessage() { return reinterpret_cast<std::uint8_t*>(octets.data()); }
std::size_t SigcompMessage::getDatagramLength() const { return octets.size(); }
std::uint8_t* SigcompMessage::getStreamMessage() {
  record = octets + "\xff\xff";
  return reinterpret_cast<std::uint8_t*>(record.data());
}
std::size_t SigcompMessage::getStreamLength() { return octets.size() + 2; }

class TcpStream {
 public:
  TcpStream();
  ~TcpStream();
  int addData(const void* data, std::size_t size);  // 1: a framing error
  SigcompMessage* getNextMessage();

  std::string waiting;
};
TcpStream::TcpStream() {}
TcpStream::~TcpStream() {}
int TcpStream::addData(const void* data, std::size_t size) {
  waiting.append(static_cast<const char*>(data), size);
  return waiting.find("\xff\x80") != std::string::npos ? 1 : 0;
}
SigcompMessage* TcpStream::getNextMessage() {
  const auto end = waiting.find("\xff\xff");
  if (end == std::string::npos) return nullptr;
  auto* message = new SigcompMessage{waiting.substr(0, end), {}};
  waiting.erase(0, end + 2);
  return message;
}

class Stack {
 public:
  explicit Stack(StateHandler& handler);
  ~Stack();
  void addCompressor(Compressor* compressor);
  SigcompMessage* compressMessage(const void* in, std::size_t size, const void* id, std::size_t id_size, bool reliable);
  std::size_t uncompressMessage(const void* in, std::size_t size, void* out, std::size_t room, StateChanges*& changes);
  void provideCompartmentId(StateChanges* changes, const void* id, std::size_t id_size);
#ifndef FAKE_TOO_OLD
  SigcompMessage* getNack();
#endif

 protected:
  std::size_t uncompressMessage(SigcompMessage& message, void* out, std::size_t room, StateChanges*& changes,
                                bool stream);

 private:
  StateHandler::Known& known_;
  Compressor* compressor_ = nullptr;
  StateChanges changes_;
  SigcompMessage* nack_ = nullptr;
};
Stack::Stack(StateHandler& handler) : known_(*handler.known) {}
Stack::~Stack() {
  delete compressor_;
  delete nack_;
}
void Stack::addCompressor(Compressor* compressor) { compressor_ = compressor; }
SigcompMessage* Stack::compressMessage(const void* in, std::size_t size, const void* id, std::size_t, bool reliable) {
  const std::string text(static_cast<const char*>(in), size);
  if (text == "refuse") return nullptr;
  std::uint64_t name = 0;
  std::memcpy(&name, id, sizeof name);
  const std::uint8_t head[] = {
      0xf9,           known_.accepted[name], reliable, known_.dictionary, known_.cycles_per_bit,
      known_.version, known_.peer_kilobytes};
  return new SigcompMessage{std::string(reinterpret_cast<const char*>(head), sizeof head) + text, {}};
}
std::size_t Stack::uncompressMessage(const void* in, std::size_t size, void* out, std::size_t room,
                                     StateChanges*& changes) {
  SigcompMessage message{std::string(static_cast<const char*>(in), size), {}};
  return uncompressMessage(message, out, room, changes, false);
}
std::size_t Stack::uncompressMessage(SigcompMessage& message, void* out, std::size_t room, StateChanges*& changes,
                                     bool) {
  delete nack_;
  nack_ = nullptr;
  changes = nullptr;
  if (message.octets.starts_with(std::string("\xf8\0\1", 3))) return 0;
  const std::string text = message.octets.substr(std::min<std::size_t>(7, message.octets.size()));
  if (text.starts_with("!")) {
    const std::string said = std::string("\xf8\0\1\x0c\3\1\2", 7) + std::string(20, 'S') + "details";
    if (known_.version == 2) nack_ = new SigcompMessage{said, {}};
    return 0;
  }
  if (text.size() >= room) return 0;  // one octet stays free
  changes = &changes_;
  if (text.starts_with("-")) return 0;
  std::memcpy(out, text.data(), text.size());
  return text.size();
}
void Stack::provideCompartmentId(StateChanges*, const void* id, std::size_t) {
  std::uint64_t name = 0;
  std::memcpy(&name, id, sizeof name);
  ++known_.accepted[name];
}
#ifndef FAKE_TOO_OLD
SigcompMessage* Stack::getNack() {
  SigcompMessage* const one = nack_;
  nack_ = nullptr;
  return one;
}
#endif

}  // namespace osc

#pragma GCC visibility pop
