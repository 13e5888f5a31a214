#pragma once

#include "local/store/store.h"

namespace kml::local {

/// Creates these objects, which every cluster has from the start, unless they exist: the namespaces default
/// and kube-system, and the system's priority classes.
void create_initial_objects(Store& store);

/// The namespace controller. It creates the service account "default" in each namespace, and deletes
/// everything in a namespace that is being deleted.
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
