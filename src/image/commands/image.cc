#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/image/append/append.h"
#include "kml/job/render/render.h"
#include "kml/job/submit/code_layer.h"
#include "kml/job/submit/packages_layer.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

struct AppendOptions {
  std::vector<std::string> base, tags;
  std::string code, platform, output, python;
  spec::Packages packages;
  std::string path{render::kCodeFolder};
  bool is_insecure = false;
};

void check_append(const AppendOptions& options) {
  if (options.tags.empty() || options.tags[0].empty())
    throw usage_error("--tag is missing", "it names the repository for the image",
                      "--tag registry.example/team/train");
  if (options.tags.size() > 1)
    throw usage_error("--tag is given " + std::to_string(options.tags.size()) + " times",
                      "kml image append writes one tag",
                      "run the command once for each tag; the image's digest is always the same");
  if (options.code.empty() && !options.packages.are_wanted())
    throw usage_error("nothing to append", "",
                      "--code . appends the files of this folder, and --uv its packages");
  const bool has_details = !options.packages.extras.empty() || !options.packages.groups.empty();
  if (!options.packages.are_wanted() && (has_details || !options.python.empty()))
    throw usage_error(options.python.empty() ? "--extra and --group need --uv or --requirements"
                                             : "--python needs --uv or --requirements",
                      "no packages are added", "add --uv or --requirements FILE");
  const bool is_version = contains(options.python, ".") && is_digit(options.python[0]) &&
                          options.python.find_first_not_of("0123456789.") == std::string::npos;
  if (!options.python.empty() && !is_version)
    throw usage_error("--python " + options.python + " is not a version of Python", "", "--python 3.12");
  if (!options.path.starts_with('/') || contains(options.path, "..") || contains(options.path, ":"))
    throw usage_error("--path " + options.path + " is not an absolute path without \"..\" and \":\"");
  if (contains(options.path, "/.wh."))
    throw usage_error("--path " + options.path + " cannot be a folder of an image",
                      "in a layer, a name that starts with \".wh.\" deletes a file of the image",
                      "choose another name for the folder");
}

/// The Python of the image, from --python or the variable that Docker's official Python images set.
std::string python_of(const image::BaseFacts& base, const AppendOptions& options) {
  if (!options.python.empty()) return options.python;
  std::string python = base.variable("PYTHON_VERSION");
  if (!python.empty()) return python;
  throw usage_error("cannot determine the Python of " + options.base.at(0),
                    "the image does not set PYTHON_VERSION", "--python 3.12");
}

/// Adds the packages below the code, so that a change of the code changes only one layer.
void add_packages(image::AppendRequest& request, const AppendOptions& options,
                  std::vector<std::string>& notes) {
  const std::string folder = job::kPackagesInImage;
  request.search_paths = {{"PYTHONPATH", folder}, {"PATH", folder + "/bin"}};
  request.lowest_layer = [&options, &notes](const image::BaseFacts& base) {
    const std::string processor = base.platform.substr(base.platform.find('/') + 1);
    image::Layer layer = job::packages_layer(
        options.packages, options.code.empty() ? "." : options.code,
        {options.base.at(0), python_of(base, options), processor.substr(0, processor.find('/'))}, notes);
    notes.push_back("packages: " + layer.summary + ", in " + job::kPackagesInImage);
    return layer;
  };
}

