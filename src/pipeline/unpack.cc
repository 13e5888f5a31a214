#include "kml/pipeline/unpack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "kml/core/error.h"
#include "kml/core/files.h"
#include "kml/core/text.h"
#include "pipeline/tree_entries.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

/// The path for the entry; empty if the entry does not belong to `name`.
fs::path place_in(const fs::path& path, const std::string& name, const TarEntry& entry) {
  if (entry.name == name) return path;
  if (!entry.name.starts_with(name + "/")) return {};
  const std::string inside = entry.name.substr(name.size() + 1);
  for (const std::string& part : split(inside, '/'))
    if (part.empty() || part == "." || part == "..")
      throw Error(ErrorCode::failure, "cannot unpack " + path.string(),
                  "it has a file named " + quoted_name(inside));
  return path / inside;
}

void write_content(const fs::path& place, const TarEntry& entry) {
  const Fd fd(::open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                     entry.is_executable ? 0755 : 0644));
  if (!fd) throw system_error("cannot write " + place.string(), errno);
  for (std::string_view bytes = entry.content; !bytes.empty();) {
    const ssize_t written = ::write(fd.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error("cannot write " + place.string(), errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

void unpack(std::span<const TarEntry> entries, const std::string& name, const fs::path& path) {
  // Makes links last, so that no file can be written through one.
  for (const bool is_link_turn : {false, true})
    for (const TarEntry& entry : entries) {
      const fs::path place = place_in(path, name, entry);
      if (place.empty() || (entry.type == TarEntry::Type::link) != is_link_turn) continue;
      std::error_code failure;
      fs::create_directories(is_link_turn || entry.type == TarEntry::Type::file ? place.parent_path() : place,
                             failure);
      if (failure) throw system_error("cannot make the folder for " + place.string(), failure.value());
      if (entry.type == TarEntry::Type::file) write_content(place, entry);
      if (is_link_turn && ::symlink(entry.target.c_str(), place.c_str()) != 0)
        throw system_error("cannot make the link " + place.string(), errno);
    }
}

}  // namespace kml::pipeline
