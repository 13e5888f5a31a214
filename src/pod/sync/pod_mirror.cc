#include "pod/sync/pod_mirror.h"

#include <sys/stat.h>

#include <set>
#include <string_view>
#include <utility>

#include "kml/base/host_name.h"
#include "kml/base/sha256.h"
#include "kml/base/tar.h"
#include "kml/base/text.h"
#include "pod/copy/content_sum.h"
#include "pod/copy/local_tree.h"
#include "pod/copy/sent_files.h"

namespace kml::pod {

namespace {

constexpr std::string_view kFindTools = R"sh(
for t in tar xargs sha256sum mkdir rm mv; do command -v $t >/dev/null 2>&1 || echo $t; done
echo end)sh";

/// For each file that exists, prints the sum, and whether it is executable.
constexpr std::string_view kCompare = R"sh(
if cd "$1" 2>/dev/null; then
  xargs -0 sh -c 'sha256sum "$@" 2>/dev/null; for f; do [ ! -x "$f" ] || echo "x  $f"; done' sh
fi
echo end)sh";

/// $1 is the folder, and $2 is the stage in it. The archive has the sums of the files, then the files in
/// "new". If a folder does not exist in the pod, it is moved as a whole; otherwise each file replaces the old
/// one. Unless all sums are right, nothing is moved.
constexpr std::string_view kPlace = R"sh(
mkdir -p "$1" && cd "$1" && rm -rf "./$2" && mkdir -m 700 "./$2" && cd "./$2" && tar xpof - && cd new || exit
if [ -s ../sums ] && ! sha256sum -c ../sums >/dev/null 2>&1; then
  rm -rf "../../$2"
  echo changed
  echo end
  exit
fi
cd ../..
place() {
  from=$1 to=$2
  set --
  for f in "$from"/* "$from"/.[!.]* "$from"/..?*; do
    [ -e "$f" ] || [ -L "$f" ] || continue
    t=$to/${f##*/}
    if [ -d "$f" ] && [ ! -L "$f" ] && [ -d "$t" ] && [ ! -L "$t" ]; then
      (place "$f" "$t") || exit
    else
      set -- "$@" "$f"
      [ $# -lt 500 ] || { mv -f "$@" "$to/" && set --; } || exit
    fi
  done
  [ $# = 0 ] || mv -f "$@" "$to/"
}
place "./$2/new" . && rm -rf "./$2" && echo end)sh";

constexpr std::string_view kRemove = R"sh(
if cd "$1" 2>/dev/null; then xargs -0 rm -f || exit; fi
echo end)sh";
/// A folder comes after the folders in it.
constexpr std::string_view kRemoveFolders = R"sh(
if cd "$1" 2>/dev/null; then xargs -0 rmdir 2>/dev/null; fi
echo end)sh";

/// The name is the same for all syncs of this folder on this machine, so that the next sync removes what a
/// killed one has left.
std::string stage_name(const std::filesystem::path& folder) {
  constexpr size_t kDigits = 12;
  return ".kml-sync-" + sha256_hex(host_name() + ":" + folder.string()).substr(0, kDigits);
}

/// If a name contains a backslash, coreutils doubles that backslash, and puts another one before the sum.
std::string without_escapes(const std::string& line) {
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) ++i;
    text += line[i];
  }
  return text;
}

std::string plain(const std::string& name) {
  return "./" + name;
}

}  // namespace

PodMirror::PodMirror(PodShell& shell, const std::filesystem::path& folder, std::string target)
    : shell_(shell), folder_(folder), target_(std::move(target)), stage_(stage_name(folder)) {}

void PodMirror::check_tools() {
  const std::string missing =
      shell_.output_of({.script = kFindTools}, "cannot run commands in " + shell_.name());
  if (!missing.empty())
    throw Error(ErrorCode::failure, "cannot sync files to " + shell_.name(),
                "its image does not have " + join(split(trim(missing), '\n'), ", "),
                "kml cp copies once, and needs only find, xargs, stat, dd and cksum");
}

std::string PodMirror::working_folder() {
  const std::string text =
      shell_.output_of({.script = "pwd -P; echo end"}, "cannot run commands in " + shell_.name());
  return std::string(trim(text));
}

std::map<std::string, PodMirror::There> PodMirror::compare(const std::vector<std::string>& names) {
  std::vector<std::string> asked;
  for (const std::string& name : names) asked.push_back(plain(name));
  std::map<std::string, There> found;
  if (names.empty()) return found;
  const std::string text = shell_.output_of(
      {.script = kCompare, .arguments = {plain_path(target_)}, .input = names_as_input(asked)},
      "cannot read the files in " + shown(), 2 * longest_sums(asked));
  for (std::string line : split(text, '\n')) {
    if (line.starts_with('\\')) line = without_escapes(line.substr(1));
    const size_t name = line.find("./");
    if (name == std::string::npos) continue;
    There& there = found[line.substr(name + 2)];
    if (line.starts_with("x "))
      there.is_executable = true;
    else
      there.sum = sum_in_line(SumTool::sha256sum, line);
  }
  return found;
}

bool PodMirror::send(const std::vector<CopyEntry>& entries) {
  std::string sums, begin;
  std::map<std::string, CopyEntry> folders;
  TarSource tar(SumTool::sha256sum, [](std::uintmax_t) {}, {});
  for (const CopyEntry& entry : entries)
    for (size_t slash = entry.path.find('/'); slash != std::string::npos;
         slash = entry.path.find('/', slash + 1)) {
      const std::string folder = entry.path.substr(0, slash);
      struct stat at {};
      if (!folders.contains(folder) && ::stat((folder_ / folder).c_str(), &at) == 0)
        folders[folder] = {.path = folder, .kind = CopyEntry::Kind::folder, .mode = at.st_mode & 0777U};
    }
  for (const auto& [folder, entry] : folders) tar.add("new/" + folder, entry, folder_ / folder);
  for (const CopyEntry& entry : entries) {
    if (entry.kind == CopyEntry::Kind::file)
      sums +=
          local_sum(folder_ / entry.path, entry.size, SumTool::sha256sum) + "  " + plain(entry.path) + "\n";
    tar.add("new/" + entry.path, entry, folder_ / entry.path);
  }
  append_tar({.name = "sums", .content = sums}, begin);
  const std::string said =
      shell_.output_of({.script = kPlace,
                        .arguments = {plain_path(target_), stage_},
                        .input = [&] { return begin.empty() ? tar.next() : std::exchange(begin, {}); }},
                       "cannot write to " + shown());
  return said.empty();
}

void PodMirror::remove(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  std::set<std::string, std::greater<>> folders;  // longer names come first
  for (const std::string& name : names) {
    files.push_back(plain(name));
    for (size_t slash = name.rfind('/'); slash != std::string::npos; slash = name.rfind('/', slash - 1)) {
      if (!std::filesystem::is_directory(folder_ / name.substr(0, slash)))
        folders.insert(plain(name.substr(0, slash)));
      if (slash == 0) break;
    }
  }
  const auto run = [&](std::string_view script, const std::vector<std::string>& list) {
    if (!list.empty())
      shell_.output_of({.script = script, .arguments = {plain_path(target_)}, .input = names_as_input(list)},
                       "cannot delete files in " + shown());
  };
  run(kRemove, files);
  run(kRemoveFolders, {folders.begin(), folders.end()});
}

}  // namespace kml::pod
