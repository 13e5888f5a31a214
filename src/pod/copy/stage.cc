#include "pod/copy/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kml/base/beneath.h"
#include "kml/base/tar.h"
#include "pod/copy/common.h"
#include "pod/copy/sent_files.h"

namespace kml::pod {

namespace {

constexpr std::string_view kRemove = R"sh(rm -rf "$1")sh";
constexpr std::string_view kUnpack = R"sh(mkdir -p -m 700 "$1" && cd "$1" && exec tar xpof -)sh";
/// $1 is the stage, and $2 is the tool for sums. The archive ends with the names of its files, and with what
/// the tool must print for them, so that a cut or damaged archive is rejected. kMove and its arguments
/// follow. xargs reads from a pipe, because child processes of busybox's xargs change the offset of a file.
constexpr std::string_view kUnpackAndCheck = R"sh(
mkdir -p -m 700 "$1" && cd "$1" && rm -f kml-names kml-sums && tar xpof - || exit
[ -e kml-sums ] && { [ ! -s kml-names ] || [ "$(cat kml-names | xargs -0 "$2")" = "$(cat kml-sums)" ]; } || exit 0
cd "$OLDPWD" || exit
shift 2)sh";
constexpr std::string_view kNamesFile = "kml-names", kSumsFile = "kml-sums";
constexpr std::string_view kMakeFolders = R"sh(mkdir -p -m 700 "$1" && cd "$1" && exec xargs -0 mkdir -p)sh";
constexpr std::string_view kMakeLink = R"sh(cd "$1" && rm -f "$2" && exec ln -s "$3" "$2")sh";
/// $3 is the block to start at, $4 the tool for sums, $5 the mode, $6 the time and $7 the size.
///
/// A whole file is stored in parts. While one part arrives, the tool reads the previous part, which is still
/// in the node's memory. So the sum is known soon after the last byte, and nothing is read from the disk.
/// (tee could do that, but busybox's tee takes 1 kB at a time, and reads on when the disk is full.) If a part
/// leaves the size of the file unchanged, the input has ended. All parts are written through one open file,
/// because some volumes store a file when it is closed.
///
/// If $3 is not 0, the rest of the file is written from that block on. So if an interrupted attempt has left
/// a process behind, this process can only write the same bytes to the same place.
///
/// The shell outlives dd, because busybox's dd closes its standard input at the end, and containerd would
/// then close the connection's input. Some volumes do not support modes or times, so those failures are
/// ignored.
constexpr std::string_view kStore = R"sh(
mkdir -p -m 700 "$1" && cd "$1" || exit
[ "$3" = 0 ] || { dd of="$2" bs=65536 seek="$3" conv=notrunc; exit; }
rm -f "$2" && : >"$2" || exit
exec 3>&1
code=$({ {
  size=0 end=0
  while said=$(dd ibs=65536 obs=65536 count=512 2>&1 >&4) || { code=$?; echo "$said" >&2; echo $code >&5; exit; }
    wait
    size=$(stat -c %s "$2") && [ "$size" != "$end" ]
  do
    dd if="$2" bs=65536 skip=$((end / 65536)) count=$((size / 65536 - end / 65536)) 2>/dev/null &
    end=$size
  done 4>"$2"
  dd if="$2" bs=65536 skip=$((end / 65536)) 2>/dev/null
  echo 0 >&5
} | "$4" >&3; } 5>&1)
[ "$code" = 0 ] || exit "${code:-1}"
[ "$(stat -c %s "$2")" = "$7" ] || exit 0
chmod "$5" "$2" 2>/dev/null
touch -c -d "@$6" "$2" 2>/dev/null
exit 0)sh";
constexpr std::string_view kStoreBundle = R"sh(mkdir -p -m 700 "$1" && cd "$1" && cat >"$2")sh";
/// For each file, standard input has the first block, the number of blocks, the size and the name. The sums
/// of the files later show whether this worked.
constexpr std::string_view kSplitBundle = R"sh(
cd "$1" && BUNDLE=$2 && export BUNDLE || exit
xargs -0 sh -c 'for f; do
  begin=${f%% *} f=${f#* }; blocks=${f%% *} f=${f#* }; size=${f%% *} f=${f#* }
  [ ! -e "$f" ] || rm -f "$f" || exit
  dd if="$BUNDLE" bs=512 skip="$begin" count="$blocks" 2>/dev/null | head -c "$size" >"$f" || exit
done' sh && rm -f "$2")sh";
/// Some volumes do not support modes or times, so failures are ignored.
constexpr std::string_view kSetMode = R"sh(
cd "$1" && chmod "$3" "$2" && { [ -z "$4" ] || touch -c -d "@$4" "$2"; }
exit 0)sh";

