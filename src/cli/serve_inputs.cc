#include "cli/serve_inputs.h"

#include <filesystem>

#include "kml/core/error.h"
#include "kml/core/json.h"
#include "kml/jobs/pipeline/s3_store.h"
#include "kml/pipeline/artifacts.h"
#include "kml/pipeline/pins.h"
#include "kml/pipeline/shared_store.h"
#include "kml/pipeline/store.h"

namespace kml::cli {

namespace {

/// The path of an artifact's files on this machine, where they stay until the artifact is unpinned.
std::string path_of_artifact(const std::string& source) {
  const pipeline::Artifact artifact = pipeline::find_artifact(source);
  if (!pipeline::is_tree(artifact.kind))
    throw usage_error(source + " is a value, not a file or folder", "", "pass it in the command");
  if (!artifact.is_there)
    throw usage_error("the files of " + source + " were removed", "", "kml run FILE makes them again");
  const pipeline::LocalStore store = pipeline::local_store();
  std::string path = string_at(artifact.made, {"path"});
  if (pipeline::is_shared(artifact.made) && !store.has(path, string_at(artifact.made, {"digest"})))
    jobs::open_s3_store(string_at(artifact.made, {"store"}), store)->fetch(artifact.made);
  pipeline::pin(store, artifact);
  return path;
}

}  // namespace

void give_inputs(Context& context, const std::vector<std::string>& inputs, std::vector<std::string>& words) {
  for (const std::string& input : inputs) {
    const size_t equals = input.find('=');
    const std::string name = input.substr(0, equals),
                      source = equals == std::string::npos ? "" : input.substr(equals + 1);
    if (name.empty() || source.empty())
      throw usage_error("--input " + input + ": the source is missing", "write NAME=RUN/STEP.OUTPUT",
                        "`kml artifact list` shows artifacts; a file of your own is NAME=./FILE");
    if (!context.place().is_local)
      throw usage_error("--input cannot be used on a cluster",
                        "its pods do not have the files of this machine",
                        "put the model on a volume, and use --mount pvc/NAME:/model:ro");
    const std::string placeholder = "${in." + name + "}";
    const bool is_file = source[0] == '.' || source[0] == '/';
    const std::string path =
        is_file ? std::filesystem::absolute(source).lexically_normal().string() : path_of_artifact(source);
    if (is_file && !std::filesystem::exists(path))
      throw usage_error("--input " + input, path + " does not exist");
    bool is_used = false;
    for (std::string& word : words)
      for (size_t at = word.find(placeholder); at != std::string::npos;
           at = word.find(placeholder, at + path.size())) {
        word.replace(at, placeholder.size(), path);
        is_used = true;
      }
    if (!is_used)
      throw usage_error("the command does not use " + placeholder, "that is the path of input " + name,
                        "write '" + placeholder + "' in the command, in single quotes");
  }
}

}  // namespace kml::cli
