#pragma once

#include <filesystem>
#include <string>

namespace kml {

/// The file of a program, as execvp(3) finds it in `search` (PATH); empty if there is none. Relative folders
/// in PATH are relative to `folder`. If that is empty, they are left out, because they may be other users'.
std::filesystem::path find_program(const std::string& program, const std::string& search,
                                   const std::filesystem::path& folder = {});

}  // namespace kml
