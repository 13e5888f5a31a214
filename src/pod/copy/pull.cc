#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "kml/base/beneath.h"
#include "kml/pod/copy/copy.h"
#include "pod/copy/common.h"
#include "pod/copy/file_stream.h"
#include "pod/copy/local_tree.h"
#include "pod/copy/pod_shell.h"
#include "pod/copy/pod_tree.h"
#include "pod/copy/received_file.h"

namespace kml::pod {

namespace fs = std::filesystem;

namespace {

class Pull {
 public:
  Pull(kube::Client& client, const PodPath& source, const CopyReport& report, const job::Interrupt& interrupt)
      : shell_(client, source.rank, source.shown, interrupt),
        source_(source),
        report_(report),
        patience_(shell_, report.note) {}

  CopyResult run(const fs::path& target);

 private:
  using Files = std::deque<const CopyEntry*>;

  /// A small file that has arrived, but whose sum in the pod is not known yet. Its content is in memory
  /// (`is_held`) or in its partial file on disk.
  struct Arrived {
    std::string sum;
    std::uintmax_t size;
    bool is_held;
    std::string content;
  };

  void list();
  void choose_place(const fs::path& target);
  void copy_small(Files small, Files& single);
  void receive_small(Files& small, Files& single);
  void finish_small(const CopyEntry& file, const Arrived& arrived);
  void copy_single(const CopyEntry& file);
  bool receive_single(const CopyEntry& file);
  std::string place_of(const CopyEntry& entry) const { return joined_path(name_, entry.path); }
  void progress(std::uintmax_t more = 0) const { report_.progress(done_ + more, total_); }

