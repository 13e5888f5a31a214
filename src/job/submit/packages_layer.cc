#include "kml/job/submit/packages_layer.h"

#include <fmt/format.h>

#include <algorithm>

#include "job/packages/installed_here.h"
#include "job/packages/planned.h"
#include "job/packages/scratch.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/memory.h"
#include "kml/base/text.h"
#include "kml/job/packages/locked.h"

namespace kml::job {

namespace fs = std::filesystem;

namespace {

/// The layer is in memory until it is sent, see kMostMemory.
constexpr size_t kMostPackedPackages = size_t{448} << 20;

/// "3.12" of "3.12.1".
std::string first_two_numbers(const std::string& version) {
  const size_t first = version.find('.');
  return first == std::string::npos ? version : version.substr(0, version.find('.', first + 1));
}

std::vector<fs::path> sorted_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && !entry.is_symlink())
      files.push_back(entry.path().lexically_relative(folder));
  std::ranges::sort(files, {}, [](const fs::path& file) { return file.string(); });
  return files;
}

bool is_program(const fs::path& file) {
  return (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none;
}

/// The flags that ask for the packages, in a form that a shell can read.
std::string package_flags(const spec::Packages& packages) {
  std::vector<std::string> words = {"--uv"};
  if (!packages.by_uv) words = {"--requirements", packages.requirements};
  for (const std::string& extra : packages.extras) words.insert(words.end(), {"--extra", extra});
  for (const std::string& group : packages.groups) words.insert(words.end(), {"--group", group});
  return shell_quoted(words);
}

image::Layer layer_of(const fs::path& folder, const std::string& shown, const std::string& flags) {
  image::LayerWriter layer;
  for (const fs::path& file : sorted_files(folder)) {
    const std::string content = read_file(folder / file, kMostPackedPackages);
    require_memory(file.string(), content.size());
    layer.add("", {.name = std::string(kPackagesInImage).substr(1) + "/" + file.string(),
                   .is_executable = is_program(folder / file),
                   .content = content});
    if (layer.size() > kMostPackedPackages)
      throw usage_error("the packages of " + shown + " are too large for a layer",
                        "they must fit into " + size_text(kMostPackedPackages) + ", compressed",
                        "let the pods install them: kml submit " + flags + " --env-store pvc/NAME");
  }
  return layer.finish();
}

}  // namespace

image::Layer packages_layer(const spec::Packages& packages, const fs::path& folder,
                            const ImageWithPackages& image, std::vector<std::string>& notes) {
  const std::string python = first_two_numbers(image.python);
  const std::vector<std::string> no_command;
  const packages::PackagesOfImage chosen = packages::packages_of_image({.packages = packages,
                                                                        .command = no_command,
                                                                        .folder = folder,
                                                                        .root = folder,
                                                                        .image = "python:" + python,
                                                                        .processor = image.processor});
  const packages::Scratch scratch;
  const fs::path unpacked = scratch.path() / "python";
  packages::install_here(chosen, {python, image.processor, image.name}, unpacked);
  image::Layer layer = layer_of(unpacked, chosen.shown, package_flags(packages));
  notes.insert(notes.end(), chosen.notes.begin(), chosen.notes.end());
  const size_t count = packages::versions_in(chosen.lock).size();
  layer.created_by = "kml image append: the packages of a lock for Python " + python;
  layer.summary = fmt::format("{} package{} of {} for Python {}, {} compressed", count, count == 1 ? "" : "s",
                              chosen.shown, python, size_text(layer.bytes.size()));
  return layer;
}

}  // namespace kml::job
