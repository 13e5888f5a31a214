#include "kml/jobs/mlflow/mlflow_files.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include "kml/core/error.h"
#include "kml/core/files.h"

namespace kml::jobs {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargest = 1 << 30;

/// "1/RUN/artifacts" of "mlflow-artifacts:/1/RUN/artifacts", to which a host may belong; empty for another
/// kind of URI.
std::string proxied_path(const std::string& uri) {
  constexpr std::string_view kScheme = "mlflow-artifacts:";
  if (!uri.starts_with(kScheme)) return {};
  std::string path = uri.substr(kScheme.size());
  if (path.starts_with("//")) path.erase(0, std::min(path.find('/', 2), path.size()));
  path.erase(0, path.find_first_not_of('/'));
  return path;
}

/// The files of a tree, with their paths in MLflow, sorted. Leaves out links, because a program may have made
/// one to a file that is not its own.
std::vector<std::pair<std::string, fs::path>> files_in(const RunFile& file) {
  std::vector<std::pair<std::string, fs::path>> found;
  if (fs::is_regular_file(fs::symlink_status(file.path))) found.emplace_back(file.name, file.path);
  if (!fs::is_directory(fs::symlink_status(file.path))) return found;
  for (const auto& entry : fs::recursive_directory_iterator(file.path))
    if (fs::is_regular_file(entry.symlink_status()))
      found.emplace_back(file.name + "/" + entry.path().lexically_relative(file.path).string(), entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

size_t push_files(MlflowClient& client, PushedRun& pushed, const std::vector<RunFile>& files) {
  const std::string uri = string_at(pushed.known, {"info", "artifact_uri"}), root = proxied_path(uri);
  if (root.empty()) {
    if (!files.empty())
      pushed.faults.push_back("its files are not sent: the server keeps artifacts at " + uri +
                              ", not itself (`mlflow server --serve-artifacts`)");
    return 0;
  }
  size_t sent = 0;
  for (const RunFile& file : files) try {
      const std::string tag = "kml.artifact." + file.name;
      if (tag_of_run(pushed.known, tag) == file.digest) continue;
      for (const auto& [name, path] : files_in(file)) {
        if (fs::file_size(path) > kLargest)
          pushed.faults.push_back(name + " is not sent: it is larger than 1 GiB");
        else
          client.put_artifact(root + "/" + name, read_file(path));
      }
      client.set_tag(pushed.id, tag, file.digest);
      ++sent;
    } catch (const fs::filesystem_error& error) {
      throw Error(ErrorCode::failure, "cannot read " + file.path.string(), error.code().message());
    }
  return sent;
}

}  // namespace kml::jobs
