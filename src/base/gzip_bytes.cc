#include "kml/base/gzip_bytes.h"

#include <zlib.h>

namespace kml {

namespace {

constexpr int kWithGzipHeader = MAX_WBITS + 16;  // makes zlib write a gzip header without a time or a name
constexpr int kDefaultMemory = 8;
constexpr size_t kOutPiece = size_t{1} << 16;

Bytef* input_of(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

}  // namespace

bool gzip_bytes(std::string_view bytes, std::string& out) {
  z_stream stream{};
  if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWithGzipHeader, kDefaultMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
    return false;
  stream.next_in = input_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  do {
    char piece[kOutPiece];
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    ::deflate(&stream, Z_FINISH);
    out.append(piece, sizeof piece - stream.avail_out);
  } while (stream.avail_out == 0);
  return ::deflateEnd(&stream) == Z_OK;
}

namespace {

const char* inflate_with(int window_bits, std::string_view bytes, size_t limit, std::string& out) {
  z_stream stream{};
  if (::inflateInit2(&stream, window_bits) != Z_OK) return "out of memory";
  stream.next_in = input_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  const size_t before = out.size();
  const char* fault = nullptr;
  for (int result = Z_OK; result != Z_STREAM_END && !fault;) {
    char piece[kOutPiece];
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    result = ::inflate(&stream, Z_NO_FLUSH);
    out.append(piece, sizeof piece - stream.avail_out);
    if (result != Z_OK && result != Z_STREAM_END) fault = "it is damaged";
    if (out.size() - before > limit) fault = "it is too large";
  }
  ::inflateEnd(&stream);
  return fault;
}

}  // namespace

const char* gunzip_bytes(std::string_view bytes, size_t limit, std::string& out) {
  return inflate_with(kWithGzipHeader, bytes, limit, out);
}

const char* inflate_bytes(std::string_view bytes, size_t limit, std::string& out) {
  return inflate_with(-MAX_WBITS, bytes, limit, out);  // a negative value means that there is no header
}

}  // namespace kml
