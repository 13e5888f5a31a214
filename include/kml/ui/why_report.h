#pragma once

#include "kml/core/streams.h"
#include "kml/jobs/why/why.h"

namespace kml::ui {

/// The verdict about one job, for a person.
void print_verdict(const Streams& streams, const jobs::Verdict& verdict);

/// The same as an object: amounts in the resources' own units. For `-o json|yaml`.
Json to_json(const jobs::Verdict& verdict);

}  // namespace kml::ui
