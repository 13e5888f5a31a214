#include "job/packages/locked_by_uv.h"

#include <algorithm>

#include "job/packages/mirror.h"
#include "job/packages/resolve_error.h"
#include "job/packages/scratch.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kNote = "# kml note: ";

bool contains_any(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return contains(text, part); });
}

/// Whether uv failed before it could compare the lock.
bool has_no_python(const std::string& reason) {
  return contains_any(lower(reason),
                      {"no interpreter found", "requested interpreter", "required interpreter"});
}

/// The path in a line of uv's export that names a file or folder; empty for packages of an index.
std::string place_in(std::string_view line) {
  for (const std::string_view flag : {"-e ", "--editable "})
    if (line.starts_with(flag)) line.remove_prefix(flag.size());
  const std::string word(line.substr(0, line.find_first_of(" ;\\")));
  const bool is_place = word.starts_with('.') || word.starts_with('/') || word.starts_with("file:");
  return is_place ? fs::path(word).lexically_normal().string() : "";
}

class LockOfUv {
 public:
  LockOfUv(const Uv& uv, const Requested& requested)
      : uv_(uv), requested_(requested), place_(mirror_of_lock(requested, scratch_.path() / "mirror")) {}

  std::string exported() const {
    std::string notes = note_of_check();
    std::string kept;
    const std::vector<std::string> places = take_places(export_all(), kept);
    for (const std::string& place : places) notes += note_of(place);
    return notes + kept;
  }

 private:
  bool is_script() const { return requested_.kind == Requested::Kind::script; }
  std::string name() const { return requested_.lock.name(); }

  ProcessResult run(std::vector<std::string> words) const {
    if (is_script()) words.insert(words.end(), {"--script", place_.filename()});
    words.insert(words.end(), {"--color", "never"});
    return uv_.run(std::move(words), is_script() ? place_.parent_path() : place_);
  }

  /// Throws usage Error if the lock is out of date. Returns a note if that is unknown.
  std::string note_of_check() const {
    std::string why = requested_.lock.unchecked;
    if (why.empty()) {
      const ProcessResult result = run({"lock", "--check", "--no-build"});
      if (result.exit_code == 0) return {};
      const std::string reason = reason_in(result.out);
      if (!has_no_python(reason)) throw_outdated(reason);
      why = reason;
    }
    return std::string(kNote) + "cannot check that " + name() + " is up to date: " + why + "; `" + fix() +
           " --check` checks this\n";
  }

  std::string fix() const {
    return is_script() ? "uv lock --script " + shell_quoted({&requested_.shown, 1}) : "uv lock";
  }

  [[noreturn]] void throw_outdated(const std::string& reason) const {
    if (is_about_network(reason))
      throw Error(ErrorCode::failure, "cannot check that " + name() + " is up to date", reason,
                  "check the connection; " + fix() + " --check");
    if (contains(reason, "Failed to parse `" + name()))
      throw usage_error("cannot read " + name(), reason, "restore it, or delete it and run: " + fix());
    const bool is_plain = contains_any(reason, {"needs to be updated", "kml_never_builds"});
    std::error_code none;
    const bool is_ignored = fs::exists(requested_.lock.file.parent_path() / "uv.toml", none);
    throw usage_error(
        name() + " is out of date",
        is_plain ? "it does not match " + requested_.shown + ", as `" + fix() + " --check` says" : reason,
        fix() + (is_ignored ? "; kml ignores the uv.toml in this folder: your own index belongs "
                              "in ~/.config/uv/uv.toml"
                            : ""));
  }

  std::string export_all() const {
    const fs::path file = scratch_.path() / "exported.txt";
    std::vector<std::string> words = {"export",           "--frozen",      "--no-header",
                                      "--quiet",          "--no-annotate", "--format",
                                      "requirements-txt", "--output-file", file};
    if (!is_script()) words.emplace_back("--no-emit-project");
    // with --no-dev, --group dev has no effect
    if (!is_script() && std::ranges::find(requested_.groups, "dev") == requested_.groups.end())
      words.emplace_back("--no-dev");
    for (const std::string& extra : requested_.extras) words.insert(words.end(), {"--extra", extra});
    for (const std::string& group : requested_.groups) words.insert(words.end(), {"--group", group});
    const ProcessResult result = run(std::move(words));
    if (result.exit_code == 0) return read_file(file);
    throw Error(ErrorCode::failure, "cannot read the packages in " + name(), reason_in(result.out));
  }

  /// Separates the packages of an index from those in files and folders.
  std::vector<std::string> take_places(const std::string& lock, std::string& kept) const {
    std::vector<std::string> places;
    bool is_left_out = false;
    for (const std::string& line : split(lock, '\n')) {
      if (line.empty()) continue;
      if (!line.starts_with(' ')) {
        const std::string place = place_in(line);
        is_left_out = !place.empty();
        if (is_left_out) places.push_back(place);
      }
      if (!is_left_out) kept += line + "\n";
    }
    return places;
  }

  std::string note_of(const std::string& place) const {
    std::string note = std::string(kNote) + place + " is not installed, because it is not from an index";
    std::error_code none;
    const fs::path folder = requested_.lock.file.parent_path() / place;
    if (fs::is_directory(folder, none) && !place.starts_with(".."))
      note += "; --env PYTHONPATH=" + place + (fs::exists(folder / "src", none) ? "/src" : "") +
              " lets Python find its modules in the code";
    return note + "\n";
  }

  const Uv& uv_;
  const Requested& requested_;
  Scratch scratch_;
  fs::path place_;
};

}  // namespace

std::string locked_by_uv(const Uv& uv, const Requested& requested) {
  return LockOfUv(uv, requested).exported();
}

std::vector<std::string> notes_in(const std::string& lock) {
  std::vector<std::string> notes;
  for (const std::string& line : split(lock, '\n')) {
    if (!line.starts_with(kNote)) break;
    notes.push_back(line.substr(kNote.size()));
  }
  return notes;
}

}  // namespace kml::packages
