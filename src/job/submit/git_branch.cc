#include "kml/job/submit/git_branch.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "job/submit/scratch_folder.h"
#include "kml/base/clean.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/base/text.h"

namespace kml::job {

namespace {

namespace fs = std::filesystem;

/// Runs git in a folder that kml created. The output includes git's messages. Any other folder's
/// configuration could name programs to run (url.*.insteadOf with ext::, core.gitProxy, core.sshCommand).
ProcessResult remote_git(const ScratchFolder& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {"sh", "-c", "exec git \"$@\" 2>&1", "sh"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  ProcessOptions options{.folder = folder.path(),
                         .environment = {"GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
                                         "GIT_CEILING_DIRECTORIES=" + folder.path().parent_path().string()}};
  if (environment("GIT_SSH_COMMAND").empty())
    options.environment.push_back("GIT_SSH_COMMAND=ssh -oBatchMode=yes");
  return run_process(argv, options);
}

Error unreadable(const std::string& repository, const ProcessResult& result) {
  const auto says = [&](const char* part) { return contains(result.out, part); };
  std::string fix =
      "`git ls-remote -- " + shell_quoted(std::vector{repository}) + "` must succeed without a prompt";
  if (result.exit_code == 127)
    return {
        ErrorCode::failure, "git is not installed", "kml reads " + repository + " with git",
        environment("KUBERNETES_SERVICE_HOST").empty()
            ? "install git"
            : "choose an --engine-image with kml, git and sh, such as one that `examples/engine-image --git` "
              "builds"};
  if (says("dubious ownership"))
    fix = "if you trust its owner: git config --global --add safe.directory " +
          shell_quoted(std::vector{repository});
  else if (says("could not read Username") || says("could not read Password") ||
           says("Authentication failed"))
    fix = "store a password for that server with git's credential helper: git help credentials";
  else if (says("Permission denied (publickey"))
    fix = "add your key to ssh-agent, and to your account on that server";
  return {ErrorCode::failure, "cannot read the repository " + repository,
          clean(std::string(trim(result.out))), fix};
}

/// The output of `git ls-remote`: each line has a commit, a tab and a ref. Warnings may come first.
std::vector<std::pair<std::string, std::string>> refs_of(const std::string& repository,
                                                         const std::string& ref) {
  const ProcessResult result = remote_git(ScratchFolder(), {"ls-remote", "--heads", "--", repository, ref});
  if (result.exit_code != 0) throw unreadable(repository, result);
  std::vector<std::pair<std::string, std::string>> refs;
  for (const std::string& line : split(result.out, '\n'))
    if (const size_t tab = line.find('\t'); tab == 40 || tab == 64)  // SHA-1 or SHA-256
      refs.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  return refs;
}

bool has_password(const std::string& repository) {
  const size_t begin = repository.find("://"),
               end = begin == std::string::npos ? begin : repository.find('/', begin + 3);
  if (begin == std::string::npos) return false;
  const std::string host = repository.substr(begin + 3, end == std::string::npos ? end : end - begin - 3);
  const size_t at = host.rfind('@');
  const bool is_http = repository.starts_with("http");  // the user name in an http URL may be a token
  return at != std::string::npos && (is_http || host.find(':') < at);
}

/// A script. Its arguments are the new folder, the repository, the branch, the commit, and the program with
/// its arguments.
constexpr const char* kRunInCheckout = R"(set -e
folder=$1 repository=$2 branch=$3 commit=$4
shift 4
[ ! -e "$folder" ] || rm -rf "$folder"
git init --quiet "$folder"
cd "$folder"
git fetch --quiet --depth 1 -- "$repository" "$commit" 2>/dev/null || git fetch --quiet -- "$repository" "refs/heads/$branch"
git -c advice.detachedHead=false checkout --quiet --detach "$commit" || exit 2
exec "$@"
)";

}  // namespace

std::vector<std::string> command_in_checkout(const GitBranch& branch, const std::string& commit,
                                             const std::string& folder,
                                             const std::vector<std::string>& words) {
  std::vector<std::string> command = {"sh",          "-c",  kRunInCheckout, "sh", folder, branch.repository,
                                      branch.branch, commit};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

GitBranch parse_git_branch(const std::string& text) {
  const size_t hash = text.find('#');
  if (hash == std::string::npos || hash == 0 || hash + 1 == text.size())
    throw usage_error("\"" + text + "\" does not name a branch of a repository", "",
                      "write it as REPOSITORY#BRANCH: https://github.com/ana/bert#main, or ~/bert.git#main");
  GitBranch branch{text.substr(0, hash), text.substr(hash + 1)};
  if (has_password(branch.repository))
    throw usage_error("the URL of the repository contains a password or a token",
                      "other users on this machine, and readers of the schedule, would see it",
                      "leave it out, and store it with git's credential helper: git help credentials");
  std::error_code none;
  if (fs::is_directory(branch.repository, none)) branch.repository = fs::canonical(branch.repository);
  const ProcessResult valid =
      remote_git(ScratchFolder(), {"check-ref-format", "refs/heads/" + branch.branch});
  if (valid.exit_code == 127) throw unreadable(branch.repository, valid);
  if (valid.exit_code != 0) throw usage_error("\"" + branch.branch + "\" cannot be the name of a branch");
  return branch;
}

std::string newest_commit(const GitBranch& branch) {
  const std::string ref = "refs/heads/" + branch.branch;
  for (const auto& [commit, name] : refs_of(branch.repository, ref))
    if (name == ref) return commit;
  std::vector<std::string> names;
  for (const auto& [commit, name] : refs_of(branch.repository, "refs/heads/*"))
    if (name.starts_with("refs/heads/")) names.push_back(name.substr(11));
  const std::string near = did_you_mean(branch.branch, names);
  throw Error(ErrorCode::failure, "no branch \"" + branch.branch + "\" in " + branch.repository,
              names.empty() ? "the repository has no branches" : "it has " + some_of(names), near);
}

std::vector<std::string> commits_after(const GitBranch& branch, const std::string& old,
                                       const std::string& newest) {
  const ScratchFolder folder;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"init", "--quiet", "--bare", "."},
        {"fetch", "--quiet", "--", branch.repository, "refs/heads/" + branch.branch}})
    if (const ProcessResult result = remote_git(folder, arguments); result.exit_code != 0)
      throw unreadable(branch.repository, result);
  if (remote_git(folder, {"merge-base", "--is-ancestor", old, newest}).exit_code != 0) return {newest};
  const ProcessResult list =
      remote_git(folder, {"rev-list", "--reverse", "--topo-order", old + ".." + newest});
  if (list.exit_code != 0) throw unreadable(branch.repository, list);
  return split(trim(list.out), '\n');
}

}  // namespace kml::job
