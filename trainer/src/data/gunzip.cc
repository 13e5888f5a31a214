#include "data/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <string>

namespace trainer {

bool is_gzip(std::span<const uint8_t> bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

std::vector<uint8_t> gunzip(std::span<const uint8_t> bytes, size_t most) {
  z_stream stream{};
  constexpr int kGzip = 16;  // added to windowBits, accepts only gzip's header and checksum (zlib.h)
  if (inflateInit2(&stream, kGzip + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  stream.next_in = const_cast<uint8_t*>(bytes.data());  // zlib only reads the bytes
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::vector<uint8_t> result;
  for (int code = Z_OK; code != Z_STREAM_END;) {
    const size_t had = result.size();
    result.resize(std::min(std::max<size_t>(2 * had, 1 << 20), most + 1));
    stream.next_out = &result[had];
    stream.avail_out = static_cast<uInt>(std::min<size_t>(result.size() - had, 1 << 30));
    code = inflate(&stream, Z_NO_FLUSH);
    result.resize(static_cast<size_t>(stream.next_out - result.data()));
    if (code == Z_BUF_ERROR || (code == Z_OK && stream.avail_in == 0 && stream.avail_out > 0)) {
      throw DamagedGzip("it is cut short: its compressed content does not end");
    }
    if (code != Z_OK && code != Z_STREAM_END) {
      throw DamagedGzip(std::string("its compressed content is damaged: ") + (stream.msg ? stream.msg : "?"));
    }
    if (result.size() > most) throw DamagedGzip("it unpacks to more than " + std::to_string(most) + " bytes");
  }
  if (stream.avail_in > 0) throw DamagedGzip("other data follows its compressed content");
  return result;
}

}  // namespace trainer
