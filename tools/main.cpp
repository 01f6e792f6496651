// The executable `octavo`.
#include "program.hpp"

int main(int argument_count, char* arguments[]) { return octavo::tools::run_program(argument_count, arguments); }
