#pragma once

#include <filesystem>
#include <string>

#include "kml/base/error.h"
#include "kml/pipeline/store/store.h"

namespace kml::pipeline {

/// How the user can find out what is wrong with the disk of the store in `folder`.
std::string room_fix(const std::filesystem::path& folder);

/// Runs the action, which writes to the store in the folder `store`. Marks its errors as faults of the store,
/// so that the run stops and can be resumed, and no step fails.
template <typename Action>
void write_in(const std::filesystem::path& store, const Action& action) {
  try {
    action();
  } catch (Error& e) {
    e.fix = room_fix(store);
    e.reason = kStoreTrouble;
    throw;
  }
}

}  // namespace kml::pipeline
