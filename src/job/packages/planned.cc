#include "job/packages/planned.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "job/packages/conda.h"
#include "job/packages/conda_lock.h"
#include "job/packages/lock.h"
#include "job/packages/lock_lines.h"
#include "job/packages/locked_by_uv.h"
#include "job/packages/pod_programs.h"
#include "job/packages/resolve.h"
#include "kml/base/files.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/job/packages/locked.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

/// The Python for which a lock is made if nothing names one. For packages that have dropped this Python, the
/// lock has an older version for it, and the newest version for newer Pythons.
constexpr const char* kOldestPython = "3.10";

/// "3.12" of the image "python:3.12-slim"; empty for other images.
std::string python_of_image(const std::string& image) {
  const std::string name = image.substr(image.rfind('/') + 1);
  constexpr std::string_view kPython = "python:";
  if (!name.starts_with(kPython)) return {};
  const std::string tag = name.substr(kPython.size());
  const std::string version = tag.substr(0, std::min(tag.find_first_not_of("0123456789."), tag.size()));
  return version.starts_with("3.") && version.size() > 2 ? version : "";
}

/// "3.11" of "3.11.7".
std::string minor_version(const std::string& version) {
  const size_t first = version.find('.');
  return first == std::string::npos ? version : version.substr(0, version.find('.', first + 1));
}

/// How programs on this machine reach the network. Pods on this machine reach it in the same way.
constexpr const char* kNetworkVariables[] = {"SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy",
                                             "HTTP_PROXY",    "http_proxy",   "ALL_PROXY",   "all_proxy",
                                             "NO_PROXY",      "no_proxy",     "NETRC"};

/// The settings of indexes and, for pods on this machine, of the network.
Json variables_for_pods(const Indexes& indexes, bool is_local, std::vector<std::string>& notes) {
  Json variables = index_variables(indexes, is_local, notes);
  if (is_local)
    for (const char* name : kNetworkVariables)
      if (const std::string value = environment(name); !value.empty()) variables[name] = value;
  return variables;
}

/// The file that keeps a lock's package indexes for reruns. The record must not contain these indexes,
/// because their URLs may contain passwords.
fs::path file_of_indexes(const std::string& lock) {
  return locks_folder() / ("indexes-" + lock);
}

Indexes known_indexes(const std::string& lock) {
  return indexes_in(Json::parse(read_file_if_exists(file_of_indexes(lock)).value_or("{}"), nullptr, false));
}

void remember_indexes(const std::string& lock, const Indexes& indexes) {
  const Json json = json_of(indexes);
  if (json != json_of(known_indexes(lock))) write_file_atomically(file_of_indexes(lock), json_text(json));
}

/// The largest Secret that an API server accepts.
constexpr size_t kLargestSecret = size_t{1} << 20;

/// Fills in the Secret, and the name that follows from its contents.
void fill(PlannedPackages& planned, const std::string& lock, Json settings) {
  planned.files = {
      {"lock", lock}, {"in_pod.py", pod_program("in_pod")}, {"verify.py", pod_program("verify")}};
  if (is_conda_lock(lock)) planned.files["conda.py"] = pod_program("conda");
  if (const auto config = Uv::own_config(); !config.empty()) planned.files["uv.toml"] = read_file(config);
  for (const char* key : {"requires", "source", "uv"}) settings[key] = planned.record[key];
  planned.files["settings"] = json_text(settings);
  Sha256 digest;
  size_t size = 0;
  for (const auto& [name, text] : planned.files) {
    digest.add(fmt::format("{} {}\n{}", name, text.size(), text));
    size += text.size();
  }
  if (size > kLargestSecret)
    throw usage_error(fmt::format("the list of packages of {} is too large: {}",
                                  string_at(planned.record, {"source"}), size_text(size)),
                      "a Secret holds at most " + size_text(kLargestSecret), "ask for fewer packages");
  constexpr size_t kDigits = 32;
  planned.secret = std::string(kSecretPrefix) + digest.hex().substr(0, kDigits);
}

/// The store as written for --env-store, if it is on a volume claim; empty for other stores, which `kml env
/// gc` cannot reach.
std::string store_text(const std::optional<spec::Mount>& store) {
  if (!store || store->kind != spec::Mount::Kind::pvc) return {};
  return "pvc/" + store->source + (store->sub_path.empty() ? "" : "/" + store->sub_path);
}

/// Whether the image has another version of Python than the one that the project pins.
bool differs_from_pin(const std::string& of_image, const std::string& pin) {
  return !pin.empty() && !of_image.empty() && !(of_image + ".").starts_with(pin + ".") &&
         !(pin + ".").starts_with(of_image + ".");
}

std::string lock_of_uv(const PackagesOfJob& job, const Requested& requested, const Uv& uv,
                       PlannedPackages& planned) {
  std::string python = lowest_python(requested.python);
  if (job.is_local) {
    const Interpreter here = requested.pin.empty() ? uv.find_python(requested.python, requested.shown)
                                                   : uv.find_python(requested.pin, ".python-version");
    planned.interpreter = here.path;
    planned.record["python"] = here.version;
    if (python.empty()) python = minor_version(here.version);
  }
  const std::string of_image = job.is_local ? "" : python_of_image(job.image);
  if (differs_from_pin(of_image, requested.pin))
    planned.notes.push_back("the image has Python " + of_image + "; .python-version asks for " +
                            requested.pin);
  if (is_older(of_image, lowest_python(requested.python)))
    planned.notes.push_back(
        "the image has Python " + of_image + "; " + requested.shown + " asks for " + requested.python +
        ": the job will fail without --image python:" + lowest_python(requested.python) + " or a newer one");
  if (python.empty()) python = of_image;
  if (python.empty()) python = kOldestPython;
  planned.record["requires"] = requested.python.empty() ? ">=" + python : requested.python;
  return lock_of(requested, python, [&] { return resolve(uv, requested, python); });
}

