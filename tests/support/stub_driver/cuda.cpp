// A libcuda.so.1 that replaces the NVIDIA driver. It reports a version, starts or fails as configured, and provides
// nothing else. Without a GPU, it shows which CUDA functions a program uses and how it handles a faulty driver.
//
// STUB_DRIVER_VERSION   result of cuDriverGetVersion, such as 12020
// STUB_DRIVER_STATUS    result of cuInit: a CUresult, 0 if the variable is not set
// STUB_DRIVER_LOG       file to append the name of each called or looked-up function to
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kUnknownError = 999;

int number_of(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

void log_call(const char* name) {
  const char* path = std::getenv("STUB_DRIVER_LOG");
  if (path == nullptr) return;
  if (std::FILE* file = std::fopen(path, "a")) {
    std::fprintf(file, "%s\n", name);
    std::fclose(file);
  }
}

int fail() { return kUnknownError; }

}  // namespace

extern "C" {

int cuInit(unsigned) {
  log_call("cuInit");
  return number_of("STUB_DRIVER_STATUS", 0);
}

int cuDriverGetVersion(int* version) {
  log_call("cuDriverGetVersion");
  *version = number_of("STUB_DRIVER_VERSION", 12020);
  return 0;
}

int cuGetProcAddress_v2(const char* name, void** function, int, unsigned long, int* found) {
  log_call(name);
  const auto is = [&](const char* known) { return std::strcmp(name, known) == 0; };
  *function = is("cuInit")               ? reinterpret_cast<void*>(&cuInit)
              : is("cuDriverGetVersion") ? reinterpret_cast<void*>(&cuDriverGetVersion)
              : is("cuGetProcAddress")   ? reinterpret_cast<void*>(&cuGetProcAddress_v2)
                                         : reinterpret_cast<void*>(&fail);
  if (found != nullptr) *found = 0;
  return 0;
}

int cuGetProcAddress(const char* name, void** function, int version, unsigned long flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

}  // extern "C"
