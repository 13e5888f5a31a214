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

/// The available templates: the files `NAME.yaml` in some folders, then the built-in templates. If several
/// have the same name, the first one is used.
class Catalog {
 public:
  explicit Catalog(std::vector<std::filesystem::path> folders);

  static constexpr std::string_view kBuiltin = "built-in";

  struct Entry {
    std::string name;
    std::string where;  ///< the file, or kBuiltin
  };
  std::vector<Entry> list() const;

  /// Loads a template by name, or by path if the text contains '/' or ends in .yaml or .yml. Throws Error
  /// (usage) with the nearest name if the template does not exist, or with every problem of the template.
  Template load(std::string_view name_or_path) const;

 private:
  std::vector<std::filesystem::path> folders_;
};

/// The container's folder for the files of --code.
inline constexpr std::string_view kCodeFolder = "/kml/code";

struct Rendered {
  std::vector<Json> objects;       ///< in the order to create them
  std::vector<std::string> notes;  ///< messages for the user: "8 pods × 1 GPU"
};

/// Renders a template and applies the spec to the pods that the template declares. Does not set a namespace.
/// Sets a name only if the spec has one. Throws one Error (usage) with every problem.
Rendered render(const spec::SubmitSpec& spec, const Template& source);

/// Applies the spec to the pods in plain manifests whose kinds kml knows. Throws Error (usage) if a flag has
/// nothing to apply to.
Rendered render(const spec::SubmitSpec& spec, std::vector<Json> manifests);

/// Checks more than parse_template(): also renders the template with its defaults, unless it has a required
/// parameter. Throws one Error (usage) with every problem.
void check_template(const Template& source);

/// The objects in a YAML or JSON text, read as kubectl does: the text may have several documents, empty ones
/// are skipped, and `List` kinds are expanded. `source` names the text in problems. Throws Error (usage) with
/// every problem: invalid YAML or JSON, or a missing apiVersion or kind.
std::vector<Json> parse_manifests(std::string_view text, std::string_view source);

/// A problem of one object that need not be a fault.
struct Remark {
  size_t object;  ///< its index
  Problem problem;
};

struct Remarks {
  std::vector<Remark> unnamed;  ///< objects that have neither name nor generateName
  std::vector<Remark> unknown;  ///< fields and values that kml does not know; the server may be newer
};

/// The objects in several files. For a folder, reads all its .yaml, .yml and .json files by name; for the
/// path "-", reads `stdin_text`. With `check_fields`, faults of fields (api::field_faults) are problems too,
/// but for those that a newer Kubernetes may not have. Adds these, and objects without a name, to `remarks`.
std::vector<Json> load_manifests(std::span<const std::string> paths, std::string_view stdin_text = {},
                                 bool check_fields = false, Remarks* remarks = nullptr);

}  // namespace kml::render
