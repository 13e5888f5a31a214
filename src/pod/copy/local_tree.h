#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pod/copy/pod_tree.h"

namespace kml::pod {

/// Lists a file, or a folder with everything in it, on this machine. A folder comes before its contents. If
/// `root` is a link, lists the link's target. Throws Error if a folder or a link cannot be read.
std::vector<CopyEntry> list_local_tree(const std::filesystem::path& root);

/// The entry at `place`, whose status is `at`. `path` is its path in a tree. Throws Error if it is a link
/// that cannot be read.
CopyEntry local_entry(const std::filesystem::path& place, std::string path, const struct stat& at);

/// The checksum of the first `size` bytes of a file on this machine. Throws Error if it cannot be read.
std::string local_sum(const std::filesystem::path& file, std::uintmax_t size, SumTool tool);

/// Removes the entries of a tree that cannot be copied. Returns a line for each of them: "PATH: it is …" or
/// "link PATH: it …".
std::vector<std::string> take_out_uncopyable(std::vector<CopyEntry>& entries);

}  // namespace kml::pod
