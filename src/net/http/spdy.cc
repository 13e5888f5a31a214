#include "kml/net/http/spdy.h"

#include <algorithm>
#include <cctype>

#include "kml/base/error.h"

namespace kml::http::spdy {

namespace {

constexpr size_t kHead = 8, kLongestFrame = size_t{1} << 20, kLongestHeaders = size_t{64} << 10;
constexpr uint8_t kFin = 1;
constexpr uint32_t kStreamBits = 0x7fffffff;

void append_big(std::string& out, uint32_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
}

uint32_t big(std::string_view bytes, size_t at, size_t count) {
  uint32_t number = 0;
  for (size_t i = at; i < at + count; ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

[[noreturn]] void broken(const std::string& what) {
  throw Error(ErrorCode::unreachable, "the other side violated the SPDY protocol", what);
}

/// Section 2.6.10.1.
std::string dictionary() {
  std::string text;
  for (std::string_view word : {"options",
                                "head",
                                "post",
                                "put",
                                "delete",
                                "trace",
                                "accept",
                                "accept-charset",
                                "accept-encoding",
                                "accept-language",
                                "accept-ranges",
                                "age",
                                "allow",
                                "authorization",
                                "cache-control",
                                "connection",
                                "content-base",
                                "content-encoding",
                                "content-language",
                                "content-length",
                                "content-location",
                                "content-md5",
                                "content-range",
                                "content-type",
                                "date",
                                "etag",
                                "expect",
                                "expires",
                                "from",
                                "host",
                                "if-match",
                                "if-modified-since",
                                "if-none-match",
                                "if-range",
                                "if-unmodified-since",
                                "last-modified",
                                "location",
                                "max-forwards",
                                "pragma",
                                "proxy-authenticate",
                                "proxy-authorization",
                                "range",
                                "referer",
                                "retry-after",
                                "server",
                                "te",
                                "trailer",
                                "transfer-encoding",
                                "upgrade",
                                "user-agent",
                                "vary",
                                "via",
                                "warning",
                                "www-authenticate",
                                "method",
                                "get",
                                "status",
                                "200 OK",
                                "version",
                                "HTTP/1.1",
                                "url",
                                "public",
                                "set-cookie",
                                "keep-alive",
                                "origin"}) {
    append_big(text, static_cast<uint32_t>(word.size()), 4);
    text += word;
  }
  return text +
         "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 "
         "Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 "
         "Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb "
         "Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, "
         "GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/"
         "plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,"
         "enq=0.";
}

std::string control(Kind kind, uint8_t flags, const std::string& body) {
  std::string frame;
  append_big(frame, 0x80030000U | static_cast<uint16_t>(kind), 4);
  frame += static_cast<char>(flags);
  append_big(frame, static_cast<uint32_t>(body.size()), 3);
  return frame + body;
}

std::string numbers(std::initializer_list<uint32_t> list) {
  std::string body;
  for (uint32_t number : list) append_big(body, number, 4);
  return body;
}

}  // namespace

Writer::Writer() : compressor_(dictionary()) {}

std::string Writer::header_block(const HeaderList& headers) {
  std::string block = numbers({static_cast<uint32_t>(headers.size())});
  for (const auto& [name, value] : headers)
    for (const std::string& text : {name, value}) {
      append_big(block, static_cast<uint32_t>(text.size()), 4);
      block += text;
    }
  return compressor_.write(block);
}

std::string Writer::syn_stream(uint32_t stream, const HeaderList& headers) {
  return control(Kind::syn_stream, 0, numbers({stream, 0}) + std::string(2, '\0') + header_block(headers));
}

std::string Writer::syn_reply(uint32_t stream) {
  return control(Kind::syn_reply, 0, numbers({stream}) + header_block({}));
}

std::string Writer::data(uint32_t stream, std::string_view payload, bool is_last) {
  std::string frame = numbers({stream});
  frame += static_cast<char>(is_last ? kFin : 0);
  append_big(frame, static_cast<uint32_t>(payload.size()), 3);
  return frame.append(payload);
}

std::string Writer::rst_stream(uint32_t stream, uint32_t status) {
  return control(Kind::rst_stream, 0, numbers({stream, status}));
}

std::string Writer::ping(uint32_t number) {
  return control(Kind::ping, 0, numbers({number}));
}

Reader::Reader() : decompressor_(dictionary()) {}

void Reader::feed(std::string_view bytes, const std::function<void(const Frame&)>& on_frame) {
  bytes_.append(bytes);
  size_t done = 0;
  for (;;) {
    const std::string_view left = std::string_view(bytes_).substr(done);
    if (left.size() < kHead) break;
    const auto flags = static_cast<uint8_t>(left[4]);
    const size_t length = big(left, 5, 3);
    if (length > kLongestFrame) broken("it sent a frame of more than 1 MiB");
    if (left.size() < kHead + length) break;
    const std::string_view body = left.substr(kHead, length);
    const uint32_t first = big(left, 0, 4);
    if ((first & ~kStreamBits) == 0)
      on_frame({Kind::data, first, (flags & kFin) != 0, body, {}});
    else
      on_frame(control_frame(static_cast<uint16_t>(first), flags, body));
    done += kHead + length;
  }
  bytes_.erase(0, done);
}

Frame Reader::control_frame(uint16_t kind, uint8_t flags, std::string_view body) {
  Frame frame{static_cast<Kind>(kind)};
  if (frame.kind == Kind::settings) return frame;
  if (body.size() < 4) broken("it sent a frame that is too short");
  frame.stream = big(body, 0, 4) & (frame.kind == Kind::ping ? 0xffffffff : kStreamBits);
  const bool begins = frame.kind == Kind::syn_stream;
  const bool has_headers = begins || frame.kind == Kind::syn_reply || frame.kind == Kind::headers;
  const size_t fixed = begins ? 10 : 4;
  if (body.size() < fixed) broken("it sent a frame that is too short");
  if (!has_headers) return frame;
  frame.is_last = (flags & kFin) != 0;
  frame.headers = header_list(body.substr(fixed));
  return frame;
}

HeaderList Reader::header_list(std::string_view block) {
  const std::string text = decompressor_.read(block, kLongestHeaders);
  size_t at = 0;
  const auto number = [&] {
    if (text.size() - at < 4) broken("its headers are cut off");
    at += 4;
    return big(text, at - 4, 4);
  };
  const auto word = [&] {
    const size_t length = number();
    if (text.size() - at < length) broken("its headers are cut off");
    at += length;
    return text.substr(at - length, length);
  };
  HeaderList headers;
  for (uint32_t left = number(); left > 0; --left) {
    std::string name = word();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    headers.emplace_back(std::move(name), word());
  }
  return headers;
}

}  // namespace kml::http::spdy
