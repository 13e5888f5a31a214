#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kml/net/s3/client.h"
#include "kml/pipeline/store/shared_store.h"
#include "kml/pipeline/store/store.h"

namespace kml::pipeline {

/// A bucket as a store:
///
///     v1/blobs/aa/SHA        contents of files by digest; an unchanged file is sent only once
///     v1/manifests/aa/SHA    trees by digest, in LocalStore's format
///     v1/pins/SHA/NAME       protects the tree SHA from collection
///     v1/ac/aa/KEY.json      the result of a step with that key
///
/// A result that exists already is not overwritten (If-None-Match: *), unless keep_result() shall replace it.
/// Blobs are written before manifests, and manifests before results, so that every visible result is
/// complete.
class S3Store final : public SharedStore {
 public:
  /// `store` must outlive this object.
  S3Store(s3::Client client, const LocalStore& store) : client_(std::move(client)), store_(store) {}

  std::string name() const override { return settings().bucket.url(); }
  const s3::Settings& settings() const { return client_.settings(); }
  std::optional<Json> find_result(const std::string& key) override;
  void keep_result(const std::string& key, const Json& result, bool replaces) override;
  void forget_result(const std::string& key) override;
  bool note_use(const std::string& key) override;
  bool has(const Json& made) override;
  void send(const Json& made) override;
  void fetch(const Json& made) override;

 private:
  s3::Client client_;
  const LocalStore& store_;
  std::set<std::string> known_;  ///< the digests of trees that are complete in the bucket
};

/// Opens the store for `--store s3://BUCKET/PREFIX`. Throws Error (usage) if the text does not name a bucket.
std::unique_ptr<S3Store> open_s3_store(const std::string& url, const LocalStore& store);

/// Downloads the files of an output from its bucket, unless they are on this machine. Does nothing for an
/// output that is not in a bucket.
void fetch_if_missing(const Json& made, const LocalStore& store);

/// Whether the value of --store names a bucket.
inline bool is_s3_store(const std::string& store) {
  return store.starts_with("s3:");
}

}  // namespace kml::pipeline