/// conda's name for Linux on the given processor.
std::string conda_platform(const std::string& processor) {
  if (processor.empty() || processor == "amd64") return "linux-64";
  return "linux-" + (processor == "arm64" ? std::string("aarch64") : processor);
}

void require_reachable_channels(const Requested& requested) {
  for (const std::string& channel : requested.channels)
    if (channel.starts_with("file:") || std::string_view("/.~").find(channel[0]) != std::string_view::npos)
      throw usage_error("the channel " + channel + " is a folder on this machine",
                        "pods on a cluster do not have it", "name a channel by its URL");
}

/// Throws usage Error if a package is in a file on this machine.
void require_reachable_packages(const std::string& lock, const std::string& shown) {
  for (const LockedPackage& package : python_packages_in(lock))
    if (package.place.starts_with("file:"))
      throw usage_error(shown + " takes " + package.name + " from a file on this machine",
                        "pods on a cluster do not have " + package.place,
                        "take " + package.name + " from an index, or from the URL of a wheel");
}

/// If the packages need Python, the environment contains one. in_pod.py itself needs a Python in the image.
std::string lock_of_conda(const PackagesOfJob& job, const Requested& requested, const Uv& uv,
                          PlannedPackages& planned) {
  constexpr const char* kInstallersPython = ">=3.10";
  if (job.is_local)
    planned.interpreter = uv.find_python(kInstallersPython, "the installer of conda packages").path;
  else
    require_reachable_channels(requested);
  const CondaTarget target = {job.is_local ? "" : conda_platform(job.processor), job.has_gpus};
  std::string lock = lock_of(requested, target.text(), [&] { return solve_conda(uv, requested, target); });
  planned.record["requires"] = kInstallersPython;
  const auto versions = conda_versions_in(lock);
  if (const auto python = versions.find("python"); python != versions.end())
    planned.record["python"] = python->second;
  return lock;
}

}  // namespace

PlannedPackages plan_packages(const PackagesOfJob& job) {
  const Requested requested = requested_packages(job.packages, job.command, job.folder, job.root);
  requested.require_trust();
  const bool is_conda = requested.kind == Requested::Kind::conda;
  const Uv uv(is_conda ? "--conda" : job.packages.by_uv ? "--uv" : "--requirements");
  PlannedPackages planned;
  planned.notes = requested.notes;
  Json& record = planned.record;
  const std::string lock =
      is_conda ? lock_of_conda(job, requested, uv, planned) : lock_of_uv(job, requested, uv, planned);
  std::ranges::copy(notes_in(lock), std::back_inserter(planned.notes));
  if (!job.is_local) require_reachable_packages(lock, requested.shown);
  record["lock"] = sha256_hex(lock);
  remember_indexes(sha256_hex(lock), requested.indexes);
  record["packages"] = versions_in(lock).size();
  record["source"] = requested.shown;
  record["uv"] = uv.version();
  fill(planned, lock,
       {{"noBuild", job.is_local},
        {"uvPath", job.is_local ? uv.path() : ""},
        {"store", store_text(job.packages.store)},
        {"variables", variables_for_pods(requested.indexes, job.is_local, planned.notes)}});
  if (!job.is_local && !job.packages.store)
    planned.notes.emplace_back(
        "each pod installs the packages; --env-store pvc/NAME keeps them for later jobs");
  return planned;
}

PackagesOfImage packages_of_image(const PackagesOfJob& job) {
  const Requested requested = requested_packages(job.packages, job.command, job.folder, job.root);
  requested.require_trust();
  PlannedPackages planned;
  planned.notes = requested.notes;
  const std::string flag = job.packages.by_uv ? "--uv" : "--requirements";
  const Uv uv(flag);
  PackagesOfImage made{
      .lock = lock_of_uv(job, requested, uv, planned), .shown = requested.shown, .flag = flag};
  std::ranges::copy(notes_in(made.lock), std::back_inserter(planned.notes));
  made.requires_python = string_at(planned.record, {"requires"});
  const Json variables = index_variables(requested.indexes, true, planned.notes);
  for (const auto& [name, value] : variables.items())
    made.variables.push_back(name + "=" + value.get<std::string>());
  made.notes = std::move(planned.notes);
  return made;
}

void refuse_flags_of_packages(const std::set<std::string>& given) {
  const auto refuse = [&](const char* flag, const char* needed) {
    if (given.contains(flag))
      throw usage_error("--" + std::string(flag) + " needs " + needed, "no packages are installed");
  };
  refuse("env-store", "--uv, --requirements or --conda");
  for (const char* flag : {"extra", "group"}) refuse(flag, "--uv, or --requirements pyproject.toml");
}

PlannedPackages packages_again(const Json& record, bool is_local) {
  const auto lock = read_lock(string_at(record, {"lock"}));
  if (!lock)
    throw Error(ErrorCode::failure,
                "the lock of the packages of " + string_at(record, {"source"}) + " is deleted",
                "it is not in " + locks_folder().string(), "submit the job again: kml submit ...");
  PlannedPackages planned;
  planned.record = record;
  fill(planned, *lock,
       {{"noBuild", is_local},
        {"uvPath", is_local ? Uv("installing the packages of " + string_at(record, {"source"})).path() : ""},
        {"variables", variables_for_pods(known_indexes(sha256_hex(*lock)), is_local, planned.notes)}});
  return planned;
}

}  // namespace kml::packages
