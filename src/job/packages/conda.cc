#include "job/packages/conda.h"

#include <fmt/format.h>

#include <algorithm>

#include "job/packages/conda_lock.h"
#include "job/packages/pod_programs.h"
#include "job/packages/resolve.h"
#include "job/packages/scratch.h"
#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

/// A minor version, because each one may change the names that conda.py uses.
constexpr const char* kInstaller = "py-rattler==0.28.*";
constexpr const char* kInstallerPython = "3.10";

/// What kml assumes of a cluster's nodes and images, unless conda's own variables say otherwise.
constexpr const char* kGlibc = "2.28";
constexpr const char* kCuda = "12";

Json system_of(const CondaTarget& target) {
  Json system = {{"__unix", "0"}, {"__linux", "5.10"}};
  const std::string glibc = environment("CONDA_OVERRIDE_GLIBC"), cuda = environment("CONDA_OVERRIDE_CUDA");
  system["__glibc"] = glibc.empty() ? kGlibc : glibc;
  if (!cuda.empty() || target.has_gpus) system["__cuda"] = cuda.empty() ? kCuda : cuda;
  return system;
}

std::string channel_alias() {
  const std::string own = environment("CONDA_CHANNEL_ALIAS");
  if (own.empty()) return "https://conda.anaconda.org/";
  return own.ends_with('/') ? own : own + "/";
}

Requested request_of_installer(const Requested& requested) {
  Requested installer;
  installer.kind = Requested::Kind::requirements;
  installer.requirements = {kInstaller};
  installer.shown = requested.shown;
  return installer;
}

class CondaSolver {
 public:
  CondaSolver(const Uv& uv, const Requested& requested, const CondaTarget& target)
      : uv_(uv), requested_(requested), target_(target) {}

  std::string lock() const {
    const std::string installer = resolve(uv_, request_of_installer(requested_), kInstallerPython);
    install(installer);
    const Json found = find_packages();
    const std::string rattlers_lock = read_file(folder() / "found.yml");
    return conda_lock(rattlers_lock, installer, lock_of_pip(found));
  }

 private:
  const fs::path& folder() const { return scratch_.path(); }
  fs::path python() const { return folder() / "tools/bin/python"; }

  void install(const std::string& installer) const {
    const Interpreter base =
        uv_.find_python(std::string(">=") + kInstallerPython, "py-rattler, which finds conda packages,");
    run_uv_here(
        {"venv", "--no-config", "--no-project", "--quiet", "--python", base.path, folder() / "tools"});
    write_file_atomically(folder() / "tools.txt", installer);
    std::vector<std::string> words = {"pip",     "sync",     "--require-hashes", "--no-build",
                                      "--quiet", "--python", python(),           folder() / "tools.txt"};
    std::ranges::move(Uv::own_config_flags(), std::back_inserter(words));
    run_uv_here(std::move(words));
  }

  void run_uv_here(std::vector<std::string> words) const {
    const ProcessResult result = uv_.run(std::move(words), folder());
    if (result.exit_code != 0)
      throw Error(ErrorCode::failure, "cannot install py-rattler, which finds conda packages",
                  reason_in(result.out));
  }

  /// Lets py-rattler choose the packages, and returns what conda.py prints about them.
  Json find_packages() const {
    write_file_atomically(folder() / "conda.py", pod_program("conda"));
    const Json request = {{"alias", channel_alias()},
                          {"folder", requested_.file.parent_path().string()},
                          {"channels", requested_.channels},
                          {"specs", requested_.conda_packages},
                          {"platform", target_.platform},
                          {"system", system_of(target_)},
                          {"cache", ""}};
    write_file_atomically(folder() / "request.json", json_text(request));
    ProcessOptions options;
    options.folder = folder();
    options.merge_errors = true;
    const ProcessResult result = run_process(
        {python(), "-I", folder() / "conda.py", "solve", folder() / "request.json", folder() / "found.yml"},
        options);
    Json found =
        Json::parse(result.out.substr(std::min(result.out.find('{'), result.out.size())), nullptr, false);
    if (result.exit_code == 0 && found.is_object()) return found;
    const std::string reason = reason_in(result.out);
    throw Error(ErrorCode::failure, "cannot resolve the packages of " + requested_.shown, reason,
                contains(reason, "error sending request")
                    ? "check the connection, or name your server of channels: CONDA_CHANNEL_ALIAS=URL"
                    : "");
  }

  /// The lock of the packages for pip, without those that conda installs. uv must choose the versions that
  /// conda has chosen.
  std::string lock_of_pip(const Json& found) const {
    if (requested_.requirements.empty()) return {};
    const std::string version = string_at(found, {"python"});
    if (version.empty())
      throw usage_error(requested_.shown + " lists packages for pip but not python",
                        "pip installs them into the Python of the environment",
                        "add python to its dependencies");
    Requested pip;
    pip.kind = Requested::Kind::requirements;
    pip.file = requested_.file;
    pip.shown = requested_.shown;
    pip.requirements = requested_.requirements;
    pip.conda_packages = requested_.conda_packages;
    pip.powers = requested_.powers;
    for (const auto& [name, of_conda] : object_at(found, {"ofPython"}).items())
      pip.constraints.push_back(name + "==" + of_conda.get<std::string>());
    return without_packages(resolve(uv_, pip, version.substr(0, version.find('.', version.find('.') + 1))),
                            object_at(found, {"ofPython"}));
  }

  const Uv& uv_;
  const Requested& requested_;
  const CondaTarget& target_;
  Scratch scratch_;
};

}  // namespace

std::string CondaTarget::text() const {
  return fmt::format("{} {} {}", platform, system_of(*this).dump(), channel_alias());
}

std::string solve_conda(const Uv& uv, const Requested& requested, const CondaTarget& target) {
  return CondaSolver(uv, requested, target).lock();
}

}  // namespace kml::packages
