#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "jobs/submit/git_repository.h"
#include "jobs/submit/safe_git.h"
#include "kml/core/text.h"
#include "kml/jobs/submit/code.h"

namespace kml::jobs {

namespace fs = std::filesystem;

namespace {

/// What nobody means by "the code", where there is no .gitignore to say so.
const std::set<std::string> kLeftOut = {".git",        ".hg",         ".svn",          "__pycache__",
                                        ".venv",       "venv",        ".tox",          "node_modules",
                                        ".mypy_cache", ".ruff_cache", ".pytest_cache", ".ipynb_checkpoints"};

void add(const fs::path& folder, const std::string& name, std::vector<CodeFile>& files) {
  const fs::path path = folder / name;
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return;  // git still tracks what was deleted
  if (S_ISREG(info.st_mode) || S_ISLNK(info.st_mode))
    files.push_back(
        {name, static_cast<uintmax_t>(info.st_size), (info.st_mode & S_IXUSR) != 0, S_ISLNK(info.st_mode)});
  if (!S_ISDIR(info.st_mode) || !fs::exists(path / ".git")) return;
  for (CodeFile& inner : code_files(path)) {  // a repository within: git names only its folder
    inner.name.insert(0, (fs::path(name) / "").string());
    files.push_back(std::move(inner));
  }
}

std::vector<CodeFile> files_of_git(const fs::path& folder) {
  constexpr size_t kLongestList = size_t{64} << 20;
  const GitCall call =
      safe_git(folder, {"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"},
               kLongestList);
  const ProcessResult result = run_process(call.argv, call.options);
  if (result.exit_code != 0)
    throw Error(ErrorCode::failure, "cannot tell which files of " + folder.string() + " are code",
                result.exit_code == 127 ? "it is a git repository, and there is no git on this machine"
                                        : "git could not list its files",
                "try `git -C " + folder.string() + " status`");
  std::vector<CodeFile> files;
  for (const std::string& name : split(result.out, '\0'))
    if (!name.empty()) add(folder, name, files);
  return files;
}

std::vector<CodeFile> all_files(const fs::path& folder) {
  std::vector<CodeFile> files;
  for (auto at = fs::recursive_directory_iterator(folder); at != fs::recursive_directory_iterator(); ++at) {
    if (kLeftOut.contains(at->path().filename())) {
      at.disable_recursion_pending();
      continue;
    }
    if (at->path().extension() != ".pyc" && (at->is_symlink() || at->is_regular_file()))
      add(folder, at->path().lexically_relative(folder), files);
  }
  return files;
}

}  // namespace

std::vector<CodeFile> code_files(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw usage_error(folder.string() + " is no folder");
  std::vector<CodeFile> files =
      is_in_repository(fs::canonical(folder)) ? files_of_git(folder) : all_files(folder);
  std::sort(files.begin(), files.end(), [](const CodeFile& a, const CodeFile& b) { return a.name < b.name; });
  return files;
}

}  // namespace kml::jobs
