#include "images/tiff/tiff_file.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

#include <octavo/errors.hpp>

namespace octavo::images {
namespace {

constexpr int kHandled = 1;  // the program's own handlers are not called

TiffFile::State& state_of(void* handle) { return *static_cast<TiffFile::State*>(handle); }

/// Keeps the first message, on one line.
void keep(TiffFile::State& state, const char* format, std::va_list values) {
  if (state.failed) return;
  state.failed = true;
  std::vsnprintf(state.message, sizeof state.message, format, values);
  for (char& c : state.message) c = c != 0 && static_cast<unsigned char>(c) < ' ' ? ' ' : c;
}

int on_error(TIFF*, void* handle, const char*, const char* format, std::va_list values) {
  keep(state_of(handle), format, values);
  return kHandled;
}

int on_warning(TIFF*, void* handle, const char* module, const char* format, std::va_list values) {
  // The one decoding warning that does not indicate damage: LZW codes as written before TIFF 5.
  const bool is_old_lzw = module != nullptr && std::strcmp(module, "LZWPreDecode") == 0;
  if (state_of(handle).warnings_count && !is_old_lzw) keep(state_of(handle), format, values);
  return kHandled;
}

tmsize_t on_read(thandle_t handle, void* out, tmsize_t byte_count) {
  TiffFile::State& state = state_of(handle);
  const auto length = static_cast<std::int64_t>(state.file.size());
  const std::int64_t count = std::clamp<std::int64_t>(length - state.at, 0, byte_count);
  if (count > 0) std::memcpy(out, state.file.data() + state.at, static_cast<std::size_t>(count));
  state.at += count;
  return count;
}

tmsize_t on_write(thandle_t, void*, tmsize_t) { return 0; }

toff_t on_seek(thandle_t handle, toff_t offset, int whence) {
  TiffFile::State& state = state_of(handle);
  const std::int64_t length = static_cast<std::int64_t>(state.file.size());
  const std::int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? state.at : length;
  // Offsets in files are arbitrary 64-bit values. Seeking beyond the end is allowed; reads there return nothing.
  std::int64_t to = 0;
  if (__builtin_add_overflow(from, static_cast<std::int64_t>(offset), &to) || to < 0) return static_cast<toff_t>(-1);
  state.at = to;
  return static_cast<toff_t>(to);
}

int on_close(thandle_t) { return 0; }

toff_t on_length(thandle_t handle) { return state_of(handle).file.size(); }

int on_map(thandle_t handle, void** base, toff_t* length) {
  const auto file = state_of(handle).file;
  *base = const_cast<std::byte*>(file.data());
  *length = file.size();
  return 1;
}

void on_unmap(thandle_t, void*, toff_t) {}

struct FreeOptions {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

}  // namespace

TiffFile::TiffFile(std::span<const std::byte> file, std::int64_t most_bytes) : state_{.file = file} {
  const std::unique_ptr<TIFFOpenOptions, FreeOptions> options(TIFFOpenOptionsAlloc());
  if (!options) throw std::bad_alloc();
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), most_bytes);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), &on_error, &state_);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), &on_warning, &state_);
  tiff_.reset(TIFFClientOpenExt("image", "r", &state_, &on_read, &on_write, &on_seek, &on_close, &on_length, &on_map,
                                &on_unmap, options.get()));
  // libtiff skips tags with invalid values, although it reports them as errors.
  if (tiff_) state_.failed = false;
  check(tiff_ != nullptr);
}

void TiffFile::check(bool succeeded) const {
  if (succeeded && !state_.failed) return;
  throw FormatError(std::string("its TIFF data are damaged: ") +
                    (state_.failed ? state_.message : "they are cut short"));
}

std::uint16_t TiffFile::value(std::uint32_t tag) const {
  std::uint16_t value = 0;
  TIFFGetFieldDefaulted(tiff_.get(), tag, &value);
  return value;
}

}  // namespace octavo::images
