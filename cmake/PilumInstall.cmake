# What `cmake --install` puts into a prefix. Nothing in it names the prefix: it may be moved.
include(CMakePackageConfigHelpers)

install(TARGETS pilum plaunch EXPORT PilumTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# C programs link Pilum::pilum, Fortran's Pilum::fortran. A .mod file is read by the compiler that wrote it alone: the
# module's source comes along.
if(TARGET pilum_fortran)
  install(TARGETS pilum_fortran EXPORT PilumTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${PROJECT_BINARY_DIR}/lib/fortran/pilum.mod ${PROJECT_SOURCE_DIR}/numeric/c_interface/fortran/pilum.f90
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pilum/fortran)
endif()
set(plugins pilum_pmi pilum_one_interface)
if(TARGET pilum_jit_clang)
  list(APPEND plugins pilum_jit_clang)
endif()
install(TARGETS ${plugins} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/pilum)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pilum DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# find_package(Pilum 0.2)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Pilum)
install(EXPORT PilumTargets NAMESPACE Pilum:: DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/PilumConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/PilumConfig.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/PilumConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/PilumConfig.cmake ${PROJECT_BINARY_DIR}/cmake/PilumConfigVersion.cmake
  DESTINATION ${package_folder})

# pkg-config pilum
file(RELATIVE_PATH PILUM_PREFIX_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH PILUM_LIBDIR_FROM_PREFIX ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH PILUM_INCLUDEDIR_FROM_PREFIX ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
string(REGEX REPLACE "/$" "" PILUM_PREFIX_FROM_PC "${PILUM_PREFIX_FROM_PC}")
set(PILUM_PC_LIBRARIES "")  # what a program links besides: nothing, where libpilum is shared
if(PILUM_LIBRARY_TYPE STREQUAL STATIC)
  list(JOIN PILUM_FOREIGN_ITEMS " " PILUM_PC_LIBRARIES)
  string(PREPEND PILUM_PC_LIBRARIES " -Wl,-rpath,\${libdir}/pilum ")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/pilum.pc.in ${PROJECT_BINARY_DIR}/cmake/pilum.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/pilum.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
