#include "net/registry/blob_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/base/memory.h"
#include "kml/base/text.h"

namespace kml::registry {

namespace {

constexpr size_t kPart = size_t{8} << 20;

}  // namespace

BlobReader::BlobReader(Session& session, const std::string& repository, Descriptor blob)
    : session_(session),
      blob_(std::move(blob)),
      own_place_(session.at("/" + repository + "/blobs/" + blob_.digest)),
      place_(own_place_) {}

Call BlobReader::call_of(std::uintmax_t offset, size_t size) const {
  Call call{.place = place_};
  if (offset > 0 || size < blob_.size)
    call.headers.emplace_back("Range", fmt::format("bytes={}-{}", offset, offset + size - 1));
  return call;
}

std::string BlobReader::read(std::uintmax_t offset, size_t size) {
  if (offset + size > blob_.size)
    throw bad_answer(session_.host(), "the end of " + blob_.digest + " is missing");
  require_memory(blob_.digest, size);
  std::string bytes;
  while (bytes.size() < size) bytes += read_part(offset + bytes.size(), std::min(kPart, size - bytes.size()));
  check(offset, bytes);
  return bytes;
}

std::string BlobReader::read_part(std::uintmax_t offset, size_t size) {
  Call call = call_of(offset, size);
  http::Response response = session_.send(call);
  if (response.status / 100 == 4 && place_.url() != own_place_.url()) {
    place_ = own_place_;  // the other server's permission has expired
    call = call_of(offset, size);
    response = session_.send(call);
  }
  place_ = call.place;
  return part_in(response, offset, size);
}

std::string BlobReader::part_in(http::Response& response, std::uintmax_t offset, size_t size) const {
  if (response.status != 200 && response.status != 206)
    throw fault_of(response, session_.host(), "read " + blob_.digest);
  // A server that does not know ranges sends everything.
  const bool is_whole = response.status == 200 && response.body.size() == blob_.size;
  if (is_whole && size < blob_.size) return response.body.substr(offset, size);
  if (response.body.size() != size)
    throw bad_answer(session_.host(), fmt::format("it sends {} bytes of {} instead of {}",
                                                  response.body.size(), blob_.digest, size));
  return std::move(response.body);
}

void BlobReader::check(std::uintmax_t offset, std::string_view bytes) {
  const std::uintmax_t end = offset + bytes.size();
  if (offset > hashed_ || end <= hashed_) return;
  hash_.add(bytes.substr(hashed_ - offset));
  hashed_ = end;
  if (hashed_ == blob_.size && "sha256:" + hash_.hex() != blob_.digest)
    throw bad_answer(session_.host(), "the content of " + blob_.digest + " has another digest");
}

}  // namespace kml::registry
