#pragma once

#include <vector>

#include "kml/base/clock.h"
#include "kml/kube/objects/resource.h"

namespace kml::local {

/// A column of `kubectl get`.
struct Column {
  const char* name;
  bool wide = false;  ///< whether only -o wide shows the column
  const char* type = "string";
  const char* format = "";  ///< "name" in the column with the object's name
};

/// How objects of a kind become rows: the columns, and a function that returns a cell for each column.
struct TableColumns {
  std::vector<Column> columns;
  Json (*cells)(const Json& object, Time now);
};

/// The API server's columns (k8s.io/kubernetes/pkg/printers/internalversion/printers.go). For PyTorchJobs,
/// the columns in their CustomResourceDefinition (additionalPrinterColumns).
const TableColumns& columns_of(const api::ResourceKind& kind);

extern const TableColumns kPodColumns, kJobColumns, kCronJobColumns, kPyTorchJobColumns, kNodeColumns,
    kNamespaceColumns, kEventColumns, kSecretColumns, kConfigMapColumns, kServiceColumns,
    kServiceAccountColumns, kClaimColumns, kPriorityClassColumns, kQuotaColumns, kDeploymentColumns,
    kReplicaSetColumns;

/// How long ago `time` was: "12m", or "<unknown>" if the text is not a time.
std::string age_since(const std::string& time, Time now);
/// The time since the object's creation.
std::string age_of(const Json& object, Time now);
/// The text, or "<none>" if it is empty.
std::string or_none(const std::string& text);

}  // namespace kml::local