/// $1 is the folder, $2 the stage in it, and $3 the name. If a folder exists, merges into it, file by file.
/// If the stage no longer exists, an earlier attempt has succeeded, but its response was lost. NAMES hides {}
/// from find, which would replace it in the inner script.
constexpr std::string_view kMove = R"sh(
cd "$1" || exit
[ -e "./$2/$3" ] || [ -z "$4" ] || exit 0
if [ -d "./$3" ] && [ -d "./$2/$3" ]; then
  MOVE='to=$1; shift; exec mv -f "$@" "$to"' NAMES='{}'
  export MOVE NAMES
  cd "./$2" || exit
  find "./$3" -type d -exec sh -c 'for d; do
    [ -d "../$d" ] || { mkdir "../$d" && chmod "$(stat -c %a "$d")" "../$d"; } || exit
    find "$d" -maxdepth 1 ! -type d -exec sh -c "$MOVE" sh "../$d/" "$NAMES" + || exit
  done' sh {} + || exit
  cd ..
elif [ -d "./$3" ]; then
  echo "kml: $3 is a folder" >&2
  exit 1
else
  mv -f "./$2/$3" "./$3" || exit
fi
rm -rf "./$2")sh";
constexpr std::string_view kTellMoved = " && echo moved";

/// Whether all entries of the stage belong to the copy.
bool is_part_of(const std::vector<CopyEntry>& copy, const PodTree& stage) {
  std::map<std::string_view, const CopyEntry*> wanted;
  for (const CopyEntry& entry : copy) wanted[entry.path] = &entry;
  return std::all_of(stage.entries.begin(), stage.entries.end(), [&](const CopyEntry& entry) {
    const auto found = wanted.find(entry.path);
    if (found == wanted.end() || found->second->kind != entry.kind) return false;
    return entry.kind != CopyEntry::Kind::file || entry.size <= found->second->size;
  });
}

}  // namespace

Stage::Stage(PodShell& shell, const PodTools& tools, const std::filesystem::path& source,
             const std::vector<CopyEntry>& entries, std::string folder, std::string name)
    : shell_(shell),
      tools_(tools),
      source_(source),
      entries_(entries),
      folder_(std::move(folder)),
      name_(std::move(name)),
      stage_(folder_ + "/" + part_name(name_)) {}

std::filesystem::path Stage::local_place(const CopyEntry& entry) const {
  return entry.path.empty() ? source_ : source_ / entry.path;
}

std::string Stage::staged_name(const CopyEntry& entry) const {
  return "./" + joined_path(name_, entry.path);
}

void Stage::do_in_pod(ShellCall call, const std::string& what) {
  call.arguments.insert(call.arguments.begin(), plain_path(stage_));
  const ShellEnd end = shell_.run(call);
  if (end.exit_code != 0)
    throw Error(ErrorCode::failure, "cannot write " + shell_.name() + ":" + folder_ + "/" + what, end.why());
}

void Stage::look(bool may_exist) {
  PodTree tree = may_exist ? list_pod_tree(shell_, stage_ + "/" + name_) : PodTree();
  if (!is_part_of(entries_, tree)) {
    do_in_pod({.script = kRemove}, part_name(name_));
    tree = {};
    equal_.clear();
  }
  found_ = {};
  take_out_equal(tree);
}

