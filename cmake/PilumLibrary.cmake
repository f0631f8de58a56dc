# libpilum, what programs link as Pilum::pilum: the objects of the interfaces for C++ and C, and of all that they link, in one library.
# Shared unless BUILD_SHARED_LIBS is off.

# pilum_collect(TARGET): appends to PILUM_PARTS our libraries that TARGET is made of, itself included, and to
# PILUM_FOREIGN what of others' they link. A folder of rooms is an interface library: it stands for them.
macro(pilum_collect target)
  get_target_property(type_of_${target} ${target} TYPE)
  if(type_of_${target} STREQUAL INTERFACE_LIBRARY)
    get_target_property(links_of_${target} ${target} INTERFACE_LINK_LIBRARIES)
  else()
    list(APPEND PILUM_PARTS ${target})
    get_target_property(links_of_${target} ${target} LINK_LIBRARIES)
  endif()
  list(APPEND PILUM_SEEN ${target})
  foreach(link ${links_of_${target}})
    set(imported TRUE)
    if(TARGET ${link})
      get_target_property(imported ${link} IMPORTED)
    endif()
    if(link IN_LIST PILUM_SEEN OR link MATCHES "^::@|-NOTFOUND$")
      continue()
    elseif(imported)
      list(APPEND PILUM_SEEN ${link})
      list(APPEND PILUM_FOREIGN ${link})
    else()
      pilum_collect(${link})
    endif()
  endforeach()
endmacro()
# pilum_collect_all(TARGET): the same, for it alone.
macro(pilum_collect_all target)
  set(PILUM_PARTS)
  set(PILUM_FOREIGN)
  set(PILUM_SEEN)
  pilum_collect(${target})
endmacro()
pilum_collect_all(pilum_c_objects)

# pilum_shared_library(NAME SOURCE...): one that shows what is marked PILUM_API.
function(pilum_shared_library name)
  set(map ${PROJECT_SOURCE_DIR}/cmake/pilum.map)
  add_library(${name} SHARED ${ARGN})
  target_link_options(${name} PRIVATE
    LINKER:--version-script,${map}
    LINKER:-Bsymbolic-functions  # our own calls are direct ones
    LINKER:-z,nodelete)          # its threads, and what runs at exit, outlive whoever loaded it
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${map})
  if(NOT PILUM_SANITIZE)
    target_link_options(${name} PRIVATE LINKER:-z,defs)
  endif()
endfunction()

list(TRANSFORM PILUM_PARTS REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  set(PILUM_LIBRARY_TYPE STATIC)
  add_library(pilum STATIC ${objects})
  # A program has no library beside which the plug-in would lie: it is on the program's run path.
  target_link_options(pilum INTERFACE
    $<BUILD_INTERFACE:LINKER:-rpath,${PILUM_PLUGIN_FOLDER}>
    "$<INSTALL_INTERFACE:LINKER:-rpath,$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/pilum>")
else()
  set(PILUM_LIBRARY_TYPE SHARED)
  pilum_shared_library(pilum ${objects})
endif()
add_library(Pilum::pilum ALIAS pilum)
set_target_properties(pilum PROPERTIES
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}  # until 1.0, a minor version may change what programs see
  LIBRARY_OUTPUT_DIRECTORY ${PILUM_LIBRARY_FOLDER}
  ARCHIVE_OUTPUT_DIRECTORY ${PILUM_LIBRARY_FOLDER}
  INSTALL_RPATH_USE_LINK_PATH ON)  # where MPI and UCX stand apart from the system's libraries
target_compile_features(pilum INTERFACE cxx_std_20)
target_include_directories(pilum INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
include(PilumLinkItems)
pilum_link_items(PILUM_FOREIGN_ITEMS ${PILUM_FOREIGN})
target_link_libraries(pilum PRIVATE ${PILUM_FOREIGN_ITEMS})
if(TARGET pilum_jit_clang)
  add_dependencies(pilum pilum_jit_clang)
endif()
