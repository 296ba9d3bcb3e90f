#include "app/common/call_options.h"

#include <CLI/CLI.hpp>

namespace hone::app {

void addCallOptions(CLI::App& command, std::string& function, std::vector<std::string>& inputs) {
  command.add_option("--function", function, "Function to run, if the program has several")
      ->type_name("NAME");
  command
      .add_option("--input", inputs,
                  "One input: 4x8xf32 (random), 4x8xf32=1 (constant) or 4x8xf32=@x.npy (file)")
      ->allow_extra_args(false);
}

}  // namespace hone::app
