#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kml/core/clock.h"
#include "pipeline/tree_entries.h"

namespace kml::pipeline {

/// "SIZE MTIME CTIME MODE INODE", times in nanoseconds. The kernel sets a ctime at each change, and nobody
/// can set it back: what has the same stamp has the same content.
std::string stamp_of(const struct stat& at);

/// The digest of a tree and a stamp of each of its entries, folders too, whose times tell of new names.
std::string stamps_text(const std::string& digest, std::span<const TreeEntry> entries);

/// The digest that stamps_text() was given, if each entry still has its stamp.
std::optional<std::string> digest_by_stamps(const std::filesystem::path& root, std::string_view stamps);

/// The time that files changed now get. It stands still for some milliseconds, so that two changes within
/// them have one ctime: stamps say something only where every ctime was past when the content was read.
Time file_clock();
/// Until file_clock() has gone on: some milliseconds.
void wait_for_file_clock();
bool all_changed_before(Time time, std::span<const TreeEntry> entries);

}  // namespace kml::pipeline
