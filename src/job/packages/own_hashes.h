#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kml::packages {

/// The hashes that files of the user allow for the packages of a lock. uv writes those of the index into a
/// lock, whatever the files say.
class OwnHashes {
 public:
  /// `line` is a requirement as in RequirementLines. Throws usage Error for a text that is not a hash.
  void add_requirement(std::string_view line);
  void add_constraint(std::string_view line);
  /// Adds all packages of a lock that uv made.
  void add_lock(const std::string& lock);
  /// Every package needs a hash of the user, as with pip.
  void require_all() { is_required_ = true; }

  /// Installs the package of this line, which has hashes, and returns whether its hash is another one.
  using HasOtherHash = std::function<bool(const std::string& line)>;

  /// The lock, in which each package that has hashes of the user has only these. A hash in the URL of a
  /// package (#sha256=) is one of the user's, too. Throws Error if the index has no file with such a hash, or
  /// if a required hash is missing. `shown` is the file's name in messages. Calls `has_other_hash` if the
  /// lock cannot show whether the hashes match: the index may have no hashes, or hashes of another kind.
  std::string kept_in(const std::string& lock, const std::string& shown,
                      const HasOtherHash& has_other_hash) const;

 private:
  struct Line {
    std::string name;     ///< normalized
    std::string version;  ///< of "==", without zeros at its end; empty for others
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

/// Whether a request with this text may have hashes of the user.
bool may_have_hashes(std::string_view text);

}  // namespace kml::packages
