#include "tracking/mlflow/mlflow_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/files.h"

namespace kml::tracking {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargest = 1 << 30;

std::string artifact_tag(const std::string& name) {
  return "kml.artifact." + name;
}

/// The path "1/RUN/artifacts" in "mlflow-artifacts:/1/RUN/artifacts", which may also contain a host; empty
/// for any other kind of URI.
std::string proxied_path(const std::string& uri) {
  constexpr std::string_view kScheme = "mlflow-artifacts:";
  if (!uri.starts_with(kScheme)) return {};
  std::string path = uri.substr(kScheme.size());
  if (path.starts_with("//")) path.erase(0, std::min(path.find('/', 2), path.size()));
  path.erase(0, path.find_first_not_of('/'));
  return path;
}

/// The files in a tree with their paths in MLflow, sorted. Leaves out links, because a program may have made
/// a link to a file that is not its own. If the tree cannot be read completely, adds that to `faults`.
std::vector<std::pair<std::string, fs::path>> files_in(const RunFile& file,
                                                       std::vector<std::string>& faults) {
  std::vector<std::pair<std::string, fs::path>> found;
  std::error_code error;
  const fs::file_status status = fs::symlink_status(file.path, error);
  if (fs::is_regular_file(status)) found.emplace_back(file.name, file.path);
  if (fs::is_directory(status))
    for (fs::recursive_directory_iterator at(file.path, error), end; at != end; at.increment(error))
      if (fs::is_regular_file(at->symlink_status(error)))
        found.emplace_back(file.name + "/" + at->path().lexically_relative(file.path).string(), at->path());
  if (error) faults.push_back(file.name + " is not sent completely: " + error.message());
  std::sort(found.begin(), found.end());
  return found;
}

/// Sends a file. Returns why it was not sent; empty if it was. Throws Error if no other file could be sent,
/// either.
std::string send_one(MlflowClient& client, const std::string& path, const fs::path& file) try {
  if (fs::file_size(file) > kLargest) return "it is larger than 1 GiB";
  client.put_artifact(path, read_file(file));
  return {};
} catch (const fs::filesystem_error& error) {
  return error.code().message();
} catch (const Error& error) {
  const bool is_answer = error.http_status != 0;  // the server may accept the next file
  if (error.code == ErrorCode::auth || (error.code == ErrorCode::unreachable && !is_answer)) throw;
  const std::string status = is_answer ? fmt::format(" ({})", error.http_status) : "";
  return error.message + status + (error.why.empty() ? "" : ": " + error.why);
}

}  // namespace

SentFiles push_files(MlflowClient& client, PushedRun& pushed, const std::vector<RunFile>& files) {
  const std::string uri = string_at(pushed.known, {"info", "artifact_uri"}), root = proxied_path(uri);
  if (root.empty()) {
    if (!files.empty())
      pushed.faults.push_back(
          "its files are not sent: the server does not store artifacts itself (`mlflow server "
          "--serve-artifacts`), but at " +
          uri);
    return {};
  }
  std::set<std::string> tags;
  for (const RunFile& file : files) tags.insert(artifact_tag(file.name));
  const MlflowKeys keys(tags);
  SentFiles sent;
  for (const RunFile& file : files) {
    const std::string& tag = keys.of(artifact_tag(file.name));
    if (tag_of_run(pushed.known, tag) == file.digest) continue;
    const size_t faults = pushed.faults.size();
    for (const auto& [name, path] : files_in(file, pushed.faults)) {
      const std::string fault = send_one(client, root + "/" + name, path);
      ++(fault.empty() ? sent.files : sent.refused);
      if (!fault.empty()) pushed.faults.push_back(name + " is not sent: " + fault);
    }
    if (pushed.faults.size() > faults) continue;
    client.set_tag(pushed.id, tag, file.digest);
    ++sent.artifacts;
  }
  return sent;
}

}  // namespace kml::tracking
