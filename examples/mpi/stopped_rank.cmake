# Runs PROGRAM, whose rank 1 of 3 stops: ranks 0 and 2 name it.
execute_process(COMMAND ${MPIEXEC} -n 3 ${PROGRAM} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result)
foreach(rank 0 2)
  if(NOT output MATCHES "rank ${rank}: exchange samples: rank 1 did not answer within 4000 ms")
    message(FATAL_ERROR "exit status ${result}, ${output}, ${errors}")
  endif()
endforeach()
