#include "job/submit/git_repository.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/base/system_calls.h"
#include "kml/base/text.h"
#include "support/temporary_folder.h"

namespace kml::job::git_repository_test {

namespace {

namespace fs = std::filesystem;

/// Runs git in that folder. Returns its output.
std::string git(const fs::path& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"git", "-c", "user.name=ann", "-c", "user.email=ann@example.com"});
  const ProcessResult result = run_process(arguments, {.folder = folder, .inherit_errors = true});
  REQUIRE(result.exit_code == 0);
  return std::string(trim(result.out));
}

/// git_head() must return what git itself reports.
void check_as_git(const fs::path& folder) {
  const std::optional<GitHead> head = git_head(folder);
  REQUIRE(head);
  CHECK(head->commit == git(folder, {"rev-parse", "HEAD"}));
  CHECK(head->branch == git(folder, {"rev-parse", "--abbrev-ref", "HEAD"}));
}

}  // namespace

TEST_CASE("git head: equals the commit that git reports on a branch, in a worktree, packed and detached") {
  TemporaryFolder dir;
  const fs::path repository = dir.path() / "repository", folder = repository / "sub" / "folder";
  fs::create_directories(folder);
  CHECK(!is_in_repository(dir.path()));
  CHECK(!git_head(dir.path()));
  git(repository, {"init", "-q", "-b", "main"});
  CHECK(!git_head(folder));  // there is no commit yet
  git(repository, {"commit", "-q", "--allow-empty", "-m", "first"});
  check_as_git(folder);
  git(repository, {"checkout", "-q", "-b", "feature/deep"});
  git(repository, {"commit", "-q", "--allow-empty", "-m", "second"});
  check_as_git(folder);
  git(repository, {"worktree", "add", "-q", "../other", "main"});
  check_as_git(dir.path() / "other");
  git(repository, {"pack-refs", "--all"});
  check_as_git(folder);
  check_as_git(dir.path() / "other");
  git(repository, {"checkout", "-q", "--detach", "main"});
  check_as_git(folder);
}

TEST_CASE("git head: only a commit is accepted, whatever file a repository names") {
  TemporaryFolder dir;
  write_file_atomically(dir.path() / "key", "t0ps3cret");
  const fs::path git_folder = dir.path() / "repository" / ".git";
  for (const std::string& head :
       {(dir.path() / "key").string(), std::string("../../../key"), std::string()}) {
    git(dir.path(), {"init", "-q", "repository"});
    fs::remove(git_folder / "HEAD");
    if (head.empty())
      fs::create_symlink(dir.path() / "key", git_folder / "HEAD");
    else
      write_file_atomically(git_folder / "HEAD", "ref: " + head + "\n");
    CHECK(!git_head(dir.path() / "repository"));
    fs::remove_all(git_folder);
  }
}

TEST_CASE("git diff: files in another folder have no diff") {
  TemporaryFolder dir;
  const fs::path home = dir.path() / "home", project = home / "project";
  fs::create_directories(project);
  git(project, {"init", "-q"});
  write_file_atomically(project / "train.py", "1");
  git(project, {"add", "-A"});
  git(project, {"commit", "-q", "-m", "first"});
  CHECK(safe_git_diff(project, 1000));
  git(project, {"worktree", "add", "-q", "../other"});
  CHECK(safe_git_diff(home / "other", 1000));
  git(project, {"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", project, "part"});
  CHECK(safe_git_diff(project / "part", 1000));
  git(project, {"config", "core.worktree", home});
  CHECK_FALSE(safe_git_diff(project, 1000));
  git(project, {"config", "core.worktree", "../.."});
  CHECK_FALSE(safe_git_diff(project, 1000));
  git(project, {"config", "core.worktree", ".."});
  CHECK(safe_git_diff(project, 1000));
}

TEST_CASE("git diff: without threads in a small repository on a local disk only") {
  const auto has_no_threads = [](const fs::path& project) {
    const std::vector<std::string> argv = safe_git_diff(project, 1000).value().argv;
    return std::ranges::find(argv, "core.preloadIndex=false") != argv.end();
  };
  TemporaryFolder dir;
  git(dir.path(), {"init", "-q"});
  CHECK_FALSE(has_no_threads(dir.path()));  // no index yet
  write_file_atomically(dir.path() / "train.py", "1");
  git(dir.path(), {"add", "-A"});
  CHECK(has_no_threads(dir.path()) == is_on_local_disk(dir.path()));
  fs::resize_file(dir.path() / ".git/index", 1 << 20);
  CHECK_FALSE(has_no_threads(dir.path()));
}

}  // namespace kml::job::git_repository_test
