#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kml {

/// The only YAML or JSON file in a package, such as kfp compiles: a .zip, a .tar, a .tar.gz, or a
/// gzip-compressed file. Empty if the bytes are not a package. `file` names them in errors. Throws usage
/// Error if the package is damaged, encrypted or packed by another program, unpacks to more than 64 MiB, or
/// has no such file or more than one.
std::optional<std::string> unpacked_package(std::string_view bytes, const std::string& file);

}  // namespace kml
