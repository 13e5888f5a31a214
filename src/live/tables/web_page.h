#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "live/model/tables.h"
#include "live/web/site.h"

namespace kml::ui {

/// A file in src/live/web/page, such as "app.js". embed.cmake generates the definition.
std::string_view live_part(std::string_view file);

/// The page of `kml ui --web`, with its style and scripts.
live::PageFiles live_page();

/// The content of a page that does not change.
struct PageContent {
  std::vector<live::Change> changes;    ///< changes that set all rows and the state of the clusters
  Json sweep_reports = Json::object();  ///< the reports of sweeps, by "CLUSTER<newline>ID"
  Json run_reports = Json::object();    ///< the reports of runs, by the run's id
};

/// The page of `kml ui --web` as one HTML file, which loads nothing from elsewhere.
std::string fixed_live_page(const PageContent& content, Time made);

}  // namespace kml::ui
