#include "kml/base/import_listings.h"

#include <algorithm>
#include <utility>

namespace kml {

namespace {

/// When Python first searches a folder, three parts look at it: zipimporter, FileFinder's hook and
/// FileFinder's search.
constexpr int kLooksOfFirstSearch = 3;

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_inside(const std::string& path, const std::string& folder) {
  return path.starts_with(folder) && path[folder.size()] == '/';
}

/// A folder with modules of Python itself or of installed packages, or the archive in which Python looks
/// first.
bool is_library(std::string_view path) {
  const std::string_view name = file_name(path);
  if (name == "site-packages" || name == "dist-packages" || name == "lib-dynload") return true;
  const std::string_view above = file_name(path.substr(0, path.size() - name.size() - 1));
  if (!above.starts_with("lib") || !name.starts_with("python3") || name == "python3") return false;
  return name.ends_with(".zip") || name.find('.') != std::string_view::npos;
}

/// The path at which Python first looks for a package: NAME/__init__.cpython-311-x86_64-linux-gnu.so.
bool is_search_for_package(std::string_view rest) {
  constexpr std::string_view kInit = "__init__.", kEnd = ".so";
  const std::string_view file = file_name(rest);
  return std::count(rest.begin(), rest.end(), '/') == 1 && file.starts_with(kInit) && file.ends_with(kEnd) &&
         file.size() > kInit.size() + kEnd.size();
}

bool is_cached_code(std::string_view path, std::string_view module) {
  std::string_view name = file_name(module);
  name.remove_suffix(std::string_view("py").size());
  return path.ends_with(".pyc") && file_name(path).starts_with(name);
}

}  // namespace

/// Whether the folder has changed since Python searched it last.
bool ImportListings::has_changed(const std::string& path, const FolderTime& time) const {
  const auto known = searched_.find(path);
  return known != searched_.end() && known->second != time;
}

void ImportListings::begin(Thread& now, const std::string& name, std::vector<std::string> module_path) const {
  now.is_first = now.looks_before >= kLooksOfFirstSearch;
  now.may_be_search = now.is_first || has_changed(now.opened, now.time);
  now.listed = name;
  now.module_path = std::move(module_path);
  now.module.clear();
  now.next.clear();
}

ImportListings::Verdict ImportListings::verdict_inside(Thread& now, const std::string& path,
                                                       std::string_view rest) {
  if (is_search_for_package(rest)) return Verdict::search;
  if (rest.find('/') != std::string_view::npos) return Verdict::other;
  const bool is_extension = rest.ends_with(".so") && rest.find(".cpython-") != std::string_view::npos;
  if (is_extension && now.may_be_search) return Verdict::search;
  if (!rest.ends_with(".py")) return Verdict::other;
  now.module = path;
  now.module_looks = 1;
  return Verdict::unknown;
}

/// Python looks at a module twice, and then opens its cached code.
ImportListings::Verdict ImportListings::verdict(Thread& now, const std::string& path,
                                                const FolderTime* opened) const {
  const Verdict if_search = now.may_be_search ? Verdict::search : Verdict::other;
  if (!now.module.empty()) {
    if (path == now.module && ++now.module_looks <= 2) return Verdict::unknown;
    return now.module_looks == 2 && is_cached_code(path, now.module) ? if_search : Verdict::other;
  }
  if (opened && path == now.next && now.looks < kLooksOfFirstSearch && !has_changed(path, *opened))
    return has_metadata_ ? Verdict::metadata : Verdict::other;
  const auto end = now.module_path.end(), own = std::find(now.module_path.begin(), end, now.opened);
  if (!opened && own != end && (is_library(path) || std::find(own + 1, end, path) != end)) {
    now.next = path;
    return Verdict::unknown;
  }
  if (!now.next.empty())
    return now.is_first || path == now.next || is_inside(path, now.next) ? if_search : Verdict::other;
  return is_inside(path, now.opened) && !opened
             ? verdict_inside(now, path, std::string_view(path).substr(now.opened.size() + 1))
             : Verdict::other;
}

std::optional<ImportListings::Outcome> ImportListings::settle(Thread& now, const std::string& path,
                                                              const FolderTime* opened) {
  if (now.listed.empty()) return {};
  const Verdict found = verdict(now, path, opened);
  if (found == Verdict::unknown) return {};
  if (found == Verdict::search) searched_[now.opened] = now.time;
  return Outcome{std::exchange(now.listed, {}), found != Verdict::other};
}

std::optional<ImportListings::Outcome> ImportListings::look(int thread, const std::string& path) {
  has_metadata_ = has_metadata_ || path.ends_with("/importlib/metadata/__init__.py") ||
                  path.ends_with("/importlib_metadata/__init__.py");
  Thread& now = threads_[thread];
  std::optional<Outcome> outcome = settle(now, path, nullptr);
  if (now.listed.empty()) now.opened.clear();
  now.looks = path == now.last_look ? now.looks + 1 : 1;
  now.last_look = path;
  return outcome;
}

std::optional<ImportListings::Outcome> ImportListings::open(int thread, const std::string& path,
                                                            FolderTime time) {
  Thread& now = threads_[thread];
  std::optional<Outcome> outcome = settle(now, path, &time);
  const bool is_after = is_after_look(thread, path) && path.starts_with('/');
  now.opened = is_after ? path : "";
  now.looks_before = now.looks;
  now.time = time;
  now.last_look.clear();
  return outcome;
}

bool ImportListings::is_after_look(int thread, const std::string& path) const {
  const auto now = threads_.find(thread);
  return now != threads_.end() && now->second.last_look == path;
}

std::vector<std::string> ImportListings::rest() const {
  std::vector<std::string> folders;
  for (const auto& [thread, state] : threads_)
    if (!state.listed.empty() && !(state.is_first && !state.next.empty())) folders.push_back(state.listed);
  return folders;
}

}  // namespace kml
