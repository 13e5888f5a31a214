#include "kml/pipeline/runner/s3_store.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/memory.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/pipeline/store/shared_store.h"
#include "pipeline/runner/s3_layout.h"

namespace kml::pipeline {

namespace {

/// Removes the paths from a result, because they are only valid on this machine.
void leave_out_paths(Json& value) {
  if (value.is_object() && value.contains("digest")) value.erase("path");
  if (value.is_structured())
    for (Json& inner : value) leave_out_paths(inner);
}

}  // namespace

std::optional<Json> S3Store::find_result(const std::string& key) {
  return in_s3([&]() -> std::optional<Json> {
    const auto text = client_.read(s3_result(key));
    if (text && text->size() > kLargestObject)
      throw too_large("result " + key + " in " + name(), "it has more than " + size_text(kLargestObject));
    Json result = text ? Json::parse(*text, nullptr, false) : Json();
    if (!result.is_object()) return {};
    for (auto& [output, made] : result["outputs"].items()) {
      if (!made.is_object() || !made.contains("digest")) continue;
      if (!is_sha256_hex(string_at(made, {"digest"}))) return {};
      made["path"] = store_.shared_path(string_at(made, {"digest"}), output);
      made["store"] = name();
    }
    return result;
  });
}

void S3Store::keep_result(const std::string& key, const Json& result, bool replaces) {
  in_s3([&] {
    Json shared = result;
    leave_out_paths(shared);
    if (replaces)
      client_.write({{s3_result(key), compact_text(shared)}});
    else
      client_.write_new(s3_result(key), compact_text(shared));
  });
}

void S3Store::forget_result(const std::string& key) {
  known_.clear();
  in_s3([&] { client_.remove(std::vector{s3_result(key)}); });
}

bool S3Store::note_use(const std::string& key) {
  return in_s3([&] {
    const auto object = client_.look(s3_result(key));
    if (!object || !is_old(*object) || client_.touch(*object)) return object.has_value();
    auto text = client_.read(object->key);
    if (text) client_.write({{object->key, std::move(*text)}});
    return text.has_value();
  });
}

bool S3Store::has(const Json& made) {
  // In a larger tree, files are not checked; if one is missing, fetching the tree will fail.
  constexpr size_t kMostLooks = 1000;
  const std::string digest = string_at(made, {"digest"});
  if (known_.contains(digest)) return true;
  const bool is_there = in_s3([&] {
    const auto lines = read_manifest(client_, digest);
    if (!lines) return false;
    std::vector<std::string> keys;
    for (const ManifestLine& line : *lines)
      if (!line.digest.empty()) keys.push_back(s3_blob(line.digest));
    if (keys.size() > kMostLooks) return true;
    const auto found = client_.look(keys);
    return std::all_of(found.begin(), found.end(), [](const auto& object) { return object.has_value(); });
  });
  if (is_there) known_.insert(digest);
  return is_there;
}

void S3Store::send(const Json& made) {
  const std::filesystem::path root = string_at(made, {"path"});
  const std::string digest = string_at(made, {"digest"});
  auto text = store_.find_manifest(digest);
  if (!text) text = manifest_of(root).text;
  if (sha256_hex(*text) != digest || !store_.has(root, digest))
    throw Error(ErrorCode::failure, root.string() + " was changed after it was made", "",
                "make it again, for example with `kml run FILE`");
  in_s3([&] { send_tree(client_, *text, root); });
  known_.insert(digest);
}

void S3Store::fetch(const Json& made) {
  const std::string digest = string_at(made, {"digest"});
  in_s3([&] {
    try {
      store_.take_over(string_at(made, {"path"}), digest,
                       [&](const std::filesystem::path& place) { bring_tree(client_, digest, place); });
    } catch (const Error& error) {
      if (error.reason != kTreeDiffers) throw;
      throw tree_gone(digest, "its files do not match its manifest");
    }
  });
}

std::unique_ptr<S3Store> open_s3_store(const std::string& url, const LocalStore& store) {
  return std::make_unique<S3Store>(s3::make_client(s3::parse_bucket(url, "--store")), store);
}

void fetch_if_missing(const Json& made, const LocalStore& store) {
  if (is_shared(made) && !store.has(string_at(made, {"path"}), string_at(made, {"digest"})))
    open_s3_store(string_at(made, {"store"}), store)->fetch(made);
}

}  // namespace kml::pipeline
