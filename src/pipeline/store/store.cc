#include "kml/pipeline/store/store.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "kml/base/damage.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/sha256.h"
#include "kml/base/system_calls.h"
#include "kml/base/text.h"
#include "pipeline/store/manifest.h"
#include "pipeline/store/store_write.h"
#include "pipeline/trees/stamps.h"
#include "pipeline/trees/tree_modes.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxStamps = size_t{4} << 30;  // enough for ten million files

/// "data/abc" becomes "data/ab/abc", because listing a folder with 100,000 names is slow.
fs::path spread(const fs::path& folder, const std::string& name, const char* end = "") {
  return folder / path_component(name.substr(0, 2)) / (path_component(name) + end);
}

fs::path latest_path(const fs::path& store, const std::string& pipeline, const std::string& step) {
  return store / "latest" / path_component(pipeline) / path_component(step);
}

void publish(const fs::path& store, const fs::path& file, std::string_view text) {
  write_in(store, [&] {
    make_private_folder(file.parent_path());
    write_file_atomically(file, text);
  });
}

/// Like publish(), but after a power cut, the file may be missing or empty. Used for files that only save
/// time, or explain something.
void publish_unsynced(const fs::path& store, const fs::path& file, std::string_view text) {
  write_in(store, [&] {
    make_private_folder(file.parent_path());
    const fs::path temporary = file.string() + "." + random_hex(4) + ".tmp";
    std::ofstream out(temporary, std::ios::binary);
    out << text;
    out.close();
    if (out && ::rename(temporary.c_str(), file.c_str()) == 0) return;
    const int why = errno;
    ::unlink(temporary.c_str());
    throw system_error("cannot write " + file.string(), why);
  });
}

/// Syncs the whole file system that contains `path`. For many files, this is faster than an fsync() for each.
void sync_disk_of(const fs::path& path, const fs::path& store) {
  const Fd folder(::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  write_in(store, [&] {
    if (!folder || !sync_file_system(folder.get()))
      throw system_error("cannot write " + path.string() + " to disk", errno);
  });
}

struct FoundTree {
  std::vector<TreeEntry> entries;
  bool is_settled;  ///< whether any later change will change a stamp of an entry
};

FoundTree found_tree(const fs::path& path) {
  const Time now = file_clock();
  std::vector<TreeEntry> entries = entries_of(path);
  const bool is_settled = all_changed_before(now, entries);
  return {std::move(entries), is_settled};
}

/// Waits until the stamps of a tree are able to show later changes. On a busy machine, the clock may be
/// several ticks behind the times that files get. If a file server's clock is far ahead, returns the tree
/// unsettled.
FoundTree settled_tree(const fs::path& path) {
  FoundTree found = found_tree(path);
  for (int ticks = 0; !found.is_settled && ticks < 5; ++ticks) {
    wait_for_file_clock();
    found = found_tree(path);
  }
  return found;
}

std::vector<fs::path> sorted_names(const fs::path& folder) {
  std::error_code ignored;  // the file may be removed in the meantime
  std::vector<fs::path> names;
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored))
    names.push_back(it->path());
  std::sort(names.begin(), names.end());
  return names;
}

/// The text in the file. A file that cannot be read is treated as missing: then work is repeated, but the
/// result is never wrong.
std::optional<std::string> text_in(const fs::path& file) {
  try {
    return read_file_if_exists(file);
  } catch (const Error&) {
    note_damage(file);
    return {};
  }
}

/// The text in the file, if its digest is the file's name.
std::optional<std::string> text_with_digest(const fs::path& file) {
  auto text = text_in(file);
  if (!text || sha256_hex(*text) == file.filename()) return text;
  note_damage(file);
  return {};
}

/// Stores a text under its digest. The time of the file shows when the text was last used, so that unused
/// texts can be removed.
void publish_once(const fs::path& store, const fs::path& file, const std::string& text) {
  if (text_in(file) != text)
    publish(store, file, text);
  else
    ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
}

std::optional<Json> result_in(const fs::path& file) {
  const auto text = text_in(file);
  if (!text) return {};
  Json result = Json::parse(*text, nullptr, false);
  if (result.is_object()) return result;
  note_damage(file);
  return {};
}

}  // namespace

std::string room_fix(const fs::path& folder) {
  const std::string name = shell_quoted(std::vector{folder.string()});
  return "check that its disk has space (df -h " + name + ") and that you may write to it (ls -ld " + name +
         ")";
}

fs::path LocalStore::output_path(const std::string& run, const std::string& step, int attempt,
                                 const std::string& output) const {
  return folder_ / "data" / path_component(run) / path_component(step) / std::to_string(attempt) /
         path_component(output);
}

void LocalStore::make_folder_of(const fs::path& path) const {
  write_in(folder_, [&] { make_private_folder(path.parent_path()); });
}

void LocalStore::prepare(const fs::path& path) const {
  make_folder_of(path);
  remove_tree(path);
}

