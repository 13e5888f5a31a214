#include "step/outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "kml/base/frames.h"
#include "kml/base/gzip_bytes.h"
#include "kml/base/tar.h"
#include "step/bucket.h"
#include "step/say.h"
#include "step/tree.h"

namespace kml::step {

namespace {

/// The kubelet would rotate a larger log before kml has read it: the default limit is 10 MiB, and base64 adds
/// a third.
constexpr unsigned long long kMostSent = 4ULL << 20;
constexpr size_t kLongestValue = size_t{64} << 10;

struct Made {
  const OutputPlace* place;
  std::vector<Entry> entries;  ///< the entries of a file or folder; empty for a value
  Summary summary;
  std::string value;
  bool is_there = true;
};

/// Handles a missing optional output: creates an empty file, or returns true for a value, which is left out.
bool is_left_out(const OutputPlace& place) {
  if (!place.is_value()) {
    const int fd = ::open(place.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) give_up_by_errno("cannot write " + place.path);
    ::close(fd);
  }
  return place.is_value();
}

/// Whether something of the kind `found` cannot be an output of the kind `wanted`. Most kinds can be files or
/// folders.
bool is_misfit(const std::string& wanted, const std::string& found) {
  return (wanted == "file" || wanted == "folder") && wanted != found;
}

Made made_at(const OutputPlace& place, bool stays) {
  struct stat at {};
  const bool is_missing = ::lstat(place.path.c_str(), &at) != 0;
  if (is_missing && !place.is_optional)
    give_up("the command succeeded, but did not write output " + place.name + ": nothing exists at " +
            place.path);
  Made made{&place, {}, {}, {}};
  if (is_missing && is_left_out(place)) {
    made.is_there = false;
  } else if (place.is_value()) {
    if (!read_all(place.path, place.is_optional ? kMostSent : kLongestValue, made.value))
      give_up_by_errno("cannot read " + place.path);
  } else {
    if (const char* kind = S_ISDIR(at.st_mode) ? "folder" : "file"; is_misfit(place.kind, kind))
      give_up("output " + place.name + " is a " + kind + ", but its kind is " + place.kind);
    made.entries = entries_of(place.path);
    if (stays) freeze(place.path, made.entries);
    made.summary = summary_of(place.path, made.entries);
  }
  return made;
}

/// A line for each output, in the form that pipeline::keep_sent() parses.
std::string lines_of(const std::vector<Made>& all) {
  std::string text;
  for (const Made& made : all)
    if (made.place->is_value())
      text += "value " + made.place->name + "\n";
    else
      text += "tree " + made.place->name + " " + made.summary.digest + " " +
              std::to_string(made.summary.bytes) + " " + std::to_string(made.summary.files) + "\n";
  return text;
}

void append_tree(const Made& made, std::string& archive) {
  for (const Entry& entry : made.entries) {
    const std::string name = place_of("tree/" + made.place->name, entry.path);
    if (S_ISLNK(entry.at.st_mode)) {
      append_tar({name, TarEntry::Type::link, true, entry.target, {}}, archive);
    } else if (S_ISDIR(entry.at.st_mode)) {
      if (entry.is_empty) append_tar({name, TarEntry::Type::folder, true, {}, {}}, archive);
    } else {
      std::string content;
      const std::string place = place_of(made.place->path, entry.path);
      if (!read_all(place, kMostSent, content)) give_up_by_errno("cannot read " + place);
      append_tar({name, TarEntry::Type::file, (entry.at.st_mode & S_IXUSR) != 0, {}, content}, archive);
    }
  }
}

void refuse_too_much(unsigned long long bytes, const char* what) {
  if (bytes > kMostSent)
    give_up(std::string("the step's outputs have ") + in_mib(bytes) + what + ", and " + in_mib(kMostSent) +
            " is the limit for the pod's log: run the pipeline with --store pvc/NAME");
}

std::string archive_of(const std::vector<Made>& all, bool sends_trees) {
  unsigned long long bytes = 0;
  for (const Made& made : all) bytes += made.summary.bytes;
  if (sends_trees) refuse_too_much(bytes, "");
  const std::string lines = lines_of(all);
  std::string archive;
  append_tar({"report", TarEntry::Type::file, false, {}, lines}, archive);
  for (const Made& made : all)
    if (made.place->is_value())
      append_tar({"value/" + made.place->name, TarEntry::Type::file, false, {}, made.value}, archive);
    else if (sends_trees)
      append_tree(made, archive);
  append_tar_end(archive);
  return archive;
}

/// Appends the text to the termination message that the command itself may have written.
void note(const std::string& path, const std::string& text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) give_up_by_errno("cannot write " + path);
  struct stat at {};
  const bool is_begun = ::fstat(fd, &at) == 0 && at.st_size > 0;
  if (!write_all(fd, (is_begun ? "\n" : "") + text)) give_up_by_errno("cannot write " + path);
  ::close(fd);
}

}  // namespace

void prepare(const OutputPlace& output) {
  remove_tree(output.path);
  make_folders(folder_of(output.path));
}

bool is_first(const Options& options) {
  for (const std::string& name : options.ranks)
    if (const char* rank = std::getenv(name.c_str()); rank && *rank && std::string_view(rank) != "0")
      return false;
  return true;
}

void report(const Options& options) {
  std::vector<Made> all;
  for (const OutputPlace& place : options.outputs)
    if (Made made = made_at(place, !options.sends_trees && options.bucket.empty()); made.is_there)
      all.push_back(static_cast<Made&&>(made));
  for (const Made& made : all)
    if (!options.bucket.empty() && !made.place->is_value()) send(options, *made.place, made.summary.manifest);
  std::string packed, lines;
  if (!gzip_bytes(archive_of(all, options.sends_trees), packed)) give_up("out of memory");
  refuse_too_much(packed.size(), " packed");
  const Frames frames = append_frames(packed, lines);
  if (!write_all(STDOUT_FILENO, lines)) give_up_by_errno("cannot write the outputs to the log");
  note(options.message, frames_note(frames));
}

}  // namespace kml::step
