#pragma once

namespace kml::jobs {

/// Lets this process open as many files as the system allows it: each followed log is a connection, and with
/// a spool a file. What it starts inherits that.
void allow_many_open_files();

}  // namespace kml::jobs
