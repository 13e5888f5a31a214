#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/kfp/compiled.h"
#include "pipeline/kfp/task_steps.h"

namespace kml::pipeline::kfp {

/// Escapes a text for use in settings, so that "$" does not start a placeholder.
std::string without_placeholders(const std::string& text);

/// Reads fields that depend on a task's inputs. If a value is only known during the run, it becomes a
/// placeholder for an input, which is added to the step. Returned texts may contain such placeholders.
class FieldReader {
 public:
  FieldReader(std::string path, const LeafTask& leaf, Step& step, render::Problems& problems)
      : path_(std::move(path)), leaf_(leaf), step_(step), problems_(problems) {}

 protected:
  void wrong(const std::string& field, std::string text) {
    refuse(problems_, field.empty() ? path_ : path_ + "." + field, std::move(text));
  }
  void known(const Json& object, std::initializer_list<std::string_view> names, const std::string& field) {
    check_fields(object, names, path_ + "." + field, problems_);
  }
  /// Empty if the input has no value.
  std::optional<std::string> text_of_input(const Binding& binding, const std::string& field);
  /// Replaces the SDK's placeholders, which refer to inputs of the task.
  std::string filled(const std::string& text, const std::string& field);
  /// Where the value of `{runtimeValue}`, `{componentInputParameter}` or `{taskOutputParameter}` comes from.
  Binding source(const Json& object) const;
  /// Reads a name. The SDK writes each name twice, for older and for newer servers. Empty if an optional name
  /// is missing.
  std::optional<std::string> name_in(const Json& object, const char* old_key, const char* key,
                                     const std::string& field);

  const LeafTask& leaf() const { return leaf_; }
  Step& step() { return step_; }

 private:
  const std::string path_;
  const LeafTask& leaf_;
  Step& step_;
  render::Problems& problems_;
};

/// Reads a pod field of `platforms.kubernetes` for which kml has no setting, and adds it to Step::pod.
/// Returns false if the field is not one of these.
bool read_pod_field(const std::string& field, const Json& value, const std::string& path,
                    const LeafTask& leaf, Step& step, render::Problems& problems);

}  // namespace kml::pipeline::kfp
