#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "pipeline/runner/s3_layout.h"
#include "pipeline/trees/tree_writer.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

/// Files up to this size are sent and fetched as a whole, many at the same time.
constexpr std::uintmax_t kSmall = std::uintmax_t{4} << 20;
/// The size of the largest object that S3 can copy, and thereby renew, in a single request.
constexpr std::uintmax_t kMostCopied = std::uintmax_t{5} << 30;
/// How many bytes of small files are held in memory at most.
constexpr std::uintmax_t kMostHeld = std::uintmax_t{32} << 20;

std::string spread_key(std::string_view begin, const std::string& name, const char* end = "") {
  return std::string(begin) + name.substr(0, 2) + "/" + name + end;
}

fs::path place_of_line(const fs::path& root, const ManifestLine& line) {
  return line.path == "." ? root : root / line.path;
}

/// The lines of files, but only one line for each content.
std::vector<const ManifestLine*> contents(const std::vector<ManifestLine>& lines) {
  std::map<std::string, const ManifestLine*> by_digest;
  for (const ManifestLine& line : lines)
    if (line.kind == ManifestLine::Kind::file) by_digest.try_emplace(line.digest, &line);
  std::vector<const ManifestLine*> found;
  for (const auto& [digest, line] : by_digest) found.push_back(line);
  return found;
}

/// Calls `take` with groups of files; each group is small enough to be held in memory.
template <typename Take>
void in_batches(const std::vector<const ManifestLine*>& lines, const Take& take) {
  std::vector<const ManifestLine*> batch;
  std::uintmax_t bytes = 0;
  constexpr size_t kMost = 256;
  for (const ManifestLine* line : lines) {
    if (!batch.empty() && (bytes + line->bytes > kMostHeld || batch.size() == kMost)) {
      take(std::exchange(batch, {}));
      bytes = 0;
    }
    batch.push_back(line);
    bytes += line->bytes;
  }
  if (!batch.empty()) take(batch);
}

std::vector<std::string> blob_keys(const std::vector<const ManifestLine*>& lines) {
  std::vector<std::string> keys;
  for (const ManifestLine* line : lines) keys.push_back(s3_blob(line->digest));
  return keys;
}

void copy_content(const fs::path& from, const Fd& to, const fs::path& place) {
  const Fd file(::open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  std::string bytes(size_t{1} << 20, '\0');
  for (ssize_t size = 1; size != 0;) {
    size = ::read(file.get(), bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw system_error("cannot read " + from.string(), errno);
    write_all(to.get(), std::string_view(bytes).substr(0, static_cast<size_t>(size)), place);
  }
}

/// A tree that is copied from a bucket to `root`, which must not exist.
class Arrival {
 public:
  Arrival(s3::Client& client, const std::vector<ManifestLine>& lines, const std::string& digest,
          fs::path root)
      : client_(client),
        lines_(lines),
        digest_(digest),
        root_(std::move(root)),
        writer_(root_, lines_, Links::inside) {}

  /// Creates links last, so that no file is written through a link.
  void bring() {
    for (const ManifestLine& line : lines_)
      if (line.kind == ManifestLine::Kind::file) places_[line.digest].push_back(&line);
    std::vector<const ManifestLine*> small;
    for (const ManifestLine* line : contents(lines_))
      if (line->bytes <= kSmall)
        small.push_back(line);
      else
        bring_large(*line);
    in_batches(small, [&](const std::vector<const ManifestLine*>& batch) { bring_small(batch); });
    writer_.make_links();
  }

 private:
  void bring_small(const std::vector<const ManifestLine*>& batch) {
    client_.read(blob_keys(batch), [&](size_t i, std::optional<std::string> bytes) {
      if (!bytes || sha256_hex(*bytes) != batch[i]->digest)
        throw tree_gone(digest_, "its file " + batch[i]->path + (bytes ? " is damaged" : " is gone"));
      for (const ManifestLine* line : places_.at(batch[i]->digest))
        write_all(writer_.new_file(*line).get(), *bytes, place_of_line(root_, *line));
    });
  }

  void bring_large(const ManifestLine& line) {
    const fs::path first = place_of_line(root_, line);
    {
      const Fd file = writer_.new_file(line);
      try {
        client_.get_file(s3_blob(line.digest), line.bytes, file.get());
      } catch (const Error& error) {
        if (error.reason != s3::kObjectGone) throw;
        throw tree_gone(digest_, "its file " + line.path + ": " + error.why);
      }
    }
    if (sha256_of_file(first) != line.digest)
      throw tree_gone(digest_, "its file " + line.path + " is damaged");
    for (const ManifestLine* other : places_.at(line.digest))
      if (other != &line) copy_content(first, writer_.new_file(*other), place_of_line(root_, *other));
  }

  s3::Client& client_;
  const std::vector<ManifestLine>& lines_;
  const std::string& digest_;
  const fs::path root_;
  TreeWriter writer_;
  std::map<std::string, std::vector<const ManifestLine*>> places_;  ///< by content
};

}  // namespace

Error tree_gone(const std::string& digest, const std::string& why) {
  Error error(ErrorCode::failure, "cannot get tree " + digest.substr(0, 12) + " from the store", why,
              "make it again, for example with `kml run FILE`");
  error.reason = kTreeGone;
  return error;
}

std::string s3_blob(const std::string& digest) {
  return spread_key(kS3Blobs, digest);
}
std::string s3_manifest(const std::string& digest) {
  return spread_key(kS3Manifests, digest);
}
std::string s3_result(const std::string& key) {
  return spread_key(kS3Results, key, ".json");
}
bool is_old(const s3::Object& object) {
  return object.modified < system_clock().now() - std::chrono::hours(12);
}

std::optional<std::vector<ManifestLine>> read_manifest(s3::Client& client, const std::string& digest) {
  const auto text = client.read(s3_manifest(digest));
  if (!text || sha256_hex(*text) != digest) return {};
  return manifest_lines(*text);
}

static void send_blobs(s3::Client& client, const std::vector<ManifestLine>& lines, const fs::path& root) {
  const std::vector<const ManifestLine*> files = contents(lines);
  const auto there = client.look(blob_keys(files));
  std::vector<const ManifestLine*> small;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string key = s3_blob(files[i]->digest);
    const bool is_there = there[i] && there[i]->size == files[i]->bytes;
    if (is_there && (!is_old(*there[i]) || (there[i]->size <= kMostCopied && client.touch(*there[i]))))
      continue;
    if (files[i]->bytes <= kSmall) {
      small.push_back(files[i]);
    } else {
      client.send_file(key, place_of_line(root, *files[i]), files[i]->bytes);
    }
  }
  in_batches(small, [&](const std::vector<const ManifestLine*>& batch) {
    std::vector<s3::Client::Content> objects;
    for (const ManifestLine* line : batch)
      objects.push_back({s3_blob(line->digest), read_file(place_of_line(root, *line))});
    client.write(std::move(objects));
  });
}

void send_tree(s3::Client& client, const std::string& manifest, const fs::path& root) {
  send_blobs(client, manifest_lines(manifest), root);
  client.write({{s3_manifest(sha256_hex(manifest)), manifest}});
}

void bring_tree(s3::Client& client, const std::string& digest, const fs::path& root) {
  const auto lines = read_manifest(client, digest);
  if (!lines) throw tree_gone(digest, "its manifest no longer exists");
  Arrival(client, *lines, digest, root).bring();
}

}  // namespace kml::pipeline
