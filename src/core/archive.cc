#include "kml/core/archive.h"

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

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
  z_stream stream{};
  if (::inflateInit2(&stream, MAX_WBITS + kGzipHeader) != Z_OK)
    throw Error(ErrorCode::failure, "cannot decompress: out of memory");
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
      throw Error(ErrorCode::failure, "invalid gzip data",
                  result == Z_OK ? "it is too large" : "it is damaged");
  }
  return text;
}

namespace {

constexpr size_t kBlock = 512, kNameField = 100;

/// POSIX ustar, as far as it is used here.
struct Header {
  char name[kNameField] = {}, mode[8] = {}, uid[8] = {}, gid[8] = {}, size[12] = {}, time[12] = {},
       checksum[8] = {}, type = '0', target[kNameField] = {}, magic[6] = {'u', 's', 't', 'a', 'r', 0},
       version[2] = {'0', '0'}, rest[247] = {};
};
static_assert(sizeof(Header) == kBlock);

void put(char* field, std::string_view text) {
  std::ranges::copy(text.substr(0, kNameField), field);
}

}  // namespace

Archive::Archive() : gzip_(std::make_unique<Gzip>()) {}
Archive::~Archive() = default;

void Archive::add_padded(std::string_view bytes) {
  constexpr char kZeros[kBlock] = {};
  gzip_->add(bytes);
  if (const size_t over = bytes.size() % kBlock; over != 0) gzip_->add({kZeros, kBlock - over});
}

void Archive::add_long(std::string_view text, char type) {
  add_header("././@LongLink", type, text.size() + 1, false, {});
  add_padded(std::string(text) + '\0');
}

void Archive::add_header(std::string_view name, char type, size_t size, bool is_executable,
                         std::string_view target) {
  if (name.size() > kNameField) add_long(name, 'L');
  if (target.size() > kNameField) add_long(target, 'K');
  Header header;
  put(header.name, name);
  put(header.target, target);
  header.type = type;
  std::snprintf(header.mode, sizeof header.mode, "%07o", is_executable ? 0755U : 0644U);
  std::snprintf(header.uid, sizeof header.uid, "%07o", 0U);
  std::snprintf(header.gid, sizeof header.gid, "%07o", 0U);
  std::snprintf(header.size, sizeof header.size, "%011llo", static_cast<unsigned long long>(size));
  std::snprintf(header.time, sizeof header.time, "%011o", 0U);
  std::memset(header.checksum, ' ', sizeof header.checksum);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  unsigned sum = 0;
  for (size_t i = 0; i < kBlock; ++i) sum += bytes[i];
  std::snprintf(header.checksum, sizeof header.checksum, "%06o", sum);
  gzip_->add({reinterpret_cast<const char*>(&header), kBlock});
}

void Archive::add_file(std::string_view name, std::string_view content, bool is_executable) {
  add_header(name, '0', content.size(), is_executable, {});
  add_padded(content);
}

void Archive::add_link(std::string_view name, std::string_view target) {
  add_header(name, '2', 0, true, target);
}

size_t Archive::size() const {
  return gzip_->size();
}

std::string Archive::finish() {
  const std::string end(2 * kBlock, '\0');
  gzip_->add(end);
  return gzip_->finish();
}

}  // namespace kml
