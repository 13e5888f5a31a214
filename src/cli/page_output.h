#pragma once

#include <filesystem>
#include <string>

namespace kml::cli {

class Context;

/// Writes text to a file that the user named. Replaces a regular file atomically; writes through a
/// symbolic link, and into a pipe or a device such as /dev/null.
void write_named_file(const std::filesystem::path& file, const std::string& text);

/// Writes a page to standard output if `file` is "-". Otherwise writes it to the file, and prints the file's
/// name.
void write_page(Context& context, const std::string& file, const std::string& page);

}  // namespace kml::cli
