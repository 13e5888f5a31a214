#include "job/packages/own_hashes.h"

#include <algorithm>
#include <map>

#include "job/packages/requirement_lines.h"
#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace {

using Digests = std::vector<std::string>;

constexpr std::string_view kHash = "--hash", kWheel = ".whl", kHexDigits = "0123456789abcdef";

/// The hashes that uv knows, and how many hexadecimal digits they have.
const std::map<std::string, size_t, std::less<>>& digits_of_hashes() {
  static const std::map<std::string, size_t, std::less<>> digits = {
      {"md5", 32}, {"sha256", 64}, {"sha384", 96}, {"sha512", 128}, {"blake2b", 128}};
  return digits;
}

std::string algorithm_of(const std::string& digest) {
  return digest.substr(0, digest.find(':'));
}

std::string checked_digest(std::string_view text) {
  std::string digest = lower(text);
  const size_t colon = std::min(digest.find(':'), digest.size());
  const auto known = digits_of_hashes().find(digest.substr(0, colon));
  const std::string_view hex = std::string_view(digest).substr(std::min(colon + 1, digest.size()));
  if (known == digits_of_hashes().end())
    throw usage_error("\"--hash=" + std::string(text) + "\" is not a hash",
                      "hashes are of sha256, sha384, sha512, blake2b or md5", "--hash=sha256:DIGITS");
  if (hex.size() != known->second || hex.find_first_not_of(kHexDigits) != hex.npos)
    throw usage_error(
        "\"--hash=" + std::string(text) + "\" is not a hash",
        "a hash of " + known->first + " has " + std::to_string(known->second) + " hexadecimal digits");
  return digest;
}

/// The hashes of a line's options: --hash=sha256:… or --hash sha256:…
Digests hash_options(std::string_view text) {
  Digests digests;
  for (size_t at = text.find(kHash); at != text.npos; at = text.find(kHash, at + kHash.size())) {
    std::string_view rest = text.substr(at + kHash.size());
    rest.remove_prefix(std::min(rest.find_first_not_of("= \t"), rest.size()));
    digests.push_back(checked_digest(rest.substr(0, rest.find_first_of(" \t\\\n"))));
  }
  return digests;
}

/// The hashes in a URL: …#sha256=…&egg=x
Digests hashes_of_url(std::string_view text) {
  Digests digests;
  const size_t hash = text.find('#');
  if (hash == text.npos) return digests;
  const std::string_view fragment = text.substr(hash + 1);
  for (const std::string& part : split(fragment.substr(0, fragment.find_first_of(" \t;\\")), '&')) {
    const size_t equals = std::min(part.find('='), part.size());
    if (digits_of_hashes().contains(lower(part.substr(0, equals))))
      digests.push_back(
          checked_digest(part.substr(0, equals) + ":" + part.substr(std::min(equals + 1, part.size()))));
  }
  return digests;
}

/// "1.0.0" is the same version as "1".
std::string normal_version(std::string_view version) {
  std::string normal = lower(trim(version));
  while (normal.ends_with(".0")) normal.resize(normal.size() - 2);
  return normal;
}

/// The name in the path or URL of a wheel; empty for other texts.
std::string name_of_wheel(std::string_view text) {
  const std::string_view path = text.substr(0, text.find_first_of(" \t;#?\\"));
  if (!path.ends_with(kWheel)) return {};
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return normal_name(file.substr(0, file.find('-')));
}

Digests common(const Digests& some, const Digests& others) {
  Digests both;
  std::ranges::copy_if(some, std::back_inserter(both),
                       [&](const std::string& each) { return std::ranges::count(others, each) > 0; });
  return both;
}

void add_all(Digests& to, const Digests& more) {
  for (const std::string& digest : more)
    if (std::ranges::count(to, digest) == 0) to.push_back(digest);
}

std::string without_marker(const std::string& package) {
  return package.substr(0, package.find(" ;"));
}

Error other_hashes(const std::string& package, const std::string& shown, const Digests& wanted,
                   const std::string& whose, const Digests& others) {
  constexpr size_t kMost = 3;
  return {ErrorCode::failure, "the hashes of " + without_marker(package) + " in " + shown + " do not match",
          "the file allows only " + some_of(wanted, kMost) + "; " + whose + some_of(others, kMost),
          "compare the hash with the publisher's: the file is wrong, or the package was replaced"};
}

std::string line_with(const std::string& package, const Digests& digests) {
  if (digests.empty()) return package + "\n";
  return package + " \\\n    --hash=" + join(digests, " \\\n    --hash=") + "\n";
}

/// Whether no file of the package has one of the allowed hashes.
bool do_differ(const Digests& allowed, const Digests& offered, const std::string& line,
               const OwnHashes::HasOtherHash& has_other_hash) {
  if (!common(allowed, offered).empty()) return false;
  const bool are_comparable = std::ranges::all_of(allowed, [&](const std::string& digest) {
    return std::ranges::count(offered, algorithm_of(digest), algorithm_of) > 0;
  });
  // if the index has no hashes, the only hash is one that uv has computed from a file
  return (are_comparable && offered.size() > 1) || has_other_hash(line);
}

}  // namespace

/// A package in a lock.
struct OwnHashes::Entry {
  std::string first;    ///< its line without the hashes
  Line line;            ///< with the hashes of the lock
  Digests of_url = {};  ///< the hashes in its URL
};