/// The folder in its shortest form: other spellings would give other bytes.
std::string folder_in_image(const std::string& path) {
  std::string folder = std::filesystem::path(path).lexically_normal();
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

int run_image_append(Context& context, const AppendOptions& options) {
  check_append(options);
  const std::string folder = folder_in_image(options.path);
  image::AppendRequest request{.base = options.base.at(0),
                               .target = options.tags[0],
                               .platform = options.platform,
                               .working_folder = options.code.empty() ? "" : folder};
  std::vector<std::string> notes;
  if (options.packages.are_wanted()) add_packages(request, options, notes);
  if (!options.code.empty()) {
    request.layers.push_back(job::code_layer(options.code, folder));
    notes.push_back("code: " + request.layers[0].summary + ", in " + folder);
  }
  const image::Appended made =
      image::append(std::move(request), image::registry_settings(options.is_insecure),
                    [&](const std::string& text) { context.progress(text); });
  context.end_progress();
  for (const std::string& note : notes) context.note(note);
  context.note("tag: " + made.tag);
  if (options.output.empty())
    context.streams().out << made.reference << "\n";
  else
    ui::print_value(context.streams(), made.to_json(), options.output);
  return 0;
}

Command append_command(const std::shared_ptr<AppendOptions>& options) {
  Command append{"append", "Add code and packages to an image in a registry, without Docker"};
  append.description =
      R"(kml reads BASE from its registry, adds a layer with the files of a folder, and writes the new image to the repository
that --tag names. kml needs no Docker, no daemon and no root, and sends only the data that the registry
lacks. If the registry already has BASE, its layers are not sent. The new image starts its command in the folder with
the code. kml prints the image's name with its digest. A name with a digest always refers to the same image.

The files are those that `kml submit --code` sends, without the files that git ignores. The same files on the same
base always give the same digest, because all times are 0 and all owners are root.

--uv and --requirements add the packages that the folder's files ask for, as `kml submit --uv` chooses them. uv unpacks
their wheels on this machine, for the Python and the processor of BASE, and runs no code of a package. In the new
image, PYTHONPATH has the folder with the packages, and PATH the folder with their programs. Python ignores .pth files
in PYTHONPATH.

kml logs in as Docker does, with credHelpers, credsStore and auths in ~/.docker/config.json (or in the folder
DOCKER_CONFIG). kml runs a credential helper only if your kuberc allows the helper, as for the credential plugins of a
kubeconfig.)";
  append.examples = R"(# An image with this folder's code
kml image append python:3.12-slim --code . --tag registry.example/team/train
# With the packages of its pyproject.toml
kml image append python:3.12-slim --code . --uv --tag registry.example/team/train
# Use its name with the digest in a script
IMAGE=$(kml image append python:3.12-slim --code . --tag registry.example/team/train:v2))";
  append.takes("BASE", options->base, "image to start from, such as python:3.12", 1, 1);
  append.options_under("What is added");
  append.option("--code", "DIR", options->code, "folder whose files are added")
      .details("The folder whose files are added, without those that git ignores.");
  append.option("--path", "DIR", options->path, "folder in the image for the files [default: /kml/code]")
      .details(
          "The folder in the image to which the files are added. The folder's other files stay. [default: "
          "/kml/code]");
  append.flag("--uv", options->packages.by_uv, "add the packages of the folder's pyproject.toml")
      .details(
          "Add the packages that pyproject.toml asks for, in the folder of --code or, without --code, in "
          "this folder. If uv has written uv.lock, kml adds the versions in that file.");
  append
      .option("--requirements", "FILE", options->packages.requirements,
              "add the packages of this requirements file or pyproject.toml")
      .details("Add the packages of this requirements file or pyproject.toml, as --uv does.");
  append.option("--extra", "NAME", options->packages.extras, "also add this extra of the pyproject.toml")
      .details("Also add the packages of this extra of the pyproject.toml. May be repeated.");
  append
      .option("--group", "NAME", options->packages.groups,
              "also add this dependency group of the pyproject.toml")
      .details("Also add the packages of this dependency group of the pyproject.toml. May be repeated.");
  append.options_under("Images");
  append.option("--tag", "NAME[:TAG]", options->tags, "repository and tag for the new image")
      .details(
          "The repository for the new image, and its tag. Without a tag, kml makes one from the digest, so "
          "that "
          "no other image loses its tag.");
  append.option("--platform", "OS/ARCH", options->platform, "platform of BASE to use [default: linux/amd64]")
      .details(
          "The platform to use, such as linux/arm64, if BASE has images for several platforms. [default: "
          "linux/amd64]");
  append
      .option("--python", "VERSION", options->python,
              "Python of BASE [default: PYTHON_VERSION in BASE's configuration]")
      .details(
          "The version of Python in BASE, such as 3.12. [default: PYTHON_VERSION in BASE's configuration, "
          "which Docker's official Python images have]");
  append.flag("--insecure", options->is_insecure, "allow registries without TLS")
      .details(
          "Allow a registry that does not offer TLS, even if the registry is not on this machine. "
          "Everyone on the network path can then read your password.");
  append.options_under("Output");
  add_output_format(append, {"json", "yaml"}, options->output, "print the image as data")
      .details("Print the image, its base and its layers in this format.");
  append.has_target = false;
  append.run = [options](Context& context) { return run_image_append(context, *options); };
  return append;
}

}  // namespace

Command image_command() {
  Command group{"image", "Make container images without Docker"};
  group.description = "`kml submit --image-append` makes an image when it submits a job.";
  group.examples = "kml image append python:3.12-slim --code . --tag registry.example/team/train";
  group.has_target = false;
  group.subcommands.push_back(append_command(std::make_shared<AppendOptions>()));
  return group;
}

}  // namespace kml::cli
