#pragma once

#include <filesystem>
#include <string>

#include "kml/base/json.h"

namespace kml::mcp {

/// A file with a line of JSON for each call of a tool, and each read of a resource, that was rejected or has
/// ended, even if the tool is unknown or not allowed: when, which server, which of its calls, which tool, its
/// audited() arguments, the plan, and how the call ended. If a call may change something, a line is also
/// appended before its first kml process, so that a call without an end was interrupted, for example because
/// the server was killed.
class AuditLog {
 public:
  /// `file` may be empty: then it is audit.jsonl in the folder `mcp` of the state folder.
  explicit AuditLog(std::filesystem::path file);

  /// A number for a call, which is unique among the calls of this server.
  long long new_call() { return ++calls_; }

  /// Throws Error if the line cannot be written: then the call must not be made.
  void add(const std::string& event, long long call, const std::string& tool, const Json& arguments,
           Json facts);

  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  std::string server_;  ///< identifies this run of the server
  long long calls_ = 0;
};

}  // namespace kml::mcp
