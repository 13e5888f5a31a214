#include "pipeline/runner/s3_gc.h"

#include <algorithm>
#include <set>
#include <span>

#include "kml/base/memory.h"
#include "kml/base/sha256.h"
#include "pipeline/runner/s3_layout.h"

namespace kml::pipeline {

namespace {

std::string last_part(const std::string& key) {
  return key.substr(key.rfind('/') + 1);
}

std::vector<std::string> keys_of(std::span<const s3::Object> objects) {
  std::vector<std::string> keys;
  for (const s3::Object& object : objects) keys.push_back(object.key);
  return keys;
}

/// Splits the objects into batches that a server can handle quickly.
template <typename Take>
void in_parts(std::span<const s3::Object> objects, const Take& take) {
  constexpr size_t kAtOnce = 256;
  for (size_t begin = 0; begin < objects.size(); begin += kAtOnce)
    take(objects.subspan(begin, std::min(kAtOnce, objects.size() - begin)));
}

class BucketCollection {
 public:
  BucketCollection(s3::Client& client, const GcOptions& options, Time now)
      : client_(client), options_(options), young_(now - std::chrono::hours(24)), now_(now) {}

  /// Objects that are written last are listed last and removed first, so that each visible result is
  /// complete.
  GcReport result() {
    const std::vector<s3::Object> files = listed(kS3Blobs), trees = listed(kS3Manifests);
    const Time used_since = std::min(young_, now_ - options_.keep);
    const std::vector<s3::Object> results =
        removed_from(client_.list(std::string(kS3Results)), "result", [&](const s3::Object& object) {
          return object.modified < used_since && object.key.ends_with(".json");
        });
    std::set<std::string> needed = trees_of(results);
    needed.merge(pinned_trees());
    const std::vector<s3::Object> kept_trees =
        removed_from(trees, "tree", [&](const s3::Object& tree) { return is_unused(tree, needed); });
    const std::set<std::string> contents = files_of(kept_trees);
    for (const s3::Object& file :
         removed_from(files, "file", [&](const s3::Object& object) { return is_unused(object, contents); }))
      report_.kept_bytes += file.size;
    return std::move(report_);
  }

 private:
  bool is_unused(const s3::Object& object, const std::set<std::string>& used) const {
    return object.modified < young_ && !used.contains(last_part(object.key));
  }

  std::vector<s3::Object> listed(std::string_view begin) {
    std::vector<s3::Object> objects = client_.list(std::string(begin));
    std::erase_if(objects, [](const s3::Object& object) { return !is_sha256_hex(last_part(object.key)); });
    return objects;
  }

  /// Removes the objects for which `goes` returns true. Returns the others.
  template <typename Goes>
  std::vector<s3::Object> removed_from(const std::vector<s3::Object>& objects, const char* what,
                                       const Goes& goes) {
    std::vector<s3::Object> kept, gone;
    for (const s3::Object& object : objects) (goes(object) ? gone : kept).push_back(object);
    if (!options_.is_dry_run) remove_unless_used(gone, kept);
    std::uintmax_t bytes = 0;
    for (const s3::Object& object : gone) bytes += object.size;
    if (!gone.empty())
      report_.removed.push_back(
          {std::to_string(gone.size()) + " " + what + (gone.size() == 1 ? "" : "s"), bytes});
    return kept;
  }

  /// Checks each object again just before removing it, because an engine that needs an old object touches the
  /// object first.
  void remove_unless_used(std::vector<s3::Object>& gone, std::vector<s3::Object>& kept) {
    std::vector<s3::Object> removed;
    in_parts(gone, [&](std::span<const s3::Object> part) {
      const auto found = client_.look(keys_of(part));
      std::vector<std::string> keys;
      for (size_t i = 0; i < part.size(); ++i) {
        const bool was_used = found[i] && found[i]->modified > part[i].modified;
        (was_used ? kept : removed).push_back(part[i]);
        if (!was_used) keys.push_back(part[i].key);
      }
      client_.remove(keys);
    });
    gone = std::move(removed);
  }

  /// The digests of the trees in these results.
  std::set<std::string> trees_of(const std::vector<s3::Object>& results) {
    std::set<std::string> digests;
    each_text(results, [&](const s3::Object&, const std::string& text) {
      const Json result = text.size() > kLargestObject ? Json() : Json::parse(text, nullptr, false);
      for (const Json& made : object_at(result, {"outputs"})) digests.insert(string_at(made, {"digest"}));
    });
    return digests;
  }

  std::set<std::string> pinned_trees() {
    std::set<std::string> digests;
    for (const s3::Object& pin : client_.list(std::string(kS3Pins)))
      digests.insert(pin.key.substr(kS3Pins.size(), pin.key.rfind('/') - kS3Pins.size()));
    return digests;
  }

  /// The digests of the files in these trees. Ignores damaged manifests, because no engine can use them.
  std::set<std::string> files_of(const std::vector<s3::Object>& trees) {
    std::set<std::string> digests;
    each_text(trees, [&](const s3::Object& tree, const std::string& text) {
      if (sha256_hex(text) != last_part(tree.key)) return;
      for (const ManifestLine& line : manifest_lines(text)) digests.insert(line.digest);
    });
    return digests;
  }

  template <typename Take>
  void each_text(const std::vector<s3::Object>& objects, const Take& take) {
    in_parts(objects, [&](std::span<const s3::Object> part) {
      client_.read(keys_of(part), [&](size_t i, const std::optional<std::string>& text) {
        if (text) take(part[i], *text);
      });
    });
  }

  s3::Client& client_;
  const GcOptions& options_;
  const Time young_, now_;
  GcReport report_;
};

}  // namespace

GcReport collect(s3::Client& client, const GcOptions& options, Time now) {
  return BucketCollection(client, options, now).result();
}

}  // namespace kml::pipeline
