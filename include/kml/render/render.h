#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/error.h"
#include "kml/core/json.h"
#include "kml/render/template.h"
#include "kml/spec/submit_spec.h"

namespace kml::render {

/// The templates that can be named: those of some folders (`NAME.yaml`), then the built-in ones. A name found
/// earlier hides a later one.
class Catalog {
 public:
  explicit Catalog(std::vector<std::filesystem::path> folders);

  struct Entry {
    std::string name;
    std::string where;  ///< the file, or "built-in"
  };
  std::vector<Entry> list() const;

  /// By name, or by path where it holds a '/' or ends in .yaml or .yml. Throws Error (usage): no such
  /// template, with the nearest name; or every problem of the template.
  Template load(std::string_view name_or_path) const;

 private:
  std::vector<std::filesystem::path> folders_;
};

/// Where the container finds what --code took along.
inline constexpr std::string_view kCodeFolder = "/kml/code";

struct Rendered {
  std::vector<Json> objects;       ///< in the order to create them
  std::vector<std::string> notes;  ///< for the user: "8 pods × 1 GPU"
};

/// The manifests of a template with the spec laid over the pods that it declares. Sets no namespace, and a
/// name only where the spec has one. Throws one Error (usage) with every problem.
Rendered render(const spec::SubmitSpec& spec, const Template& source);

/// The same for manifests as they are: the spec is laid over the pods of known kinds. Throws Error (usage)
/// if a flag has nothing to apply to.
Rendered render(const spec::SubmitSpec& spec, std::vector<Json> manifests);

/// Checks beyond parse_template(): fills the template in with its defaults, where they are enough. Throws one
/// Error (usage) with every problem.
void check_template(const Template& source);

/// Objects of a YAML or JSON text, as kubectl reads it: several documents, empty ones skipped, `List` kinds
/// expanded. `source` names the text in problems. Throws Error (usage) with every problem: what is not YAML
/// or JSON, or has no apiVersion or kind.
std::vector<Json> parse_manifests(std::string_view text, std::string_view source);

/// An object that has neither name nor generateName, and where it says so.
struct Unnamed {
  size_t object;  ///< its index
  Problem problem;
};

/// The objects of several files, of all .yaml, .yml and .json files of a folder (by name), and of
/// `stdin_text` for the path "-". With `check_fields` a name that is nearly a field's (api::misspelt_fields)
/// is a problem too. Those without a name are told in `unnamed`, where it is given.
std::vector<Json> load_manifests(std::span<const std::string> paths, std::string_view stdin_text = {},
                                 bool check_fields = false, std::vector<Unnamed>* unnamed = nullptr);

}  // namespace kml::render
