// `octavo devices`: the backends in this build and the devices in this machine.
#include <iostream>
#include <memory>
#include <octavo/device.hpp>
#include <optional>

#include "exit_code.hpp"
#include "text/human_units.hpp"
#include "text/json_output.hpp"
#include "text/text_table.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

/// null if empty.
template <typename Value>
Json as_json(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

void print_devices_json() {
  Json devices = Json::array();
  for (const DeviceInfo& info : list_devices()) {
    devices.push_back({{"device", to_string(info.device)},
                       {"name", info.name},
                       {"total_bytes", info.total_bytes},
                       {"free_bytes", as_json(info.free_bytes)},
                       {"details", info.details},
                       {"problem", as_json(info.problem)}});
  }
  print_json({{"backends", list_backends()},
              {"devices", devices},
              {"best", to_string(Device::best())},
              {"cuda_problem", as_json(cuda_problem())}});
}

void add_row(TextTable& table, const DeviceInfo& info) {
  if (info.problem) {
    table.add_row({to_string(info.device), "unknown", "unknown", "unknown", *info.problem});
    return;
  }
  table.add_row({to_string(info.device), info.name, format_bytes(info.total_bytes),
                 info.free_bytes ? format_bytes(*info.free_bytes) : "unknown until used", info.details});
}

void print_devices() {
  std::string backends;
  for (const std::string& backend : list_backends()) backends += (backends.empty() ? "" : ", ") + backend;
  std::cout << "Backends in this build: " << backends << "\n\n";
  TextTable table("llrrl");
  table.add_row({"device", "name", "memory", "free", "details"});
  for (const DeviceInfo& info : list_devices()) add_row(table, info);
  table.print(std::cout);
  if (const auto problem = cuda_problem()) std::cout << "\nCUDA is not usable: " << *problem << ".\n";
  std::cout << "\n--device auto selects " << to_string(Device::best()) << " on this machine.\n";
}

}  // namespace

Command add_devices_command(CLI::App& program) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App* verb =
      add_verb(program, "devices", "Show the backends of this build and the devices of this machine", *options);
  return {verb, [options] {
            options->json ? print_devices_json() : print_devices();
            return kDone;
          }};
}

}  // namespace octavo::tools
