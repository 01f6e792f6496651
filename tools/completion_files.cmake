# The shell completions and the man pages, which the program itself writes.
if(CMAKE_CROSSCOMPILING)
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
add_custom_target(octavo_shell_files ALL DEPENDS ${completions} ${folder}/man1/octavo.1)
install(FILES ${folder}/octavo.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME octavo)
install(FILES ${folder}/_octavo DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${folder}/octavo.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY ${folder}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
