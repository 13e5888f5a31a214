#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/job/render/template.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::render {

/// The available templates: first the files `NAME.yaml` in some folders, then the built-in templates. If
/// several have the same name, the first one is used.
class Catalog {
 public:
  explicit Catalog(std::vector<std::filesystem::path> folders);

  static constexpr std::string_view kBuiltin = "built-in";

  struct Entry {
    std::string name;
    std::string where;  ///< the file, or kBuiltin
  };
  std::vector<Entry> list() const;

  /// Loads a template by its name; or by its path, if the text contains '/' or ends with .yaml or .yml.
  /// Throws usage Error with the nearest name if the template does not exist, or with all problems in the
  /// template.
  Template load(std::string_view name_or_path) const;

 private:
  std::vector<std::filesystem::path> folders_;
};

/// The folder in the container that contains the files of --code.
inline constexpr std::string_view kCodeFolder = "/kml/code";

/// The folder in the container that contains the environments with installed packages.
inline constexpr std::string_view kEnvironmentsFolder = "/kml/environments";

struct Rendered {
  std::vector<Json> objects;       ///< the objects, in the order in which they must be created
  std::vector<std::string> notes;  ///< messages for the user, such as "8 pods × 1 GPU"
};

/// Renders a template, and applies the spec to the pods that the template declares. Does not set a namespace,
/// and only sets a name if the spec has one. Throws a single usage Error with all problems.
Rendered render(const spec::SubmitSpec& spec, const Template& source);

/// Applies the spec to the pods in manifests, for the kinds that kml knows. Throws usage Error if a flag
/// cannot be applied to anything.
Rendered render(const spec::SubmitSpec& spec, std::vector<Json> manifests);

/// Checks more than parse_template() does: also renders the template with its defaults, unless a parameter is
/// required. Throws a single usage Error with all problems.
void check_template(const Template& source);

/// The objects in a YAML or JSON text, read as kubectl does: the text may have several documents, empty
/// documents are skipped, and kinds such as `List` are expanded. `source` is the text's name in problems.
/// Throws usage Error with all problems: invalid YAML or JSON, or a missing apiVersion or kind.
std::vector<Json> parse_manifests(std::string_view text, std::string_view source);

/// A remark about one object, which may or may not be a fault.
struct Remark {
  size_t object;  ///< the object's index
  Problem problem;
};

struct Remarks {
  std::vector<Remark> unnamed;  ///< objects with neither name nor generateName
  std::vector<Remark> unknown;  ///< fields and values that kml does not know, because the server may be newer
};

/// The objects in several files. For a folder, reads all .yaml, .yml and .json files in it, sorted by name.
/// For the path "-", reads `stdin_text`. With `check_fields`, faults in fields (api::field_faults) are
/// problems. If a newer Kubernetes might accept all of these faults, they are only added to `remarks`, as are
/// objects without a name. Throws usage Error with all problems, or if there are no objects.
std::vector<Json> load_manifests(std::span<const std::string> paths, std::string_view stdin_text = {},
                                 bool check_fields = false, Remarks* remarks = nullptr);

}  // namespace kml::render