fs::path LocalStore::stamps_path(const fs::path& path) const {
  const fs::path inside = path.lexically_relative(folder_ / "data");
  const bool is_inside = !inside.empty() && *inside.begin() != "..";
  return folder_ / "stamps" / (is_inside ? inside : fs::path(path_component(path.string())));
}

Tree LocalStore::keep(const fs::path& path) const {
  make_read_only(path, entries_of(path));
  sync_disk_of(path, folder_);
  const FoundTree found = settled_tree(path);
  const Manifest manifest = manifest_of(path, found.entries);
  publish_once(folder_, spread(folder_ / "manifests", manifest.tree.digest), manifest.text);
  if (found.is_settled) keep_stamps(path, stamps_text(manifest.tree.digest, found.entries));
  return manifest.tree;
}

void LocalStore::keep_stamps(const fs::path& path, const std::string& stamps) const {
  try {
    publish_unsynced(folder_, stamps_path(path), stamps);
  } catch (const Error&) {  // an error is ignored, because stamps only save time
  }
}

/// Call this before the path is checked. A process that removes the path first renames it, and then checks
/// for this mark.
void LocalStore::note_use(const fs::path& path) const {
  const fs::path file = stamps_path(path);
  if (::utimensat(AT_FDCWD, file.c_str(), nullptr, 0) == 0) return;
  if (std::error_code none; fs::exists(path, none)) keep_stamps(path, "");
}

std::string LocalStore::digest_of(const fs::path& path) const {
  if (const auto stamps = read_file_if_exists(stamps_path(path), kMaxStamps))
    if (const auto known = digest_by_stamps(path, *stamps)) return *known;
  const FoundTree found = found_tree(path);
  std::string digest = manifest_of(path, found.entries).tree.digest;
  if (found.is_settled) keep_stamps(path, stamps_text(digest, found.entries));
  return digest;
}

bool LocalStore::has(const fs::path& path, const std::string& digest) const {
  try {
    note_use(path);
    return digest_of(path) == digest;
  } catch (const Error&) {  // a step could not use an output that cannot be read
    return false;
  }
}

std::optional<Json> LocalStore::find_result(const std::string& key) const {
  return result_in(spread(folder_ / "results", key, ".json"));
}

void LocalStore::keep_result(const std::string& key, const Json& result) const {
  publish(folder_, spread(folder_ / "results", key, ".json"), compact_text(result));
}

void LocalStore::forget_result(const std::string& key) const {
  const fs::path file = spread(folder_ / "results", key, ".json");
  write_in(folder_, [&] {
    if (::unlink(file.c_str()) != 0 && errno != ENOENT)
      throw system_error("cannot remove " + file.string(), errno);
  });
}

void LocalStore::each_result(
    const std::function<void(const std::string& key, const Json& result)>& take) const {
  for (const fs::path& folder : sorted_names(folder_ / "results"))
    for (const fs::path& file : sorted_names(folder)) {
      if (file.extension() != ".json") continue;
      if (const auto result = result_in(file)) take(file.stem().string(), *result);
    }
}

std::optional<std::string> LocalStore::find_latest(const std::string& pipeline,
                                                   const std::string& step) const {
  const fs::path file = latest_path(folder_, pipeline, step);
  std::optional<std::string> key = text_in(file);
  if (!key || is_sha256_hex(*key)) return key;
  note_damage(file);
  return {};
}

void LocalStore::keep_latest(const std::string& pipeline, const std::string& step,
                             const std::string& key) const {
  publish_unsynced(folder_, latest_path(folder_, pipeline, step), key);
}

std::string LocalStore::keep_list(const std::string& text) const {
  std::string digest = sha256_hex(text);
  publish_once(folder_, spread(folder_ / "lists", digest), text);
  return digest;
}

std::optional<std::string> LocalStore::find_list(const std::string& digest) const {
  return text_with_digest(spread(folder_ / "lists", digest));
}

std::optional<std::string> LocalStore::find_manifest(const std::string& digest) const {
  return text_with_digest(spread(folder_ / "manifests", digest));
}

fs::path LocalStore::shared_path(const std::string& digest, const std::string& output) const {
  return output_path(".shared", digest, 0, output);
}

void LocalStore::take_over(const fs::path& path, const std::string& digest,
                           const std::function<void(const fs::path&)>& write) const {
  make_folder_of(path);
  const fs::path place = path.parent_path() / (".coming-" + random_hex(4));
  try {
    write(place);
    if (manifest_of(place).tree.digest != digest) {
      Error error(ErrorCode::failure, "cannot keep " + path.string(),
                  "the received files do not match the digest");
      error.reason = kTreeDiffers;
      throw error;
    }
    if (has(path, digest))
      return remove_tree(place);  // another process was faster, and its tree may already be used
    remove_tree(path);
    write_in(folder_, [&] {
      if (::rename(place.c_str(), path.c_str()) != 0)
        throw system_error("cannot make " + path.string(), errno);
    });
  } catch (...) {
    remove_tree(place);
    throw;
  }
  keep(path);
}

LocalStore local_store() {
  return LocalStore(state_folder() / "artifacts");
}

}  // namespace kml::pipeline
