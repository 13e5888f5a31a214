#pragma once

namespace kml::job {

/// Raises this process's limit of open files to the maximum, because each followed log needs a connection
/// and, with a spool, a file. Child processes inherit the limit.
void allow_many_open_files();

}  // namespace kml::job
