#include "textflag.h"

// func copyStream(dst, src *byte, n int)
// n is a multiple of 128 and dst is aligned to 32. The stores go round the
// caches and are fenced before the return.
TEXT ·copyStream(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
loop:
	PREFETCHNTA 1024(SI)
	PREFETCHNTA 1088(SI)
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVDQU 64(SI), Y2
	VMOVDQU 96(SI), Y3
	VMOVNTDQ Y0, (DI)
	VMOVNTDQ Y1, 32(DI)
	VMOVNTDQ Y2, 64(DI)
	VMOVNTDQ Y3, 96(DI)
	ADDQ $128, DI
	ADDQ $128, SI
	SUBQ $128, CX
	JNZ  loop
	SFENCE
	VZEROUPPER
	RET