  PodShell shell_;
  const PodPath& source_;
  const CopyReport& report_;
  Patience patience_;
  PodTools tools_;
  PodTree tree_;
  std::optional<Beneath> here_;
  std::string name_;  ///< relative to `here_`; if empty, the content of a folder is copied into `here_`
  std::uintmax_t done_ = 0, total_ = 0;
  CopyResult result_;
};

CopyResult Pull::run(const fs::path& target) {
  list();
  choose_place(target);
  result_.skipped = take_out_uncopyable(tree_.entries);
  Files small, single;
  for (const CopyEntry& entry : tree_.entries) {
    if (entry.kind == CopyEntry::Kind::folder && !place_of(entry).empty())
      here_->make_folder(place_of(entry));
    if (entry.kind != CopyEntry::Kind::file) continue;
    total_ += entry.size;
    ++result_.files;
    (entry.path.empty() || entry.size > kSmallFile || !is_plain_name(entry.path) ? single : small)
        .push_back(&entry);
  }
  copy_small(std::move(small), single);
  for (const CopyEntry* file : single) copy_single(*file);
  // Links and modes come last, so that no file is written through a link or into a read-only folder.
  for (auto entry = tree_.entries.rbegin(); entry != tree_.entries.rend(); ++entry) {
    if (entry->kind == CopyEntry::Kind::link) here_->make_link(place_of(*entry), entry->target);
    if (entry->kind == CopyEntry::Kind::folder && !place_of(*entry).empty())
      here_->set_folder_mode(place_of(*entry), entry->mode);
  }
  result_.bytes = done_;
  result_.sum_tool = name_of(tools_.sum);
  return std::move(result_);
}

void Pull::list() {
  const std::string shown = source_.shown + ":" + source_.path;
  while (true) try {
      const ToolsAndOutput found =
          tools_and_output(shell_, listing_call(source_.path), "cannot list " + shown, kLongestListing);
      tools_ = found.tools;
      tree_ = parse_pod_tree(found.output);
      break;
    } catch (const Error& error) {
      patience_.after(error, 0);
    }
  if (tree_.kind == PodTree::Kind::missing)
    throw Error(
        ErrorCode::failure, "no file or folder " + shown, "",
        "a relative path starts in the container's working directory or, after pvc/NAME, in the claim");
  if (tree_.kind == PodTree::Kind::other)
    throw Error(ErrorCode::failure, "cannot copy " + shown, "it is a pipe, a socket or a device");
}

void Pull::choose_place(const fs::path& target) {
  const std::string base = base_name(source_.path);
  const bool is_file = tree_.kind == PodTree::Kind::file;
  fs::path folder = target;
  if (!target.has_filename() || fs::is_directory(target)) {
    name_ = base;
  } else {
    folder = target.has_parent_path() ? target.parent_path() : ".";
    name_ = target.filename().string();
  }
  here_.emplace(folder);
  result_.target = (folder / name_).lexically_normal().string();
  if (fs::is_other(folder / name_))
    throw usage_error("cannot replace " + result_.target, "it is a pipe, a socket or a device",
                      "choose another target");
  if (is_file && fs::is_directory(folder / name_))
    throw usage_error("cannot replace the folder " + result_.target + " with a file", "",
                      "choose another target, or remove the folder");
}

/// How many files are sent before their sums. If a connection breaks, the files whose sums have not arrived
/// must be sent again.
size_t batch_of(const std::vector<const CopyEntry*>& files) {
  constexpr std::uintmax_t kMostFiles = 2000, kBytes = std::uintmax_t{1} << 20;
  std::uintmax_t size = 1;
  for (const CopyEntry* file : files) size += file->size;
  return static_cast<size_t>(std::clamp<std::uintmax_t>(kBytes * files.size() / size, 1, kMostFiles));
}

void Pull::copy_small(Files small, Files& single) {
  while (!small.empty()) try {
      receive_small(small, single);
    } catch (const Error& error) {
      if (!is_garbled(error)) {
        patience_.after(error, done_);
        continue;
      }
      // If a file changes while it is read, the whole batch is unusable.
      const size_t batch = batch_of({small.begin(), small.end()});
      for (size_t i = 0; i < batch && !small.empty(); ++i) {
        single.push_back(small.front());
        small.pop_front();
      }
    }
}

/// Removes files that are complete from `small`. Moves files with a different sum to `single`.
void Pull::receive_small(Files& small, Files& single) {
  std::vector<std::string> names;
  std::vector<const CopyEntry*> files(small.begin(), small.end());
  for (const CopyEntry* file : files) names.push_back("./" + file->path);
  std::deque<Arrived> arrived;
  std::uintmax_t held = 0;
  const auto on_content = [&](const CopyEntry& file, std::string content) {
    constexpr std::uintmax_t kMostHeld = std::uintmax_t{16} << 20;
    ContentSum sum(tools_.sum);
    sum.add(content);
    arrived.push_back({sum.text(), content.size(), held + content.size() <= kMostHeld, {}});
    Arrived& last = arrived.back();
    if (!last.is_held) return ReceivedFile(*here_, place_of(file), tools_.sum, 0).add(content);
    held += content.size();
    last.content = std::move(content);
  };
  const auto on_sum = [&](const CopyEntry& file, const std::string& sum) {
    const Arrived first = std::move(arrived.front());
    arrived.pop_front();
    small.pop_front();
    if (first.is_held) held -= first.size;
    if (sum != first.sum) return single.push_back(&file);
    finish_small(file, first);
    done_ += first.size;
    progress();
  };
  FileStream stream(files, tools_.sum, {on_content, on_sum});
  shell_.run({.script = kFilesScript,
              .arguments = {plain_path(source_.path), name_of(tools_.sum), std::to_string(batch_of(files))},
              .input = names_as_input(names),
              .output = [&](std::string_view bytes) { stream.feed(bytes); }});
  if (!stream.is_complete()) throw cut_short("cannot read the files of " + shell_.name());
}

void Pull::finish_small(const CopyEntry& file, const Arrived& arrived) {
  const std::string place = place_of(file);
  if (arrived.is_held) {
    if (here_->create(place, arrived.content, file.mode, file.modified)) return;
    ReceivedFile(*here_, place, tools_.sum, 0).add(arrived.content);
  }
  here_->complete(place, file.mode, file.modified);
}

void Pull::copy_single(const CopyEntry& file) {
  for (int mismatches = 0; mismatches < kMostMismatches;) try {
      if (receive_single(file)) return;
      ++mismatches;
    } catch (const Error& error) {
      patience_.after(error, done_ + ReceivedFile::size_of(*here_, place_of(file)));
    }
  throw never_the_same(shell_.name() + ":" + joined_path(source_.path, file.path), tools_.sum);
}

/// Prints the file starting at a block, then the mark and the sum. The mark shows where the content ends, in
/// case the file has shrunk or grown.
constexpr std::string_view kFileScript = R"sh(
f=$1 skip=$2 size=$3 tool=$4 mark=$5
exec 3>&1
sum=$(
  if [ "$(stat -L -c %s "$f")" = "$size" ]; then $tool <"$f"
  elif [ -r "$f" ]; then head -c "$size" "$f" | $tool; fi &
  dd if="$f" bs=65536 skip="$skip" >&3
  wait)
printf '\n%s %s\n' "$mark" "$sum")sh";

/// Continues an incomplete copy of the file. Returns false if the copy then has a different size or sum.
bool Pull::receive_single(const CopyEntry& file) {
  const std::string path = joined_path(plain_path(source_.path), file.path);
  ReceivedFile part(*here_, place_of(file), tools_.sum, file.size);
  const std::uintmax_t begun = part.size();
  MarkedStream stream(file.size - begun, [&](std::string_view bytes) {
    part.add(bytes);
    progress(part.size());
  });
  const ShellEnd end =
      shell_.run({.script = kFileScript,
                  .arguments = {path, std::to_string(begun / kCopyBlock), std::to_string(file.size),
                                name_of(tools_.sum), stream.mark()},
                  .output = [&](std::string_view bytes) { stream.feed(bytes); }});
  const std::optional<std::string> line = stream.line_after_mark();
  if (!line) throw cut_short("cannot read " + shell_.name() + ":" + path);
  const std::string sum = sum_in_line(tools_.sum, *line);
  if (sum.empty()) throw Error(ErrorCode::failure, "cannot read " + shell_.name() + ":" + path, end.why());
  if (part.size() != file.size || sum != part.sum()) {
    here_->remove_part(place_of(file));
    return false;
  }
  here_->complete(place_of(file), file.mode, file.modified);
  done_ += file.size;
  progress();
  return true;
}

}  // namespace

CopyResult copy_from_pod(kube::Client& client, const PodPath& source, const fs::path& target,
                         const CopyReport& report, const job::Interrupt& interrupt) {
  return Pull(client, source, report, interrupt).run(target);
}

}  // namespace kml::pod
