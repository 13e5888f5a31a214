#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kml/base/clock.h"
#include "pipeline/trees/tree_entries.h"

namespace kml::pipeline {

/// "SIZE MTIME CTIME MODE INODE", times in nanoseconds. The kernel sets the ctime at each change, and no
/// program can set it back, so a file with the same stamp has the same content.
std::string stamp_of(const struct stat& at);

/// The digest of a tree and a stamp of each entry, including folders, whose times show new names.
std::string stamps_text(const std::string& digest, std::span<const TreeEntry> entries);

/// The digest that stamps_text() was given, if each entry still has its stamp.
std::optional<std::string> digest_by_stamps(const std::filesystem::path& root, std::string_view stamps);

/// Waits until file_clock() has advanced, which takes a few milliseconds.
void wait_for_file_clock();
/// Two changes in the same tick of file_clock() have the same ctime. Stamps are therefore valid only if every
/// ctime was in the past when the content was read.
bool all_changed_before(Time time, std::span<const TreeEntry> entries);

}  // namespace kml::pipeline