void Stage::take_out_equal(const PodTree& tree) {
  std::map<std::string_view, const CopyEntry*> staged;
  for (const CopyEntry& entry : tree.entries) staged[entry.path] = &entry;
  std::vector<std::pair<const CopyEntry*, const CopyEntry*>> compared;
  std::vector<std::string> names;
  for (const CopyEntry& entry : entries_) {
    const auto found = staged.find(entry.path);
    const CopyEntry* there = found == staged.end() ? nullptr : found->second;
    const bool is_file = entry.kind == CopyEntry::Kind::file;
    if (there && is_file && there->size == entry.size && equal_.contains(&entry)) {
      found_.arrived += entry.size;
    } else if (there && is_file && there->size == entry.size) {
      compared.emplace_back(&entry, there);
      names.push_back(staged_name(entry));
    } else if (!there || is_file || there->target != entry.target) {
      found_.missing.push_back(&entry);
      if (there && is_file) found_.arrived += found_.sizes[&entry] = there->size;
    } else if (entry.kind == CopyEntry::Kind::folder && there->mode != entry.mode) {
      found_.changed_modes.push_back(&entry);
    }
  }
  const std::vector<std::string> sums = sums_in_pod(shell_, tools_.sum, stage_, names);
  for (size_t i = 0; i < sums.size(); ++i) {
    const auto [entry, there] = compared[i];
    if (!sums_.agree(*entry, local_place(*entry), sums[i], tools_.sum)) {
      found_.missing.push_back(entry);
      continue;
    }
    found_.arrived += entry->size;
    if (there->mode != entry->mode || there->modified != entry->modified)
      found_.changed_modes.push_back(entry);
  }
}

void Stage::send(const std::function<void(std::uintmax_t)>& sent) {
  const bool can_bundle = tools_.has_tar || tools_.has_head;
  Entries small, others, large;
  for (const CopyEntry* entry : found_.missing) {
    const bool is_file = entry->kind == CopyEntry::Kind::file;
    (!is_file ? others : can_bundle && entry->size <= kSmallFile ? small : large).push_back(entry);
  }
  if (tools_.has_tar) {
    // Folders come before their contents.
    others.insert(others.end(), small.begin(), small.end());
    if (!others.empty()) send_tar(others, sent);
  } else {
    make_folders_and_links(others);
    send_bundles(small, sent);
  }
  for (const CopyEntry* file : large) send_file(*file, sent);
}

/// Whether an archive of these entries can be checked, and moved to its place, in one session.
bool Stage::is_moved_at_once(const Entries& entries) const {
  return entries.size() == found_.missing.size() && found_.changed_modes.empty() && name_ != kNamesFile &&
         name_ != kSumsFile && std::all_of(entries.begin(), entries.end(), [&](const CopyEntry* entry) {
           return is_plain_name(staged_name(*entry));
         });
}

void Stage::send_tar(const Entries& entries, const std::function<void(std::uintmax_t)>& sent) {
  may_be_moved_ = is_moved_at_once(entries);
  std::string names, sums, script(kUnpack), output;
  TarSource::OnSum on_sum;
  TarSource::OnEnd on_end;
  std::vector<std::string> arguments;
  if (may_be_moved_) {
    script = std::string(kUnpackAndCheck).append(kMove).append(kTellMoved);
    arguments = {name_of(tools_.sum), plain_path(folder_), part_name(name_), name_, ""};
    on_sum = [&](const CopyEntry& file, const std::string& sum) {
      names.append(staged_name(file)).push_back('\0');
      sums += line_of_sum(tools_.sum, sum, staged_name(file)) + "\n";
    };
    on_end = [&](std::string& out) {
      append_tar({.name = std::string(kNamesFile), .content = names}, out);
      append_tar({.name = std::string(kSumsFile), .content = sums}, out);
    };
  }
  TarSource tar(tools_.sum, sent, std::move(on_sum), std::move(on_end));
  for (const CopyEntry* entry : entries)
    tar.add(joined_path(name_, entry->path), *entry, local_place(*entry));
  do_in_pod({.script = script,
             .arguments = arguments,
             .input = [&tar] { return tar.next(); },
             .output = [&output](std::string_view bytes) { output += bytes; }},
            name_);
  is_moved_ = output == "moved\n";
  if (!is_moved_) return;
  for (const CopyEntry* entry : entries)
    if (entry->kind == CopyEntry::Kind::folder && (entry->mode | kOwnFolder) != entry->mode)
      found_.changed_modes.push_back(entry);
}

