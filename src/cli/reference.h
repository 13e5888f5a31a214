#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kml::cli {

/// A name and its description.
using Entry = std::pair<std::string, std::string>;

// For kml.1. Tests compare these lists with the code.

/// Every environment variable that kml reads.
std::vector<Entry> environment_variables();
/// Every file that kml reads or writes by itself.
std::vector<Entry> files();
/// How kml authenticates to a server and how it connects.
std::vector<Entry> credentials_and_proxies();
/// How the cluster interprets the exit codes of a job's command, and how the command reports its attempts.
std::vector<Entry> command_exit_codes();
std::vector<Entry> exit_codes();
/// For kml-why.1: the codes of causes and their meanings.
std::vector<Entry> causes();
/// The same for kml-hang.1.
std::vector<Entry> hang_causes();

// For kml-sweep.1.

/// The fields of a sweep's file under `spec`.
std::vector<Entry> sweep_fields();
/// The placeholders that each trial fills in.
std::vector<Entry> sweep_holes();
/// The forms of a --param value.
std::vector<Entry> sweep_param_forms();
/// The forms of numbers in logs.
std::vector<Entry> sweep_metric_forms();

}  // namespace kml::cli
