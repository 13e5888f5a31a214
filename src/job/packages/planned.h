#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::packages {

/// A job that needs packages.
struct PackagesOfJob {
  const spec::Packages& packages;
  const std::vector<std::string>& command;
  std::filesystem::path folder;  ///< the folder in which the command runs
  std::filesystem::path root;    ///< the folder of the code; may be the same as `folder`
  std::string image;
  bool is_local = false;
  std::string processor = {};  ///< the nodes' processor, as Kubernetes names it; empty if it is not known
  bool has_gpus = false;
};

/// The parts of a submit that make its pods install the packages.
struct PlannedPackages {
  std::map<std::string, std::string> files;  ///< the contents of the Secret, such as the lock and in_pod.py
  std::string secret;                        ///< a name made from the contents
  std::string interpreter = "python3";       ///< the Python for the environment
  std::vector<std::string> notes;
  /// For the record of the run: the lock's digest, how many packages it has, the Python that is required,
  /// the file that asks for the packages, uv's version and, if it is known here, Python's.
  Json record;
};

/// Lets uv or, for conda packages, py-rattler choose the versions, unless a lock of uv or of an earlier
/// submit has them. Throws Error as Requested, Uv, resolve() and solve_conda() do.
PlannedPackages plan_packages(const PackagesOfJob& job);

/// The packages for an image, which are installed on this machine.
struct PackagesOfImage {
  std::string lock = {};
  std::string requires_python = {};         ///< such as ">=3.11"
  std::string shown = {};                   ///< the file that asks for the packages
  std::string flag = {};                    ///< --uv or --requirements
  std::vector<std::string> variables = {};  ///< the indexes, "NAME=VALUE"; may contain passwords
  std::vector<std::string> notes = {};
};

/// Like plan_packages(), without conda. `job.image` is a name such as "python:3.12".
PackagesOfImage packages_of_image(const PackagesOfJob& job);

/// Call this for a job without packages: throws usage Error if a given flag, such as --extra, only makes
/// sense with packages.
void refuse_flags_of_packages(const std::set<std::string>& given);

/// The packages of an earlier run, from its record, for a rerun. Throws Error if their lock no longer exists.
PlannedPackages packages_again(const Json& record, bool is_local);

}  // namespace kml::packages
