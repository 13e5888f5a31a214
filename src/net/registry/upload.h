#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kml/net/registry/repository.h"
#include "net/registry/session.h"

namespace kml::registry {

/// One blob on its way to a registry
/// (https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#pushing-a-blob-in-chunks).
class Upload {
 public:
  Upload(Session& session, const Reference& reference, const Descriptor& blob,
         const Repository::Content& content, const Repository::Progress& progress)
      : session_(session), reference_(reference), blob_(blob), content_(content), progress_(progress) {}

  /// Returns when the registry has the blob. Throws Error if the registry rejects the blob, or fails too
  /// often.
  void run();

 private:
  void begin();
  bool is_whole() const { return blob_.size <= chunk_ || takes_only_whole_; }
  void send_chunk();
  bool finish();
  /// The response; empty if the connection broke. In that case, the registry may still have received the
  /// data.
  std::optional<http::Response> send(Call call);
  void take_chunk(const http::Response& response, std::uintmax_t end);
  void recover(const std::optional<http::Response>& response);
  void ask_where();
  bool ask_if_stored();
  Error refusal(const http::Response& response) const;

  Session& session_;
  const Reference& reference_;
  const Descriptor& blob_;
  const Repository::Content& content_;
  const Repository::Progress& progress_;
  Place place_;                     ///< the place to which the next request goes
  std::uintmax_t offset_ = 0;       ///< how many bytes the registry has
  size_t chunk_ = size_t{8} << 20;  ///< the size of a chunk
  bool takes_only_whole_ = false;
  int failures_ = 0;  ///< how many failures since the registry last accepted a chunk
  int begun_ = 0;
};

}  // namespace kml::registry
