#pragma once

#include "local/store/store.h"

namespace kml::local {

/// Creates what every cluster has from its start, where it is missing: the namespaces default and
/// kube-system, the system's priority classes.
void create_initial_objects(Store& store);

/// Keeps what a namespace implies: its service account "default", and that a deleted namespace takes all that
/// it holds with it.
class Namespaces {
 public:
  Namespaces(Store& store, const Clock& clock);

 private:
  void on_event(const StoreEvent& event);
  void empty(const std::string& name);
  void remove_if_empty(const std::string& name);

  Store& store_;
  const Clock& clock_;
};

}  // namespace kml::local
