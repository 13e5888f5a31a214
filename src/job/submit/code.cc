#include "kml/job/submit/code.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "job/submit/git_repository.h"
#include "job/submit/hidden_files.h"
#include "job/submit/large_code.h"
#include "kml/base/archive.h"
#include "kml/base/missing_path.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/base/tree_names.h"
#include "kml/job/views/kinds.h"

namespace kml::job {

namespace fs = std::filesystem;

namespace {

/// Folders that never contain code to send. Used if the folder is not in a git repository.
const std::set<std::string> kLeftOut = {".git",        ".hg",         ".svn",          "__pycache__",
                                        ".venv",       "venv",        ".tox",          "node_modules",
                                        ".mypy_cache", ".ruff_cache", ".pytest_cache", ".ipynb_checkpoints"};

void add(const fs::path& folder, const std::string& name, std::vector<CodeFile>& files) {
  const fs::path path = folder / name;
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return;  // the file was deleted, but git still lists it
  if (S_ISREG(info.st_mode) || S_ISLNK(info.st_mode))
    files.push_back(
        {name, static_cast<uintmax_t>(info.st_size), (info.st_mode & S_IXUSR) != 0, S_ISLNK(info.st_mode)});
  if (!S_ISDIR(info.st_mode) || !fs::exists(path / ".git")) return;
  for (CodeFile& inner : code_files(path)) {  // git lists a nested repository as a folder, without its files
    inner.name.insert(0, (fs::path(name) / "").string());
    files.push_back(std::move(inner));
  }
}

std::vector<std::string> names_by_git(const fs::path& folder, const std::vector<std::string>& arguments) {
  constexpr size_t kLongestList = size_t{64} << 20;
  const GitCall call = safe_git(folder, arguments, kLongestList);
  const ProcessResult result = run_process(call.argv, call.options);
  if (result.exit_code != 0)
    throw Error(ErrorCode::failure, "cannot determine which files of " + folder.string() + " are code",
                result.exit_code == 127 ? "it is a git repository, but git is not installed"
                                        : "git could not list its files",
                "this must succeed: git -C " + folder.string() + " status");
  std::vector<std::string> names = split(result.out, '\0');
  std::erase(names, "");
  return names;
}

/// The names that git lists, but only those of files in the folder. Git also lists tracked files whose folder
/// was replaced by a link, and a manipulated index may list any name.
class NamesInside {
 public:
  explicit NamesInside(const fs::path& folder) : folder_(folder) {}

  bool has(std::string_view name) {
    if (name.ends_with('/')) name.remove_suffix(1);  // a nested repository
    return is_path_beneath(name) && !is_below_link(std::string(name));
  }

 private:
  bool is_below_link(const std::string& name) {
    const size_t end = name.rfind('/');
    if (end == std::string::npos) return false;
    const std::string above = name.substr(0, end);
    const auto [known, is_new] = below_link_.emplace(above, false);
    if (is_new) known->second = fs::is_symlink(folder_ / above) || is_below_link(above);
    return known->second;
  }

  const fs::path& folder_;
  std::map<std::string, bool> below_link_;  ///< whether a link leads to something below a folder
};

std::vector<CodeFile> files_of_git(const fs::path& folder) {
  std::vector<CodeFile> files;
  NamesInside inside(folder);
  for (const std::string& name : names_by_git(
           folder, {"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"}))
    if (inside.has(name)) add(folder, name, files);
  return files;
}

void refuse_unlistable(const fs::path& folder) {
  if (::access(folder.c_str(), R_OK | X_OK) == 0 || errno != EACCES) return;
  const std::string words[] = {"chmod", "u+rx", folder.string()};
  throw Error(
      ErrorCode::failure, "cannot list the folder " + folder.string(), "permission denied",
      "`" + shell_quoted(words) +
          "`, or move it elsewhere; in a pipeline, `code: {paths: [train.py, lib]}` selects the code");
}

std::vector<CodeFile> all_files(const fs::path& folder,
                                const std::function<bool(const std::string&)>& may_count) {
  std::vector<CodeFile> files;
  refuse_unlistable(folder);
  for (auto at = fs::recursive_directory_iterator(folder); at != fs::recursive_directory_iterator(); ++at) {
    const std::string name = at->path().lexically_relative(folder);
    std::error_code unknown;  // the error for a link that leads to itself
    const bool is_folder = at->is_directory(unknown);
    if (kLeftOut.contains(at->path().filename()) || (is_folder && !may_count(name))) {
      at.disable_recursion_pending();
      continue;
    }
    if (is_folder && !at->is_symlink()) refuse_unlistable(at->path());
    if (at->path().extension() != ".pyc" && (at->is_symlink() || at->is_regular_file(unknown)))
      add(folder, name, files);
  }
  return files;
}

}  // namespace

namespace {

/// Whether the file, or a folder in its path, is hidden.
bool is_hidden(const fs::path& name) {
  return std::any_of(name.begin(), name.end(),
                     [](const fs::path& part) { return part.native().starts_with('.'); });
}

}  // namespace

std::vector<CodeFile> code_files(const fs::path& folder,
                                 const std::function<bool(const std::string&)>& may_count) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw not_a_folder(folder);
  std::vector<CodeFile> files =
      is_in_repository(fs::canonical(folder)) ? files_of_git(folder) : all_files(folder, may_count);
  if (leaves_out_hidden_files())
    std::erase_if(files, [](const CodeFile& file) { return is_hidden(file.name); });
  std::sort(files.begin(), files.end(), [](const CodeFile& a, const CodeFile& b) { return a.name < b.name; });
  return files;
}

