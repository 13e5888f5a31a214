#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kml {

/// The only YAML or JSON file in a package, for example one made by kfp. A package is a .zip, a .tar, a
/// .tar.gz, or a gzip-compressed file. Empty if the bytes are not a package. `file` is the package's name for
/// messages. Throws usage Error if the package is damaged, encrypted, needs another program to unpack it, is
/// larger than 64 MiB when unpacked, or does not contain exactly one such file.
std::optional<std::string> unpacked_package(std::string_view bytes, const std::string& file);

}  // namespace kml
