# What `cmake --install` puts where: the program, the library with its headers, what find_package and pkg-config read,
# configurations, manual page, completions.
include(CMakePackageConfigHelpers)

get_target_property(library_type minnow TYPE)
set(MINNOW_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/minnow)

# A shared library is found beside the program, wherever the prefix is moved.
if(TARGET minnow_cli)
  file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(minnow_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")
  install(TARGETS minnow_cli RUNTIME)
endif()
install(TARGETS minnow EXPORT minnow_targets ARCHIVE LIBRARY)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/minnow DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")

# find_package(minnow)
install(EXPORT minnow_targets NAMESPACE minnow:: FILE minnowTargets.cmake DESTINATION ${MINNOW_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/minnowConfig.cmake.in ${PROJECT_BINARY_DIR}/minnowConfig.cmake
                              INSTALL_DESTINATION ${MINNOW_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
# Until 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/minnowConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/minnowConfig.cmake ${PROJECT_BINARY_DIR}/minnowConfigVersion.cmake
        DESTINATION ${MINNOW_CMAKE_DIR})

# pkg-config: a static library names the libraries that it needs itself, a shared one brings them.
set(needed "")
foreach(library ${BLAS_LIBRARIES})
  string(REGEX REPLACE "^.*/lib([^/]*)\\.(so|a)$" "-l\\1" flag ${library})
  string(APPEND needed " ${flag}")
endforeach()
set(MINNOW_PC_REQUIRES "")
set(MINNOW_PC_LIBS "-L\${libdir} -lminnow ${OpenMP_CXX_FLAGS}")
if(library_type STREQUAL "STATIC_LIBRARY")
  set(MINNOW_PC_REQUIRES "fmt tomlplusplus libhwy libcrypto libpng libzstd libutf8proc")
  if(MINNOW_HAS_SENTENCEPIECE)
    string(APPEND MINNOW_PC_REQUIRES " sentencepiece")
  endif()
  if(CMAKE_DL_LIBS)
    string(APPEND needed " -l${CMAKE_DL_LIBS}")
  endif()
  string(APPEND MINNOW_PC_LIBS "${needed}")
endif()
foreach(kind LIB INCLUDE)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}DIR}")
    set(MINNOW_PC_${kind}DIR ${CMAKE_INSTALL_${kind}DIR})
  else()
    set(MINNOW_PC_${kind}DIR "\${prefix}/${CMAKE_INSTALL_${kind}DIR}")
  endif()
endforeach()
# From the file's own place, so that the prefix may be chosen or moved after the build.
file(RELATIVE_PATH MINNOW_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/minnow.pc.in ${PROJECT_BINARY_DIR}/minnow.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/minnow.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# For people.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/minnow FILES_MATCHING PATTERN "*.toml")
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(MINNOW_WRITTEN)
  install(FILES ${MINNOW_WRITTEN}/minnow.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${MINNOW_WRITTEN}/minnow DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${MINNOW_WRITTEN}/_minnow DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${MINNOW_WRITTEN}/minnow.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
