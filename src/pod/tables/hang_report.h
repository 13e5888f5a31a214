#pragma once

#include "kml/base/json.h"
#include "kml/base/streams.h"
#include "pod/hang/hang.h"

namespace kml::ui {

/// Prints why a job hangs, or what makes progress, with the evidence and what could not be read.
void print_hang(const Streams& streams, const pod::JobLook& look, const pod::HangVerdict& verdict);

/// The same as an object for `-o json|yaml`, with what each rank does.
Json to_json(const pod::JobLook& look, const pod::HangVerdict& verdict);

}  // namespace kml::ui
