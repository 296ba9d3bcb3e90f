# Fills a template with the page's files; concatenates the scripts. Usage:
# cmake -DIN=template -DOUT=file.cc -DSTYLE=file -DLIVE=file -DSCRIPTS=file;file… -P EmbedWeb.cmake
file(READ ${STYLE} style)
file(READ ${LIVE} live)
set(script "")
foreach(file ${SCRIPTS})
  file(READ ${file} text)
  string(APPEND script "${text}\n")
endforeach()
configure_file(${IN} ${OUT} @ONLY)
