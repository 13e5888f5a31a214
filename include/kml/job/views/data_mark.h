#pragma once

#include <string_view>

namespace kml::job {

/// The annotation of a job with the sources of --data and their versions, one per line.
inline constexpr std::string_view kData = "kml.dev/data";

/// The annotation of a job with the digest of the lock of its packages.
inline constexpr std::string_view kPackages = "kml.dev/packages";

/// The annotation of a job that kml runs for its own purposes, such as to delete old data. Such a job is not
/// a run of the user.
inline constexpr std::string_view kMaintenance = "kml.dev/maintenance";

// The annotations of a pod template for this machine: the interpreter of the command, its version if it is
// Python, and the version of the GPU driver.
inline constexpr std::string_view kInterpreter = "kml.dev/interpreter";
inline constexpr std::string_view kPythonVersion = "kml.dev/python-version";
inline constexpr std::string_view kDriverVersion = "kml.dev/driver-version";

}  // namespace kml::job
