#pragma once

#include "kml/engine/journal/record_journal.h"
#include "kml/pipeline/journal/record.h"

namespace kml::pipeline {

/// The journal in a run's folder.
using Journal = engine::RecordJournal<Record>;
using TakeRecord = engine::TakeRecord<Record>;

}  // namespace kml::pipeline
