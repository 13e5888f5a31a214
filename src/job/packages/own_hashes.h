#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kml::packages {

/// The hashes that the user's files allow for the packages of a lock. uv itself writes the hashes of the
/// index into a lock, even if the files have others.
class OwnHashes {
 public:
  /// `line` is a requirement as in RequirementLines. Throws usage Error if the line has an invalid hash.
  void add_requirement(std::string_view line);
  void add_constraint(std::string_view line);
  /// Adds all packages of a lock that uv made.
  void add_lock(const std::string& lock);
  /// From now on, each package needs a hash in the user's files, as with pip's --require-hashes.
  void require_all() { is_required_ = true; }

  /// Installs the package of a line with hashes, and returns whether the package has none of these hashes.
  using HasOtherHash = std::function<bool(const std::string& line)>;

  /// The lock, in which a package has only the user's hashes if the user's files have hashes for it. A hash
  /// in a package's URL (#sha256=) is also a hash of the user. Throws Error if the index has no file with
  /// such a hash, if a required hash or version is missing, or if lines of the files allow different hashes.
  /// `shown` is
  /// the file's name in messages. Calls `has_other_hash` if the lock cannot show whether the hashes match:
  /// the index may have no hashes, or hashes of another kind.
  std::string kept_in(const std::string& lock, const std::string& shown,
                      const HasOtherHash& has_other_hash) const;

 private:
  struct Line {
    std::string name;     ///< normalized
    std::string version;  ///< after "==", without ".0" at its end; empty for other operators
    bool is_pinned = false;
    std::vector<std::string> digests;  ///< "sha256:…"
  };
  struct Entry;

  static Line line_of(std::string_view line_text);
  static std::vector<Entry> entries_of(const std::string& lock);
  static std::vector<std::string> digests_for(const Line& package, const std::vector<Line>& lines);
  std::vector<std::string> allowed_for(const Entry& entry, const std::string& shown) const;
  void require_pinned(const std::string& shown) const;
  bool has_any() const;

  std::vector<Line> requirements_, constraints_;
  bool is_required_ = false;
};

/// Whether the text may contain hashes of packages.
bool may_have_hashes(std::string_view text);

}  // namespace kml::packages
