# What `cmake --install` puts where, and the package that find_package(octavo) finds.
