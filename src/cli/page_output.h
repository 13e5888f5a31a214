#pragma once

#include <filesystem>
#include <string>

namespace kml::cli {

class Context;

/// Writes text to a file that the user named: replaces it atomically, but writes into a device, a pipe or a
/// symbolic link, such as /dev/null.
void write_named_file(const std::filesystem::path& file, const std::string& text);

/// Writes a page to standard output if `file` is "-", otherwise to the file, whose name it then prints.
void write_page(Context& context, const std::string& file, const std::string& page);

}  // namespace kml::cli
