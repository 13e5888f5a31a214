#include "job/packages/requirement_lines.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/job/spec/trust.h"
#include "kml/net/fetch/text_at.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

constexpr size_t kLargestFile = size_t{4} << 20;
constexpr std::string_view kFileUrl = "file://";

/// Options that kml need not pass on to uv, because it always asks uv for the same.
constexpr std::array<std::string_view, 2> kImplied = {"--prefer-binary", "--only-binary"};

bool is_archive(std::string_view name) {
  constexpr std::array<std::string_view, 6> kEnds = {".whl", ".zip",     ".tar.gz",
                                                     ".tgz", ".tar.bz2", ".tar.xz"};
  return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return name.ends_with(end); });
}

/// The value of an option: after "=", after spaces, or directly after a short option. Empty if the line is
/// not this option.
std::optional<std::string> value_of(std::string_view line, std::string_view option) {
  if (!line.starts_with(option)) return {};
  std::string_view rest = line.substr(option.size());
  const bool is_short = !option.starts_with("--");
  if (!rest.empty() && rest[0] != ' ' && rest[0] != '=' && rest[0] != '\t' && !is_short) return {};
  if (rest.starts_with('=')) rest.remove_prefix(1);
  return std::string(trim(rest));
}

std::optional<std::string> value_of(std::string_view line, std::initializer_list<std::string_view> options) {
  for (const std::string_view option : options)
    if (auto value = value_of(line, option)) return value;
  return {};
}

/// The line with the option's path made absolute, if there is such a file in `folder`: uv reads the lines in
/// a different folder.
std::string with_absolute_path(const std::string& line, const fs::path& folder) {
  const size_t end = std::min(line.find_first_of(" ="), line.size()),
               begin = std::min(line.find_first_not_of(" =", end), line.size());
  const fs::path path = folder / line.substr(begin);
  std::error_code ignored;
  return begin < line.size() && fs::exists(path, ignored) ? line.substr(0, begin) + path.string() : line;
}

/// The option and its value, separated by a space: "-fwheels", which pip accepts, is "-f wheels" for uv.
std::string spaced(const std::string& line) {
  const bool is_long = line.starts_with("--");
  const size_t end =
      is_long ? std::min(line.find_first_of(" =\t"), line.size()) : std::min<size_t>(2, line.size());
  const std::string_view value = trim(std::string_view(line).substr(end));
  if (value.empty() || value[0] == '=') return line;
  return line.substr(0, end) + " " + std::string(value);
}

std::string_view without_comment(std::string_view line) {
  if (line.starts_with('#')) return {};
  for (const std::string_view mark : {" #", "\t#"})
    if (const size_t at = line.find(mark); at != std::string_view::npos) line = line.substr(0, at);
  return trim(line);
}

class RequirementsReader {
 public:
  RequirementsReader(fs::path root, RequirementLines& lines) : root_(std::move(root)), lines_(lines) {}

  void read(const fs::path& file, const std::string& shown, bool are_constraints) {
    if (!files_.insert({file.lexically_normal().string(), are_constraints}).second) return;
    take_text(read_file(file, kLargestFile), file, shown, are_constraints);
  }

  void read_at(const std::string& url, const std::string& text) {
    url_ = url;
    take_text(text, {}, url, false);
  }

 private:
  void take_text(const std::string& text, const fs::path& file, const std::string& shown,
                 bool are_constraints) {
    lines_.text += shown + "\n" + text + "\n";
    const std::vector<std::string> raw = split(text, '\n');
    for (size_t i = 0; i < raw.size(); ++i) {
      const size_t first = i;
      std::string line(trim(raw[i]));
      while (line.ends_with('\\') && i + 1 < raw.size()) {
        line.pop_back();
        const std::string& next = raw[++i];
        const bool is_apart = next.starts_with(' ') || next.starts_with('\t');
        if (is_apart && !line.ends_with(' ')) line += ' ';
        line += trim(next);
      }
      const std::string content(without_comment(line));
      if (!content.empty())
        take(content, {file, {shown, static_cast<int>(first) + 1, 0, "", ""}}, are_constraints);
    }
  }

