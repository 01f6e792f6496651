# OCTAVO_SANITIZE=address,undefined becomes the flags that every target of ours is compiled and linked with.
set(OCTAVO_SANITIZE_FLAGS "")
if(OCTAVO_SANITIZE)
  set(OCTAVO_SANITIZE_FLAGS -fsanitize=${OCTAVO_SANITIZE} -fno-omit-frame-pointer)
  if(OCTAVO_SANITIZE MATCHES undefined)
    list(APPEND OCTAVO_SANITIZE_FLAGS -fno-sanitize-recover=all)
  endif()
endif()
