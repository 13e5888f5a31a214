#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kml/pipeline/manifest_lines.h"
#include "kml/pipeline/shared_store.h"
#include "kml/pipeline/store.h"
#include "kml/s3/client.h"

namespace kml::jobs {

/// A bucket as a store:
///
///     v1/blobs/aa/SHA        the content of files, by its digest: one that has not changed is sent once
///     v1/manifests/aa/SHA    trees by digest, as LocalStore has them
///     v1/ac/aa/KEY.json      what a step with that key made; created once (If-None-Match: *)
///
/// They are written in this order, so that what is seen is whole.
class S3Store final : public pipeline::SharedStore {
 public:
  /// `store` must outlive it.
  S3Store(s3::Client client, const pipeline::LocalStore& store) : client_(std::move(client)), store_(store) {}

  std::string name() const override { return client_.settings().bucket.url(); }
  std::optional<Json> find_result(const std::string& key) override;
  void keep_result(const std::string& key, const Json& result, bool replaces) override;
  void forget_result(const std::string& key) override;
  bool note_use(const std::string& key) override;
  bool has(const Json& made) override;
  void send(const Json& made) override;
  void fetch(const Json& made) override;

 private:
  void send_blobs(const std::vector<pipeline::ManifestLine>& lines, const std::filesystem::path& root);

  s3::Client client_;
  const pipeline::LocalStore& store_;
  std::set<std::string> known_;  ///< digests of trees that were seen there whole
};

/// Of `--store s3://BUCKET/PREFIX`. Throws Error (usage) if the text names no bucket.
std::unique_ptr<S3Store> open_s3_store(const std::string& url, const pipeline::LocalStore& store);

/// Whether a store's name is of this kind.
inline bool is_s3_store(const std::string& store) {
  return store.starts_with("s3:");
}

}  // namespace kml::jobs
