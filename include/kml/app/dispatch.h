#pragma once

namespace kml::cli {

/// Runs kml with the process's arguments and streams. Returns the exit code: 0 success, 1 error, 2 usage or
/// spec, 3 the job failed, 4 authentication or authorization, 5 timeout or unreachable, 130 interrupted, or
/// the exit code of a program, as of `kml exec`.
int run(int argc, char** argv);

}  // namespace kml::cli
