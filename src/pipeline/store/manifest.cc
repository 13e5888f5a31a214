#include "pipeline/store/manifest.h"

#include <fmt/format.h>

#include "kml/base/error.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "pipeline/trees/stamps.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

std::string digest_of_file(const fs::path& file) {
  try {
    return sha256_of_file(file);
  } catch (Error& e) {
    e.fix = "if you may not read it: chmod u+r " + shell_quoted(std::vector{file.string()});
    throw;
  }
}

/// The digest of the file. Throws Error if the file changes while it is read, because the result would then
/// not be the digest of any state of the file.
std::string digest_of_unchanged(const fs::path& file, const struct stat& before) {
  std::string digest = digest_of_file(file);
  struct stat after {};
  if (::lstat(file.c_str(), &after) != 0 || stamp_of(after) != stamp_of(before))
    throw Error(ErrorCode::failure, "cannot keep " + file.string(), "it changed while it was read",
                "wait until no program writes to it, then try again; a step must wait for the programs that "
                "it starts");
  return digest;
}

std::string manifest_line(const fs::path& root, const TreeEntry& entry) {
  const std::string name = quoted_name(entry.path);
  if (S_ISLNK(entry.at.st_mode)) return name + " -> " + quoted_name(entry.target) + "\n";
  if (S_ISDIR(entry.at.st_mode)) return entry.is_empty ? quoted_name(entry.path + "/") + "\n" : std::string();
  const char* mode = entry.at.st_mode & S_IXUSR ? "755" : "644";
  const std::string digest = digest_of_unchanged(place_of(root, entry.path), entry.at);
  return fmt::format("{} {} {} {}\n", name, mode, entry.at.st_size, digest);
}

}  // namespace

std::string digest_of_content(const fs::path& file, std::string_view content) {
  struct stat at {};
  if (::lstat(file.c_str(), &at) != 0 || !S_ISREG(at.st_mode)) return manifest_of(file).tree.digest;
  return sha256_hex(fmt::format("{} {} {} {}\n", quoted_name("."), at.st_mode & S_IXUSR ? "755" : "644",
                                content.size(), sha256_hex(content)));
}

Manifest manifest_of(const fs::path& root, std::span<const TreeEntry> entries) {
  Manifest manifest;
  for (const TreeEntry& entry : entries) {
    manifest.text += manifest_line(root, entry);
    if (!S_ISREG(entry.at.st_mode)) continue;
    ++manifest.tree.files;
    manifest.tree.bytes += static_cast<std::uintmax_t>(entry.at.st_size);
  }
  manifest.tree.digest = sha256_hex(manifest.text);
  return manifest;
}

Manifest manifest_of(const fs::path& path) {
  return manifest_of(path, entries_of(path));
}

}  // namespace kml::pipeline
