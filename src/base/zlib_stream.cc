#include "kml/base/zlib_stream.h"

#include <zlib.h>

#include <utility>

#include "kml/base/error.h"

namespace kml {

namespace {

constexpr size_t kZlibPiece = size_t{4} << 10;

Bytef* zlib_input(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

Error zlib_failure(const char* why) {
  return {ErrorCode::failure, "cannot read a compressed stream", why};
}

}  // namespace

struct ZlibWriter::State {
  z_stream stream{};
};

void ZlibWriter::Free::operator()(State* state) const {
  ::deflateEnd(&state->stream);
  delete state;
}

ZlibWriter::ZlibWriter(std::string_view dictionary) : state_(new State) {
  if (::deflateInit(&state_->stream, Z_DEFAULT_COMPRESSION) != Z_OK) throw zlib_failure("out of memory");
  ::deflateSetDictionary(&state_->stream, zlib_input(dictionary), static_cast<uInt>(dictionary.size()));
}

std::string ZlibWriter::write(std::string_view bytes) {
  z_stream& stream = state_->stream;
  stream.next_in = zlib_input(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  do {
    char piece[kZlibPiece];
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    ::deflate(&stream, Z_SYNC_FLUSH);
    out.append(piece, sizeof piece - stream.avail_out);
  } while (stream.avail_out == 0);
  return out;
}

struct ZlibReader::State {
  z_stream stream{};
};

void ZlibReader::Free::operator()(State* state) const {
  ::inflateEnd(&state->stream);
  delete state;
}

ZlibReader::ZlibReader(std::string dictionary) : dictionary_(std::move(dictionary)), state_(new State) {
  if (::inflateInit(&state_->stream) != Z_OK) throw zlib_failure("out of memory");
}

std::string ZlibReader::read(std::string_view bytes, size_t limit) {
  z_stream& stream = state_->stream;
  stream.next_in = zlib_input(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  for (;;) {
    char piece[kZlibPiece];
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    int result = ::inflate(&stream, Z_SYNC_FLUSH);
    if (result == Z_NEED_DICT)
      result =
          ::inflateSetDictionary(&stream, zlib_input(dictionary_), static_cast<uInt>(dictionary_.size()));
    // Z_BUF_ERROR means that all input was read.
    if (result != Z_OK && result != Z_BUF_ERROR) throw zlib_failure("it is damaged");
    out.append(piece, sizeof piece - stream.avail_out);
    if (out.size() > limit) throw zlib_failure("it is too large");
    if (stream.avail_out != 0 && (stream.avail_in == 0 || result == Z_BUF_ERROR)) return out;
  }
}

}  // namespace kml
