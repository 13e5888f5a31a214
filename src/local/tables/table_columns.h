#pragma once

#include <vector>

#include "kml/api/resource.h"
#include "kml/core/clock.h"

namespace kml::local {

/// One column of `kubectl get`.
struct Column {
  const char* name;
  bool wide = false;  ///< shown by -o wide only
  const char* type = "string";
  const char* format = "";  ///< "name" for the column that names the object
};

/// How objects of a kind are shown as rows: the columns, and one object's cells, as many.
struct TableColumns {
  std::vector<Column> columns;
  Json (*cells)(const Json& object, Time now);
};

/// As the API server's (k8s.io/kubernetes/pkg/printers/internalversion/printers.go), and for PyTorchJobs as
/// their definition says (additionalPrinterColumns).
const TableColumns& columns_of(const api::ResourceKind& kind);

extern const TableColumns kPodColumns, kJobColumns, kPyTorchJobColumns, kNodeColumns, kNamespaceColumns,
    kEventColumns, kSecretColumns, kConfigMapColumns, kServiceColumns, kServiceAccountColumns, kClaimColumns,
    kPriorityClassColumns, kQuotaColumns;

/// "12m": the time since then; "<unknown>" where the text is not a time.
std::string age_since(const std::string& time, Time now);
/// The age of the object: the time since its creation.
std::string age_of(const Json& object, Time now);
/// "<none>" for an empty text.
std::string or_none(const std::string& text);

}  // namespace kml::local
