#include "job/first_error/missing_module.h"

#include <unistd.h>

#include <filesystem>

#include "job/render/overlay.h"
#include "job/spec/python_module.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

namespace fs = std::filesystem;

/// The module in "ModuleNotFoundError: No module named 'torch.nn'" or, of `python -m`, "/usr/bin/python3: No
/// module named pack"; empty if no line looks like this.
std::string module_in(std::span<const std::string> lines) {
  constexpr std::string_view kError = "ModuleNotFoundError: No module named '",
                             kOfCommand = ": No module named ";
  for (const std::string& line : lines) {
    if (const size_t at = line.find(kError); at != std::string::npos) {
      const size_t begin = at + kError.size();
      return line.substr(begin, line.find('\'', begin) - begin);
    }
    const size_t at = line.find(kOfCommand);
    if (at != std::string::npos && line.find(' ') == at + 1 && contains(line.substr(0, at), "python"))
      return line.substr(at + kOfCommand.size());
  }
  return {};
}

/// The path of the program, looked up in the folders of `path` as a shell does. The name itself if no folder
/// has it.
std::string found_in_path(const std::string& name, const std::string& path) {
  if (contains(name, "/")) return name;
  for (const std::string& folder : split(path, ':'))
    if (const fs::path file = fs::path(folder) / name; ::access(file.c_str(), X_OK) == 0)
      return file.string();
  return name;
}

/// The Python in a container and its working directory, as far as the job shows them.
struct Interpreter {
  std::string program, image, folder;
  bool is_here = false;   ///< whether the program runs as a process on this machine
  bool is_built = false;  ///< whether `program` is the Python of an environment with the job's packages
};

Interpreter python_of(const Json& job) {
  Interpreter python;
  each_pod_template(job, [&](const Json& pod, int) {
    const Json& containers = api::containers_in(api::spec_of(pod));
    if (!python.program.empty() || containers.empty()) return;
    const Json& container = containers[0];
    const Json& words = array_at(container, {"command"});
    const std::string name = words.empty() ? "" : words[0].get<std::string>();
    const Json here = Json::parse(api::annotation_of(pod, api::kEnvironment), nullptr, false);
    python.is_here = here.is_object();
    python.is_built = !render::words_before_command(container).empty();
    python.program = fs::path(name).filename().string().starts_with("python") ? name : "Python";
    if (python.is_here && python.program != "Python")
      python.program = found_in_path(name, string_at(here, {"PATH"}));
    python.image = api::image_of(container);
    python.folder = string_at(container, {"workingDir"}, api::annotation_of(pod, api::kWorkingFolder));
  });
  return python;
}

}  // namespace

void name_missing_module(std::span<const std::string> lines, const Json& job, const std::string& command,
                         const fs::path& folder, Cause& cause) {
  const std::string module = module_in(lines);
  if (module.empty()) return;
  const Interpreter python = python_of(job);
  cause.summary += "; " + python.program + (python.is_here ? "" : " of image " + python.image) +
                   (python.folder.empty() ? "" : ", started in " + python.folder + ",") +
                   " does not find module " + module;
  const std::string top = module.substr(0, module.find('.'));
  // Anyone may have published a package with the name of the user's own module.
  if (spec::is_module_of(folder, module)) {
    cause.summary += "; this folder has it";
    cause.remedies.insert(
        cause.remedies.begin(),
        python.is_here
            ? Remedy{"start the job in this folder, or add the folder to PYTHONPATH: --env PYTHONPATH=" +
                         fs::absolute(folder).string(),
                     ""}
            : Remedy{"send this folder with the job", "kml submit --code . … -- " + command});
    return;
  }
  if (python.is_built)
    cause.remedies.insert(cause.remedies.begin(), {"add the module's package, whose name may differ, to the "
                                                   "file that --uv, --requirements or --conda reads",
                                                   ""});
  else if (python.is_here)  // a job on this machine runs in no image
    cause.remedies.insert(cause.remedies.begin(),
                          {"install the module's package, whose name may differ, for this Python",
                           python.program == "Python" ? "" : python.program + " -m pip install " + top});
  else
    cause.remedies.insert(cause.remedies.begin(),
                          {"use an image that has the module, or send it with your code",
                           "kml submit --image IMAGE --code . … -- " + command});
}

}  // namespace kml::job
