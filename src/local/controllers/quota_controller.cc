#include "local/controllers/quota_controller.h"

#include "local/store/object.h"

namespace kml::local {

QuotaController::QuotaController(EventLoop& loop, Store& store)
    : store_(store), quotas_(store), queue_(loop, [this](const std::string& key) { look(key); }) {
  store.subscribe([this](const StoreEvent& event) {
    if (const std::string name = namespace_of(*event.object); !name.empty())
      for (const ObjectPtr& quota : store_.list(kinds::quota, name)) queue_.add(api::full_name_of(*quota));
  });
}

void QuotaController::recover() {
  for (const ObjectPtr& quota : store_.list(kinds::quota, "")) queue_.add(api::full_name_of(*quota));
}

void QuotaController::look(const std::string& key) {
  const std::string namespace_name = key.substr(0, key.find('/')), name = key.substr(key.find('/') + 1);
  const Json status = quotas_.status_of(namespace_name, name);
  if (!status.is_null())
    store_.modify(kinds::quota, namespace_name, name, [&](Json& quota) { quota["status"] = status; });
}

}  // namespace kml::local
