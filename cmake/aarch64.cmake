# Toolchain of scripts/check_aarch64: 64-bit ARM with Debian's g++-aarch64-linux-gnu, objects and archives only. The third-party
# headers are the host's; of what they hold for its own processor alone (OpenSSL's configuration) nothing differs on a 64-bit Linux.
# To build a program for ARM, build on ARM: there nothing of this is needed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(host_folder ${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_C_FLAGS_INIT "-idirafter /usr/include/${host_folder}")
set(CMAKE_CXX_FLAGS_INIT "-idirafter /usr/include/${host_folder}")
set(CMAKE_LIBRARY_PATH /usr/lib/${host_folder})
foreach(package fmt spdlog CLI11 tomlplusplus hwy nlohmann_json zstd)
  foreach(folder /usr/lib/${host_folder}/cmake /usr/lib/cmake /usr/share/cmake)
    if(EXISTS ${folder}/${package})
      set(${package}_DIR ${folder}/${package})
    endif()
  endforeach()
endforeach()
# oneDNN's header says what the host's library was built for.
set(MINNOW_ONEDNN OFF CACHE STRING "")
set(MINNOW_SENTENCEPIECE OFF CACHE STRING "")
# Nothing is linked, not even by the questions that find_package asks: there is no BLAS for ARM here.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
