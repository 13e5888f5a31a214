#include "kml/base/read_record.h"

#include <algorithm>
#include <array>

namespace kml {

namespace {

// The record is a sequence of texts, each ended by a zero byte: "WORD NAME". After a "list", its entries
// follow.
constexpr std::string_view kBegin = "kml-reads 1", kEnd = "end ", kTested = "tested-", kEntry = "entry-";
constexpr std::array<std::string_view, 5> kKinds = {"missing", "file", "folder", "link", "other"};

std::optional<PathKind> kind_named(std::string_view word) {
  const auto* found = std::find(kKinds.begin(), kKinds.end(), word);
  if (found == kKinds.end()) return {};
  return static_cast<PathKind>(found - kKinds.begin());
}

std::string_view word_of(PathKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

void put(std::string& text, std::string_view word, std::string_view name) {
  text += word;
  text += ' ';
  text += name;
  text += '\0';
}

/// Calls `take` with each folder above the name, the nearest first.
template <typename Take>
bool any_above(std::string name, const Take& take) {
  for (size_t slash; (slash = name.rfind('/')) != std::string::npos;) {
    name.resize(slash);
    if (take(name)) return true;
  }
  return false;
}

std::string child(const std::string& folder, const std::string& name) {
  return folder == "." ? name : folder + "/" + name;
}

bool is_module_folder(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("python3") || name == "site-packages" || name == "dist-packages" ||
         name == "lib-dynload";
}

}  // namespace

bool is_importable(std::string_view name, PathKind kind) {
  if (name.find('.') == std::string_view::npos) return kind != PathKind::file;
  return name.ends_with(".py") || name.ends_with(".pyc") || name.ends_with(".so");
}

/// Whether the program itself has made the file or folder with this name. The call that was meant to make it
/// may have failed, so the time of the file must show that the call succeeded.
bool ReadRecord::is_own(const std::string& name, PathSeen seen) const {
  const bool is_missing = seen.kind == PathKind::missing;
  const auto is_in = [&](const std::string& each) {
    return is_missing ? removed_.contains(each) : folders_.contains(each);
  };
  if (any_above(name, is_in)) return is_missing || seen.is_new || seen.kind == PathKind::folder;
  if (is_missing) return removed_.contains(name);
  return reads_.made.contains(name) && (seen.is_new || seen.kind == PathKind::folder);
}

void ReadRecord::look(const std::string& name, PathSeen seen) {
  if (reads_.looked_up.contains(name) || is_own(name, seen)) return;
  if (const auto before = before_.find(name); before != before_.end()) seen = before->second;
  reads_.looked_up[name] = seen.kind;
  if (seen.is_new && seen.kind != PathKind::folder) reads_.changed.insert(name);
}

void ReadRecord::write(const std::string& name, PathSeen seen) {
  if (seen.kind == PathKind::missing) return make(name, seen);
  if (!is_own(name, seen)) before_.try_emplace(name, seen);
}

void ReadRecord::make(const std::string& name, PathSeen) {
  reads_.made.insert(name);
  removed_.erase(name);
}

void ReadRecord::make_folder(const std::string& name, PathSeen seen) {
  if (seen.kind != PathKind::missing) return;
  make(name, seen);
  folders_.insert(name);
}

void ReadRecord::remove(const std::string& name, PathSeen seen) {
  if (!is_own(name, seen)) reads_.tested.try_emplace(name, seen.kind);
  if (seen.kind == PathKind::missing) return;
  reads_.made.insert(name);
  removed_.insert(name);
}

/// Treats the old name as read, because the new name gets the same content.
void ReadRecord::rename(const std::string& from, PathSeen seen) {
  const bool is_of_others = !is_own(from, seen);
  look(from, seen);
  if (seen.kind == PathKind::folder && is_of_others) give_up("it renamed the folder " + from);
  remove(from, seen);
}

void ReadRecord::add_entries(Reads::List& list, const std::string& folder, const Entries& entries) {
  for (const auto& [entry, seen] : entries) {
    const std::string name = child(folder, entry);
    if (!is_own(name, seen)) list.entries[entry] = seen.kind;
  }
}

std::string ReadRecord::text() const {
  std::string text;
  put(text, kBegin, "");
  for (const auto& [name, kind] : reads_.looked_up)
    put(text, kind == PathKind::missing && folders_.contains(name) ? "own-folder" : word_of(kind), name);
  for (const auto& [name, kind] : reads_.tested) {
    const bool is_remade = reads_.made.contains(name) && kind == PathKind::missing;
    if (!reads_.looked_up.contains(name) && !is_remade)
      put(text, std::string(kTested).append(word_of(kind)), name);
  }
  for (const auto& [folder, list] : reads_.lists) {
    put(text, list.is_of_imports ? "imports" : "list", folder);
    for (const auto& [name, kind] : list.entries) put(text, std::string(kEntry).append(word_of(kind)), name);
  }
  for (const std::string& name : reads_.made) put(text, "made", name);
  for (const std::string& name : reads_.changed) put(text, "changed", name);
  if (!reads_.unsure.empty()) put(text, "unsure", reads_.unsure);
  return text.append(kEnd) + '\0';
}

std::optional<Reads> parse_reads(std::string_view text) {
  Reads reads;
  Reads::List* list = nullptr;
  bool is_first = true;
  while (!text.empty()) {
    const size_t end = text.find('\0');
    if (end == std::string_view::npos) return {};
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (std::exchange(is_first, false)) {
      if (line != std::string(kBegin) + " ") return {};
      continue;
    }
    if (line == kEnd) return text.empty() ? std::optional(std::move(reads)) : std::nullopt;
    const size_t space = line.find(' ');
    if (space == std::string_view::npos) return {};
    std::string_view word = line.substr(0, space);
    const std::string name(line.substr(space + 1));
    if (word == "own-folder") {
      reads.looked_up[name] = PathKind::missing;
      reads.own_folders.insert(name);
    } else if (word == "list" || word == "imports") {
      list = &reads.lists[name];
      list->is_of_imports = word == "imports";
    } else if (word == "made") {
      reads.made.insert(name);
    } else if (word == "changed") {
      reads.changed.insert(name);
    } else if (word == "unsure") {
      reads.unsure = name;
    } else {
      std::map<std::string, PathKind>* kinds = &reads.looked_up;
      if (word.starts_with(kTested)) {
        kinds = &reads.tested;
        word.remove_prefix(kTested.size());
      } else if (word.starts_with(kEntry) && list) {
        kinds = &list->entries;
        word.remove_prefix(kEntry.size());
      }
      const auto kind = kind_named(word);
      if (!kind) return {};
      (*kinds)[name] = *kind;
    }
  }
  return {};
}

std::optional<ImportListings::Outcome> ImportListings::look(int thread, const std::string& path) {
  Thread& now = threads_[thread];
  now.last_look = path;
  if (now.listed.empty()) {
    now.opened.clear();
    return {};
  }
  const std::string inside = now.opened + "/";
  if (path.starts_with(inside) && path.ends_with(".py") && path.find('/', inside.size()) == std::string::npos)
    return {};  // any program may stat a module, so the next call decides whether it was an import
  Outcome outcome{std::move(now.listed)};
  outcome.is_of_imports =
      is_module_folder(path) || path.starts_with(inside + "__pycache__/") ||
      (path.starts_with(inside) && path.find("/__init__.", inside.size()) != std::string::npos);
  now.listed.clear();
  now.opened.clear();
  return outcome;
}

std::optional<ImportListings::Outcome> ImportListings::open(int thread, const std::string& path) {
  Thread& now = threads_[thread];
  const bool is_after_stat = now.last_look == path;
  std::optional<Outcome> outcome = look(thread, path);
  now.last_look.clear();
  now.opened = is_after_stat && !path.empty() && path.front() == '/' ? path : "";
  return outcome;
}

bool ImportListings::list(int thread, const std::string& folder) {
  const auto now = threads_.find(thread);
  if (now == threads_.end() || now->second.opened.empty()) return false;
  if (!now->second.listed.empty()) return now->second.listed == folder;
  now->second.listed = folder;
  return true;
}

std::vector<std::string> ImportListings::rest() const {
  std::vector<std::string> folders;
  for (const auto& [thread, state] : threads_)
    if (!state.listed.empty()) folders.push_back(state.listed);
  return folders;
}

}  // namespace kml
