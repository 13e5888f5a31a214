#include "serve/commands/serve_inputs.h"

#include <filesystem>

#include "job/commands/submit_request.h"
#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/base/missing_path.h"
#include "kml/base/text.h"
#include "kml/pipeline/engine/artifacts.h"
#include "kml/pipeline/engine/pins.h"
#include "kml/pipeline/runner/s3_store.h"
#include "kml/pipeline/store/shared_store.h"
#include "kml/pipeline/store/store.h"

namespace kml::cli {

namespace {

bool is_file_name(const std::string& source) {
  return source[0] == '.' || source[0] == '/';
}

pipeline::Artifact find_tree(const std::string& source) {
  pipeline::Artifact artifact = pipeline::find_artifact(source);
  if (!pipeline::is_tree(artifact.kind))
    throw usage_error(source + " is a value, not a file or folder", "", "pass it in the command");
  return artifact;
}

/// The path of an artifact's files on this machine. The artifact is pinned, so the files are kept until it is
/// unpinned.
std::string path_of_artifact(const std::string& source) {
  const pipeline::Artifact artifact = find_tree(source);
  require_readable(artifact);
  const pipeline::LocalStore store = pipeline::local_store();
  pipeline::fetch_if_missing(artifact.made, store);
  pipeline::pin(store, artifact);
  return string_at(artifact.made, {"path"});
}

/// The path of a file on this machine, or of the files of an artifact.
std::string path_here(const std::string& source) {
  if (!is_file_name(source)) return path_of_artifact(source);
  std::string path = std::filesystem::absolute(source).lexically_normal().string();
  if (const auto fault = fault_of_path(path))
    throw usage_error("--input: cannot read " + source, fault->why, fault->fix);
  return path;
}

/// How to give the pods of a cluster a file or artifact that is not on a volume.
std::string volume_fix(const std::string& name, const std::string& source, const Json& made) {
  std::string path = is_file_name(source) ? source : string_at(made, {"path"}), get;
  if (std::error_code none; !is_file_name(source) && !std::filesystem::exists(path, none)) {
    get = "kml artifact get " + source + " " + name + " && ";  // it is only in a bucket
    path = name;
  }
  const std::string place = "pvc/NAME/" + name, in_pod = "/kml/in/" + name;
  return "copy it to a volume: " + get + "kml cp " + shell_quoted(std::vector{path}) + " " + place +
         "; then give --mount " + place + ":" + in_pod + ":ro instead of --input, and write " + in_pod +
         " in the command";
}

/// Mounts the volume of the cluster that contains an artifact. Returns the artifact's path in the pod.
std::string mounted_path(Context& context, const std::string& name, const std::string& source,
                         std::vector<spec::Setting>& settings) {
  const Json made = is_file_name(source) ? Json() : find_tree(source).made;
  if (!pipeline::is_on_volume(made))
    throw usage_error("--input " + name + "=" + source + " cannot be used on a cluster",
                      "its pods can read files only from a volume of the cluster",
                      volume_fix(name, source, made));
  const std::string place = string_at(made, {"target"}),
                    here = context.place().context + "/" + context.place().namespace_name;
  if (place != here)
    throw usage_error("--input " + name + "=" + source + " cannot be used in " + here,
                      source + " is on a volume of " + place,
                      "choose this context and namespace with --context and -n");
  std::string path = "/kml/in/" + name;
  settings.push_back(
      {"mount", string_at(made, {"path"}) + ":" + path + ":ro", {spec::Source::flag, "--input"}});
  return path;
}

}  // namespace

std::string inputs_in_words(const std::vector<std::string>& inputs) {
  constexpr size_t kShownOfDigest = 12;
  std::vector<std::string> words;
  for (const std::string& input : inputs) {
    const auto [name, source] = split_pair(input);
    if (is_file_name(source)) {
      words.push_back(name + "=" + std::filesystem::absolute(source).lexically_normal().string());
      continue;
    }
    const pipeline::Artifact artifact = find_tree(source);
    words.push_back(name + "=" + artifact.name.text() + "@" +
                    string_at(artifact.made, {"digest"}).substr(0, kShownOfDigest));
  }
  return join(words, " ");
}

void give_inputs(Context& context, const std::vector<std::string>& inputs, SubmitFlags& flags) {
  for (const std::string& input : inputs) {
    const auto [name, source] = split_pair(input);
    if (name.empty() || source.empty() || name.find_first_of("/:") != std::string::npos)
      throw usage_error("--input " + input + " is not NAME=SOURCE", "write NAME=RUN/STEP.OUTPUT",
                        "`kml artifact list` shows artifacts; for your own file, write NAME=./FILE");
    const std::string placeholder = "${in." + name + "}",
                      path = context.place().is_local ? path_here(source)
                                                      : mounted_path(context, name, source, flags.settings);
    bool is_used = false;
    for (std::string& word : flags.command)
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