  void add_power(Power place, std::string text) {
    place.problem.text = std::move(text);
    lines_.powers.push_back(std::move(place));
  }

  void take(const std::string& line, const Power& place, bool are_constraints) {
    if (const auto included = value_of(line, {"--requirement", "-r"}))
      return include(*included, place, are_constraints);
    if (const auto included = value_of(line, {"--constraint", "-c"})) return include(*included, place, true);
    if (const std::string_view option = std::string_view(line).substr(0, line.find_first_of(" =\t"));
        std::find(kImplied.begin(), kImplied.end(), option) != kImplied.end())
      return;
    if (line == "--require-hashes") return void(lines_.requires_hashes = true);
    if (line == "--pre") return lines_.options.push_back(line);
    if (line.starts_with('-')) {
      lines_.options.push_back(with_absolute_path(spaced(line), place.file.parent_path()));
      return add_power(place, "it sets " + line);
    }
    if (std::string power = power_in(line); !power.empty()) add_power(place, std::move(power));
    (are_constraints ? lines_.constraints : lines_.requirements).push_back(line);
  }

  void include(const std::string& name, const Power& place, bool are_constraints) {
    const std::string option = are_constraints ? "-c " : "-r ";
    if (!url_.empty()) return lines_.options.push_back(option + fetch::url_from(url_, name));
    const fs::path file = place.file.parent_path() / name;
    if (contains(name, "://") || contains(name, "${") || !spec::is_inside(file, root_)) {
      lines_.options.push_back(option + (contains(name, "://") ? name : file.string()));
      return add_power(place, "it includes " + name);
    }
    read(file, (fs::path(place.problem.file).parent_path() / name).lexically_normal().string(),
         are_constraints);
  }

  fs::path root_;
  std::string url_;  ///< the URL of the text; empty for a file
  RequirementLines& lines_;
  /// The files that were read, and whether each was read as constraints.
  std::set<std::pair<std::string, bool>> files_;
};

}  // namespace

std::string normal_name(std::string_view name) {
  std::string normal;
  for (const char c : lower(name)) {
    const char same = c == '_' || c == '.' ? '-' : c;
    if (same != '-' || !normal.ends_with('-')) normal += same;
  }
  return normal;
}

std::string power_in(std::string_view requirement) {
  const std::string quoted = "\"" + std::string(requirement) + "\"";
  if (contains(requirement, "${")) return quoted + " uses a variable of your environment";
  if (requirement.find_first_of("\r\n") != std::string_view::npos) return quoted + " has several lines";
  const size_t end = std::min(requirement.find_first_of(" \t[;<>=!~@,("), requirement.size());
  const std::string_view name = requirement.substr(0, end);
  const bool is_place = name.empty() || name.starts_with('.') || is_archive(name) ||
                        name.find_first_of("/\\:+") != std::string_view::npos;
  std::string_view rest = trim(requirement.substr(end));
  if (rest.starts_with('[')) rest = trim(rest.substr(std::min(rest.find(']'), rest.size() - 1) + 1));
  if (is_place || rest.starts_with('@')) return quoted + " names where the package is";
  for (size_t at = rest.find("--"); at != std::string_view::npos; at = rest.find("--", at + 2))
    if (!rest.substr(at).starts_with("--hash=") && !rest.substr(at).starts_with("--hash ") &&
        (at == 0 || rest[at - 1] == ' '))
      return quoted + " has an option";
  return {};
}

std::string included_place(std::string_view option) {
  if (!option.starts_with("-r ") && !option.starts_with("-c ")) return {};
  const std::string_view place = option.substr(3);
  return std::string(place.starts_with(kFileUrl) ? place.substr(kFileUrl.size()) : place);
}

bool is_http_url(std::string_view place) {
  return place.starts_with("http://") || place.starts_with("https://");
}

RequirementLines read_requirements(const fs::path& file, const std::string& shown) {
  RequirementLines lines;
  RequirementsReader(file.parent_path(), lines).read(file, shown, false);
  return lines;
}

RequirementLines requirements_at(const std::string& url, const std::string& text) {
  RequirementLines lines;
  RequirementsReader({}, lines).read_at(url, text);
  return lines;
}

}  // namespace kml::packages
