#pragma once

#include "kml/base/json.h"
#include "kml/base/streams.h"
#include "pod/hang/hang.h"

namespace kml::ui {

/// Prints why a job hangs, or what it is doing, with the evidence, and with what could not be read.
void print_hang(const Streams& streams, const pod::JobLook& look, const pod::HangVerdict& verdict);

/// The output of print_hang() for `-o json|yaml`, which also contains the activity of each rank.
Json to_json(const pod::JobLook& look, const pod::HangVerdict& verdict);

}  // namespace kml::ui
