#include "kml/base/packed_text.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "kml/base/error.h"

namespace kml {

namespace {

/// Without the header and checksum of zlib, which would take longer than the rest of a short text.
constexpr int kRawWindow = -15, kDefaultMemory = 8;

Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

}  // namespace

struct TextPacker::Streams {
  z_stream out{}, in{};
};

TextPacker::TextPacker(std::string example) : example_(std::move(example)), streams_(new Streams) {
  const int out = ::deflateInit2(&streams_->out, Z_BEST_SPEED, Z_DEFLATED, kRawWindow, kDefaultMemory,
                                 Z_DEFAULT_STRATEGY);
  const int in = ::inflateInit2(&streams_->in, kRawWindow);
  if (out != Z_OK || in != Z_OK) throw Error(ErrorCode::failure, "out of memory");
}

TextPacker::~TextPacker() {
  ::deflateEnd(&streams_->out);
  ::inflateEnd(&streams_->in);
}

std::string TextPacker::pack(std::string_view text) {
  z_stream& stream = streams_->out;
  ::deflateReset(&stream);
  ::deflateSetDictionary(&stream, bytes_of(example_), static_cast<uInt>(example_.size()));
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = bytes_of(text);
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = bytes_of(out);
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  return {out.data(), out.size() - stream.avail_out};  // a copy, because `out` has room for more
}

std::string TextPacker::unpack(std::string_view packed) {
  z_stream& stream = streams_->in;
  ::inflateReset(&stream);
  ::inflateSetDictionary(&stream, bytes_of(example_), static_cast<uInt>(example_.size()));
  stream.next_in = bytes_of(packed);
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  int result = Z_OK;
  while (result == Z_OK) {
    char piece[4096];
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    result = ::inflate(&stream, Z_NO_FLUSH);
    text.append(piece, sizeof piece - stream.avail_out);
  }
  if (result != Z_STREAM_END) throw Error(ErrorCode::failure, "a packed text is damaged");
  return text;
}

}  // namespace kml
