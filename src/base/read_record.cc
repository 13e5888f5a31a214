#include "kml/base/read_record.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace kml {

namespace {

// The record is a sequence of texts, each ended by a zero byte: "WORD NAME". After a "list" or "imports", its
// entries follow. The number in kBegin grows when earlier records lack something that is now compared.
constexpr std::string_view kBegin = "kml-reads 2", kEnd = "end ", kTested = "tested-", kEntry = "entry-",
                           kMode = "mode-";
constexpr std::array<std::string_view, 5> kKinds = {"missing", "file", "folder", "link", "other"};

std::optional<PathKind> kind_named(std::string_view word) {
  const auto* found = std::find(kKinds.begin(), kKinds.end(), word);
  if (found == kKinds.end()) return {};
  return static_cast<PathKind>(found - kKinds.begin());
}

std::string_view word_of(PathKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

std::string octal(unsigned mode) {
  char digits[16];
  return {digits, std::to_chars(digits, std::end(digits), mode, 8).ptr};
}

void put(std::string& text, std::string_view word, std::string_view name) {
  text += word;
  text += ' ';
  text += name;
  text += '\0';
}

/// Calls `take` with each folder above the name, the nearest first, until it returns true.
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

}  // namespace

bool is_importable(std::string_view name, PathKind kind) {
  if (name.find('.') == std::string_view::npos) return kind != PathKind::file;
  const std::string_view end = name.substr(name.rfind('.'));
  return end == ".py" || end == ".pyc" || end == ".so" || end == ".dist-info" || end == ".egg-info" ||
         end == ".egg" || end == ".egg-link";
}

/// Whether the program itself has made or removed the file or folder with this name. The call that was meant
/// to make it may have failed, so the time of a file must show that the call succeeded.
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
  seen = first_seen(name, seen);
  reads_.looked_up[name] = seen.kind;
  if (seen.is_new && seen.kind != PathKind::folder) reads_.changed.insert(name);
}

PathSeen ReadRecord::first_seen(const std::string& name, PathSeen seen) const {
  const auto before = before_.find(name);
  return before == before_.end() ? seen : before->second;
}

void ReadRecord::ask(const std::string& name, PathSeen seen) {
  look(name, seen);
  const bool has_mode = seen.kind == PathKind::file || seen.kind == PathKind::folder;
  if (has_mode && !reads_.modes.contains(name) && !is_own(name, seen))
    reads_.modes.try_emplace(name, first_seen(name, seen).mode);
}

void ReadRecord::test(const std::string& name, PathSeen seen) {
  if (!is_own(name, seen)) reads_.tested.try_emplace(name, first_seen(name, seen).kind);
}

void ReadRecord::write(const std::string& name, PathSeen seen) {
  if (seen.kind == PathKind::missing) return make(name, seen);
  if (seen.kind == PathKind::folder) return test(name, seen);
  if (is_own(name, seen)) return;
  before_.try_emplace(name, seen);
  reads_.written.insert(name);
}

void ReadRecord::make(const std::string& name, PathSeen seen) {
  if (seen.kind == PathKind::folder) return test(name, seen);
  if (!is_own(name, seen)) reads_.written.insert(name);
  reads_.made.insert(name);
  removed_.erase(name);
}

void ReadRecord::create(const std::string& name, PathSeen seen) {
  test(name, seen);
  if (seen.kind == PathKind::missing) make(name, seen);
}

void ReadRecord::make_folder(const std::string& name, PathSeen seen) {
  create(name, seen);
  if (seen.kind == PathKind::missing) folders_.insert(name);
}

void ReadRecord::replace(const std::string& name, PathSeen seen) {
  if (renamed_ != PathKind::folder) return make(name, seen);
  test(name, seen);
  reads_.made.insert(name);
  removed_.erase(name);
  folders_.insert(name);
}

void ReadRecord::remove(const std::string& name, PathSeen seen) {
  test(name, seen);
  if (seen.kind == PathKind::missing) return;
  reads_.made.insert(name);
  removed_.insert(name);
}

/// Treats the old name as read, because the new name gets the same content.
void ReadRecord::rename(const std::string& from, PathSeen seen) {
  const bool is_of_others = !is_own(from, seen);
  renamed_ = seen.kind;
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
  const auto is_left = [&](const std::string& name) {  // what a step left behind does not make it run again
    return reads_.made.contains(name) && !removed_.contains(name);
  };
  std::string text;
  put(text, kBegin, "");
  for (const auto& [name, kind] : reads_.looked_up)
    put(text,
        kind == PathKind::missing && is_left(name) && folders_.contains(name) ? "own-folder" : word_of(kind),
        name);
  for (const auto& [name, kind] : reads_.tested)
    if (!reads_.looked_up.contains(name) && !(kind == PathKind::missing && is_left(name)))
      put(text, std::string(kTested).append(word_of(kind)), name);
  for (const auto& [name, mode] : reads_.modes) put(text, std::string(kMode) + octal(mode), name);
  for (const std::string& name : reads_.written)
    if (!reads_.made.contains(name) && !reads_.looked_up.contains(name)) put(text, "written", name);
  for (const auto& [folder, list] : reads_.lists) {
    put(text, list.is_of_imports ? "imports" : "list", folder);
    for (const auto& [name, kind] : list.entries) put(text, std::string(kEntry).append(word_of(kind)), name);
  }
  for (const std::string& name : reads_.made)
    put(text, folders_.contains(name) ? "made-folder" : "made", name);
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
    } else if (word == "made" || word == "written" || word == "made-folder") {
      if (word != "written") reads.made.insert(name);
      if (word != "made-folder") reads.written.insert(name);
    } else if (word.starts_with(kMode)) {
      unsigned& mode = reads.modes[name];
      if (std::from_chars(word.data() + kMode.size(), word.data() + word.size(), mode, 8).ec != std::errc())
        return {};
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

}  // namespace kml
