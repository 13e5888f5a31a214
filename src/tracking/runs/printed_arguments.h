#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/json.h"

namespace kml::tracking {

/// Finds the values in a log that are not metrics, but arguments that the program has printed. A value is an
/// argument in any of these cases:
///
/// - All values with its name are equal to the argument with that name.
/// - It is in a printed dict of arguments: {'lr': 0.1, 'seed': 1}, Namespace(lr=0.1, seed=1), or lines of
///   YAML or TOML. A dict may have several lines, and a frame.
/// - All values with its name outside of such dicts are equal to the value in a dict.
/// - It has the name of a hyperparameter and no other value in the log, and is printed beside another value
///   with such a name, as in "lr=0.1 seed=1" or in the dict of a program that got no arguments.
///
/// A dict is one of arguments in any of these cases:
///
/// - Its name says so: "args: {…}".
/// - It is in another dict under such a name: {"config": {…}, "loss": 1}.
/// - It is equal to a dict of arguments.
/// - It is a printed object, such as SVC(C=0.1), whose values do not change in the log, and other values
///   follow.
/// - It has all arguments of the command, or it has several hyperparameters; a dict that contains another
///   one needs only one. In addition, the dict is not printed again with other values, other values follow it
///   in the log, and the members that are neither results nor arguments of the command have no other values
///   in the log.
///
/// In doubt, a value is a metric. For example, a member with the name of a result ("val_loss") is a metric,
/// unless it is in a Namespace(…), or the log has other values of it.
class PrintedArguments {
 public:
  using Members = std::vector<std::pair<std::string, double>>;

  explicit PrintedArguments(std::map<std::string, Json> arguments);

  /// How many lines are read. Programs print their arguments first, so later lines have none.
  static constexpr size_t kMostLines = 100'000;

  /// Reads the next line, with its number and its metrics. Numbers must increase.
  void read(std::string_view line, size_t number, const Members& metrics);

  /// Whether the value is equal to the argument with that name.
  bool is_argument(const std::string& name, double value) const;

  struct Lines {
    size_t first = 0, last = 0;
  };
  using HasOther = std::function<bool(const std::string& name, double value, Lines lines)>;
  /// Call this when all lines were read. Decides which of the dicts contain arguments, and calls `leave_out`
  /// for each value in them that is an argument. `has_other` says whether a name has a different value
  /// outside the lines from `first` to `last`. Returns the arguments that the dicts have.
  Members each_printed(const HasOther& has_other,
                       const std::function<void(const std::string& name, Lines lines)>& leave_out) const;

 private:
  /// `object` has a name that means arguments, such as Namespace(…), or is in another dict under such a name;
  /// `instance` is any other printed object.
  enum class Form { braces, object, instance, lines, line };
  struct Dict {
    Form form = Form::braces;
    Lines lines = {};
    bool is_named = false;  ///< whether the dict's name says that the dict has arguments
    Members members = {};
    std::string text = {};
    int depth = 0;                         ///< how many brackets are open
    bool is_nested = false;                ///< whether a member is a dict
    std::string_view sign = {};            ///< the sign in its lines: ":" or "="
    std::optional<bool> is_indented = {};  ///< whether the first of the dict's lines is indented
  };

  void add(Dict& dict, std::string_view text, size_t number, const Members& metrics);
  void close();
  void read_bracket(std::string_view text, size_t number, const Members& metrics, bool is_named);
  void read_inner(std::string_view text, size_t number, const Members& metrics);
  bool read_pair(std::string_view line, size_t number, const Members& metrics);
  bool read_section(std::string_view line, size_t number, size_t previous);
  bool read_instances(size_t end, std::string_view text, size_t number);
  bool has_all_arguments(const Dict& dict) const;
  using Repeated = std::set<std::vector<std::string>>;
  Repeated repeated() const;
  bool is_of_arguments(const Dict& dict, const Repeated& repeated, const HasOther& has_other) const;
  const Json* argument(std::string_view name) const;

  std::map<std::string, Json> arguments_;
  std::vector<Dict> dicts_;
  std::optional<Dict> open_;
  size_t last_value_ = 0;  ///< the number of the last line with values
  size_t last_text_ = 0;   ///< the number of the last line that was not empty
};

}  // namespace kml::tracking
