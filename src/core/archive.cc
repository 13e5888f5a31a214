#include "kml/core/archive.h"

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "kml/core/error.h"

namespace kml {

/// zlib, the one place where it is used.
class Archive::Gzip {
 public:
  Gzip() {
    constexpr int kGzipHeader = 16;  // zlib writes one without a time or a name
    constexpr int kMemory = 8;       // zlib's own default
    if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipHeader, kMemory,
                       Z_DEFAULT_STRATEGY) != Z_OK)
      throw Error(ErrorCode::failure, "cannot compress: there is no memory");
  }
  ~Gzip() { ::deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;

  void add(std::string_view bytes, int flush = Z_NO_FLUSH) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      char out[1 << 16];
      stream_.next_out = reinterpret_cast<Bytef*>(out);
      stream_.avail_out = sizeof out;
      ::deflate(&stream_, flush);
      text_.append(out, sizeof out - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  std::string& text() { return text_; }

 private:
  z_stream stream_{};
  std::string text_;
};

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
  return gzip_->text().size();
}

std::string Archive::finish() {
  const std::string end(2 * kBlock, '\0');
  gzip_->add(end, Z_FINISH);
  return std::move(gzip_->text());
}

}  // namespace kml
