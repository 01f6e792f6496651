# The shell completions and the man pages, which the program itself writes.
add_custom_target(octavo_shell_files ALL)
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  return()
endif()
set(folder ${CMAKE_CURRENT_BINARY_DIR}/shell)
set(completions ${folder}/octavo.bash ${folder}/_octavo ${folder}/octavo.fish)
add_custom_command(
  OUTPUT ${completions} ${folder}/man1/octavo.1
  COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/man1
  COMMAND octavo_program completion bash > ${folder}/octavo.bash
  COMMAND octavo_program completion zsh > ${folder}/_octavo
  COMMAND octavo_program completion fish > ${folder}/octavo.fish
  COMMAND octavo_program manual ${folder}/man1
  DEPENDS octavo_program
  COMMENT "Writing shell completions and man pages"
  VERBATIM)
add_custom_target(octavo_shell_file_contents DEPENDS ${completions} ${folder}/man1/octavo.1)
add_dependencies(octavo_shell_files octavo_shell_file_contents)

# A wheel is the component python. pip copies its data to the environment, where shells and man find them.
set(share ${CMAKE_INSTALL_DATADIR})
set(manuals ${CMAKE_INSTALL_MANDIR})
if(SKBUILD)
  set(share ${SKBUILD_DATA_DIR}/share)
  set(manuals ${share}/man)
endif()
install(FILES ${folder}/octavo.bash DESTINATION ${share}/bash-completion/completions RENAME octavo COMPONENT python)
install(FILES ${folder}/_octavo DESTINATION ${share}/zsh/site-functions COMPONENT python)
install(FILES ${folder}/octavo.fish DESTINATION ${share}/fish/vendor_completions.d COMPONENT python)
install(DIRECTORY ${folder}/man1 DESTINATION ${manuals} COMPONENT python)
