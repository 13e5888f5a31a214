#include "job/packages/lock_lines.h"

#include <algorithm>

#include "job/packages/conda_lock.h"
#include "job/packages/requirement_lines.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBeforeMarker = " ; ", kFrom = " @ ",
                           kHashOption = "--hash=", kEndOfWheel = ".whl";

bool begins_package(std::string_view line) {
  return !line.empty() && line[0] != ' ' && line[0] != '\t' && line[0] != '#' && !line.starts_with("--");
}

std::string_view without_editable(std::string_view line) {
  if (line.starts_with("-e ")) line.remove_prefix(3);
  return trim(line);
}

/// Whether the marker is false on Linux, where all pods run. Markers with "or" are not examined.
bool is_of_other_system(std::string_view marker) {
  if (contains(marker, " or ")) return false;
  constexpr std::string_view kOthers[] = {"sys_platform == 'win32'",      "sys_platform == 'darwin'",
                                          "sys_platform == 'cygwin'",     "os_name == 'nt'",
                                          "platform_system == 'Windows'", "platform_system == 'Darwin'",
                                          "sys_platform != 'linux'",      "platform_system != 'Linux'"};
  return std::ranges::any_of(kOthers, [&](std::string_view other) { return contains(marker, other); });
}

/// The file's name at the end of a URL or a path, decoded.
std::string file_of(std::string_view place) {
  const std::string_view path = place.substr(0, place.find_first_of("?#"));
  return percent_decoded(path.substr(path.rfind('/') + 1));
}

/// Takes the name and the version from the name of a wheel: "NAME-VERSION-PYTHON-ABI-PLATFORM.whl".
void take_wheel(LockedPackage& package) {
  const std::string file = file_of(package.place);
  if (!file.ends_with(kEndOfWheel)) return;
  const std::vector<std::string> parts = split(file, '-');
  if (parts.size() < 5) return;
  if (package.name.empty()) package.name = normal_name(parts[0]);
  package.version = parts[1];
}

LockedPackage package_in(std::string_view line) {
  LockedPackage package;
  if (const size_t marker = line.find(kBeforeMarker); marker != line.npos) {
    package.is_for_linux = !is_of_other_system(line.substr(marker));
    line = line.substr(0, marker);
  }
  line = without_editable(line.substr(0, std::min(line.find(" \\"), line.find(" --"))));
  if (const size_t at = line.find(kFrom); at != line.npos) {
    package.name = trim(line.substr(0, std::min(at, line.find('['))));
    package.place = trim(line.substr(at + kFrom.size()));
  } else if (const size_t equals = line.find("=="); equals != line.npos && line.find('/') > equals) {
    package.name = trim(line.substr(0, std::min(equals, line.find('['))));
    package.version = trim(line.substr(equals + 2));
  } else {
    package.place = line;
  }
  if (!package.place.empty()) take_wheel(package);
  return package;
}

/// The line for a wheel at a path; empty for other lines.
std::string line_of_wheel(const std::string& line, const fs::path& folder) {
  const LockedPackage package = package_in(line);
  const bool is_path = !package.place.empty() && !contains(package.place, ":");
  if (!is_path || package.name.empty()) return {};
  const size_t begin = line.find(package.place);
  const fs::path path = (folder / package.place).lexically_normal();
  return package.name + std::string(kFrom) + "file://" + percent_encoded(path.string(), true) +
         line.substr(begin + package.place.size());
}

}  // namespace

std::vector<LockedPackage> python_packages_in(std::string_view lock) {
  std::vector<LockedPackage> packages;
  for (const std::string& line : split(is_conda_lock(lock) ? pip_part_of(lock) : std::string(lock), '\n')) {
    if (begins_package(line)) packages.push_back(package_in(line));
    if (!packages.empty() && !line.starts_with('#') && contains(line, kHashOption))
      packages.back().has_hash = true;
  }
  return packages;
}

std::string with_absolute_places(const std::string& lock, const fs::path& folder) {
  std::string changed;
  for (const std::string& line : split(lock, '\n')) {
    if (line.empty()) continue;
    const std::string of_wheel = begins_package(line) ? line_of_wheel(line, folder) : "";
    changed += (of_wheel.empty() ? line : of_wheel) + "\n";
  }
  return changed;
}

}  // namespace kml::packages
