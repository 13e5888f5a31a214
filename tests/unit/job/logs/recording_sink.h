#pragma once

#include <string>

#include "kml/job/logs/logs.h"

namespace kml {

/// Records lines as "LABEL.RESTART TEXT" and a newline, or "~" if the line continues. Records events in
/// brackets, except those about a log's start.
class RecordingSink : public job::LogSink {
 public:
  void lines(std::span<const job::LogLine> lines) override {
    for (const job::LogLine& line : lines)
      said += line.source->label + "." + std::to_string(line.source->restart) + " " + std::string(line.text) +
              (line.ends ? "\n" : "~");
  }
  void event(const job::LogEvent& event) override {
    using Kind = job::LogEvent::Kind;
    if (event.kind == Kind::gap) said += "[gap]";
    if (event.kind == Kind::silent) said += "[silent]";
    if (event.kind == Kind::trouble) said += "[trouble]";
    if (event.kind == Kind::run_ended)
      said += "[end" + (event.exit ? " " + std::to_string(event.exit->code) : "") + "]";
    if (event.kind == Kind::pod_failed) said += "[failed " + event.pod + "]";
    if (event.kind == Kind::waiting) said += "[" + event.text + "]";
    if (event.kind == Kind::job_ended) said += "[job " + std::string(name_of(event.view->state)) + "]";
  }

  std::string said;
};

}  // namespace kml
