#!/bin/sh
# Compiles pass.comp to pass.h, the words of its SPIR-V, which is kept beside it: whoever builds the example needs no
# compiler for shaders. Debian's package glslang-tools has the compiler.
set -eu
cd "$(dirname "$0")"
glslangValidator -V --quiet pass.comp -o pass.spv
{
	echo "// The words of pass.comp. shader.sh has made them."
	echo "static const uint32_t pass_words[] = {"
	od -An -v -tx4 -w32 pass.spv | sed 's/ \([0-9a-f]\{8\}\)/ 0x\1,/g; s/^ /\t/'
	echo "};"
} >pass.h
rm pass.spv
