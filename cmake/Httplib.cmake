# Target hone_httplib: Debian's cpp-httplib. The definitions must match those of the library.
find_path(HONE_HTTPLIB_INCLUDE httplib.h REQUIRED)
find_library(HONE_HTTPLIB_LIBRARY cpp-httplib REQUIRED)
add_library(hone_httplib INTERFACE)
target_compile_definitions(hone_httplib INTERFACE CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT
  CPPHTTPLIB_BROTLI_SUPPORT)
target_link_libraries(hone_httplib INTERFACE ${HONE_HTTPLIB_LIBRARY} Threads::Threads)
