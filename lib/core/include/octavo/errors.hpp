// The exceptions that the library throws.
#pragma once

#include <stdexcept>
#include <string>

namespace octavo {

/// Base class of all exceptions of this library. what() is one line: `<action>: <what is wrong>; <what to do>`.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller passed an invalid argument.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// The arguments are valid, but do not fit the data: images of different sizes, a class or column that is not there, no
/// sample that a choice leaves.
class DataError : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

/// A file violates its format: it is damaged, malicious, or of a newer version.
class FormatError : public Error {
 public:
  using Error::Error;
};

/// A system call failed: no such file, no space, no permission, a failed read.
class IoError : public Error {
 public:
  using Error::Error;
  IoError(const std::string& message, int error_number) : Error(message), error_number_(error_number) {}
  /// The errno of the call, or 0 if there is none.
  int error_number() const { return error_number_; }

 private:
  int error_number_ = 0;
};

/// A device failed, or does not have enough memory (OutOfMemory).
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// There is not enough device or host memory. The message says for what.
class OutOfMemory : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// This build or this machine lacks something that is needed, such as the CUDA backend.
class Unavailable : public Error {
 public:
  using Error::Error;
};

}  // namespace octavo
