#include "pod/copy/pod_tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "kml/base/beneath.h"
#include "kml/base/text.h"

namespace kml::pod {

namespace {

constexpr std::string_view kFindTools = R"sh(
has() { command -v $1 >/dev/null 2>&1; }
for t in find xargs stat dd sha256sum cksum tar head; do has $t && echo $t; done
echo tools
has find && has xargs && has stat && has dd || { echo end; exit; }
)sh";

/// For each batch of names from xargs, prints the number of names, a line from stat for each, and the names.
/// Names may contain any byte except zero. If find fails, an empty name makes stat fail, too.
constexpr std::string_view kList = R"sh(
if [ -d "$1" ]; then
  echo folder
  cd "$1" || exit
  { find . -print0 || printf '\0'; } | xargs -0 sh -c 'echo $#; stat -c "%f %s %Y" "$@" || exit; printf "%s\0" "$@"' sh || exit
  echo links
  find . -type l -exec sh -c 'for f; do printf "%s\0" "$f"; readlink "$f"; printf "\0"; done' sh {} + || exit
elif [ -f "$1" ]; then
  echo file
  stat -L -c "%f %s %Y" "$1" || exit
elif [ -e "$1" ]; then
  echo other
else
  echo missing
fi
echo end)sh";

constexpr std::string_view kSums = R"sh(cd "$1" && xargs -0 "$2" && echo end)sh";
/// Prints the sums without names, because a name may contain a newline.
constexpr std::string_view kSumsOfAnyNames =
    R"sh(cd "$1" && TOOL=$2 && export TOOL && xargs -0 -n 1 sh -c '$TOOL <"$1"' sh && echo end)sh";

/// Parses a listing. Each function that reads throws Error if the listing is incomplete.
class ListingText {
 public:
  explicit ListingText(std::string_view text) : rest_(text) {}

  bool is_empty() const { return rest_.empty(); }
  std::string_view until(char end) {
    const size_t size = rest_.find(end);
    if (size == std::string_view::npos) throw garbled("cannot read the list of files");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size + 1);
    return taken;
  }
  template <typename Number>
  Number number(std::string_view text, int base = 10) {
    Number value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size())
      throw garbled("cannot read the list of files");
    return value;
  }

 private:
  std::string_view rest_;
};

CopyEntry::Kind kind_of_mode(unsigned mode) {
  if (S_ISREG(mode)) return CopyEntry::Kind::file;
  if (S_ISDIR(mode)) return CopyEntry::Kind::folder;
  return S_ISLNK(mode) ? CopyEntry::Kind::link : CopyEntry::Kind::other;
}

/// Parses "81a4 1294 1795628987": the mode in hexadecimal, the size, and the time.
CopyEntry entry_of_stat(ListingText& text) {
  constexpr unsigned kPermissions = 0777;
  const std::vector<std::string> words = split(text.until('\n'), ' ');
  if (words.size() != 3) throw garbled("cannot read the list of files");
  const auto mode = text.number<unsigned>(words[0], 16);
  return {.kind = kind_of_mode(mode),
          .mode = mode & kPermissions,
          .size = text.number<std::uintmax_t>(words[1]),
          .modified = text.number<long long>(words[2])};
}

/// From "./a/b".
std::string path_in_tree(std::string_view name) {
  if (name == ".") return {};
  if (!name.starts_with("./") || !is_path_beneath(name.substr(2)))
    throw Error(ErrorCode::failure, "cannot copy a file named \"" + std::string(name) + "\"",
                "the pod lists it, but the name leads out of the folder");
  return std::string(name.substr(2));
}

void read_folder(ListingText& text, std::vector<CopyEntry>& entries) {
  std::map<std::string, size_t, std::less<>> links;
  for (std::string_view line; (line = text.until('\n')) != "links";) {
    const size_t begin = entries.size();
    for (auto count = text.number<size_t>(line); count > 0; --count) entries.push_back(entry_of_stat(text));
    for (size_t i = begin; i < entries.size(); ++i) {
      entries[i].path = path_in_tree(text.until('\0'));
      if (entries[i].kind == CopyEntry::Kind::link) links[entries[i].path] = i;
    }
  }
  while (!text.is_empty()) {
    const auto found = links.find(path_in_tree(text.until('\0')));
    std::string_view target = text.until('\0');
    if (target.ends_with('\n')) target.remove_suffix(1);
    if (found != links.end()) entries[found->second].target = target;
  }
}

