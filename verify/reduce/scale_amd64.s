#include "textflag.h"

// Every kernel divides n bytes (a multiple of 32) of dst by the float in Y9.
#define SCALE(STEP) \
	XORQ AX, AX  \
loop:            \
	STEP         \
	ADDQ $32, AX \
	CMPQ AX, CX  \
	JLT  loop    \
	VZEROUPPER   \
	RET

#define ARGUMENTS MOVQ dst+0(FP), DI; MOVQ n+8(FP), CX;

// func divF32(dst *byte, n int, by float32)
TEXT ·divF32(SB), NOSPLIT, $0-20
	ARGUMENTS
	VBROADCASTSS by+16(FP), Y9
#define STEP VMOVUPS (DI)(AX*1), Y0; VDIVPS Y9, Y0, Y0; VMOVUPS Y0, (DI)(AX*1);
	SCALE(STEP)
#undef STEP

// func divF64(dst *byte, n int, by float64)
TEXT ·divF64(SB), NOSPLIT, $0-24
	ARGUMENTS
	VBROADCASTSD by+16(FP), Y9
#define STEP VMOVUPD (DI)(AX*1), Y0; VDIVPD Y9, Y0, Y0; VMOVUPD Y0, (DI)(AX*1);
	SCALE(STEP)
#undef STEP

// func divF16(dst *byte, n int, by float32)
TEXT ·divF16(SB), NOSPLIT, $0-20
	ARGUMENTS
	VBROADCASTSS by+16(FP), Y9
#define HALF(o) VCVTPH2PS o(DI)(AX*1), Y0; VDIVPS Y9, Y0, Y0; VCVTPS2PH $0, Y0, o(DI)(AX*1);
#define STEP HALF(0) HALF(16)
	SCALE(STEP)
#undef STEP

// func divBF16(dst *byte, n int, by float32)
// Lanes and rounding as in kernels_amd64.s.
TEXT ·divBF16(SB), NOSPLIT, $0-20
	ARGUMENTS
	VBROADCASTSS by+16(FP), Y9
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $31, Y15, Y13
	VPSRLD $17, Y15, Y14
	VPSLLD $16, Y15, Y15
#define ROUND(x) VDIVPS Y9, x, x; VPSRLD $16, x, Y2; VPAND Y13, Y2, Y2; VPADDD Y14, x, x; VPADDD Y2, x, x;
#define STEP \
	VMOVDQU (DI)(AX*1), Y0      \
	VPSLLD $16, Y0, Y1          \
	VPAND Y15, Y0, Y0           \
	ROUND(Y0)                   \
	ROUND(Y1)                   \
	VPSRLD $16, Y1, Y1          \
	VPBLENDW $0xaa, Y0, Y1, Y0  \
	VMOVDQU Y0, (DI)(AX*1)
	SCALE(STEP)
#undef STEP
