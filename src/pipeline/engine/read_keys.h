#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/base/read_record.h"
#include "kml/pipeline/engine/key.h"
#include "kml/pipeline/language/pipeline.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/engine/read_parts.h"

namespace kml::pipeline {

/// The keys of steps whose reads were recorded. The result of such a step has two keys: one with the whole
/// code folder, and one with only what the step read. Both are in the cache.
class ReadKeys {
 public:
  /// The arguments must outlive this object.
  ReadKeys(const Pipeline& pipeline, const LocalStore& store) : pipeline_(pipeline), store_(store) {}

  /// A step's last result, if its reads were recorded.
  struct Last {
    Reads reads;
    KeyParts parts;  ///< the parts of the key, as now() returns them
  };
  std::optional<Last> last(const Step& step) const;

  /// Whether the step that made the result would read the same contents now. Also compares empty folders,
  /// which are not in the list of code files. True if the step's reads were not recorded.
  bool holds(const Json& result, const KeyParts& whole) const;

  /// The parts of the key if the step reads the names in `reads` with their current content. `whole` are the
  /// parts with the whole code folder. Empty if `whole` has no code, or if the list of its code files is
  /// gone.
  std::optional<KeyParts> now(const KeyParts& whole, const Reads& reads) const;

  /// A record that a step has just made.
  struct Recorded {
    std::optional<KeyParts> parts =
        {};           ///< the parts with only what the step read; empty if one of the texts below is not
    Json field = {};  ///< the member of the result that last() reads
    std::string changed = {};  ///< a file that changed before the step read it; the result is then not stored
    std::string unsure = {};   ///< why the result depends on the whole folder
  };
  /// `whole` are the parts from before the step began.
  Recorded recorded(const KeyParts& whole, const std::string& record) const;

  /// What differs between the surroundings before and after a step, see changes(). Of the files in the code
  /// folder, only considers those that existed, that the step looked at, and that no step makes.
  std::vector<std::string> changed_reads(KeyParts before, KeyParts now, const std::string& record) const;

 private:
  std::optional<Last> reads_in(const Json& result) const;
  std::optional<std::map<std::string, std::string>> files_in(const KeyParts& whole) const;
  KeyParts parts_with(const KeyParts& whole, const Reads& reads, CodeFolder folder) const;
  std::string inside(const std::string& path) const;
  std::set<std::string> made_by_steps(const Reads& reads) const;

  const Pipeline& pipeline_;
  const LocalStore& store_;
};

}  // namespace kml::pipeline