std::vector<std::string> sums_by(PodShell& shell, SumTool tool, std::string_view script,
                                 const std::string& folder, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const std::string tried = "cannot read the files in " + shell.name() + ":" + folder;
  std::vector<std::string> lines = split(shell.output_of({.script = script,
                                                          .arguments = {plain_path(folder), name_of(tool)},
                                                          .input = names_as_input(names)},
                                                         tried, longest_sums(names)),
                                         '\n');
  if (lines.size() != names.size() + 1) throw garbled(tried);
  lines.pop_back();
  for (std::string& line : lines)
    if (line = sum_in_line(tool, line); line.empty()) throw garbled(tried);
  return lines;
}

}  // namespace

PodTree parse_pod_tree(std::string_view text) {
  ListingText listing(text);
  const std::string_view kind = listing.until('\n');
  if (kind == "missing") return {};
  if (kind == "other") return {PodTree::Kind::other};
  if (kind == "file") return {PodTree::Kind::file, {entry_of_stat(listing)}};
  if (kind != "folder") throw garbled("cannot read the list of files");
  PodTree tree{PodTree::Kind::folder};
  read_folder(listing, tree.entries);
  return tree;
}

ShellCall listing_call(const std::string& path) {
  return {.script = kList, .arguments = {plain_path(path)}};
}

PodTree list_pod_tree(PodShell& shell, const std::string& path) {
  return parse_pod_tree(
      shell.output_of(listing_call(path), "cannot list " + shell.name() + ":" + path, kLongestListing));
}

/// The longest line is "\\SUM NAME", with an escape for each byte of the name.
size_t longest_sums(const std::vector<std::string>& names) {
  constexpr size_t kLongestSum = 128;
  size_t size = 0;
  for (const std::string& name : names) size += kLongestSum + 2 * name.size();
  return size;
}

std::string plain_path(const std::string& path) {
  return path.starts_with('/') ? path : "./" + path;
}

bool is_plain_name(std::string_view path) {
  return path.find_first_of("\n\r\\") == std::string_view::npos;
}

std::function<std::string()> names_as_input(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(name).push_back('\0');
  return [text = std::move(text)]() mutable { return std::exchange(text, {}); };
}

std::vector<std::string> sums_in_pod(PodShell& shell, SumTool tool, const std::string& folder,
                                     const std::vector<std::string>& names) {
  std::vector<std::string> plain, others;
  for (const std::string& name : names) (is_plain_name(name) ? plain : others).push_back(name);
  const std::vector<std::string> of_plain = sums_by(shell, tool, kSums, folder, plain);
  const std::vector<std::string> of_others = sums_by(shell, tool, kSumsOfAnyNames, folder, others);
  std::vector<std::string> sums;
  auto next_plain = of_plain.begin(), next_other = of_others.begin();
  for (const std::string& name : names) sums.push_back(is_plain_name(name) ? *next_plain++ : *next_other++);
  return sums;
}

ToolsAndOutput tools_and_output(PodShell& shell, ShellCall call, const std::string& tried, size_t most) {
  constexpr std::string_view kMark = "tools\n";
  const std::string script = std::string(kFindTools).append(call.script);
  call.script = script;
  std::string output = shell.output_of(std::move(call), tried, most);
  const size_t mark = output.find(kMark);
  if (mark == std::string::npos) throw garbled(tried);
  const std::vector<std::string> words = split(output.substr(0, mark), '\n');
  const std::set<std::string> found(words.begin(), words.end());
  output.erase(0, mark + kMark.size());
  std::vector<std::string> missing;
  for (const char* needed : {"find", "xargs", "stat", "dd"})
    if (!found.contains(needed)) missing.emplace_back(needed);
  if (!found.contains("sha256sum") && !found.contains("cksum")) missing.emplace_back("sha256sum");
  if (!missing.empty())
    throw Error(
        ErrorCode::failure, "cannot copy files from or to " + shell.name(),
        "its image does not have " + join(missing, ", "),
        "let the job write to a volume claim (kml submit --mount pvc/NAME:/out), and copy pvc/NAME/PATH; "
        "--image names an image with these tools for that");
  return {{found.contains("sha256sum") ? SumTool::sha256sum : SumTool::cksum, found.contains("tar"),
           found.contains("head")},
          std::move(output)};
}

}  // namespace kml::pod
