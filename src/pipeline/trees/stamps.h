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

/// The stamp of a file: "SIZE MTIME CTIME MODE INODE", with times in nanoseconds. The kernel sets the ctime
/// at each change, and no program can set it back. So if the stamp is the same, the content is the same.
std::string stamp_of(const struct stat& at);

/// The digest of a tree, with a stamp for each entry. This includes folders, because their times reveal new
/// names.
std::string stamps_text(const std::string& digest, std::span<const TreeEntry> entries);

/// The digest that was passed to stamps_text(), if each entry still has the same stamp.
std::optional<std::string> digest_by_stamps(const std::filesystem::path& root, std::string_view stamps);

/// Waits until file_clock() has advanced, which takes a few milliseconds.
void wait_for_file_clock();
/// Whether all entries had changed before this time. Two changes within the same tick of file_clock() have
/// the same ctime, so stamps are only valid if every ctime was in the past when the content was read.
bool all_changed_before(Time time, std::span<const TreeEntry> entries);

}  // namespace kml::pipeline
