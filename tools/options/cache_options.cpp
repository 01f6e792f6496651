#include "options/cache_options.hpp"

#include <octavo/memory_size.hpp>
#include <octavo/remote.hpp>

namespace octavo::tools {

void add_cache_options(CLI::App& verb, CacheArguments& arguments) {
  verb.option_defaults()->group("Remote files");
  CLI::Option* const folder =
      verb.add_option("--cache", arguments.folder, "Keep what is read of a URL in this folder on a local disk");
  verb.add_option("--cache-size", arguments.size, "Disk space of the folder, at most (64GiB)")->needs(folder);
}

Dataset open_with_cache(const std::string& location, const CacheArguments& arguments) {
  remote::SourceOptions options;
  if (!arguments.folder.empty()) {
    options.cache = {arguments.folder, parse_memory_size(arguments.size)};
  }
  return remote::open_dataset(location, options);
}

}  // namespace octavo::tools
