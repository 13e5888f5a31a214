#include "kml/core/gzip.h"

#include <zlib.h>

#include "kml/core/error.h"

namespace kml {

namespace {

constexpr int kGzipHeader = 16;  // zlib writes one without a time or a name, and wants one
constexpr int kMemory = 8;       // zlib's own default
constexpr size_t kPiece = size_t{1} << 16;

Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

}  // namespace

struct Gzip::State {
  z_stream stream{};
  std::string text;

  void add(std::string_view bytes, int flush) {
    stream.next_in = bytes_of(bytes);
    stream.avail_in = static_cast<uInt>(bytes.size());
    do {
      char out[kPiece];
      stream.next_out = reinterpret_cast<Bytef*>(out);
      stream.avail_out = sizeof out;
      ::deflate(&stream, flush);
      text.append(out, sizeof out - stream.avail_out);
    } while (stream.avail_out == 0);
  }
};

Gzip::Gzip() : state_(std::make_unique<State>()) {
  if (::deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipHeader, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error(ErrorCode::failure, "cannot compress: there is no memory");
}

Gzip::~Gzip() {
  ::deflateEnd(&state_->stream);
}

void Gzip::add(std::string_view bytes) {
  state_->add(bytes, Z_NO_FLUSH);
}

size_t Gzip::size() const {
  return state_->text.size();
}

std::string Gzip::finish() {
  state_->add({}, Z_FINISH);
  return std::move(state_->text);
}

std::string gzipped(std::string_view bytes) {
  Gzip gzip;
  gzip.add(bytes);
  return gzip.finish();
}

std::string gunzipped(std::string_view bytes, size_t limit) {
  z_stream stream{};
  if (::inflateInit2(&stream, MAX_WBITS + kGzipHeader) != Z_OK)
    throw Error(ErrorCode::failure, "cannot decompress: there is no memory");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, ::inflateEnd);
  stream.next_in = bytes_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  for (int result = Z_OK; result != Z_STREAM_END;) {
    char out[kPiece];
    stream.next_out = reinterpret_cast<Bytef*>(out);
    stream.avail_out = sizeof out;
    result = ::inflate(&stream, Z_NO_FLUSH);
    text.append(out, sizeof out - stream.avail_out);
    const bool goes_on = result == Z_STREAM_END || (result == Z_OK && text.size() <= limit);
    if (!goes_on || text.size() > limit)
      throw Error(ErrorCode::failure, "cannot decompress what should be gzip",
                  result == Z_OK ? "it is too large" : "it is broken");
  }
  return text;
}

}  // namespace kml
