# Installs the shared libraries that hone links into lib/hone of a wheel, and their licenses beside
# them, so that the wheel needs only glibc and libstdc++. The program finds them by its RPATH.
set_target_properties(hone PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/hone")
# DT_RPATH rather than DT_RUNPATH: the bundled libraries find each other by it, too.
target_link_options(hone PRIVATE -Wl,--disable-new-dtags)
install(CODE "
  set(program \"$<TARGET_FILE:hone>\")
  set(libraryFolder \"${SKBUILD_DATA_DIR}/lib/hone\")
  set(noticesFile \"${honeShare}/THIRD_PARTY_NOTICES\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/InstallLibraries.cmake\")")