std::vector<std::string> code_folders(const fs::path& folder) {
  std::set<std::string> ignored;
  const bool is_git = is_in_repository(fs::canonical(folder));
  if (is_git)
    for (const std::string& name : names_by_git(
             folder, {"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"}))
      if (name.ends_with('/')) ignored.insert(name.substr(0, name.size() - 1));
  const auto is_left_out = [&](const fs::path& path, const std::string& name) {
    return is_git ? path.filename() == ".git" || ignored.contains(name) : kLeftOut.contains(path.filename());
  };
  std::vector<std::string> folders = {""};
  for (size_t i = 0; i < folders.size(); ++i) {
    std::error_code failure;  // the error if a folder is removed meanwhile or is unreadable
    for (fs::directory_iterator at(folder / folders[i], failure), end; !failure && at != end;
         at.increment(failure)) {
      const std::string name = at->path().lexically_relative(folder);
      std::error_code unknown;
      if (at->symlink_status(unknown).type() == fs::file_type::directory && !is_left_out(at->path(), name))
        folders.push_back(name);
    }
  }
  return folders;
}

Error too_large_code(std::string what, std::vector<CodeFile> files) {
  constexpr size_t kNamed = 5;
  std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.size > b.size; });
  files.resize(std::min(files.size(), kNamed));
  std::vector<std::string> largest;
  for (const CodeFile& file : files) largest.push_back(file.name + " " + size_text(file.size));
  return usage_error(std::move(what), "the largest are " + join(largest, ", "),
                     "let git ignore files that are not code; keep data on a volume: --mount pvc/NAME:/data");
}

namespace {

/// The maximum size of a Secret (the API server's MaxSecretSize).
constexpr size_t kPart = size_t{1} << 20;
/// A larger archive would burden etcd, which keeps it in memory.
constexpr size_t kMostPacked = 16 * kPart;
/// Rejects a folder full of data at once, instead of reading it for minutes first.
constexpr uintmax_t kMostUnpacked = uintmax_t{512} << 20;

Error too_large(const fs::path& folder, const std::vector<CodeFile>& files) {
  return too_large_code(fmt::format("{} is too large for --code: its files must fit into {}, compressed",
                                    folder.string(), size_text(kMostPacked)),
                        files);
}

std::string packed(const fs::path& folder, const std::vector<CodeFile>& files) {
  Archive archive;
  for (const CodeFile& file : files) {
    if (file.is_link)
      archive.add_link(file.name, fs::read_symlink(folder / file.name).string());
    else
      archive.add_file(file.name, read_file(folder / file.name, kMostUnpacked), file.is_executable);
    if (archive.size() > kMostPacked) throw too_large(folder, files);
  }
  std::string bytes = archive.finish();
  if (bytes.size() > kMostPacked) throw too_large(folder, files);
  return bytes;
}

void collect(const Json& value, std::string_view prefix, std::set<std::string>& names) {
  if (value.is_string() && value.get_ref<const std::string&>().starts_with(prefix)) names.insert(value);
  if (value.is_structured())
    for (const Json& item : value) collect(item, prefix, names);
}

}  // namespace

std::vector<CodeFile> files_to_pack(const fs::path& folder) {
  std::vector<CodeFile> files = code_files(folder);
  if (files.empty()) throw usage_error("no files in " + folder.string());
  uintmax_t size = 0;
  for (const CodeFile& file : files) size += file.size;
  if (size > kMostUnpacked) throw too_large(folder, files);
  return files;
}

Code pack_code(const fs::path& folder, bool is_local) {
  const std::vector<CodeFile> files = files_to_pack(folder);
  const std::string bytes = packed(folder, files);
  constexpr size_t kDigits = 32;  // 128 bits, which never collide by accident
  const std::string hash = sha256_hex(bytes).substr(0, kDigits);
  Code code;
  code.summary = fmt::format("{} file{}, {} compressed", files.size(), files.size() == 1 ? "" : "s",
                             size_text(bytes.size()));
  code.notes = notes_of_links(folder, files, is_local);
  for (size_t at = 0; at < bytes.size(); at += kPart) {
    code.secrets.push_back(fmt::format("{}{}-{}", kCodeSecretPrefix, hash, code.parts.size()));
    code.parts.push_back(bytes.substr(at, kPart));
  }
  return code;
}

std::vector<Belonging> code_belongings(const Code& code, const Marks& marks,
                                       const std::vector<Json>& objects) {
  std::vector<Belonging> list;
  for (size_t i = 0; i < code.parts.size(); ++i)
    for (Belonging& part : shared_secret({{"code", code.parts[i]}}, code.secrets[i], marks, objects))
      list.push_back(std::move(part));
  return list;
}

std::vector<std::string> secrets_of(const std::vector<Json>& objects, std::string_view prefix) {
  std::set<std::string> names;
  for (const Json& object : objects) collect(object.value("spec", Json()), prefix, names);
  return {names.begin(), names.end()};
}

}  // namespace kml::job
