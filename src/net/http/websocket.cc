// Frames as in RFC 6455, section 5.2. The library wslay could do the same, but Debian only has it as a shared
// library, which would be one more library to load for 26 kB. Its callbacks would also need as much code as
// the frames themselves.
#include "kml/net/http/websocket.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/sha1.h"
#include "kml/base/text.h"

namespace kml::http::websocket {

namespace {

constexpr size_t kLongestMessage = size_t{4} << 20;
constexpr size_t kLongestControl = 125;

std::string random_bytes(size_t count) {
  std::string bytes(count, '\0');
  if (::getentropy(bytes.data(), count) != 0) throw system_error("cannot get random bytes", errno);
  return bytes;
}

void append_number(std::string& out, uint64_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
}

uint64_t number_in(std::string_view bytes) {
  uint64_t number = 0;
  for (char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

void mask(std::string_view key, char* bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(bytes[i] ^ key[i % 4]);
}

[[noreturn]] void forbidden(const std::string& what) {
  throw Error(ErrorCode::unreachable, "the other side violated the WebSocket protocol", what);
}

bool is_control(Opcode opcode) {
  return static_cast<uint8_t>(opcode) >= 8;
}

bool is_known(Opcode opcode) {
  return static_cast<uint8_t>(opcode) <= 2 || (is_control(opcode) && static_cast<uint8_t>(opcode) <= 10);
}

}  // namespace

std::string frame(Role sender, Opcode opcode, std::string_view payload) {
  const bool masked = sender == Role::client;
  const auto masked_bit = static_cast<char>(masked ? 0x80 : 0);
  std::string out(1, static_cast<char>(0x80 | static_cast<uint8_t>(opcode)));
  if (payload.size() < 126) {
    out += static_cast<char>(masked_bit | static_cast<char>(payload.size()));
  } else if (payload.size() <= 0xffff) {
    out += static_cast<char>(masked_bit | 126);
    append_number(out, payload.size(), 2);
  } else {
    out += static_cast<char>(masked_bit | 127);
    append_number(out, payload.size(), 8);
  }
  const std::string key = masked ? random_bytes(4) : "";
  out += key;
  const size_t begin = out.size();
  out += payload;
  if (masked) mask(key, out.data() + begin, payload.size());
  return out;
}

std::string close_payload(uint16_t code) {
  std::string payload;
  append_number(payload, code, 2);
  return payload;
}

uint16_t close_code(std::string_view payload) {
  return payload.size() < 2 ? 1005 : static_cast<uint16_t>(number_in(payload.substr(0, 2)));
}

struct Reader::Head {
  bool is_final = false;
  Opcode opcode = Opcode::continuation;
  std::string_view key;  ///< the key of the mask; empty if there is no mask
  size_t size = 0;       ///< the size of the head itself
  size_t payload = 0;
};

/// Reads the head of a frame. Returns false if it is incomplete.
bool Reader::read_head(size_t begin, Head& head) const {
  const std::string_view bytes = std::string_view(bytes_).substr(begin);
  if (bytes.size() < 2) return false;
  const auto first = static_cast<uint8_t>(bytes[0]), second = static_cast<uint8_t>(bytes[1]);
  head.is_final = (first & 0x80) != 0;
  head.opcode = static_cast<Opcode>(first & 0x0f);
  const bool masked = (second & 0x80) != 0;
  if ((first & 0x70) != 0 || !is_known(head.opcode))
    forbidden("it sent a frame of an extension that was not negotiated");
  if (masked != (role_ == Role::server)) forbidden(masked ? "it masked a frame" : "it did not mask a frame");
  const size_t length = second & 0x7f, extra = length == 126 ? 2 : length == 127 ? 8 : 0;
  if (bytes.size() < 2 + extra) return false;
  const uint64_t payload = extra == 0 ? length : number_in(bytes.substr(2, extra));
  if (is_control(head.opcode) && (payload > kLongestControl || !head.is_final))
    forbidden("it sent a control frame that is too long or fragmented");
  if (payload > kLongestMessage - message_.size()) forbidden("it sent a message of more than 4 MiB");
  head.size = 2 + extra + (masked ? 4 : 0);
  head.payload = static_cast<size_t>(payload);
  if (bytes.size() < head.size + head.payload) return false;
  head.key = bytes.substr(2 + extra, masked ? 4 : 0);
  return true;
}

void Reader::feed(std::string_view bytes, const OnMessage& on_message) {
  bytes_.append(bytes);
  size_t done = 0;
  bool goes_on = true;
  for (Head head; goes_on && read_head(done, head); done += head.size + head.payload, head = {}) {
    char* payload = bytes_.data() + done + head.size;
    if (!head.key.empty()) mask(head.key, payload, head.payload);
    goes_on = take(head, {payload, head.payload}, on_message);
  }
  bytes_.erase(0, done);
}

bool Reader::take(const Head& head, std::string_view payload, const OnMessage& on_message) {
  if (is_control(head.opcode)) return on_message(head.opcode, payload);
  if ((head.opcode == Opcode::continuation) != (opcode_ != Opcode::continuation))
    forbidden("it sent the fragments of a message out of order");
  if (head.is_final && opcode_ == Opcode::continuation) return on_message(head.opcode, payload);
  if (opcode_ == Opcode::continuation) opcode_ = head.opcode;
  message_ += payload;
  if (!head.is_final) return true;
  const std::string message = std::exchange(message_, {});
  return on_message(std::exchange(opcode_, Opcode::continuation), message);
}

std::string new_key() {
  return base64_encoded(random_bytes(16));
}

std::string accept_of(std::string_view key) {
  return base64_encoded(sha1(std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
}

Headers request_headers(const std::string& key, const std::string& subprotocol) {
  return {{"Connection", "Upgrade"},
          {"Upgrade", "websocket"},
          {"Sec-WebSocket-Version", "13"},
          {"Sec-WebSocket-Key", key},
          {"Sec-WebSocket-Protocol", subprotocol}};
}

}  // namespace kml::http::websocket
