#include "kml/base/archive.h"

#include <zlib.h>

#include "kml/base/error.h"
#include "kml/base/gzip_bytes.h"
#include "kml/base/tar.h"

namespace kml {

namespace {

constexpr int kGzipHeader = 16;  // makes zlib write a gzip header without a time or a name
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
    throw Error(ErrorCode::failure, "cannot compress: out of memory");
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
  std::string text;
  if (const char* fault = gunzip_bytes(bytes, limit, text))
    throw Error(ErrorCode::failure, "invalid gzip data", fault);
  return text;
}

Archive::Archive() : gzip_(std::make_unique<Gzip>()) {}
Archive::~Archive() = default;

void Archive::add(const TarEntry& entry) {
  std::string text;
  append_tar_header(entry, entry.content.size(), text);
  gzip_->add(text);
  gzip_->add(entry.content);
  text.clear();
  append_tar_padding(entry.content.size(), text);
  gzip_->add(text);
}

void Archive::add_file(std::string_view name, std::string_view content, bool is_executable) {
  add({.name = std::string(name), .is_executable = is_executable, .content = content});
}

void Archive::add_link(std::string_view name, std::string_view target) {
  add({.name = std::string(name),
       .type = TarEntry::Type::link,
       .is_executable = true,
       .target = std::string(target)});
}

void Archive::add_folder(std::string_view name) {
  add({.name = std::string(name), .type = TarEntry::Type::folder, .is_executable = true});
}

size_t Archive::size() const {
  return gzip_->size();
}

std::string Archive::finish() {
  std::string end;
  append_tar_end(end);
  gzip_->add(end);
  return gzip_->finish();
}

}  // namespace kml
