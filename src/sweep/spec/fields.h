#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"

namespace kml::sweep {

/// The keys of an object in a document. Callers read each key by its name. Keys that are never read are
/// reported as problems.
class Fields {
 public:
  /// `object` may be null. Any type other than an object is a problem.
  Fields(const Json* object, std::string path, std::vector<Problem>& problems);
  Fields(const Fields&) = delete;

  static constexpr long long kMost = 1'000'000'000'000'000;

  /// The value, or nullptr if it is missing or null.
  const Json* take(std::string_view key);
  /// Whether the key exists, even if its value is null.
  bool has(std::string_view key) const { return object_ && object_->contains(key); }
  /// The value, even if it is null.
  Json any(std::string_view key);
  std::optional<double> number(std::string_view key);
  std::optional<long long> integer(std::string_view key, long long least, long long most = kMost);
  /// A whole number that fits into an int.
  std::optional<int> count(std::string_view key, int least);
  std::string text(std::string_view key);
  bool truth(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  /// One of the given words; if the key is missing, the first of them.
  std::string word(std::string_view key, const std::vector<std::string>& words);
  /// Marks keys that have no effect here, but are not mistakes.
  void ignore(std::initializer_list<std::string_view> keys);

  void problem(std::string_view key, std::string text);
  std::string path_of(std::string_view key) const;
  /// Reports the keys that were not read.
  void end();

 private:
  const Json* object_;
  std::string path_;
  std::vector<Problem>& problems_;
  std::vector<std::string> asked_;
};

}  // namespace kml::sweep