void Stage::make_folders_and_links(const Entries& entries) {
  std::vector<std::string> folders;
  for (const CopyEntry* entry : entries)
    if (entry->kind == CopyEntry::Kind::folder) folders.push_back(staged_name(*entry));
  if (!folders.empty()) do_in_pod({.script = kMakeFolders, .input = names_as_input(folders)}, name_);
  for (const CopyEntry* entry : entries)
    if (entry->kind == CopyEntry::Kind::link)
      do_in_pod({.script = kMakeLink, .arguments = {staged_name(*entry), entry->target}}, name_);
}

/// Sends small files to an image without tar: as bundles, which are files that a script splits there.
void Stage::send_bundles(Entries files, const std::function<void(std::uintmax_t)>& sent) {
  constexpr std::uintmax_t kMostBlocks = (std::uintmax_t{16} << 20) / 512;
  const std::string bundle = name_ == "bundle" ? "files" : "bundle";
  while (!files.empty()) {
    BundleSource source(sent);
    std::vector<std::string> parts;
    for (std::uintmax_t begin = 0; begin < kMostBlocks && !files.empty(); files.pop_back()) {
      const CopyEntry& file = *files.back();
      begin = source.add(file.size, local_place(file));
      parts.push_back(fmt::format("{} {} {} {}", begin, blocks_of(file.size), file.size, staged_name(file)));
    }
    do_in_pod({.script = kStoreBundle, .arguments = {bundle}, .input = [&source] { return source.next(); }},
              name_);
    do_in_pod({.script = kSplitBundle, .arguments = {bundle}, .input = names_as_input(parts)}, name_);
  }
}

void Stage::send_file(const CopyEntry& file, const std::function<void(std::uintmax_t)>& sent) {
  const auto found = found_.sizes.find(&file);
  const std::uintmax_t blocks = found == found_.sizes.end() ? 0 : found->second / kCopyBlock;
  FileSource source(local_place(file), blocks * kCopyBlock, file.size, sent);
  ContentSum sum(tools_.sum);
  std::string output;
  do_in_pod({.script = kStore,
             .arguments = {staged_name(file), std::to_string(blocks), name_of(tools_.sum),
                           fmt::format("{:o}", file.mode), std::to_string(file.modified),
                           std::to_string(file.size)},
             .input =
                 [&] {
                   std::string piece = source.next();
                   sum.add(piece);
                   return piece;
                 },
             .output = [&](std::string_view bytes) { output += bytes; }},
            joined_path(name_, file.path));
  if (sum_in_line(tools_.sum, output) != sum.text()) return;  // look() finds out what has arrived
  equal_.insert(&file);
  std::erase(found_.missing, &file);
}

/// Sets the modes of files while they are in the stage. Sets the modes of folders only at their final place,
/// because a folder cannot be moved if its owner may not write to it.
void Stage::set_modes(const std::string& folder, CopyEntry::Kind kind) {
  for (auto entry = found_.changed_modes.rbegin(); entry != found_.changed_modes.rend(); ++entry) {
    const auto& [path, its_kind, mode, size, modified, target] = **entry;
    const std::string time = kind == CopyEntry::Kind::file ? std::to_string(modified) : "";
    if (its_kind == kind)
      shell_.run({.script = kSetMode,
                  .arguments = {plain_path(folder), staged_name(**entry), fmt::format("{:o}", mode), time}});
  }
}

void Stage::move() {
  if (!is_moved_) {
    const bool is_again = std::exchange(has_begun_move_, true);
    if (!is_again) set_modes(stage_, CopyEntry::Kind::file);
    const ShellEnd end = shell_.run({.script = kMove,
                                     .arguments = {plain_path(folder_), part_name(name_), name_,
                                                   is_again || may_be_moved_ ? "again" : ""}});
    if (end.exit_code != 0)
      throw Error(ErrorCode::failure, "cannot write " + shell_.name() + ":" + folder_ + "/" + name_,
                  end.why());
    is_moved_ = true;
  }
  set_modes(folder_, CopyEntry::Kind::folder);
}

}  // namespace kml::pod
