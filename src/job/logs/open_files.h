#pragma once

namespace kml::job {

/// Raises this process's limit for open files to the maximum. Each followed log needs a connection and, with
/// a spool, a file. Child processes inherit the limit.
void allow_many_open_files();

}  // namespace kml::job
