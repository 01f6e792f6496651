// The exceptions that the library throws.
#pragma once

#include <stdexcept>
#include <string>

namespace octavo {

/// The root of every exception of this library. what() is one line: what was being done: what is wrong; what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller passed something that cannot be done.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// A file's contents are not what its format promises: damaged, hostile, or of a newer version.
class FormatError : public Error {
 public:
  using Error::Error;
};

/// The operating system refused: no such file, no space, no permission, a failed read.
class IoError : public Error {
 public:
  using Error::Error;
  IoError(const std::string& message, int error_number) : Error(message), error_number_(error_number) {}
  /// The system's errno, 0 where there is none.
  int error_number() const { return error_number_; }

 private:
  int error_number_ = 0;
};

/// A device failed, or has not enough memory (OutOfMemory).
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A device's memory, or the host's, does not suffice for something that was named.
class OutOfMemory : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// Something that this build or this machine does not have, such as the CUDA backend.
class Unavailable : public Error {
 public:
  using Error::Error;
};

}  // namespace octavo
