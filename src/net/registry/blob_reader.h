#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kml/base/sha256.h"
#include "kml/net/registry/repository.h"
#include "net/registry/session.h"

namespace kml::registry {

/// Reads a blob in parts. A registry often keeps its blobs on another server: that server is asked directly
/// for all parts after the first one, until it rejects a request.
class BlobReader {
 public:
  BlobReader(Session& session, const std::string& repository, Descriptor blob);

  /// Throws Error if the registry sends a wrong number of bytes, or if all bytes, read in order, do not have
  /// the blob's digest.
  std::string read(std::uintmax_t offset, size_t size);

 private:
  std::string read_part(std::uintmax_t offset, size_t size);
  Call call_of(std::uintmax_t offset, size_t size) const;
  std::string part_in(http::Response& response, std::uintmax_t offset, size_t size) const;
  void check(std::uintmax_t offset, std::string_view bytes);

  Session& session_;
  const Descriptor blob_;
  const Place own_place_;
  Place place_;
  Sha256 hash_;
  std::uintmax_t hashed_ = 0;  ///< how many bytes from the start were added to the hash
};

}  // namespace kml::registry
