#pragma once

#include <filesystem>

namespace kml::http {

/// The file with the certificate authorities that this system trusts, on Debian, Fedora, SUSE, Alpine and
/// their relatives (the list of Go's crypto/x509/root_linux.go). Empty if the system has none of these files.
/// `root` is the system's root folder.
std::filesystem::path system_authorities(const std::filesystem::path& root = "/");

}  // namespace kml::http