OwnHashes::Line OwnHashes::line_of(std::string_view line_text) {
  std::string text(line_text);
  std::ranges::replace(text, '\t', ' ');
  const size_t options = std::min(text.find(" --"), text.size());
  std::string_view requirement = std::string_view(text).substr(0, options);
  requirement = trim(requirement.substr(0, requirement.find('\\')));
  Line line{.name = name_of_wheel(requirement),
            .version = {},
            .digests = hash_options(std::string_view(text).substr(options))};
  const size_t end = std::min(requirement.find_first_of(" \t[;<>=!~@,("), requirement.size());
  std::string_view rest = trim(requirement.substr(end));
  line.is_pinned = rest.starts_with('@') || !line.name.empty();
  if (line.is_pinned && line.digests.empty()) line.digests = hashes_of_url(requirement);
  if (line.name.empty() || rest.starts_with('@')) line.name = normal_name(requirement.substr(0, end));
  if (rest.starts_with('[')) rest = trim(rest.substr(std::min(rest.find(']'), rest.size() - 1) + 1));
  rest = trim(rest.substr(0, rest.find(';')));
  if (!rest.starts_with("==") || rest.ends_with(".*") || contains(rest, ",")) return line;
  line.is_pinned = true;
  line.version = normal_version(rest.substr(rest.starts_with("===") ? 3 : 2));
  return line;
}

std::vector<OwnHashes::Entry> OwnHashes::entries_of(const std::string& lock) {
  std::vector<std::string> packages;
  for (const std::string& line : split(lock, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with(' ') && !packages.empty())
      packages.back() += line;
    else
      packages.push_back(line);
  }
  std::vector<Entry> entries;
  for (const std::string& text : packages) {
    const std::string_view first = trim(std::string_view(text).substr(0, text.find(" \\")));
    entries.push_back({std::string(first), line_of(text), hashes_of_url(first)});
    entries.back().line.digests = hash_options(text);
  }
  return entries;
}

void OwnHashes::add_requirement(std::string_view line) {
  requirements_.push_back(line_of(line));
}

void OwnHashes::add_constraint(std::string_view line) {
  constraints_.push_back(line_of(line));
}

void OwnHashes::add_lock(const std::string& lock) {
  for (Entry& entry : entries_of(lock)) requirements_.push_back(std::move(entry.line));
}

/// The hashes in the lines about this version of the package, and in the lines that name no version with ==.
/// If there are no such lines, the hashes in all lines about the package.
Digests OwnHashes::digests_for(const Line& package, const std::vector<Line>& lines) {
  Digests exact, all;
  bool is_named = false;
  for (const Line& line : lines) {
    if (line.name != package.name) continue;
    add_all(all, line.digests);
    if (!line.version.empty() && line.version != package.version) continue;
    is_named = true;
    add_all(exact, line.digests);
  }
  return is_named ? exact : all;
}

Digests OwnHashes::allowed_for(const Entry& entry, const std::string& shown) const {
  Digests allowed = digests_for(entry.line, requirements_);
  for (const Digests& more : {digests_for(entry.line, constraints_), entry.of_url}) {
    if (more.empty()) continue;
    if (allowed.empty())
      allowed = more;
    else if (Digests both = common(allowed, more); both.empty())
      throw other_hashes(entry.first, shown, allowed, "another line, or the package's URL, allows only ",
                         more);
    else
      allowed = std::move(both);
  }
  return allowed;
}

void OwnHashes::require_pinned(const std::string& shown) const {
  Digests open;
  for (const Line& line : requirements_)
    if (!line.is_pinned) open.push_back(line.name);
  if (open.empty()) return;
  throw usage_error("--require-hashes in " + shown + " needs the version of each package",
                    some_of(open, 8) + (open.size() == 1 ? " has" : " have") + " no version with ==",
                    "write NAME==VERSION --hash=sha256:..., or leave out --require-hashes");
}

bool OwnHashes::has_any() const {
  const auto has_digests = [](const Line& line) { return !line.digests.empty(); };
  return std::ranges::any_of(requirements_, has_digests) || std::ranges::any_of(constraints_, has_digests);
}

std::string OwnHashes::kept_in(const std::string& lock, const std::string& shown,
                               const HasOtherHash& has_other_hash) const {
  const std::vector<Entry> entries = entries_of(lock);
  if (is_required_)
    require_pinned(shown);
  else if (!has_any() && std::ranges::all_of(entries, [](const Entry& each) { return each.of_url.empty(); }))
    return lock;
  std::string kept;
  Digests without;
  for (const Entry& entry : entries) {
    Digests allowed = allowed_for(entry, shown);
    if (allowed.empty()) without.push_back(without_marker(entry.first));
    std::ranges::sort(allowed);
    const std::string line = line_with(entry.first, allowed.empty() ? entry.line.digests : allowed);
    if (!allowed.empty() && do_differ(allowed, entry.line.digests, line, has_other_hash))
      throw other_hashes(entry.first, shown, allowed, "the package has ", entry.line.digests);
    kept += line;
  }
  if (is_required_ && !without.empty())
    throw usage_error(
        "--require-hashes in " + shown + " needs a hash of each package",
        some_of(without, 8) + (without.size() == 1 ? " has" : " have") + " none",
        "add --hash=sha256:... to each package and its dependencies, or leave out --require-hashes");
  return kept;
}

bool may_have_hashes(std::string_view text) {
  return contains(text, "hash") || contains(text, "#sha") || contains(text, "#md5") ||
         contains(text, "#blake2b");
}

}  // namespace kml::packages
